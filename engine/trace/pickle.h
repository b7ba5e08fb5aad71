// SPDX-License-Identifier: MIT
// Reads the data subset of Python's pickle format (protocols 2 to 5): numbers, strings, bytes, lists, tuples, dicts and
// sets. Nothing is ever executed: an opcode that imports, calls or builds an object is an error that names the opcode.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/wire.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::trace {

// A value of a pickle. Values refer to each other by pointer, may be shared and may contain themselves, so traverse
// them to a fixed depth only. The Pickle owns them.
struct PickleValue {
  enum Type : uint8_t { None, Bool, Integer, Real, Text, Raw, List, Dict };  // a tuple or set is a List
  Type type = None;
  int64_t integer = 0;  // also Bool
  double real = 0;
  std::string_view text;                  // Text, Raw: points into the file's bytes
  std::vector<const PickleValue*> items;  // List; Dict: key, value, key, value, …

  // The value of a key of a Dict; null if the key is not among the first kKeysLookedAt. Records have few keys; the
  // limit bounds the time for files in which many lists share one large dict.
  static constexpr size_t kKeysLookedAt = 64;
  const PickleValue* get(std::string_view key) const;
  std::string_view text_of(std::string_view key) const;
  int64_t integer_of(std::string_view key, int64_t otherwise = 0) const;
};

struct Pickle {
  std::deque<PickleValue> values;
  const PickleValue* root = nullptr;
};

// `bytes` must outlive the result. Error messages begin with `name`.
Result<Pickle> read_pickle(ByteSpan bytes, const std::string& name);

}  // namespace arenascope::trace
