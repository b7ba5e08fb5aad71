// SPDX-License-Identifier: GPL-3.0-or-later
// Run settings from the preferences.
#pragma once
#include <QString>

#include <cstddef>

namespace arenascope::app {

inline constexpr int kMinRecordingMib = 16, kMaxRecordingMib = 65536;

struct RunSettings {
  QString backend = QStringLiteral("cpu");
  int threads = 0;  // 0: one per CPU
  QString planner = QStringLiteral("search");
  QString order = QStringLiteral("depth-first");
  QString strategy = QStringLiteral("planned");
  double budget_seconds = 0.3;
  bool rewrite = false;           // graph rewriting; off by default, so that the window shows the model as written
  bool fuse = false;              // fuse chains of ops where the backend supports it
  int recording_limit_mib = 256;  // limit of a live recording, in memory and on disk each; older runs are discarded
  bool autosave = true;           // save live recordings to a file
  // Set by a lesson: saved options of the file are ignored, and the document is not the user's own.
  bool from_lesson = false;
  bool plan_only = false;  // graph and plans only; the model cannot be run
  size_t recording_limit_bytes() const { return static_cast<size_t>(recording_limit_mib) << 20; }
  bool operator==(const RunSettings&) const = default;
};

}  // namespace arenascope::app
