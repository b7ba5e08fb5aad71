// SPDX-License-Identifier: GPL-3.0-or-later
// The job of a document that the user is waiting for, with its progress and a way to cancel it.
#pragma once
#include "documents.h"

#include <optional>
#include <vector>

namespace arenascope::app {

enum class JobKind : uint8_t {
  Opening,
  Comparing,
  Planning,  // plans the model that runs: RunController::replan()
  Reading,   // a recording that is shown while it is read, or a program that is attached
  Looping,   // a run of a model whose own loop iterates
  Replanning,
  Saving,
  Generating,
  Replaying,
  Training,
  Querying,
  Findings,
};

struct Job {
  QString text;              // short description
  double share = -1;         // completed share; negative: unknown
  double seconds_left = -1;  // negative: unknown
  // Identity of the job.
  JobKind kind = JobKind::Opening;
  const Document* document = nullptr;
  int number = 0;  // counts jobs of one kind

  bool is(const Job& other) const { return kind == other.kind && document == other.document && number == other.number; }
};

// Jobs of the document being opened, else of the current one; the one the user waits for comes first.
std::vector<Job> jobs_of(Documents& documents);
std::optional<Job> job_of(Documents& documents);  // the first; nullopt: none
// Cancels that job and no other, and discards its results. Does nothing if it has ended.
void cancel_job(Documents& documents, const Job& job);

}  // namespace arenascope::app
