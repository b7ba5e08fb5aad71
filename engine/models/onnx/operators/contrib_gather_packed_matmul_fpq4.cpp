// SPDX-License-Identifier: MIT
// ONNX Runtime's own operators over weights in blocks with their scales among them: rows in the formats of GGUF files, and the
// blob of MatMulFpQ4.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/onnx/operators/decompose.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>

namespace arenascope::models {
namespace {

// What the codes of 4 bits of two formats stand for.
constexpr std::array<int, 16> kLevels{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

int byte_of(const std::byte* at) { return static_cast<int>(*at); }
float half_of(const std::byte* at) {
  uint16_t bits;
  std::memcpy(&bits, at, 2);
  return half_to_float(bits);
}

// 32 levels behind their scale, as the same numbers in 8 bits.
void levels_to_bytes(const std::byte* from, std::byte* to) {
  std::memcpy(to, from, 2);
  for (int i = 0; i < 16; ++i) {
    to[2 + i] = static_cast<std::byte>(kLevels[static_cast<size_t>(byte_of(from + 2 + i) & 15)]);
    to[18 + i] = static_cast<std::byte>(kLevels[static_cast<size_t>(byte_of(from + 2 + i) >> 4)]);
  }
}

// 64 codes of 2 bits, -1 to 2, as two blocks of 4 bits.
void pairs_to_nibbles(const std::byte* from, std::byte* to) {
  for (int block = 0; block < 2; ++block, to += 18) {
    const auto code = [&](int i) { return (byte_of(from + 2 + block * 8 + i / 4) >> (2 * (i % 4)) & 3) + 7; };
    std::memcpy(to, from, 2);
    for (int i = 0; i < 16; ++i) to[2 + i] = static_cast<std::byte>(code(i) | code(i + 16) << 4);
  }
}

// 256 levels, each 32 with a scale of 6 bits, as floats.
void scaled_levels(const std::byte* from, std::byte* to) {
  const int high = byte_of(from + 2) | byte_of(from + 3) << 8;
  for (int block = 0; block < 8; ++block) {
    const int scale = (byte_of(from + 4 + block / 2) >> (4 * (block % 2)) & 15) | (high >> (2 * block) & 3) << 4;
    const float by = half_of(from) * static_cast<float>(scale - 32);
    for (int i = 0; i < 32; ++i) {
      const int codes = byte_of(from + 8 + block * 16 + i % 16);
      const float value = by * static_cast<float>(kLevels[static_cast<size_t>(i < 16 ? codes & 15 : codes >> 4)]);
      std::memcpy(to + (block * 32 + i) * 4, &value, 4);
    }
  }
}

struct Format {
  int64_t code;                                                        // the file's
  int64_t elements, bytes;                                             // of a block there
  DType type;                                                          // here
  void (*transposed)(const std::byte* from, std::byte* to) = nullptr;  // a block; null: it is the same
};
constexpr Format kFormats[] = {
    {0, 1, 4, DType::F32},
    {1, 1, 2, DType::F16},
    {2, 32, 18, DType::Q4_0},
    {6, 32, 22, DType::Q5_0},
    {8, 32, 34, DType::Q8_0},
    {13, 256, 176, DType::Q5_K},
    {14, 256, 210, DType::Q6_K},
    {20, 32, 18, DType::Q8_0, levels_to_bytes},
    {23, 256, 136, DType::F32, scaled_levels},
    {30, 1, 2, DType::BF16},
    {42, 64, 18, DType::Q4_0, pairs_to_nibbles},
};

Tensor weight_of(OpCall& c, std::string name, DType type, const Dims& sizes, WeightSource source,
                 const std::byte* made_of) {
  const auto bytes = checked_byte_count(sizes, type);
  if (!bytes || *bytes > Lowering::kMaxTensorBytes) {
    c.fail(fmt::format("its weight of {} is too large", to_string(sizes)));
    return {};
  }
  Value value;
  value.name = std::move(name);
  value.kind = Value::Kind::Constant;
  value.dtype = type;
  value.sizes = sizes;
  value.source = std::move(source);
  Status status;
  Tensor tensor = c.lowering().materialise(value, made_of, status);
  if (!status.ok()) c.fail(status.error().message);
  return tensor;
}

// Bytes that the file holds, or that are known; none, and an error, where they are not.
std::optional<WeightSource> packed_bytes(OpCall& c, size_t i) {
  const Value& from = c.value(i);
  if (!c.ok()) return std::nullopt;
  if (from.dtype != DType::U8) {
    c.fail(fmt::format("its weight is {}", arenascope::name(from.dtype)));
    return std::nullopt;
  }
  if (from.kind == Value::Kind::Constant) return from.source;
  if (const auto known = c.known(i))
    return WeightSource([known](std::byte* out) -> Status {
      known->to_bytes(out);
      return {};
    });
  c.wait_for(i, "its weight must be known at compile time", true);
  return std::nullopt;
}

// Rows by their indices; one that there is not is the first.
void gather_packed(OpCall& c) {
  const int64_t code = c.attr_int("packed_type", -1), width = c.attr_int("K", 0);
  const auto* format =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& f) { return f.code == code; });
  if (format == std::end(kFormats)) return c.fail(fmt::format("rows of the packed type {} are not supported", code));
  if (width < 1 || width % format->elements != 0 || width > (int64_t{1} << 40))
    return c.fail(fmt::format("rows of {} in blocks of {}", width, format->elements));
  const auto packed = packed_bytes(c, 0);
  if (!packed) return;
  const Dims s = c.sizes(0);
  if (s.rank() != 2 || s[1] != width / format->elements * format->bytes || s[0] < 1)
    return c.fail(fmt::format("rows {} of {} elements", to_string(s), width));
  const int32_t to = c.attr_type("output_dtype", ir::kBFloat16Type);
  const auto type = ir::to_dtype(to);
  if (!type || (*type != DType::F32 && *type != DType::F16 && *type != DType::BF16))
    return c.fail(fmt::format("rows of type {}", to));
  WeightSource source = *packed;
  if (format->transposed)
    source =
        WeightSource([source = *packed, format, blocks = s[0] * (width / format->elements)](std::byte* out) -> Status {
          const auto plain = WeightReader::read(source, static_cast<size_t>(blocks * format->bytes));
          if (!plain) return plain.error();
          const DTypeInfo& made = info(format->type);
          const int64_t step = format->elements / made.block_elements * made.block_bytes;
          for (int64_t b = 0; b < blocks; ++b) format->transposed(plain->data() + b * format->bytes, out + b * step);
          return {};
        });
  const Tensor table =
      weight_of(c, c.value(0).name + ":rows", format->type, {s[0], width}, std::move(source), packed->bytes().data());
  const Tensor indices = c.in(1);
  if (!table || !indices) return;
  const DType whole = indices.dtype();
  if (whole != DType::I32 && whole != DType::I64) return c.fail(fmt::format("indices {}", arenascope::name(whole)));
  const Tensor zero = c.scalar(0, whole, ":first");
  const Tensor beyond =
      c.op(Op::GreaterEqual, {indices, c.scalar(static_cast<double>(s[0]), whole, ":rows")}, ":beyond");
  const Tensor outside = c.op(Op::Or, {beyond, c.op(Op::Less, {indices, zero}, ":before")}, ":outside");
  const Tensor at = c.op(Op::Where, {outside, zero, indices}, ":at");
  const Tensor taken = c.op_with(Op::Gather, {table, at}, AxisParams{0}, ":taken");
  c.out(0, c.cast(taken, *type));
}

// Columns of a weight [K, N] one after another, each of blocks of 32 codes of 4 bits behind a scale and perhaps a zero point, the
// second half of a block in the upper bits.
struct Blob {
  int64_t depth, columns;
  bool zeros;

  int64_t blocks() const { return (depth + 31) / 32; }
  int64_t block_bytes() const { return zeros ? 21 : 20; }
  void write_column(const std::byte* from, float* to) const {
    for (int64_t k = 0; k < depth; ++k) {
      const std::byte* block = from + k / 32 * block_bytes();
      const int zero = zeros ? byte_of(block + 4) : 8;
      const int codes = byte_of(block + (zeros ? 5 : 4) + k % 16);
      float scale;
      std::memcpy(&scale, block, 4);
      to[k] = static_cast<float>((k % 32 < 16 ? codes & 15 : codes >> 4) - zero) * scale;
    }
  }
};

void mat_mul_blob(OpCall& c) {
  const auto specified = c.ints(2);
  if (!specified) return c.fail("the shape of its weight must be constant");
  const bool fits = specified->size() == 2 && (*specified)[0] > 0 && (*specified)[1] > 0 &&
                    (*specified)[0] <= (int64_t{1} << 31) && (*specified)[1] <= (int64_t{1} << 36) / (*specified)[0];
  if (!fits) return c.fail("the sizes of its weight are none of a matrix");
  const Blob blob{(*specified)[0], (*specified)[1], c.attr_int("blk_quant_type", 1) != 0};
  const auto packed = packed_bytes(c, 1);
  if (!packed) return;
  const int64_t column = blob.blocks() * blob.block_bytes();
  if (!(c.sizes(1) == Dims{blob.columns * column}))
    return c.fail(fmt::format("a weight of {} by {} is not in {}", blob.depth, blob.columns, to_string(c.sizes(1))));
  Tensor x = c.in(0);
  if (!x) return;
  if (x.dtype() != DType::F32 || x->rank() < 1 || x.sizes().back() != blob.depth)
    return c.fail(fmt::format("{} times a weight of {} by {}", to_string(x.sizes()), blob.depth, blob.columns));
  const Tensor weight =
      weight_of(c, c.value(1).name + ":columns", DType::F32, {blob.columns, blob.depth},
                WeightSource([source = *packed, blob, column](std::byte* out) -> Status {
                  const auto plain = WeightReader::read(source, static_cast<size_t>(blob.columns * column));
                  if (!plain) return plain.error();
                  std::vector<float> line(static_cast<size_t>(blob.depth));
                  for (int64_t n = 0; n < blob.columns; ++n) {
                    blob.write_column(plain->data() + n * column, line.data());
                    std::memcpy(out + static_cast<size_t>(n) * line.size() * 4, line.data(), line.size() * 4);
                  }
                  return {};
                }),
                packed->bytes().data());
  const bool line = x->rank() == 1;
  if (line) x = c.reshape(x, {1, blob.depth}, ":row");
  if (!weight || !x) return;
  const Tensor y = c.mul_mat(weight, x, {}, 1, line ? ":product" : "");
  c.out(0, line ? c.reshape(y, {blob.columns}) : y);
}

constexpr HandlerEntry kContribPacked[] = {
    {"com.microsoft::GatherPacked", gather_packed},
    {"com.microsoft::MatMulFpQ4", mat_mul_blob},
};

}  // namespace

std::span<const HandlerEntry> contrib_gather_packed_handlers() { return kContribPacked; }

}  // namespace arenascope::models
