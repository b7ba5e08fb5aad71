// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare_loader.h"

#include <arenascope/models/model.h>
#include <arenascope/schedule/intervals_file.h>
#include <arenascope/trace/import.h>

#include <QFileInfo>

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

Result<std::shared_ptr<trace::Session>> session_of(const QString& spec, const RunSettings& settings,
                                                   const views::TaskRun& run) {
  if (is_intervals_file(spec.toStdString()) && !is_trace_file(spec))
    return open_intervals(spec.toStdString(), settings.planner.toStdString(), settings.budget_seconds);
  if (!is_trace_file(spec)) return plan_model(spec, settings, run.stop());
  auto session = std::make_shared<trace::Session>();
  trace::OpenOptions options = trace_open_options();
  options.read.progress = [&run](double share) {
    run.progress(share);
    return !run.stop().stop_requested();
  };
  if (auto report = trace::open_trace(spec.toStdString(), *session, options); !report) return report.error();
  return session;
}

}  // namespace

void CompareLoader::load(const QString& spec, const RunSettings& settings) {
  const QString title = spec.startsWith(QStringLiteral("zoo:")) ? spec.mid(4) : QFileInfo(spec).fileName();
  task_.start(tr("Reading %1…").arg(title), [this, spec, settings, title](const views::TaskRun& run) {
    const auto session = session_of(spec, settings, run);
    if (!session) {
      run.post([this, text = QString::fromStdString(session.error().message)] { Q_EMIT failed(text); });
      return;
    }
    const auto other =
        std::make_shared<const views::ComparisonSide>(views::ComparisonSide::of((*session)->snapshot(), title));
    run.post([this, other] { Q_EMIT loaded(other); });
  });
}

}  // namespace arenascope::app
