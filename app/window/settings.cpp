// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"

#include <algorithm>

namespace arenascope::app {

Preferences Preferences::load() {
  const QSettings s;
  Preferences p;
  p.run.backend = s.value("run/backend", p.run.backend).toString();
  p.run.threads = std::clamp(s.value("run/threads", 0).toInt(), 0, 1024);
  p.run.planner = s.value("run/planner", p.run.planner).toString();
  p.run.order = s.value("run/order", p.run.order).toString();
  p.run.strategy = s.value("run/strategy", p.run.strategy).toString();
  p.run.budget_seconds = std::clamp(s.value("run/budget", p.run.budget_seconds).toDouble(), 0.01, 600.0);
  p.run.fuse = s.value("run/fuse", p.run.fuse).toBool();
  p.run.kept_mib = std::clamp(s.value("run/kept_mib", p.run.kept_mib).toInt(), kLeastKeptMib, kMostKeptMib);
  p.run.autosave = s.value("run/autosave", p.run.autosave).toBool();
  p.language = s.value("language").toString();
  p.theme = static_cast<views::ThemeMode>(std::clamp(s.value("theme", 0).toInt(), 0, 3));
  return p;
}

void Preferences::save() const {
  QSettings s;
  s.setValue("run/backend", run.backend);
  s.setValue("run/threads", run.threads);
  s.setValue("run/planner", run.planner);
  s.setValue("run/order", run.order);
  s.setValue("run/strategy", run.strategy);
  s.setValue("run/budget", run.budget_seconds);
  s.setValue("run/fuse", run.fuse);
  s.setValue("run/kept_mib", run.kept_mib);
  s.setValue("run/autosave", run.autosave);
  s.setValue("language", language);
  s.setValue("theme", static_cast<int>(theme));
}

QStringList recent_files() { return QSettings().value("recent").toStringList(); }

void remember_recent_file(const QString& spec) {
  QStringList files = recent_files();
  files.removeAll(spec);
  files.prepend(spec);
  QSettings().setValue("recent", QStringList(files.mid(0, 10)));
}

}  // namespace arenascope::app
