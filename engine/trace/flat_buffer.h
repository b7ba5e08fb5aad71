// SPDX-License-Identifier: MIT
// Reads an untrusted FlatBuffer in place (https://flatbuffers.dev/internals). Every position is checked when it is
// used; missing or out-of-range data reads as absent.
#pragma once
#include <arenascope/trace/wire.h>

#include <cstring>
#include <string_view>

namespace arenascope::trace {

class FlatVector;

class FlatTable {
 public:
  FlatTable() = default;
  // True if the file identifier, the four bytes after the root offset, equals `identifier`.
  static bool is_of(ByteSpan bytes, std::string_view identifier) { return !without_size(bytes, identifier).empty(); }
  // The root table of a whole file, which may begin with its size; absent if the file does not have this identifier.
  static FlatTable root(ByteSpan bytes, std::string_view identifier);

  explicit operator bool() const { return !bytes_.empty(); }
  // Fields by their number in the schema, counted from 0.
  template <class T>
  T number(size_t field, T otherwise = 0) const {
    const size_t at = place_of(field, sizeof(T));
    return at == 0 ? otherwise : read<T>(bytes_, at);
  }
  FlatTable table(size_t field) const;
  std::string_view text(size_t field) const;
  FlatVector vector(size_t field, size_t element_bytes) const;

 private:
  friend class FlatVector;
  FlatTable(ByteSpan bytes, size_t at) : bytes_(bytes), at_(at) {}
  template <class T>
  static T read(ByteSpan bytes, size_t at) {  // precondition: within `bytes`
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  // The buffer without its size, if it begins with one; empty if it does not have this identifier.
  static ByteSpan without_size(ByteSpan bytes, std::string_view identifier);
  static bool holds(ByteSpan bytes, size_t at, size_t size) { return at <= bytes.size() && size <= bytes.size() - at; }
  // Position of a field of `size` bytes; 0 if absent.
  size_t place_of(size_t field, size_t size) const;
  // Position that the offset stored at `at` refers to; 0 if invalid.
  static size_t follow(ByteSpan bytes, size_t at);
  static FlatTable table_at(ByteSpan bytes, size_t at);

  ByteSpan bytes_;
  size_t at_ = 0;
};

class FlatVector {
 public:
  size_t size() const { return count_; }
  template <class T>
  T number(size_t i) const {
    return i < count_ ? FlatTable::read<T>(bytes_, at_ + i * sizeof(T)) : T{};
  }
  FlatTable table(size_t i) const;

 private:
  friend class FlatTable;
  ByteSpan bytes_;
  size_t at_ = 0, count_ = 0;
};

}  // namespace arenascope::trace
