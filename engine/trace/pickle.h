// SPDX-License-Identifier: MIT
// Reads the plain part of Python's pickle format (protocols 2 to 5): numbers, text, bytes, lists, tuples, dicts, sets.
// Nothing is ever executed: an opcode that imports, calls or builds an object is refused, by what it asked for.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/wire.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::trace {

// A value of a pickle. Values refer to each other by pointer and may be shared or even hold themselves: walk them to
// a fixed depth only. The Pickle owns them.
struct PickleValue {
  enum Type : uint8_t { None, Bool, Integer, Real, Text, Raw, List, Dict };  // a tuple or set is a List
  Type type = None;
  int64_t integer = 0;  // Bool too
  double real = 0;
  std::string_view text;                  // Text, Raw: into the file's bytes
  std::vector<const PickleValue*> items;  // List; Dict: key, value, key, value, …

  // Of a Dict; null if it is not among the first keys. (A record has few; a dict that was made large and is shared by
  // many lists would make reading take for ever.)
  static constexpr size_t kKeysLookedAt = 64;
  const PickleValue* get(std::string_view key) const;
  std::string_view text_of(std::string_view key) const;
  int64_t integer_of(std::string_view key, int64_t otherwise = 0) const;
};

struct Pickle {
  std::deque<PickleValue> values;
  const PickleValue* root = nullptr;
};

// `bytes` must outlive the result. The error's sentence begins with `name`.
Result<Pickle> read_pickle(ByteSpan bytes, const std::string& name);

}  // namespace arenascope::trace
