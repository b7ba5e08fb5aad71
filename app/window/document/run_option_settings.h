// SPDX-License-Identifier: GPL-3.0-or-later
// Run options of a file or built-in model that differ from the preferences, stored in the settings. Thread-safe.
#pragma once
#include <QString>

#include <map>
#include <string>

namespace arenascope::app {

// By RunOption id; empty if nothing is stored.
std::map<std::string, std::string> remembered_run(const QString& spec);
void remember_run(const QString& spec, const std::map<std::string, std::string>& values);

}  // namespace arenascope::app
