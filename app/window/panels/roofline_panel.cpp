// SPDX-License-Identifier: GPL-3.0-or-later
#include "roofline_panel.h"

#include <views/common/settings.h>

#include "app/window/document/user_message.h"
#include "engine/runtime/machine.h"

namespace arenascope::app {

using views::Settings;

namespace {

QString peaks_key(const QString& processor) {
  QString name = processor.isEmpty() ? QStringLiteral("unknown") : processor;
  return QStringLiteral("peaks/") + name.replace(u'/', u'_');
}

// Its threads would lower the peaks.
bool is_computing(Document& document) {
  return document.runner()->state() == RunState::Running || document.jobs().training.busy() ||
         document.jobs().generation.busy();
}

}  // namespace

std::optional<MachinePeaks> stored_peaks(const QString& processor) {
  const QString key = peaks_key(processor);
  const MachinePeaks peaks{Settings::value(key + QStringLiteral("/gflops")).toDouble(),
                           Settings::value(key + QStringLiteral("/bandwidth")).toDouble(),
                           Settings::value(key + QStringLiteral("/threads")).toInt()};
  if (!(peaks.gflops > 0) || !(peaks.bandwidth > 0)) return std::nullopt;
  return peaks;
}

void store_peaks(const QString& processor, const MachinePeaks& peaks) {
  const QString key = peaks_key(processor);
  Settings::set(key + QStringLiteral("/gflops"), peaks.gflops);
  Settings::set(key + QStringLiteral("/bandwidth"), peaks.bandwidth);
  Settings::set(key + QStringLiteral("/threads"), peaks.threads);
}

RooflinePanel::RooflinePanel(Document& document, views::RooflineView* view)
    : QObject(view), document_(&document), view_(view), processor_(QString::fromStdString(processor_name())) {
  measuring_.list_in(document.context().tasks);
  connect(view_, &views::RooflineView::measure_requested, this, &RooflinePanel::measure);
  connect(&measuring_, &views::Task::changed, this, [this] { view_->set_measuring(measuring_.running()); });
  show_peaks();
}

void RooflinePanel::set_document(Document& document) {
  document_ = &document;
  if (!measuring_.running()) measuring_.list_in(document.context().tasks);
  show_peaks();
}

void RooflinePanel::show_peaks() {
  const auto peaks = stored_peaks(processor_);
  if (!peaks) return view_->set_peaks(std::nullopt);
  view_->set_peaks(views::ShownPeaks{{peaks->gflops, peaks->bandwidth}, peaks->threads, processor_});
}

void RooflinePanel::measure() {
  if (measuring_.running()) return;
  if (document_ && is_computing(*document_))
    return document_->messages()->note(tr("The peaks of this machine can only be measured while nothing runs."));
  measuring_.start(tr("Measuring the peaks of this machine…"), [this](const views::TaskRun& run) {
    PeakOptions options;
    options.progress = [&run](double share) {
      run.progress(share);
      return !run.stop().stop_requested();
    };
    const auto peaks = measure_machine_peaks(options);
    if (run.stop().stop_requested()) return;
    if (!peaks) {
      run.post([this, problem = user_message(peaks.error())] {
        if (document_) document_->messages()->post(MessageKind::Error, problem);
      });
      return;
    }
    run.post([this, peaks = *peaks] {
      store_peaks(processor_, peaks);
      show_peaks();
    });
  });
}

}  // namespace arenascope::app
