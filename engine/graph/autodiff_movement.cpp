// SPDX-License-Identifier: MIT
// Backward rules of views, copies, concatenation and look-ups.
#include "engine/graph/autodiff_rules.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace arenascope::autodiff {

void same(Backward& b) { b.give(0, b.dy); }
void reshape(Backward& b) { b.give(0, b.g.reshape(b.dy, b.source(0).sizes())); }
void transpose(Backward& b) { b.give(0, b.g.transpose(b.dy)); }

void permute(Backward& b) {
  const auto p = b.y->params.get<PermuteParams>();
  PermuteParams back{};
  for (int i = 0; i < b.y->rank(); ++i) back.axes[p.axes[i]] = static_cast<int8_t>(i);
  b.give(0, b.g.op_with(Op::Permute, {b.dy}, back));
}

// A slice by ones: its gradient with zeros around it. Its offset, written in the source's strides from the longest on,
// tells where it began.
void view(Backward& b) {
  const auto p = b.y->params.get<ViewParams>();
  const Tensor x = b.source(0);
  if (p.sizes.rank() != x->rank() || p.offset < 0) return b.refuse("it is no slice");
  std::array<int, kMaxDims> by_stride{};
  std::iota(by_stride.begin(), by_stride.end(), 0);
  std::stable_sort(by_stride.begin(), by_stride.begin() + x->rank(),
                   [&](int i, int j) { return x.strides()[i] > x.strides()[j]; });
  PadParams pad{};
  pad.mode = PadMode::Constant;
  int64_t rest = p.offset;
  for (int k = 0; k < x->rank(); ++k) {
    const int i = by_stride[static_cast<size_t>(k)];
    const int64_t stride = x.strides()[i], start = x.sizes()[i] > 1 && stride > 0 ? rest / stride : 0;
    const int64_t behind = x.sizes()[i] - start - p.sizes[i];
    rest -= start * stride;
    if ((p.strides[i] != stride && p.sizes[i] != 1) || behind < 0 || start > INT32_MAX || behind > INT32_MAX)
      return b.refuse("it is no slice of neighbours");
    pad.begin[i] = static_cast<int32_t>(start);
    pad.end[i] = static_cast<int32_t>(behind);
  }
  if (rest != 0) return b.refuse("it is no slice of its source");
  b.give(0, b.g.op_with(Op::Pad, {b.dy}, pad));
}

void concat(Backward& b) {
  const int axis = b.y->params.get<AxisParams>().axis;
  int64_t start = 0;
  for (size_t i = 0; i < b.source_count(); ++i) {
    const int64_t end = start + b.source(i).sizes()[axis];
    if (b.wants(i)) b.give(i, b.g.slice(b.dy, axis, start, end));
    start = end;
  }
}

// Rows looked up in a table: each row of the table gets the sum of those that came from it, a product with the table of
// ones where they did.
void gather(Backward& b) {
  const Tensor table = b.source(0), rows = b.source(1);
  if (b.y->params.get<AxisParams>().axis != 0 || table->rank() != 2) return b.refuse("it looks up no rows of a matrix");
  const int64_t count = rows->element_count(), width = table.sizes()[1];
  const Tensor all = b.g.op_with(Op::Arange, {}, FillParams{{table.sizes()[0], 1}, rows.dtype(), 0, 1});
  const Tensor hits = b.op(Op::Equal, {all, b.g.reshape(rows, {1, count})});
  const Tensor ones = b.g.op_with(Op::Cast, {hits}, CastParams{DType::F32});
  b.give(0, b.g.mul_mat(b.g.transpose(b.g.reshape(b.dy, {count, width})), ones));
}

// Undone by turning back.
void rope(Backward& b) {
  auto p = b.y->params.get<RopeParams>();
  p.scale = -p.scale;
  b.give(0, b.source_count() > 1 ? b.g.op_with(Op::Rope, {b.dy, b.source(1)}, p) : b.g.op_with(Op::Rope, {b.dy}, p));
}

}  // namespace arenascope::autodiff
