// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_option_settings.h"

#include <views/common/settings.h>

#include "input_sizes.h"

namespace arenascope::app {

using views::Settings;

std::map<std::string, std::string> remembered_run(const QString& spec) {
  std::map<std::string, std::string> values;
  const QString group = settings_group(QStringLiteral("runs"), spec);
  for (const QString& key : Settings::below(group))
    values[key.toStdString()] = Settings::value(group + u'/' + key).toString().toStdString();
  return values;
}

void remember_run(const QString& spec, const std::map<std::string, std::string>& values) {
  const QString group = settings_group(QStringLiteral("runs"), spec);
  Settings::remove(group);
  for (const auto& [id, value] : values)
    Settings::set(group + u'/' + QString::fromStdString(id), QString::fromStdString(value));
}

}  // namespace arenascope::app
