// SPDX-License-Identifier: GPL-3.0-or-later
// The names of a report, each once; rectangles, spans and frames refer to them by number.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

namespace arenascope::app {

class ReportNames {
 public:
  size_t number(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, list_.size());
    if (is_new) list_.push_back(name);
    return at->second;
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::unordered_map<std::string, size_t> numbers_;
  std::vector<std::string> list_;
};

}  // namespace arenascope::app
