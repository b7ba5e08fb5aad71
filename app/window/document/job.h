// SPDX-License-Identifier: GPL-3.0-or-later
// The job of a document that the user is waiting for, with its progress and a way to cancel it.
#pragma once
#include "documents.h"

#include <optional>

namespace arenascope::app {

struct Job {
  QString text;              // short description
  double share = -1;         // completed share; negative: unknown
  double seconds_left = -1;  // negative: unknown
};

// The job of the document being opened, else of the current one; nullopt: none.
std::optional<Job> job_of(Documents& documents);
// Cancels that job and discards its results.
void cancel_job(Documents& documents);

}  // namespace arenascope::app
