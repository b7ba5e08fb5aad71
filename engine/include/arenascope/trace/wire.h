// SPDX-License-Identifier: MIT
// Protocol buffers' wire format, as much as recordings need: varints, fixed 64-bit words and nested messages.
// The reader checks every length against what is there and never allocates.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace arenascope::trace {

enum class WireType : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

constexpr uint64_t zigzag(int64_t v) { return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63); }
constexpr int64_t unzigzag(uint64_t v) { return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1); }

class WireWriter {
 public:
  // The length of a nested message is filled in afterwards, in one byte or, for a long one, in a four-byte varint.
  static constexpr size_t kLargestMessage = (size_t{1} << 28) - 1;

  void varint(uint64_t v) {
    std::array<char, 10> bytes;
    size_t n = 0;
    while (v >= 0x80) {
      bytes[n++] = static_cast<char>(v | 0x80);
      v >>= 7;
    }
    bytes[n++] = static_cast<char>(v);
    out_.append(bytes.data(), n);
  }
  void tag(uint32_t field, WireType type) { varint(uint64_t{field} << 3 | static_cast<uint64_t>(type)); }
  void number(uint32_t field, uint64_t v) {
    tag(field, WireType::Varint);
    varint(v);
  }
  void signed_number(uint32_t field, int64_t v) { number(field, zigzag(v)); }
  void real(uint32_t field, double v) {
    tag(field, WireType::Fixed64);
    std::array<char, 8> bytes;
    const auto bits = __builtin_bit_cast(uint64_t, v);
    for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
    out_.append(bytes.data(), 8);
  }
  void bytes(uint32_t field, std::string_view v) {
    tag(field, WireType::Bytes);
    varint(v.size());
    out_.append(v);
  }
  // begin(field) … end(what begin returned): a nested message.
  size_t begin(uint32_t field) {
    tag(field, WireType::Bytes);
    out_.append(4, '\0');
    return out_.size();
  }
  void end(size_t start) {
    const size_t n = out_.size() - start;
    if (n < 0x80) {
      out_[start - 4] = static_cast<char>(n);
      std::memmove(out_.data() + start - 3, out_.data() + start, n);
      out_.resize(out_.size() - 3);
      return;
    }
    too_large_ |= n > kLargestMessage;
    for (size_t i = 0; i < 4; ++i) {
      out_[start - 4 + i] = static_cast<char>((n >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0));
    }
  }

  const std::string& text() const { return out_; }
  size_t size() const { return out_.size(); }
  bool too_large() const { return too_large_; }
  void cut(size_t size) { out_.resize(size), too_large_ = false; }
  void clear() { cut(0); }

 private:
  std::string out_;
  bool too_large_ = false;
};

using ByteSpan = std::span<const uint8_t>;
inline ByteSpan as_bytes(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

class WireReader {
 public:
  explicit WireReader(ByteSpan bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool done() const { return at_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }

  // The next raw varint; false at the end, or if it does not end.
  bool varint(uint64_t& v) {
    if (at_ != end_ && *at_ < 0x80) [[likely]] {
      v = *at_++;
      return true;
    }
    v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return false;
      const uint8_t byte = *at_++;
      v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  // One field. Its value is `number` (varint and fixed) or `payload`. False at the end or if broken: see ok().
  bool next() {
    if (done()) return false;
    uint64_t key = 0;
    if (!varint(key) || key >> 3 == 0 || key >> 3 > 0x1fffffff) return fail();
    field = static_cast<uint32_t>(key >> 3);
    type = static_cast<WireType>(key & 7);
    switch (type) {
      case WireType::Varint: return varint(number) || fail();
      case WireType::Fixed64: return fixed(8) || fail();
      case WireType::Fixed32: return fixed(4) || fail();
      case WireType::Bytes:
        if (!varint(number) || number > left()) return fail();
        payload = {at_, static_cast<size_t>(number)};
        at_ += number;
        return true;
    }
    return fail();
  }
  bool ok() const { return ok_; }

  uint32_t field = 0;
  WireType type = WireType::Varint;
  uint64_t number = 0;
  ByteSpan payload;

  std::string_view text() const { return {reinterpret_cast<const char*>(payload.data()), payload.size()}; }
  double real() const { return __builtin_bit_cast(double, number); }

 private:
  bool fail() {
    ok_ = false;
    at_ = end_;
    return false;
  }
  bool fixed(size_t n) {
    if (left() < n) return false;
    number = 0;
    for (size_t i = 0; i < n; ++i) number |= static_cast<uint64_t>(at_[i]) << (8 * i);
    at_ += n;
    return true;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

}  // namespace arenascope::trace
