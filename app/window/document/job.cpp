// SPDX-License-Identifier: GPL-3.0-or-later
#include "job.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <cmath>

namespace arenascope::app {

namespace {

struct JobTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::Job)
};

// Extrapolates the elapsed time to the remaining share.
double seconds_left(double share, double elapsed) {
  return share > 0.02 && share <= 1 && elapsed > 0.5 ? elapsed * (1 - share) / share : -1;
}

std::optional<Job> opening_of(const Document& document) {
  if (document.progress().isEmpty()) return std::nullopt;
  const double share = document.progress_share();
  return Job{document.progress(), share, seconds_left(share, document.progress_seconds())};
}

// Jobs on a background thread of the document: saving, generation, training.
std::optional<Job> background_job_of(Document& document) {
  const auto as_job = [](const BackgroundJob& job, const QString& text) {
    return Job{text, job.share(), seconds_left(job.share(), job.busy_seconds())};
  };
  if (document.saver()->busy())
    return as_job(*document.saver(), JobTexts::tr("Saving %1…").arg(QFileInfo(document.saver()->path()).fileName()));
  if (document.generation()->busy()) return as_job(*document.generation(), JobTexts::tr("Generating text…"));
  if (document.replays()->busy()) return as_job(*document.replays(), JobTexts::tr("Replaying allocator requests…"));
  const TrainingJob& training = *document.training();
  if (!training.busy()) return std::nullopt;
  return as_job(training, training.finds_frontier() ? JobTexts::tr("Computing the memory frontier…")
                          : training.epoch() > 0    ? JobTexts::tr("Training, epoch %1…").arg(training.epoch())
                                                    : JobTexts::tr("Training…"));
}

}  // namespace

std::optional<Job> job_of(Documents& documents) {
  if (documents.opening() != nullptr) return opening_of(*documents.opening());
  Document& document = documents.current();
  if (auto opening = opening_of(document)) return opening;
  const Replanning& replanning = *document.replanning();
  if (replanning.busy()) {
    const auto [done, elapsed] = replanning.done();
    const double budget = replanning.progress().budget_seconds;
    return Job{JobTexts::tr("Planning…"), done,
               replanning.tries_all() ? seconds_left(done, elapsed) : std::max(budget - elapsed, 0.0)};
  }
  if (auto job = background_job_of(document)) return job;
  if (document.findings()->busy()) return Job{JobTexts::tr("Searching for savings…"), document.findings()->done(), -1};
  return std::nullopt;
}

void cancel_job(Documents& documents) {
  Document& document = documents.current();
  if (documents.opening() != nullptr || document.runner()->state() == RunState::Opening)
    return documents.cancel_opening();
  if (document.comparing()->busy()) return document.comparing()->cancel();
  if (document.runner()->planning()) return document.runner()->cancel_planning();
  if (document.runner()->state() == RunState::Recording && !document.progress().isEmpty())
    return document.runner()->cancel_opening();  // a recording that is shown while it is read
  if (document.runner()->state() == RunState::Running && !document.progress().isEmpty())
    return document.runner()->stop();  // a loop of the model is running
  if (document.saver()->busy()) return document.saver()->cancel();
  if (document.generation()->busy()) return document.generation()->stop();
  if (document.training()->busy()) return document.training()->stop();
  if (document.replays()->busy()) return document.replays()->stop();
  document.replanning()->cancel();
  document.findings()->stop();
}

}  // namespace arenascope::app
