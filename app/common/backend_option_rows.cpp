// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/backend_option_rows.h"

#include <algorithm>
#include <utility>

#include <arenascope/run/backend_options.h>
#include <fmt/format.h>

namespace arenascope::app {
namespace {

// The key in RunnerOptions::backend_options; it contains the backend, so other backends ignore it.
std::string device_key(const BackendOptionInfo& option) { return fmt::format("{}.{}", option.backend, option.name); }
// Current value of option `i` of the table.
template <size_t i>
std::string device_option_text(const RunnerOptions& o) {
  const BackendOptionInfo& option = backend_options()[i];
  const auto at = o.backend_options.find(device_key(option));
  return at != o.backend_options.end() ? at->second : option.default_value();
}
template <size_t i>
std::vector<std::string> device_option_choices() {
  return backend_options()[i].values();
}
template <size_t i>
Status set_device_option(RunnerOptions& o, const std::string& value) {
  const BackendOptionInfo& option = backend_options()[i];
  const auto values = option.values();
  if (std::find(values.begin(), values.end(), value) == values.end())
    return Error{fmt::format("expected one of {}, found '{}'", option.choices, value)};
  if (value == option.default_value())
    o.backend_options.erase(device_key(option));
  else
    o.backend_options[device_key(option)] = value;
  return {};
}

constexpr size_t kMaxOptions = 24;  // upper limit; a test checks that every option has a row

}  // namespace

std::vector<RunOption> backend_option_rows() {
  static const std::vector<std::string> ids = [] {
    std::vector<std::string> out;
    for (const BackendOptionInfo& option : backend_options()) out.push_back(device_key(option));
    return out;
  }();
  std::vector<RunOption> rows;
  const auto add = [&]<size_t i>(std::integral_constant<size_t, i>) {
    if (i >= backend_options().size()) return;
    const BackendOptionInfo& option = backend_options()[i];
    rows.push_back({ids[i].c_str(), OptionType::Choice, option.title, option.description, device_option_text<i>,
                    set_device_option<i>, device_option_choices<i>, nullptr, false, false, true});
  };
  [&]<size_t... i>(std::index_sequence<i...>) { (add(std::integral_constant<size_t, i>()), ...); }
  (std::make_index_sequence<kMaxOptions>());
  return rows;
}

}  // namespace arenascope::app
