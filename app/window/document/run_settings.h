// SPDX-License-Identifier: GPL-3.0-or-later
// How models are run: what the preferences say of it.
#pragma once
#include <QString>

namespace arenascope::app {

struct RunSettings {
  QString backend = QStringLiteral("cpu");
  int threads = 0;  // 0: as many as there are processors
  QString planner = QStringLiteral("search");
  QString order = QStringLiteral("depth-first");
  QString strategy = QStringLiteral("planned");
  double budget_seconds = 0.3;
  bool fuse = false;     // chains of ops as one node where the backend can
  bool autosave = true;  // what is recorded is also written to a file while the run goes on
  bool operator==(const RunSettings&) const = default;
};

}  // namespace arenascope::app
