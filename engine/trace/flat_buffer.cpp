// SPDX-License-Identifier: MIT
#include "engine/trace/flat_buffer.h"

namespace arenascope::trace {

FlatTable FlatTable::root(ByteSpan bytes, std::string_view identifier) {
  const ByteSpan buffer = without_size(bytes, identifier);
  return buffer.empty() ? FlatTable() : table_at(buffer, follow(buffer, 0));
}

ByteSpan FlatTable::without_size(ByteSpan bytes, std::string_view identifier) {
  constexpr size_t kOffset = 4;  // the size and the root offset have four bytes each
  for (const size_t size : {size_t{0}, size_t{4}}) {
    const size_t at = size + kOffset;
    if (holds(bytes, at, identifier.size()) &&
        std::memcmp(bytes.data() + at, identifier.data(), identifier.size()) == 0)
      return bytes.subspan(size);
  }
  return {};
}

size_t FlatTable::follow(ByteSpan bytes, size_t at) {
  if (!holds(bytes, at, 4)) return 0;
  const uint64_t target = uint64_t{at} + read<uint32_t>(bytes, at);
  return target < bytes.size() ? static_cast<size_t>(target) : 0;
}

FlatTable FlatTable::table_at(ByteSpan bytes, size_t at) {
  return at != 0 && holds(bytes, at, 4) ? FlatTable(bytes, at) : FlatTable();
}

size_t FlatTable::place_of(size_t field, size_t size) const {
  if (bytes_.empty()) return 0;
  // A table begins with the distance to its vtable, which is stored before it. The vtable holds its own size, the
  // table's size and one offset per field.
  const int64_t list = static_cast<int64_t>(at_) - read<int32_t>(bytes_, at_);
  if (list < 0 || !holds(bytes_, static_cast<size_t>(list), 4)) return 0;
  const auto begin = static_cast<size_t>(list);
  const size_t slot = 4 + 2 * field;
  if (slot + 2 > read<uint16_t>(bytes_, begin) || !holds(bytes_, begin, slot + 2)) return 0;
  const size_t offset = read<uint16_t>(bytes_, begin + slot);
  return offset != 0 && holds(bytes_, at_ + offset, size) ? at_ + offset : 0;
}

FlatTable FlatTable::table(size_t field) const {
  const size_t at = place_of(field, 4);
  return at == 0 ? FlatTable() : table_at(bytes_, follow(bytes_, at));
}

FlatVector FlatTable::vector(size_t field, size_t element_bytes) const {
  FlatVector out;
  const size_t at = place_of(field, 4);
  const size_t begin = at == 0 ? 0 : follow(bytes_, at);
  if (begin == 0 || !holds(bytes_, begin, 4)) return out;
  const size_t count = read<uint32_t>(bytes_, begin);
  if (count > (bytes_.size() - begin - 4) / element_bytes) return out;
  out.bytes_ = bytes_;
  out.at_ = begin + 4;
  out.count_ = count;
  return out;
}

std::string_view FlatTable::text(size_t field) const {
  const FlatVector letters = vector(field, 1);
  if (letters.size() == 0) return {};
  return {reinterpret_cast<const char*>(letters.bytes_.data() + letters.at_), letters.size()};
}

FlatTable FlatVector::table(size_t i) const {
  return i < count_ ? FlatTable::table_at(bytes_, FlatTable::follow(bytes_, at_ + 4 * i)) : FlatTable();
}

}  // namespace arenascope::trace
