// SPDX-License-Identifier: MIT
// ONNX Runtime's operators with weights in blocks that include their scales: rows in the formats of GGUF files, and the
// blob of MatMulFpQ4.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/gguf/ggml_types.h"
#include "engine/models/onnx/operators/decompose.h"

#include <cstring>
#include <optional>

namespace arenascope::models {
namespace {

int byte_of(const std::byte* at) { return static_cast<int>(*at); }

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

// Constant bytes; none, with an error, if they are not constant.
std::optional<WeightSource> packed_bytes(OpCall& c, size_t i) {
  const Value& from = c.value(i);
  if (!c.ok()) return std::nullopt;
  if (from.dtype != DType::U8) {
    c.fail(fmt::format("its weight has the type {}: expected u8", arenascope::name(from.dtype)));
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
  const StoredType* stored = ggml_type(code);
  if (!stored || !stored->loaded_as) return c.fail(fmt::format("rows of the packed type {} are not supported", code));
  if (width < 1 || width % stored->block_elements != 0 || width > (int64_t{1} << 40))
    return c.fail(
        fmt::format("rows of {} elements are not a multiple of the block size {}", width, stored->block_elements));
  const auto packed = packed_bytes(c, 0);
  if (!packed) return;
  const Dims s = c.sizes(0);
  if (s.rank() != 2 || s[1] != width / stored->block_elements * stored->block_bytes || s[0] < 1)
    return c.fail(fmt::format("its data {} does not match rows of {} elements", to_string(s), width));
  const int32_t to = c.attr_type("output_dtype", ir::kBFloat16Type);
  const auto type = ir::to_dtype(to);
  if (!type || (*type != DType::F32 && *type != DType::F16 && *type != DType::BF16))
    return c.fail(fmt::format("the output type {} is not supported", to));
  const Tensor table = weight_of(c, c.value(0).name + ":rows", *stored->loaded_as, {s[0], width},
                                 loaded_source(*stored, *packed, s[0] * s[1]), packed->bytes().data());
  const Tensor indices = c.in(1);
  if (!table || !indices) return;
  const DType whole = indices.dtype();
  if (whole != DType::I32 && whole != DType::I64)
    return c.fail(fmt::format("its indices have the type {}: expected I32 or I64", arenascope::name(whole)));
  const Tensor zero = c.scalar(0, whole, ":first");
  const Tensor beyond =
      c.op(Op::GreaterEqual, {indices, c.scalar(static_cast<double>(s[0]), whole, ":rows")}, ":beyond");
  const Tensor outside = c.op(Op::Or, {beyond, c.op(Op::Less, {indices, zero}, ":before")}, ":outside");
  const Tensor at = c.op(Op::Where, {outside, zero, indices}, ":at");
  const Tensor taken = c.op_with(Op::Gather, {table, at}, AxisParams{0}, ":taken");
  c.out(0, c.cast(taken, *type));
}

// The columns of a weight [K, N], one after another: blocks of a scale, an optional zero point and 32 codes of 4 bits,
// whose second half is in the upper bits.
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
    return c.fail(
        fmt::format("the input {} does not match a weight of {} × {}", to_string(x.sizes()), blob.depth, blob.columns));
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
