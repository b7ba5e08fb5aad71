// SPDX-License-Identifier: MIT
// Determinants and inverses of square matrices: Gaussian elimination by columns, each with the row of the largest element
// for its pivot, all matrices at once.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <numeric>
#include <string>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxRows = 128;  // a column takes a dozen nodes

// [matrices, rows, rows] in the type of the computation; undefined, with an error, if they are not square.
Tensor square(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return {};
  const int rank = x->rank();
  const int64_t rows = rank < 2 ? 0 : x.sizes()[rank - 1];
  if (rows < 1 || rows != x.sizes()[rank - 2] || x->element_count() == 0)
    return c.fail(fmt::format("{} are not square matrices", to_string(x.sizes()))), Tensor();
  if (rows > kMaxRows)
    return c.fail(fmt::format("matrices of {} rows are not supported: at most {}", rows, kMaxRows)), Tensor();
  const Tensor wide = x.dtype() == DType::F32 || x.dtype() == DType::F64 ? x : c.cast(x, DType::F32, ":f32");
  return wide ? c.reshape(wide, {x->element_count() / (rows * rows), rows, rows}, ":matrices") : Tensor();
}

// One column: the row whose element in it is the largest, and all others without it.
struct Step {
  Tensor pivot, others;  // [matrices, 1, columns], [matrices, rows - 1, columns]; no others of the last row
  Tensor element;        // the pivot's in that column, [matrices, 1, 1]
  Tensor stays;          // whether the pivot was the first row
};

Step choose_pivot(OpCall& c, const Tensor& rows, const std::string& at) {
  const auto name = [&](const char* what) { return at + what; };
  const int64_t matrices = rows.sizes()[0], left = rows.sizes()[1], columns = rows.sizes()[2];
  Step out;
  out.pivot = rows;
  if (left > 1) {
    const Tensor column = c.op(Op::Abs, {c.slice(rows, 2, 0, 1, 1, name("_column").c_str())}, name("_sizes").c_str());
    const Tensor place = c.op_with(Op::ArgMax, {column}, ArgParams{1, true, false}, name("_place").c_str());
    if (!place) return out;
    const Tensor indices = c.expand(place, {matrices, 1, columns}, name("_places").c_str());
    out.pivot = c.op_with(Op::GatherElements, {rows, indices}, AxisParams{1}, name("_pivot").c_str());
    std::vector<int64_t> numbers(static_cast<size_t>(left - 1));
    std::iota(numbers.begin(), numbers.end(), int64_t{1});
    HostArray after = HostArray::of(std::move(numbers));
    after.sizes = {1, left - 1, 1};
    const Tensor taken =
        c.op(Op::Equal, {place, c.constant(std::move(after), name("_numbers").c_str())}, name("_taken").c_str());
    out.others = c.op(Op::Where,
                      {taken, c.slice(rows, 1, 0, 1, 1, name("_first").c_str()),
                       c.slice(rows, 1, 1, left, 1, name("_after").c_str())},
                      name("_others").c_str());
    out.stays = c.op(Op::Equal, {place, c.scalar(0, DType::I64, name("_none").c_str())}, name("_stays").c_str());
  }
  if (out.pivot) out.element = c.slice(out.pivot, 2, 0, 1, 1, name("_element").c_str());
  return out;
}

// One step of Gaussian elimination: the remaining rows without their first column.
Tensor cleared(OpCall& c, const Tensor& rows, const Tensor& pivot, const std::string& at) {
  if (!rows || !pivot) return {};
  const int64_t columns = rows.sizes()[2];
  const Tensor times =
      c.op(Op::Mul, {c.slice(rows, 2, 0, 1, 1, (at + "_times").c_str()), pivot}, (at + "_part").c_str());
  return c.op(Op::Sub, {c.slice(rows, 2, 1, columns, 1, (at + "_rows").c_str()), times}, (at + "_cleared").c_str());
}

// A column of zeros makes the determinant 0, and is divided by 1.
void det(OpCall& c) {
  Tensor rows = square(c);
  if (!rows) return;
  const int64_t count = rows.sizes()[1];
  Tensor product;
  for (int64_t k = 0; k < count && c.ok(); ++k) {
    const std::string at = fmt::format(":column_{}", k);
    const Step step = choose_pivot(c, rows, at);
    if (!c.ok()) return;
    Tensor factor = step.element;
    if (step.others) {
      factor = c.op(Op::Where, {step.stays, factor, c.op(Op::Neg, {factor}, (at + "_minus").c_str())},
                    (at + "_factor").c_str());
      const Tensor zero = c.op(Op::Equal, {step.element, c.scalar(0, step.element.dtype(), (at + "_zero").c_str())},
                               (at + "_is_zero").c_str());
      const Tensor divisor =
          c.op(Op::Where, {zero, c.scalar(1, step.element.dtype(), (at + "_one").c_str()), step.element},
               (at + "_divisor").c_str());
      const Tensor pivot =
          c.op(Op::Div, {c.slice(step.pivot, 2, 1, rows.sizes()[2], 1, (at + "_rest").c_str()), divisor},
               (at + "_row").c_str());
      rows = cleared(c, step.others, pivot, at);
    }
    product = product ? c.op(Op::Mul, {product, factor}, (at + "_product").c_str()) : factor;
  }
  if (!product) return;
  const Dims& given = c.sizes(0);
  Dims sizes;
  for (int d = 0; d < given.rank() - 2; ++d) sizes.push_back(given[d]);
  c.out(0, c.cast(c.reshape(product, sizes, product.dtype() == c.value(0).dtype ? "" : ":det"), c.value(0).dtype));
}

// Gauss-Jordan elimination of [A | I].
void inverse(OpCall& c) {
  const Tensor x = square(c);
  if (!x) return;
  const int64_t count = x.sizes()[1];
  HostArray ones = HostArray::make(x.dtype(), {1, count, count});
  for (int64_t i = 0; i < count; ++i) ones.set(i * count + i, 1);
  const Tensor beside = c.expand(c.constant(std::move(ones), ":one"), x.sizes(), ":ones");
  Tensor rows = c.op_with(Op::Concat, {x, beside}, AxisParams{2}, ":rows"), done;
  for (int64_t k = 0; k < count && c.ok(); ++k) {
    const std::string at = fmt::format(":column_{}", k);
    const Step step = choose_pivot(c, rows, at);
    if (!c.ok()) return;
    const Tensor pivot =
        c.op(Op::Div, {c.slice(step.pivot, 2, 1, rows.sizes()[2], 1, (at + "_rest").c_str()), step.element},
             (at + "_row").c_str());
    rows = cleared(c, step.others, pivot, at);
    const Tensor before = cleared(c, done, pivot, at + "_done");
    done = before ? c.op_with(Op::Concat, {before, pivot}, AxisParams{1}, (at + "_all").c_str()) : pivot;
  }
  if (done)
    c.out(0, c.cast(c.reshape(done, c.sizes(0), done.dtype() == c.value(0).dtype ? "" : ":inverse"), c.value(0).dtype));
}

constexpr HandlerEntry kMatrixHandlers[] = {{"Det", det}, {"com.microsoft::Inverse", inverse}};

}  // namespace

std::span<const HandlerEntry> det_inverse_handlers() { return kMatrixHandlers; }

}  // namespace arenascope::models
