// SPDX-License-Identifier: MIT
// Tensors of strings: their I64 elements are places in a list of words, so that whatever moves, picks or compares strings
// moves, picks or compares numbers.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arenascope::models {

using Words = std::shared_ptr<const std::vector<std::string>>;

// "" where there is no such place.
inline std::string_view word(const Words& words, int64_t place) {
  return words && place >= 0 && static_cast<size_t>(place) < words->size()
             ? std::string_view((*words)[static_cast<size_t>(place)])
             : std::string_view();
}

// Collects words, each once.
class WordList {
 public:
  int64_t place(std::string_view word) {
    const auto [found, fresh] = places_.try_emplace(std::string(word), static_cast<int64_t>(words_.size()));
    if (fresh) words_.emplace_back(word);
    return found->second;
  }
  // -1: it is not among them.
  int64_t find(std::string_view word) const {
    const auto found = places_.find(std::string(word));
    return found == places_.end() ? -1 : found->second;
  }
  size_t size() const { return words_.size(); }
  Words take() { return std::make_shared<const std::vector<std::string>>(std::move(words_)); }

 private:
  std::unordered_map<std::string, int64_t> places_;
  std::vector<std::string> words_;
};

}  // namespace arenascope::models
