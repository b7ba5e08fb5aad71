// SPDX-License-Identifier: MIT
// Reads the text of a JSON trace as valid JSON. Tracers write several things that the standard forbids and that would
// otherwise make the whole file unreadable: a comma before a closing bracket, control characters and invalid UTF-8 in
// strings, unpaired surrogates, NaN and Infinity, and numbers beyond the range of a double.
#pragma once
#include <cstddef>
#include <iterator>
#include <string_view>

namespace arenascope::trace {

class JsonRepair {
 public:
  explicit JsonRepair(std::string_view text) : text_(text) {}
  JsonRepair(const JsonRepair&) = delete;
  JsonRepair& operator=(const JsonRepair&) = delete;

  // The next piece of repaired text, valid until the next call; empty at the end.
  std::string_view next() { return in_string_ ? in_string() : outside(); }
  size_t position() const { return at_; }  // bytes of the original text that were read

  // An input iterator over the characters of all pieces.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;
    Iterator() = default;  // the end
    explicit Iterator(JsonRepair& repair) : repair_(&repair), piece_(repair.next()) {}
    char operator*() const { return piece_.front(); }
    Iterator& operator++() {
      piece_.remove_prefix(1);
      if (piece_.empty()) piece_ = repair_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return piece_.empty() == other.piece_.empty(); }

   private:
    JsonRepair* repair_ = nullptr;
    std::string_view piece_;
  };
  Iterator begin() { return Iterator(*this); }
  static Iterator end() { return {}; }

 private:
  std::string_view outside();
  std::string_view comma();
  std::string_view token();
  std::string_view in_string();
  std::string_view escape();
  std::string_view control_character(unsigned char c);

  std::string_view text_;
  size_t at_ = 0;
  bool in_string_ = false;
  char escaped_[8] = {};
};

}  // namespace arenascope::trace
