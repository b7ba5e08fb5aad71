// SPDX-License-Identifier: GPL-3.0-or-later
// An option as a row of a table, from which the command line and the window create their options. Values are strings,
// so that they can be typed, saved and compared.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/base/result.h>
#include <fmt/format.h>

namespace arenascope::app {

enum class OptionType : uint8_t {
  Flag,  // "on" or "off"
  Int,   // an integer
  Real,  // a real number, such as seconds
  Text,
  Choice,  // one of choices(); other values may be allowed, such as "opencl:1"
  List,    // several strings, one per line
};

// The part of a row that does not depend on the options type.
struct OptionDescriptor {
  const char* id;  // --id, and the key of saved values
  OptionType type;
  const char* title;  // title and description: English, marked for translation in the context "RunOptions"
  const char* description;
  std::vector<std::string> (*choices)();  // for Choice
  const char* off;                        // for a Flag that is on by default: command line flag that disables it
  bool by_comma;                          // for List: commas separate values too
  bool slow_choices;                      // choices() queries drivers, which may take seconds
  bool of_backend;                        // passed as --backend-option ID=VALUE on the command line
};

template <class Of>
struct OptionOf {
  const char* id;
  OptionType type;
  const char* title;
  const char* description;
  std::string (*text)(const Of& options);                // current value
  Status (*set)(Of& options, const std::string& value);  // errors do not name the option
  std::vector<std::string> (*choices)() = nullptr;
  const char* off = nullptr;
  bool by_comma = false;
  bool slow_choices = false;
  bool of_backend = false;

  OptionDescriptor descriptor() const {
    return {id, type, title, description, choices, off, by_comma, slow_choices, of_backend};
  }
};

using OptionValues = std::map<std::string, std::string>;  // by id; options without a value are left unchanged

template <class Of>
const OptionOf<Of>* find_option(std::span<const OptionOf<Of>> table, std::string_view id) {
  for (const OptionOf<Of>& option : table)
    if (option.id == id) return &option;
  return nullptr;
}

// Errors: an invalid value or an unknown id, named after `prefix` ("--" on the command line); the values before it have
// been set.
template <class Of>
Status set_options(std::span<const OptionOf<Of>> table, Of& options, const OptionValues& values,
                   std::string_view prefix = {}) {
  for (const auto& [id, value] : values) {
    const OptionOf<Of>* option = find_option(table, id);
    if (option == nullptr) return Error{fmt::format("unknown option '{}{}'", prefix, id)};
    if (auto ok = option->set(options, value); !ok)
      return Error{fmt::format("{}{}: {}", prefix, id, ok.error().message)};
  }
  return {};
}

// --- helpers for tables

// The non-empty values of a List.
std::vector<std::string> split_list(const std::string& text, bool by_comma);

// Joins `text` of each item, one per line.
template <class Items, class F>
std::string join_lines(const Items& items, F&& text) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += '\n';
    out += text(item);
  }
  return out;
}

// Parse a value. Errors: not a number, or outside of [min, max].
Result<int64_t> parse_integer(const std::string& text, int64_t min, int64_t max);
Result<double> parse_real(const std::string& text, double min, double max);
Result<bool> parse_flag(const std::string& value);

}  // namespace arenascope::app
