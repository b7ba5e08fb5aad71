// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare_loader.h"

#include <arenascope/models/model.h>
#include <arenascope/schedule/intervals_file.h>
#include <arenascope/trace/import.h>

#include <views/common/background.h>
#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include "app/common/planned_session.h"
#include "app/common/trace_open_options.h"
#include "trace_file.h"

namespace arenascope::app {
namespace {

// A model as a session with plans only.
Result<std::shared_ptr<trace::Session>> plan_model(const QString& spec, const RunSettings& settings,
                                                   std::stop_token stop) {
  auto model = models::open_model(spec.toStdString());
  if (!model) return model.error();
  PlanSettings plan{settings.planner.toStdString(), settings.order.toStdString(), {}};
  plan.options.planner.budget_seconds = settings.budget_seconds;
  plan.options.planner.stop = std::move(stop);
  return planned_session(*model, plan);
}

}  // namespace

CompareLoader::~CompareLoader() { given_up_.request_stop(); }

void CompareLoader::cancel() {
  given_up_.request_stop();
  if (busy_) end();
}

void CompareLoader::show(const QString& text, double share) {
  text_ = text;
  share_ = share;
  Q_EMIT changed();
}

void CompareLoader::end() {
  busy_ = false;
  Q_EMIT changed();
}

void CompareLoader::load(const QString& spec, const RunSettings& settings) {
  cancel();
  given_up_ = std::stop_source();
  const std::stop_token given_up = given_up_.get_token();
  busy_ = true;
  const QString title = spec.startsWith(QStringLiteral("zoo:")) ? spec.mid(4) : QFileInfo(spec).fileName();
  since_.start();
  show(tr("Reading %1…").arg(title), -1);
  // Reports run on the UI thread unless the load was cancelled.
  const auto tell = [self = QPointer<CompareLoader>(this), given_up](std::function<void(CompareLoader*)> f) {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, given_up, f = std::move(f)] {
          if (self && !given_up.stop_requested()) f(self);
        },
        Qt::QueuedConnection);
  };
  views::background_pool()->start([spec, settings, title, given_up, tell] {
    Result<std::shared_ptr<trace::Session>> session = std::make_shared<trace::Session>();
    if (is_trace_file(spec)) {
      trace::OpenOptions options = trace_open_options();
      options.read.progress = [&, last = 0](double part) mutable {
        const int percent = static_cast<int>(part * 100);
        if (std::exchange(last, percent) != percent)
          tell([title, percent](CompareLoader* l) {
            l->show(tr("Reading %1… %2 %").arg(title).arg(percent), percent / 100.0);
          });
        return !given_up.stop_requested();
      };
      if (auto report = trace::open_trace(spec.toStdString(), **session, options); !report) session = report.error();
    } else if (is_intervals_file(spec.toStdString())) {
      session = open_intervals(spec.toStdString(), settings.planner.toStdString(), settings.budget_seconds);
    } else {
      session = plan_model(spec, settings, given_up);
    }
    if (!session) {
      tell([text = QString::fromStdString(session.error().message)](CompareLoader* l) {
        l->end();
        Q_EMIT l->failed(text);
      });
      return;
    }
    auto other =
        std::make_shared<const views::ComparisonSide>(views::ComparisonSide::of((*session)->snapshot(), title));
    tell([other](CompareLoader* l) {
      l->end();
      Q_EMIT l->loaded(other);
    });
  });
}

}  // namespace arenascope::app
