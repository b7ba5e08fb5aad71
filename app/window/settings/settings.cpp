// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"

#include <views/common/settings.h>

#include <algorithm>

namespace arenascope::app {

Preferences Preferences::load() {
  Preferences p;
  p.run.backend = views::Settings::value("run/backend", p.run.backend).toString();
  p.run.threads = std::clamp(views::Settings::value("run/threads", 0).toInt(), 0, 1024);
  p.run.planner = views::Settings::value("run/planner", p.run.planner).toString();
  p.run.order = views::Settings::value("run/order", p.run.order).toString();
  p.run.strategy = views::Settings::value("run/strategy", p.run.strategy).toString();
  p.run.budget_seconds = std::clamp(views::Settings::value("run/budget", p.run.budget_seconds).toDouble(), 0.01, 600.0);
  p.run.rewrite = views::Settings::value("run/rewrite", p.run.rewrite).toBool();
  p.run.fuse = views::Settings::value("run/fuse", p.run.fuse).toBool();
  p.run.recording_limit_mib =
      std::clamp(views::Settings::value("run/recording_limit_mib", p.run.recording_limit_mib).toInt(), kMinRecordingMib,
                 kMaxRecordingMib);
  p.run.autosave = views::Settings::value("run/autosave", p.run.autosave).toBool();
  p.language = views::Settings::value("language").toString();
  p.theme = static_cast<views::ThemeMode>(std::clamp(views::Settings::value("theme", 0).toInt(), 0, 3));
  p.reopen = views::Settings::value("reopen", p.reopen).toBool();
  return p;
}

void Preferences::save() const {
  views::Settings::set("run/backend", run.backend);
  views::Settings::set("run/threads", run.threads);
  views::Settings::set("run/planner", run.planner);
  views::Settings::set("run/order", run.order);
  views::Settings::set("run/strategy", run.strategy);
  views::Settings::set("run/budget", run.budget_seconds);
  views::Settings::set("run/rewrite", run.rewrite);
  views::Settings::set("run/fuse", run.fuse);
  views::Settings::set("run/recording_limit_mib", run.recording_limit_mib);
  views::Settings::set("run/autosave", run.autosave);
  views::Settings::set("language", language);
  views::Settings::set("theme", static_cast<int>(theme));
  views::Settings::set("reopen", reopen);
}

QStringList recent_files() { return views::Settings::value("recent").toStringList(); }

void remember_recent_file(const QString& spec) {
  QStringList files = recent_files();
  files.removeAll(spec);
  files.prepend(spec);
  views::Settings::set("recent", QStringList(files.mid(0, 10)));
}

}  // namespace arenascope::app
