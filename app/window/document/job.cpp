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

// Progress that the runner reports; nullopt: none.
std::optional<Job> runner_job(Document& document) {
  if (document.progress().isEmpty()) return std::nullopt;
  const double share = document.progress_share();
  return Job{document.progress(), share, seconds_left(share, document.progress_seconds())};
}

std::optional<Job> opening_job(Document& document) {
  return document.runner()->state() == RunState::Opening ? runner_job(document) : std::nullopt;
}

std::optional<Job> planning_job(Document& document) {
  return document.runner()->planning() && !opening_job(document) ? runner_job(document) : std::nullopt;
}

std::optional<Job> looping_job(Document& document) {
  const RunState state = document.runner()->state();
  return state == RunState::Running && !document.runner()->planning() ? runner_job(document) : std::nullopt;
}

// Any other progress of the runner.
std::optional<Job> reading_job(Document& document) {
  if (opening_job(document) || planning_job(document) || looping_job(document)) return std::nullopt;
  return runner_job(document);
}

std::optional<Job> comparing_job(Document& document) {
  if (!document.comparing()->busy()) return std::nullopt;
  const double share = document.comparing()->share();
  return Job{document.comparing()->text(), share, seconds_left(share, document.comparing()->busy_seconds())};
}

std::optional<Job> replanning_job(Document& document) {
  const Replanning& replanning = *document.replanning();
  if (!replanning.busy()) return std::nullopt;
  const auto [done, elapsed] = replanning.done();
  const double budget = replanning.progress().budget_seconds;
  return Job{JobTexts::tr("Planning…"), done,
             replanning.tries_all() ? seconds_left(done, elapsed) : std::max(budget - elapsed, 0.0)};
}

// A job on a background thread of the document: saving, generation, training.
std::optional<Job> as_job(const BackgroundJob& job, const QString& text) {
  if (!job.busy()) return std::nullopt;
  Job shown{text, job.share(), seconds_left(job.share(), job.busy_seconds())};
  shown.number = job.number();
  return shown;
}

std::optional<Job> saving_job(Document& document) {
  const Saver& saver = *document.saver();
  return as_job(saver, JobTexts::tr("Saving %1…").arg(QFileInfo(saver.path()).fileName()));
}

std::optional<Job> generating_job(Document& document) {
  return as_job(*document.generation(), JobTexts::tr("Generating text…"));
}

std::optional<Job> replaying_job(Document& document) {
  return as_job(*document.replays(), JobTexts::tr("Replaying allocator requests…"));
}

std::optional<Job> querying_job(Document& document) {
  return as_job(*document.queries(), JobTexts::tr("Running a query…"));
}

std::optional<Job> training_job(Document& document) {
  const TrainingJob& training = *document.training();
  return as_job(training, training.finds_frontier() ? JobTexts::tr("Computing the memory frontier…")
                          : training.epoch() > 0    ? JobTexts::tr("Training, epoch %1…").arg(training.epoch())
                                                    : JobTexts::tr("Training…"));
}

std::optional<Job> findings_job(Document& document) {
  if (!document.findings()->busy()) return std::nullopt;
  return Job{JobTexts::tr("Looking for savings…"), document.findings()->done(), -1};
}

struct JobRow {
  JobKind kind;
  std::optional<Job> (*find)(Document&);
  void (*cancel)(Document&);
};

constexpr JobRow kJobs[] = {
    {JobKind::Opening, opening_job, [](Document& d) { d.runner()->cancel_opening(); }},
    {JobKind::Comparing, comparing_job, [](Document& d) { d.comparing()->cancel(); }},
    {JobKind::Planning, planning_job, [](Document& d) { d.runner()->cancel_planning(); }},
    {JobKind::Reading, reading_job, [](Document& d) { d.runner()->cancel_opening(); }},
    {JobKind::Looping, looping_job, [](Document& d) { d.runner()->stop(); }},
    {JobKind::Replanning, replanning_job, [](Document& d) { d.replanning()->cancel(); }},
    {JobKind::Saving, saving_job, [](Document& d) { d.saver()->cancel(); }},
    {JobKind::Generating, generating_job, [](Document& d) { d.generation()->stop(); }},
    {JobKind::Replaying, replaying_job, [](Document& d) { d.replays()->stop(); }},
    {JobKind::Training, training_job, [](Document& d) { d.training()->stop(); }},
    {JobKind::Querying, querying_job, [](Document& d) { d.queries()->stop(); }},
    {JobKind::Findings, findings_job, [](Document& d) { d.findings()->stop(); }},
};

void add_jobs(Document& document, std::vector<Job>& jobs) {
  for (const JobRow& row : kJobs)
    if (auto job = row.find(document)) {
      job->kind = row.kind;
      job->document = &document;
      jobs.push_back(std::move(*job));
    }
}

}  // namespace

std::vector<Job> jobs_of(Documents& documents) {
  std::vector<Job> jobs;
  if (documents.opening() != nullptr) add_jobs(*documents.opening(), jobs);
  add_jobs(documents.current(), jobs);
  return jobs;
}

std::optional<Job> job_of(Documents& documents) {
  std::vector<Job> jobs = jobs_of(documents);
  if (jobs.empty()) return std::nullopt;
  return std::move(jobs.front());
}

// `job` may change with the first signal of the cancelled job, since the bar's job does.
void cancel_job(Documents& documents, const Job& job) {
  for (const Job& running : jobs_of(documents)) {
    if (!running.is(job)) continue;
    if (running.document == documents.opening()) return documents.cancel_opening();
    for (const JobRow& row : kJobs)
      if (row.kind == running.kind) return row.cancel(documents.current());
  }
}

}  // namespace arenascope::app
