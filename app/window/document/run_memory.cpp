// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_memory.h"

#include <QSettings>

#include "input_sizes.h"

namespace arenascope::app {

std::map<std::string, std::string> remembered_run(const QString& spec) {
  std::map<std::string, std::string> values;
  QSettings settings;
  settings.beginGroup(settings_group(QStringLiteral("runs"), spec));
  for (const QString& key : settings.childKeys())
    values[key.toStdString()] = settings.value(key).toString().toStdString();
  return values;
}

void remember_run(const QString& spec, const std::map<std::string, std::string>& values) {
  QSettings settings;
  const QString group = settings_group(QStringLiteral("runs"), spec);
  settings.remove(group);
  for (const auto& [id, value] : values)
    settings.setValue(group + u'/' + QString::fromStdString(id), QString::fromStdString(value));
}

}  // namespace arenascope::app
