// SPDX-License-Identifier: GPL-3.0-or-later
// How a file or a built-in model is run otherwise than the preferences say, remembered by it. Thread-safe.
#pragma once
#include <QString>

#include <map>
#include <string>

namespace arenascope::app {

// By the id of a RunOption; empty for what nothing is remembered of.
std::map<std::string, std::string> remembered_run(const QString& spec);
void remember_run(const QString& spec, const std::map<std::string, std::string>& values);

}  // namespace arenascope::app
