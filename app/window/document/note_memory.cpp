// SPDX-License-Identifier: GPL-3.0-or-later
#include "note_memory.h"

#include <QSettings>

#include "input_sizes.h"

namespace arenascope::app {

std::vector<views::PinnedNote> remembered_notes(const QString& spec) {
  std::vector<views::PinnedNote> notes;
  QSettings settings;
  settings.beginGroup(settings_group(QStringLiteral("notes"), spec));
  const int count = settings.beginReadArray(QStringLiteral("note"));
  for (int i = 0; i < count; ++i) {
    settings.setArrayIndex(i);
    notes.push_back({settings.value("step", -1).toDouble(), settings.value("time", -1).toDouble(),
                     settings.value("text").toString()});
  }
  return notes;
}

void remember_notes(const QString& spec, const std::vector<views::PinnedNote>& notes) {
  QSettings settings;
  const QString group = settings_group(QStringLiteral("notes"), spec);
  settings.remove(group);
  if (notes.empty()) return;
  settings.beginGroup(group);
  settings.beginWriteArray(QStringLiteral("note"));
  for (size_t i = 0; i < notes.size(); ++i) {
    settings.setArrayIndex(static_cast<int>(i));
    settings.setValue("step", notes[i].step);
    settings.setValue("time", notes[i].time);
    settings.setValue("text", notes[i].text);
  }
  settings.endArray();
}

}  // namespace arenascope::app
