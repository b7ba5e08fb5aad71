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

// As much again as it took so far, by what is left of it.
double left_by_share(double share, double elapsed) {
  return share > 0.02 && share <= 1 && elapsed > 0.5 ? elapsed * (1 - share) / share : -1;
}

std::optional<Job> opening_of(const Document& document) {
  if (document.progress().isEmpty()) return std::nullopt;
  const double share = document.progress_share();
  return Job{document.progress(), share, left_by_share(share, document.progress_seconds())};
}

// What a thread of the document's own does: files that are written, a text, training.
std::optional<Job> background_job_of(Document& document) {
  const auto as_job = [](const BackgroundJob& job, const QString& text) {
    return Job{text, job.share(), left_by_share(job.share(), job.busy_seconds())};
  };
  if (document.saver()->busy())
    return as_job(*document.saver(), JobTexts::tr("Saving %1…").arg(QFileInfo(document.saver()->path()).fileName()));
  if (document.writing()->busy()) return as_job(*document.writing(), JobTexts::tr("Writing a text…"));
  if (document.replays()->busy())
    return as_job(*document.replays(), JobTexts::tr("Replaying an allocator's requests…"));
  const Learning& learning = *document.learning();
  if (!learning.busy()) return std::nullopt;
  return as_job(learning, learning.finds_frontier() ? JobTexts::tr("Weighing work against memory…")
                          : learning.epoch() > 0    ? JobTexts::tr("Training, epoch %1…").arg(learning.epoch())
                                                    : JobTexts::tr("Training…"));
}

}  // namespace

std::optional<Job> job_of(Documents& documents) {
  if (documents.opening() != nullptr) return opening_of(*documents.opening());
  Document& document = documents.at_hand();
  if (auto opening = opening_of(document)) return opening;
  const Replanning& replanning = *document.replanning();
  if (replanning.busy()) {
    const auto [done, elapsed] = replanning.done();
    const double budget = replanning.progress().budget_seconds;
    return Job{JobTexts::tr("Planning…"), done,
               replanning.tries_all() ? left_by_share(done, elapsed) : std::max(budget - elapsed, 0.0)};
  }
  if (auto job = background_job_of(document)) return job;
  if (document.findings()->busy()) return Job{JobTexts::tr("Looking for savings…"), document.findings()->done(), -1};
  return std::nullopt;
}

void cancel_job(Documents& documents) {
  Document& document = documents.at_hand();
  if (documents.opening() != nullptr || document.runner()->state() == RunState::Opening)
    return documents.cancel_opening();
  if (document.comparing()->busy()) return document.comparing()->cancel();
  if (document.runner()->planning()) return document.runner()->cancel_planning();
  if (document.runner()->state() == RunState::Recording && !document.progress().isEmpty())
    return document.runner()->cancel_opening();  // a recording that is shown while it is read
  if (document.runner()->state() == RunState::Running && !document.progress().isEmpty())
    return document.runner()->stop();  // a loop of the model goes round
  if (document.saver()->busy()) return document.saver()->cancel();
  if (document.writing()->busy()) return document.writing()->stop();
  if (document.learning()->busy()) return document.learning()->stop();
  if (document.replays()->busy()) return document.replays()->stop();
  document.replanning()->cancel();
  document.findings()->stop();
}

}  // namespace arenascope::app
