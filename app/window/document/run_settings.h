// SPDX-License-Identifier: GPL-3.0-or-later
// How models are run: what the preferences say of it.
#pragma once
#include <QString>

#include <cstddef>

namespace arenascope::app {

inline constexpr int kLeastKeptMib = 16, kMostKeptMib = 65536;

struct RunSettings {
  QString backend = QStringLiteral("cpu");
  int threads = 0;  // 0: as many as there are processors
  QString planner = QStringLiteral("search");
  QString order = QStringLiteral("depth-first");
  QString strategy = QStringLiteral("planned");
  double budget_seconds = 0.3;
  bool rewrite = false;  // the graph by all of rewrite_rules(); a window shows a model as written unless it is told
  bool fuse = false;     // chains of ops as one node where the backend can
  int kept_mib = 256;    // of what a live run records, in memory and on disk each; older runs are let go
  bool autosave = true;  // what is recorded is also written to a file while the run goes on
  // By a lesson: what is remembered of the file counts for nothing, and the document is not the user's own.
  bool pinned = false;
  bool plan_only = false;  // the graph and its plans: nothing is loaded to be run
  size_t kept_bytes() const { return static_cast<size_t>(kept_mib) << 20; }
  bool operator==(const RunSettings&) const = default;
};

}  // namespace arenascope::app
