// SPDX-License-Identifier: GPL-3.0-or-later
// What a document is busy with for longer than a moment, how far it is, and its end: of all its jobs the one that a user
// waits for.
#pragma once
#include "documents.h"

#include <optional>

namespace arenascope::app {

struct Job {
  QString text;              // what is done, in a few words
  double share = -1;         // of it that is done; below nought: nobody knows
  double seconds_left = -1;  // below nought: nobody knows
};

// Of the document that is being opened, else of the one at hand; none: nothing is done.
std::optional<Job> job_of(Documents& documents);
// Ends it; what it had found is not taken.
void cancel_job(Documents& documents);

}  // namespace arenascope::app
