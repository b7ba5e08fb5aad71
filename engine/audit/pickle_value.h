// SPDX-License-Identifier: MIT
// Plain values out of a Python pickle: numbers, texts, lists, dictionaries. Opcodes that would run code are rejected.
#pragma once
#include <arenascope/base/result.h>

#include <deque>

#include "engine/audit/raw_events.h"

namespace arenascope::audit {

struct Pickled {
  enum class Type : uint8_t { None, Integer, Real, Text, List, Dictionary };
  Type type = Type::None;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<const Pickled*> items;  // List; Dictionary: key, value, key, value, …

  const Pickled* find(std::string_view key) const;
  int64_t number(std::string_view key, int64_t otherwise) const;
  std::string_view string(std::string_view key) const;
  const std::vector<const Pickled*>& list(std::string_view key) const;  // empty where there is none
};

class Pickle {
 public:
  static Result<Pickle> read(ByteSpan bytes, const std::string& name);
  const Pickled& root() const { return *root_; }

 private:
  friend class PickleReader;
  std::deque<Pickled> values_;  // they point to each other
  const Pickled* root_ = nullptr;
};

}  // namespace arenascope::audit
