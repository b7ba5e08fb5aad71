// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/int8_weights.h"
#include "engine/models/onnx/operators/blockwise_weights.h"

#include <algorithm>
#include <cstring>

namespace arenascope::models {
namespace {

constexpr int kMiddle = 128;  // subtracted from unsigned values

// Writes [K, N] transposed, or rows as they are, shifted to int8; `ones` appends a row of ones.
struct Rows {
  WeightSource from;
  int64_t depth, columns;
  int moved;
  bool turn, ones;

  Status write(std::byte* out) const {
    const auto plain = WeightReader::read(from, static_cast<size_t>(depth * columns));
    if (!plain) return plain.error();
    const auto moved_byte = [&](int64_t i) {
      return static_cast<std::byte>(static_cast<int>(plain->data()[i]) - moved);
    };
    constexpr int64_t kStrip = 64;  // columns at once, so that bytes read together are used together
    for (int64_t first = 0; turn && first < columns; first += kStrip)
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t n = first; n < std::min(first + kStrip, columns); ++n)
          out[n * depth + k] = moved_byte(k * columns + n);
    for (int64_t i = 0; !turn && i < depth * columns; ++i) out[i] = moved_byte(i);
    if (ones) std::memset(out + columns * depth, 1, static_cast<size_t>(depth));
    return {};
  }
};

// True if input i is a constant of an 8-bit type.
bool is_constant_bytes(OpCall& c, size_t i) {
  if (!c.ok() || !c.has(i)) return false;
  const Value& v = c.value(i);
  return v.kind == Value::Kind::Constant && !v.small && (v.dtype == DType::I8 || v.dtype == DType::U8);
}

// Weights of `sizes`, whose first dimension is the rows, plus a row of ones if there are zero points.
std::optional<Int8Weights> made_of(OpCall& c, size_t w, size_t zero, bool turn, int64_t depth, Dims sizes,
                                   bool may_rest) {
  auto zeros = known_zero_points(c, zero);
  const int64_t columns = sizes[0];
  if (!zeros || depth < 1 || columns < 1) return std::nullopt;
  const auto specified = static_cast<int64_t>(zeros->size());
  if (specified != 1 && (specified != columns || c.rank(zero) != 1)) return std::nullopt;
  const int moved = c.value(w).dtype == DType::U8 ? kMiddle : 0;
  for (double& z : *zeros) z -= moved;
  const bool rests = std::any_of(zeros->begin(), zeros->end(), [](double z) { return z != 0; });
  if (rests && !may_rest) return std::nullopt;
  Int8Weights made;
  made.columns = columns;
  if (rests) ++sizes[0];
  const Rows rows{c.value(w).source, depth, columns, moved, turn, rests};
  made.rows =
      !turn && !rests && moved == 0
          ? c.in(w)
          : weight_tensor(c, DType::I8, sizes, WeightSource([rows](std::byte* out) { return rows.write(out); }), ":w");
  if (rests) {
    Dims each = Dims::filled(sizes.rank(), 1);
    each[1] = specified;
    HostArray rest = HostArray::make(DType::F32, each);
    for (int64_t i = 0; i < specified; ++i) rest.set(i, (*zeros)[static_cast<size_t>(i)]);
    made.rest = c.constant(std::move(rest), ":w_rest");
  }
  if (!made.rows || (rests && !made.rest)) return std::nullopt;
  return made;
}

}  // namespace

std::optional<std::vector<double>> known_zero_points(OpCall& c, size_t i) {
  if (!c.has(i)) return std::vector<double>{0};
  return c.known(i) ? c.floats(i) : std::nullopt;
}

std::optional<Int8Weights> int8_weights(OpCall& c, size_t w, size_t zero) {
  if (!is_constant_bytes(c, w) || c.rank(w) != 2) return std::nullopt;
  const Dims& s = c.sizes(w);
  return made_of(c, w, zero, true, s[0], {s[1], s[0], 1, 1}, true);
}

std::optional<Int8Weights> int8_filters(OpCall& c, size_t w, size_t zero, int64_t groups) {
  if (!is_constant_bytes(c, w) || c.rank(w) < 3) return std::nullopt;
  const Dims& s = c.sizes(w);
  return made_of(c, w, zero, false, s[0] > 0 ? element_count(s) / s[0] : 0, s, groups == 1);
}

Tensor less_zeros(OpCall& c, const Tensor& product, const Int8Weights& weights) {
  if (!weights.rest || !product) return product;
  const int64_t columns = weights.columns;
  const Tensor sum = c.slice(product, 1, columns, columns + 1, 1, ":sums");
  const Tensor taken = c.op(Op::Mul, {sum, weights.rest}, ":zeros_take");
  return c.op(Op::Sub, {c.slice(product, 1, 0, columns, 1, ":of_rows"), taken}, ":less_zeros");
}

}  // namespace arenascope::models
