// SPDX-License-Identifier: MIT
// ONNX Runtime's MurmurHash3 of numbers and strings: MurmurHash3_x86_32 of Austin Appleby, over the bytes of each.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace arenascope::models {
namespace {

constexpr uint32_t kFirst = 0xcc9e2d51, kSecond = 0x1b873593, kAdded = 0xe6546b64;
struct Mixing {
  int shift;
  uint32_t by;
};
constexpr std::array<Mixing, 3> kMixing{{{16, 0x85ebca6b}, {13, 0xc2b2ae35}, {16, 1}}};

uint32_t seed_of(OpCall& c) { return static_cast<uint32_t>(c.attr_int("seed", 0)); }
bool is_positive(OpCall& c) { return c.attr_int("positive", 1) == 1; }

uint32_t hash_of(std::string_view text, uint32_t seed) {
  uint32_t hash = seed;
  for (size_t at = 0; at < text.size(); at += 4) {
    uint32_t word = 0;
    for (size_t i = at; i < std::min(at + 4, text.size()); ++i)
      word |= uint32_t{static_cast<unsigned char>(text[i])} << (8 * (i - at));
    hash ^= std::rotl(word * kFirst, 15) * kSecond;
    if (at + 4 <= text.size()) hash = std::rotl(hash, 13) * 5 + kAdded;
  }
  hash ^= static_cast<uint32_t>(text.size());
  for (const Mixing& m : kMixing) hash = (hash ^ hash >> m.shift) * m.by;
  return hash;
}

// The same of numbers of one or two words, while it runs.
class NumberHash {
 public:
  explicit NumberHash(OpCall& c) : c_(c) {}

  void run() {
    const Tensor x = c_.in(0);
    if (!x) return;
    const int64_t bytes = element_bytes(x.dtype());
    if (info(x.dtype()).quantised || (bytes != 4 && bytes != 8))
      return c_.fail(fmt::format("hashing elements of type {} is not supported", arenascope::name(x.dtype())));
    Tensor hash = number(DType::U32, seed_of(c_), ":seed");
    if (bytes == 4) {
      take(hash, as(x, DType::U32, ":bits"), ":word");
    } else {
      const Tensor bits = as(x, DType::U64, ":bits");
      const Tensor low = c_.op(Op::BitAnd, {bits, number(DType::U64, 0xffffffff, ":low_bits")}, ":low_half");
      const Tensor high = c_.op(Op::ShiftRight, {bits, number(DType::U64, 32, ":half")}, ":high_half");
      take(hash, c_.cast(low, DType::U32, ":low"), ":first");
      take(hash, c_.cast(high, DType::U32, ":high"), ":second");
    }
    hash = c_.op(Op::BitXor, {hash, number(DType::U32, bytes, ":size")}, ":sized");
    for (size_t i = 0; i < kMixing.size(); ++i) {
      const std::string at = fmt::format(":mix_{}", i);
      const Tensor moved = c_.op(Op::ShiftRight, {hash, number(DType::U32, kMixing[i].shift, (at + "_by").c_str())},
                                 (at + "_moved").c_str());
      hash = c_.op(Op::BitXor, {hash, moved}, (at + "_folded").c_str());
      if (kMixing[i].by != 1) hash = times(hash, kMixing[i].by, at);
    }
    c_.out(0, is_positive(c_) ? hash : as(hash, DType::I32, ""));
  }

 private:
  Tensor number(DType type, int64_t value, const char* suffix) {
    return c_.constant(HostArray::scalar(value, type), suffix);
  }
  Tensor as(const Tensor& x, DType type, const char* suffix) {
    return x && x.dtype() == type ? x : c_.op_with(Op::BitCast, {x}, CastParams{type}, suffix);
  }
  Tensor times(const Tensor& x, uint32_t by, const std::string& at) {
    return c_.op(Op::Mul, {x, number(DType::U32, by, (at + "_factor").c_str())}, at.c_str());
  }
  Tensor rotated_left(const Tensor& x, int by, const std::string& at) {
    const Tensor left = c_.op(Op::ShiftLeft, {x, number(DType::U32, by, (at + "_up").c_str())}, (at + "_left").c_str());
    const Tensor right =
        c_.op(Op::ShiftRight, {x, number(DType::U32, 32 - by, (at + "_down").c_str())}, (at + "_right").c_str());
    return c_.op(Op::BitOr, {left, right}, at.c_str());
  }
  void take(Tensor& hash, const Tensor& word, const char* suffix) {
    const std::string at = suffix;
    const Tensor mixed =
        times(rotated_left(times(word, kFirst, at + "_mixed"), 15, at + "_rotated"), kSecond, at + "_mixed_again");
    hash = c_.op(Op::BitXor, {hash, mixed}, (at + "_taken").c_str());
    hash = times(rotated_left(hash, 13, at + "_hash"), 5, at + "_times");
    hash = c_.op(Op::Add, {hash, number(DType::U32, kAdded, (at + "_added").c_str())}, suffix);
  }

  OpCall& c_;
};

constexpr HandlerEntry kContribHashes[] = {
    {"com.microsoft::MurmurHash3", [](OpCall& c) { NumberHash(c).run(); }},
};

}  // namespace

void hash_strings(OpCall& c) {
  const StringTable strings = c.string_table(0);
  if (!strings) return;
  const bool positive = is_positive(c);
  HostArray table = HostArray::make(positive ? DType::U32 : DType::I32, {static_cast<int64_t>(strings->size())});
  for (size_t i = 0; i < strings->size(); ++i) {
    const uint32_t hash = hash_of((*strings)[i], seed_of(c));
    table.ints[i] = positive ? int64_t{hash} : int64_t{static_cast<int32_t>(hash)};
  }
  if (ValuePtr hashes = c.lookup(0, std::move(table))) c.out(0, std::move(hashes));
}

std::span<const HandlerEntry> contrib_murmur_hash_handlers() { return kContribHashes; }

}  // namespace arenascope::models
