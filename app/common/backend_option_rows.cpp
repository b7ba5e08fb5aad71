// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/backend_option_rows.h"

#include <algorithm>
#include <utility>

#include <arenascope/run/backend_options.h>
#include <fmt/format.h>

namespace arenascope::app {
namespace {

// Under a name that no other backend reads.
std::string device_key(const BackendOptionInfo& option) { return fmt::format("{}.{}", option.backend, option.name); }
// Of the table's option `i`.
template <size_t i>
std::string device_option_text(const RunnerOptions& o) {
  const BackendOptionInfo& option = backend_options()[i];
  const auto at = o.backend_options.find(device_key(option));
  return at != o.backend_options.end() ? at->second : option.usual();
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
    return Error{fmt::format("{} '{}' is none of: {}", device_key(option), value, option.choices)};
  if (value == option.usual())
    o.backend_options.erase(device_key(option));
  else
    o.backend_options[device_key(option)] = value;
  return {};
}

constexpr size_t kMostOptions = 24;  // a test misses the row of one beyond

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
    rows.push_back({ids[i].c_str(), OptionType::Choice, option.title, option.sentence, device_option_text<i>,
                    set_device_option<i>, device_option_choices<i>, nullptr, false, false, true});
  };
  [&]<size_t... i>(std::index_sequence<i...>) { (add(std::integral_constant<size_t, i>()), ...); }
  (std::make_index_sequence<kMostOptions>());
  return rows;
}

}  // namespace arenascope::app
