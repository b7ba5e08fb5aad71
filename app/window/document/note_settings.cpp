// SPDX-License-Identifier: GPL-3.0-or-later
#include "note_settings.h"

#include <views/common/settings.h>

#include "input_sizes.h"

namespace arenascope::app {

using views::Settings;

std::optional<std::vector<views::PinnedNote>> remembered_notes(const QString& spec) {
  const QString group = settings_group(QStringLiteral("notes"), spec) + QStringLiteral("/note/");
  const QVariant count = Settings::value(group + QStringLiteral("size"));
  if (!count.isValid()) return std::nullopt;
  std::vector<views::PinnedNote> notes;
  for (int i = 1; i <= count.toInt(); ++i) {
    const QString one = group + QString::number(i);
    notes.push_back({Settings::value(one + QStringLiteral("/step"), -1).toDouble(),
                     Settings::value(one + QStringLiteral("/time"), -1).toDouble(),
                     Settings::value(one + QStringLiteral("/text")).toString(),
                     Settings::value(one + QStringLiteral("/step_end"), -1).toDouble(),
                     Settings::value(one + QStringLiteral("/time_end"), -1).toDouble()});
  }
  return notes;
}

void remember_notes(const QString& spec, const std::vector<views::PinnedNote>& notes) {
  const QString all = settings_group(QStringLiteral("notes"), spec), group = all + QStringLiteral("/note/");
  Settings::remove(all);
  Settings::set(group + QStringLiteral("size"), static_cast<int>(notes.size()));
  for (size_t i = 0; i < notes.size(); ++i) {
    const QString one = group + QString::number(i + 1);
    Settings::set(one + QStringLiteral("/step"), notes[i].step);
    Settings::set(one + QStringLiteral("/time"), notes[i].time);
    Settings::set(one + QStringLiteral("/text"), notes[i].text);
    Settings::set(one + QStringLiteral("/step_end"), notes[i].step_end);
    Settings::set(one + QStringLiteral("/time_end"), notes[i].time_end);
  }
}

std::vector<Breakpoint> remembered_breakpoints(const QString& spec) {
  std::vector<Breakpoint> breakpoints;
  for (const QString& text : Settings::value(settings_group(QStringLiteral("breakpoints"), spec)).toStringList())
    if (const auto b = Breakpoint::from_setting(text)) breakpoints.push_back(*b);
  return breakpoints;
}

void remember_breakpoints(const QString& spec, const std::vector<Breakpoint>& breakpoints) {
  QStringList texts;
  for (const Breakpoint& b : breakpoints) texts << b.to_setting();
  const QString key = settings_group(QStringLiteral("breakpoints"), spec);
  if (Settings::value(key).toStringList() == texts) return;
  texts.isEmpty() ? Settings::remove(key) : Settings::set(key, texts);
}

}  // namespace arenascope::app
