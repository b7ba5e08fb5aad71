// SPDX-License-Identifier: GPL-3.0-or-later
// Preferences stored in ~/.config/arenascope/arenascope.ini (XDG).
#pragma once
#include <views/common/theme.h>
#include <QStringList>

#include "app/window/document/run_controller.h"

namespace arenascope::app {

struct Preferences {
  RunSettings run;
  QString language;  // "": system; "en", "zh_CN"
  views::ThemeMode theme = views::ThemeMode::System;
  bool reopen = true;  // the documents of the last session
  bool operator==(const Preferences&) const = default;

  static Preferences load();
  void save() const;
};

// The most recently opened files, newest first, at most ten.
QStringList recent_files();
void remember_recent_file(const QString& spec);

}  // namespace arenascope::app
