// SPDX-License-Identifier: MIT
// Reads FlatBuffers files, as https://flatbuffers.dev/internals describes them.
#pragma once
#include <algorithm>
#include <string>

#include "engine/audit/raw_events.h"

namespace arenascope::audit {

// Tables and vectors by their positions; 0 is none. Nothing outside of the file is read.
class Flat {
 public:
  explicit Flat(ByteSpan bytes) : bytes_(bytes) {}

  uint64_t load(size_t at, size_t width) const {
    if (at > bytes_.size() || width > bytes_.size() - at) return 0;
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;) value = value << 8 | bytes_[at + i];
    return value;
  }
  size_t target(size_t at) const {
    const uint64_t offset = at == 0 ? 0 : load(at, 4);
    return offset == 0 || offset >= bytes_.size() - std::min(at, bytes_.size()) ? 0 : at + static_cast<size_t>(offset);
  }
  size_t root() const { return static_cast<size_t>(load(0, 4)); }
  size_t field(size_t table, size_t number) const {
    if (table == 0) return 0;
    const int64_t fields = static_cast<int64_t>(table) - static_cast<int32_t>(load(table, 4));
    if (fields < 0 || 4 + 2 * number >= load(static_cast<size_t>(fields), 2)) return 0;
    const uint64_t offset = load(static_cast<size_t>(fields) + 4 + 2 * number, 2);
    return offset == 0 || table + offset >= bytes_.size() ? 0 : table + static_cast<size_t>(offset);
  }
  size_t child(size_t table, size_t number) const { return target(field(table, number)); }
  uint64_t number(size_t table, size_t number, size_t width) const {
    const size_t at = field(table, number);
    return at == 0 ? 0 : load(at, width);
  }
  // Number of elements; 0 if they are not all within the file.
  size_t length(size_t vector, size_t width) const {
    const uint64_t count = vector == 0 ? 0 : load(vector, 4);
    return count * width <= bytes_.size() - std::min(vector + 4, bytes_.size()) ? static_cast<size_t>(count) : 0;
  }
  uint64_t element(size_t vector, size_t i, size_t width) const { return load(vector + 4 + i * width, width); }
  size_t item(size_t vector, size_t i) const { return target(vector + 4 + 4 * i); }
  std::string text(size_t table, size_t number) const {
    const size_t at = child(table, number), count = length(at, 1);
    return {reinterpret_cast<const char*>(bytes_.data()) + (count > 0 ? at + 4 : 0), count};
  }

 private:
  ByteSpan bytes_;
};

}  // namespace arenascope::audit
