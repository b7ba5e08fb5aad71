// SPDX-License-Identifier: GPL-3.0-or-later
// An option as a row of a table, from which the command line and the window make what it is told with. Values are texts, so
// that they can be typed, remembered and compared.
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
  Flag,    // "on" or "off"
  Whole,   // a whole number
  Number,  // seconds, say
  Text,
  Choice,  // one of choices(); others may be allowed, as a device's number behind a backend's name
  List,    // several texts, one a line
};

// What of a row hangs on nothing that it is an option of.
struct OptionFace {
  const char* id;  // --id, and the key under which a value is remembered
  OptionType type;
  const char* title;  // both English, marked for translation in the context "RunOptions"
  const char* sentence;
  std::vector<std::string> (*choices)();  // of a Choice
  const char* off;                        // of a Flag that is usually on: what switches it off on the command line
  bool by_comma;                          // of a List: a comma separates, too
  bool slow_choices;                      // choices() asks drivers, which may take seconds
  bool of_backend;                        // on the command line it is --backend-option ID=VALUE
};

template <class Of>
struct OptionOf {
  const char* id;
  OptionType type;
  const char* title;
  const char* sentence;
  std::string (*text)(const Of& options);                // what they have now
  Status (*set)(Of& options, const std::string& value);  // error: a sentence that names the option
  std::vector<std::string> (*choices)() = nullptr;
  const char* off = nullptr;
  bool by_comma = false;
  bool slow_choices = false;
  bool of_backend = false;

  OptionFace face() const { return {id, type, title, sentence, choices, off, by_comma, slow_choices, of_backend}; }
};

using OptionValues = std::map<std::string, std::string>;  // by id; what is not in it stays as it is

template <class Of>
const OptionOf<Of>* find_option(std::span<const OptionOf<Of>> table, std::string_view id) {
  for (const OptionOf<Of>& option : table)
    if (option.id == id) return &option;
  return nullptr;
}

// Errors: the first value that makes no sense, or an id of no option; those before it are set.
template <class Of>
Status set_options(std::span<const OptionOf<Of>> table, Of& options, const OptionValues& values) {
  for (const auto& [id, value] : values) {
    const OptionOf<Of>* option = find_option(table, id);
    if (option == nullptr) return Error{fmt::format("there is no option '{}'", id)};
    if (auto ok = option->set(options, value); !ok) return ok;
  }
  return {};
}

// --- what tables are written with

// The texts of a List; empty ones are none.
std::vector<std::string> lines_of(const std::string& text, bool by_comma);

// `text` of each, one a line.
template <class Items, class F>
std::string joined(const Items& items, F&& text) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += '\n';
    out += text(item);
  }
  return out;
}

// A number of that option. Errors: another text, or a number outside.
Result<int64_t> whole(const char* id, const std::string& text, int64_t least, int64_t most);
Result<double> number(const char* id, const std::string& text, double least, double most);
Result<bool> on(const std::string& value);

}  // namespace arenascope::app
