// SPDX-License-Identifier: MIT
// String tensors store I64 indices into a string table, so data-movement ops and comparisons work on integers.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arenascope::models {

using StringTable = std::shared_ptr<const std::vector<std::string>>;

// "" if the index is out of range.
inline std::string_view string_at(const StringTable& strings, int64_t place) {
  return strings && place >= 0 && static_cast<size_t>(place) < strings->size()
             ? std::string_view((*strings)[static_cast<size_t>(place)])
             : std::string_view();
}

// Builds a string table without duplicates.
class StringInterner {
 public:
  int64_t place(std::string_view word) {
    const auto [found, fresh] = indices_.try_emplace(std::string(word), static_cast<int64_t>(strings_.size()));
    if (fresh) strings_.emplace_back(word);
    return found->second;
  }
  // -1 if the string is not in the table.
  int64_t find(std::string_view word) const {
    const auto found = indices_.find(std::string(word));
    return found == indices_.end() ? -1 : found->second;
  }
  size_t size() const { return strings_.size(); }
  StringTable take() { return std::make_shared<const std::vector<std::string>>(std::move(strings_)); }

 private:
  std::unordered_map<std::string, int64_t> indices_;
  std::vector<std::string> strings_;
};

}  // namespace arenascope::models
