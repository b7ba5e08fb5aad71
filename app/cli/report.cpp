// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/report.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "app/common/file_hash.h"

namespace arenascope::cli {
namespace {

constexpr int kReportVersion = 1;  // raised when the meaning of a documented key changes

// Options whose values are input files; of NAME=FILE the part after the sign.
constexpr std::string_view kInputs[] = {"model", "file", "from", "data", "test", "resume", "input", "tokens"};

std::string plain_name(const CLI::Option& option) {
  const std::string name = option.get_name();
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// Null: not given, and there is no default.
Json value_of(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return option.count() > 0;  // a flag
  if (option.count() == 0) return option.get_default_str().empty() ? Json() : Json(option.get_default_str());
  return option.get_expected_max() > 1 ? Json(option.results()) : Json(option.results().front());
}

// Adds the file, or the model file of the folder, if it is a regular file; the built-in models and streams are none.
void add_input(const std::string& value, Json& inputs) {
  std::filesystem::path file = value;
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) file /= "model.onnx";
  if (!std::filesystem::is_regular_file(file, error)) return;
  const auto hash = app::file_hash(file);
  if (!hash) return;  // the command reports why it cannot read it
  inputs.push_back({{"path", file.string()}, {"bytes", std::filesystem::file_size(file, error)}, {"hash", *hash}});
}

}  // namespace

Json report_of(const CLI::App& command) {
  Json options = Json::object(), inputs = Json::array();
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = plain_name(*option);
    if (name == "help" || name == "json") continue;
    if (Json value = value_of(*option); !value.is_null()) options[name] = std::move(value);
    if (std::find(std::begin(kInputs), std::end(kInputs), name) == std::end(kInputs)) continue;
    for (const std::string& given : option->results())
      add_input(name == "input" ? given.substr(given.find('=') + 1) : given, inputs);
  }
  return {{"format", kReportVersion},      {"program", "arenascope-cli"}, {"version", ARENASCOPE_VERSION},
          {"command", command.get_name()}, {"options", options},          {"inputs", inputs}};
}

}  // namespace arenascope::cli
