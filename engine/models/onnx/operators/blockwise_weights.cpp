// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/blockwise_weights.h"
#include <arenascope/base/checked.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace arenascope::models {
namespace {

constexpr int64_t kEngineBlock = 32;

int code_at(const std::byte* bytes, int64_t i, int bits) {
  const auto byte = static_cast<int>(bytes[i * bits / 8]);
  return bits == 8 ? byte : byte >> (i * bits % 8) & ((1 << bits) - 1);
}

// Writes one block of 32 codes, its scale first; `type` Q4_0 or Q8_0.
void write_block(const BlockwiseWeights& from, const std::byte* codes, int64_t first, float scale, DType type,
                 std::byte* out) {
  const uint16_t half = float_to_half(scale);
  std::memcpy(out, &half, 2);
  for (int64_t i = 0; i < kEngineBlock; ++i) {
    const int value = code_at(codes, first + i, from.bits) - (1 << (from.bits - 1));
    if (type == DType::Q8_0) {
      out[2 + i] = static_cast<std::byte>(value);
    } else {
      std::byte& to = out[2 + i % 16];
      to = i < 16 ? static_cast<std::byte>(value + 8) : to | static_cast<std::byte>((value + 8) << 4);
    }
  }
}

void write_row(const BlockwiseWeights& from, const std::byte* codes, int64_t row, DType type, std::byte* out) {
  const int64_t blocks = from.blocks();
  if (type != DType::F32) {
    const int64_t size = info(type).block_bytes;
    for (int64_t k = 0; k < from.depth; k += kEngineBlock, out += size)
      write_block(from, codes, k, (*from.scales)[static_cast<size_t>(row * blocks + k / from.block)], type, out);
    return;
  }
  for (int64_t k = 0; k < from.depth; ++k) {
    const int64_t block = from.groups.empty() ? k / from.block : from.groups[static_cast<size_t>(k)];
    const auto at = static_cast<size_t>(row * blocks + block);
    const float zero = from.zeros ? (*from.zeros)[at] : from.middle();
    const float value = (static_cast<float>(code_at(codes, k, from.bits)) - zero) * (*from.scales)[at];
    std::memcpy(out + k * 4, &value, 4);
  }
}

// A constant input's bytes; false, with an error, if it is not a constant of that type.
bool plain_bytes(OpCall& c, size_t i, std::vector<std::byte>& out) {
  const Value& value = c.value(i);
  if (!c.ok()) return false;
  const auto bytes = checked_byte_count(value.sizes, value.dtype);
  if (value.kind != Value::Kind::Constant || !bytes) {
    c.wait_for(i, fmt::format("'{}' must be known at compile time", value.name));
    return false;
  }
  out.resize(static_cast<size_t>(*bytes));
  if (value.source.is_absent()) return true;  // only sizes are needed: a model with missing data is not run
  if (const Status done = value.source.write(out.data()); !done.ok()) c.fail(done.error().message);
  return c.ok();
}

float float_of(const std::byte* at, DType type) {
  uint16_t half;
  std::memcpy(&half, at, 2);
  if (type == DType::F16) return half_to_float(half);
  if (type == DType::BF16) return bfloat_to_float(half);
  float value;
  std::memcpy(&value, at, 4);
  return value;
}

}  // namespace

float BlockwiseWeights::scale(int64_t at) const {
  return half_to_float(float_to_half((*scales)[static_cast<size_t>(at)]));
}

bool check_blocks(OpCall& c, const BlockwiseWeights& specified) {
  constexpr int64_t kMax = int64_t{1} << 31;
  if (specified.bits != 2 && specified.bits != 4 && specified.bits != 8)
    c.fail(fmt::format("weights of {} bits are not supported: expected 2, 4 or 8", specified.bits));
  if (specified.rows < 1 || specified.depth < 1 || specified.rows > kMax || specified.depth > kMax ||
      specified.rows > (int64_t{1} << 40) / specified.depth)
    c.fail(fmt::format("the weight size {} × {} is out of range", specified.rows, specified.depth));
  if (specified.block < 1 || specified.block > kMax || specified.block * specified.bits % 8 != 0)
    c.fail(fmt::format("a block size of {} weights is not supported", specified.block));
  return c.ok();
}

std::vector<float> known_floats(OpCall& c, size_t i, int64_t count) {
  std::vector<std::byte> bytes;
  const Value& value = c.value(i);
  const DType type = value.dtype;
  if (c.ok() &&
      (element_count(value.sizes) != count || (type != DType::F32 && type != DType::F16 && type != DType::BF16)))
    c.fail(fmt::format("its {} scales {} {} are not {}", arenascope::name(type), value.name, to_string(value.sizes),
                       count));
  if (!c.ok() || !plain_bytes(c, i, bytes)) return {};
  std::vector<float> out(static_cast<size_t>(count));
  const auto item = static_cast<size_t>(element_bytes(type));
  bytes.resize(bytes.size() + 4);  // halves are read by words
  for (size_t e = 0; e < out.size(); ++e) out[e] = float_of(bytes.data() + e * item, type);
  return out;
}

std::vector<float> known_zeros(OpCall& c, size_t i, const BlockwiseWeights& specified) {
  const Value& value = c.value(i);
  if (c.ok() && info(value.dtype).floating) return known_floats(c, i, specified.rows * specified.blocks());
  const int64_t row_bytes = (specified.blocks() * specified.bits + 7) / 8;
  if (c.ok() && (value.dtype != DType::U8 || element_count(value.sizes) != specified.rows * row_bytes))
    c.fail(fmt::format("its zero points {} are not {} bytes", to_string(value.sizes), specified.rows * row_bytes));
  std::vector<std::byte> bytes;
  if (!c.ok() || !plain_bytes(c, i, bytes)) return {};
  std::vector<float> out;
  out.reserve(static_cast<size_t>(specified.rows * specified.blocks()));
  for (int64_t r = 0; r < specified.rows; ++r)
    for (int64_t b = 0; b < specified.blocks(); ++b)
      out.push_back(static_cast<float>(code_at(bytes.data() + r * row_bytes, b, specified.bits)));
  return out;
}

bool read_codes(OpCall& c, size_t i, BlockwiseWeights& to) {
  const Value& value = c.value(i);
  if (!c.ok()) return false;
  if (value.dtype != DType::U8 || element_count(value.sizes) != to.bytes()) {
    c.fail(fmt::format("its packed weight has the shape {}: expected {} bytes", to_string(value.sizes), to.bytes()));
    return false;
  }
  to.codes = value.source;
  return value.kind == Value::Kind::Constant;
}

std::optional<DType> block_type(const BlockwiseWeights& from) {
  if (from.depth % from.block != 0 || from.block % kEngineBlock != 0 || !from.groups.empty()) return std::nullopt;
  for (const float scale : *from.scales)  // in 16 bits all of them keep their digits
    if (!(scale == 0.0f || (std::abs(scale) >= 0x1p-14f && std::abs(scale) <= 65504.0f))) return std::nullopt;
  return from.bits == 8 ? DType::Q8_0 : DType::Q4_0;
}

Tensor weight_tensor(OpCall& c, DType type, const Dims& sizes, WeightSource source, const char* suffix) {
  auto bytes = checked_byte_count(sizes, type);
  if (!bytes || *bytes > Lowering::kMaxTensorBytes) {
    c.fail(fmt::format("its weight of {} is too large", to_string(sizes)));
    return {};
  }
  Value value;
  value.name = c.name_of(suffix);
  value.kind = Value::Kind::Constant;
  value.dtype = type;
  value.sizes = sizes;
  value.source = std::move(source);
  Status status;
  Tensor tensor = c.lowering().materialise(value, status);
  if (!status.ok()) c.fail(status.error().message);
  return tensor;
}

Tensor blocks_tensor(OpCall& c, const BlockwiseWeights& from, DType type, const Dims& sizes, const char* suffix) {
  const auto row_bytes = static_cast<size_t>(from.bytes() / from.rows);
  const int64_t made = from.depth / info(type).block_elements * info(type).block_bytes;
  return weight_tensor(c, type, sizes, WeightSource([from, type, row_bytes, made](std::byte* out) -> Status {
                         const auto plain = WeightReader::read(from.codes, static_cast<size_t>(from.bytes()));
                         if (!plain) return plain.error();
                         for (int64_t r = 0; r < from.rows; ++r) {
                           const size_t at = static_cast<size_t>(r) * row_bytes;
                           write_row(from, plain->data() + at, r, type, out + r * made);
                           if (r % 4096 == 4095) plain->done(at + row_bytes);
                         }
                         return {};
                       }),
                       suffix);
}

Tensor zeros_tensor(OpCall& c, const BlockwiseWeights& from, const char* suffix) {
  return weight_tensor(c, DType::F32, {from.rows, from.blocks()}, WeightSource([from](std::byte* out) -> Status {
                         const int64_t count = from.rows * from.blocks();
                         for (int64_t i = 0; i < count; ++i) {
                           const float value = (from.middle() - (*from.zeros)[static_cast<size_t>(i)]) * from.scale(i);
                           std::memcpy(out + i * 4, &value, 4);
                         }
                         return {};
                       }),
                       suffix);
}

Tensor unpacked_codes(OpCall& c, const Tensor& bytes, int bits, const char* suffix) {
  if (!bytes || bytes->rank() < 1 || bytes->rank() >= kMaxDims || bytes.dtype() != DType::U8) {
    c.fail("its quantised values must be u8");
    return {};
  }
  const std::string at = suffix;
  if (bits == 8) return c.cast(bytes, DType::F32, suffix);
  Dims each = bytes.sizes(), all = bytes.sizes();
  each.push_back(1);
  all[all.rank() - 1] *= 8 / bits;
  std::vector<Tensor> parts;
  for (int shift = 0; shift < 8; shift += bits) {
    const std::string part = fmt::format("{}_{}", at, shift);
    const auto number = [&](int n, const char* what) {
      return c.scalar(n, DType::U8, fmt::format("{}{}", part, what).c_str());
    };
    const Tensor moved =
        shift == 0 ? bytes : c.op(Op::ShiftRight, {bytes, number(shift, "_by")}, (part + "_moved").c_str());
    const Tensor code = c.op(Op::BitAnd, {moved, number((1 << bits) - 1, "_bits")}, (part + "_code").c_str());
    parts.push_back(c.reshape(code, each, part.c_str()));
  }
  if (!c.ok()) return {};
  const Tensor codes =
      c.op_list(Op::Concat, std::span<const Tensor>(parts), AxisParams{each.rank() - 1}, (at + "_codes").c_str());
  return c.cast(c.reshape(codes, all, (at + "_row").c_str()), DType::F32, suffix);
}

}  // namespace arenascope::models
