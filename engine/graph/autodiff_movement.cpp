// SPDX-License-Identifier: MIT
// Backward rules of views, copies, concatenation and gathers.
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

// A slice. Its start indices are recovered from the offset by dividing by the input's strides in descending order.
// With step 1 the gradient is padded with zeros; with other steps each row is scattered to its index.
void view(Backward& b) {
  const auto p = b.y->params.get<ViewParams>();
  const Tensor x = b.source(0);
  if (p.sizes.rank() != x->rank() || p.offset < 0) return b.refuse("it is not a slice");
  std::array<int, kMaxDims> by_stride{};
  std::iota(by_stride.begin(), by_stride.end(), 0);
  std::stable_sort(by_stride.begin(), by_stride.begin() + x->rank(),
                   [&](int i, int j) { return x.strides()[i] > x.strides()[j]; });
  PadParams pad{};
  pad.mode = PadMode::Constant;
  int64_t rest = p.offset;
  Tensor share = b.dy;
  bool padded = false;
  for (int k = 0; k < x->rank(); ++k) {
    const int i = by_stride[static_cast<size_t>(k)];
    const int64_t stride = x.strides()[i], size = x.sizes()[i];
    const int64_t start = size > 1 && stride > 0 ? rest / stride : 0;
    const int64_t step = p.sizes[i] == 1 || stride == 0 ? 1 : p.strides[i] / stride;
    const int64_t last = start + (p.sizes[i] - 1) * step;
    rest -= start * stride;
    if (step == 0 || (p.sizes[i] != 1 && p.strides[i] != step * stride) || last < 0 || last >= size || size > INT32_MAX)
      return b.refuse("it is not a slice of its input");
    if (step == 1) {
      pad.begin[i] = static_cast<int32_t>(start);
      pad.end[i] = static_cast<int32_t>(size - 1 - last);
      padded = padded || p.sizes[i] != size;
      continue;
    }
    const FillParams places{{p.sizes[i]}, DType::I64, static_cast<double>(start), static_cast<double>(step)};
    share = b.to_places(share, i, b.g.op_with(Op::Arange, {}, places), size);
  }
  if (rest != 0) return b.refuse("it is not a slice of its input");
  b.give(0, padded ? b.g.op_with(Op::Pad, {share}, pad) : share);
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

// Each row of the table receives the sum of the gradients of the rows gathered from it.
void gather(Backward& b) {
  const int axis = b.y->params.get<AxisParams>().axis;
  const Tensor table = b.source(0), rows = b.source(1);
  Dims line;  // all gathered rows along one dimension
  for (int i = 0; i < axis; ++i) line.push_back(table.sizes()[i]);
  line.push_back(rows->element_count());
  for (int i = axis + 1; i < table->rank(); ++i) line.push_back(table.sizes()[i]);
  const Tensor share = b.g.reshape(b.dy, line);
  if (axis > 0) return b.give(0, b.to_places(share, axis, rows, table.sizes()[axis]));
  const Tensor places = b.g.reshape(rows, {rows->element_count()});
  b.give(0, b.g.op_with(Op::GatherBack, {share, places}, GatherBackParams{table.sizes()[0]}));
}

void gather_elements(Backward& b) {
  const int axis = b.y->params.get<AxisParams>().axis;
  const Tensor table = b.source(0);
  const Tensor share = b.to_own_places(b.dy, axis, b.source(1), table.sizes()[axis]);
  PadParams rest{};  // padding of dimensions that were gathered only partially
  bool whole = true;
  for (int i = 0; share && i < table->rank(); ++i) {
    rest.end[i] = static_cast<int32_t>(table.sizes()[i] - share.sizes()[i]);
    whole = whole && rest.end[i] == 0;
  }
  b.give(0, whole ? share : b.g.op_with(Op::Pad, {share}, rest));
}

namespace {

// Only the last one of several elements with the same index was written.
Tensor share_of_elements(Backward& b, int axis, const Tensor& nothing) {
  const Tensor x = b.source(0), from = b.source(1), places = b.source(2);
  const Tensor line = b.g.op_with(Op::Arange, {}, FillParams{{from->element_count()}, DType::I64, 0, 1});
  const Tensor numbers = b.g.reshape(line, from.sizes());
  const Tensor nowhere = b.g.op(Op::Cont, {b.g.op_with(Op::Fill, {}, FillParams{x.sizes(), DType::I64, -1, 0})});
  const Tensor written = b.g.op_with(Op::SetRows, {nowhere, numbers, places}, SetRowsParams{axis, true});
  const Tensor last = b.g.op_with(Op::GatherElements, {written, places}, AxisParams{axis});
  const Tensor share = b.g.op_with(Op::GatherElements, {b.dy, places}, AxisParams{axis});
  return b.g.op(Op::Where, {b.g.op(Op::Equal, {last, numbers}), share, nothing});
}

}  // namespace

// Overwritten elements have gradient 0, written elements that of their destination; negative rows were not written.
void set_rows(Backward& b) {
  const auto [axis, some] = b.y->params.get<SetRowsParams>();
  const Tensor from = b.source(1);
  const Tensor nothing = b.g.op_with(Op::Fill, {}, FillParams{from.sizes(), b.dy.dtype(), 0, 0});
  if (!some) {
    if (b.wants(0)) b.give(0, nothing);
    if (b.wants(1)) b.give(1, b.dy);
    return;
  }
  const Tensor rows = b.source(2);
  if (b.wants(0))
    b.give(0, b.g.op_with(Op::SetRows, {b.g.op(Op::Cont, {b.dy}), nothing, rows}, SetRowsParams{axis, true}));
  if (!b.wants(1)) return;
  if (rows->rank() > 1) return b.give(1, share_of_elements(b, axis, nothing));
  const Tensor below = b.g.op(Op::Less, {rows, b.g.op_with(Op::Fill, {}, FillParams{{}, rows.dtype(), 0, 0})});
  Dims line = Dims::filled(from->rank(), 1);
  line[axis] = rows->element_count();
  const Tensor share = b.g.op_with(Op::Gather, {b.dy, rows}, AxisParams{axis});
  b.give(1, b.g.op(Op::Where, {b.g.reshape(below, line), nothing, share}));
}

// Constant padding is cut off; in the other modes the gradient of a repeated element is added to its source.
void pad(Backward& b) {
  auto p = b.y->params.get<PadParams>();
  const Tensor x = b.source(0);
  if (p.mode == PadMode::Constant) {
    for (int i = 0; i < x->rank(); ++i) p.begin[i] = -p.begin[i], p.end[i] = -p.end[i];
    p.value = 0;
    return b.give(0, b.g.op_with(Op::Pad, {b.dy}, p));
  }
  Tensor share = b.dy;
  for (int i = 0; i < x->rank(); ++i) {
    if (p.begin[i] == 0 && p.end[i] == 0) continue;
    const auto last = static_cast<double>(x.sizes()[i] - 1);
    const FillParams line{{b.y.sizes()[i]}, DType::F32, -static_cast<double>(p.begin[i]), 1};
    Tensor at = b.g.op_with(Op::Arange, {}, line);
    if (p.mode == PadMode::Edge)
      at = b.g.op_with(Op::Clamp, {at}, ClampParams{0, last});
    else  // last - |last - |at||
      at = b.scale(b.op(Op::Abs, {b.scale(b.op(Op::Abs, {at}), -1, last)}), -1, last);
    share = b.to_places(share, i, b.g.op_with(Op::Cast, {at}, CastParams{DType::I64}), x.sizes()[i]);
  }
  b.give(0, share);
}

// Resizing one dimension is a matmul; its matrix is obtained by resizing the identity matrix.
void resize(Backward& b) {
  const auto p = b.y->params.get<ResizeParams>();
  const Tensor x = b.source(0);
  Tensor share = b.dy;
  for (int i = 0; i < x->rank(); ++i) {
    const int64_t in = x.sizes()[i], out = b.y.sizes()[i];
    const int late = i - (x->rank() - 4);
    const float factor = late >= 0 ? p.scales[late] : 0;
    if (in == out && (factor == 0 || factor == 1)) continue;
    const auto line = [&](const Dims& sizes) {
      return b.g.op_with(Op::Arange, {}, FillParams{sizes, DType::I64, 0, 1});
    };
    ResizeParams along = p;
    along.sizes = {in, out};
    for (float& scale : along.scales) scale = 0;
    along.scales[3] = factor;
    const Tensor matrix = b.g.op_with(Op::Resize, {b.truth(Op::Equal, line({in, 1}), line({1, in}))}, along);
    const Tensor rows = b.axis_last(share, i);
    if (!rows) return;
    share = rows->rank() == 1 ? b.g.reshape(b.g.mul_mat(matrix, b.g.reshape(rows, {1, out})), {in})
                              : b.axis_back(b.g.mul_mat(matrix, rows), i);
  }
  b.give(0, share);
}

void depth_to_space(Backward& b) {
  const auto p = b.y->params.get<DepthToSpaceParams>();
  const Dims s = b.source(0).sizes();
  const int64_t n = p.block, deep = s[1] / (n * n);
  const Tensor blocks = b.g.reshape(b.dy, {s[0], deep, s[2], n, s[3], n});
  const Tensor back =
      p.column_row_depth ? b.g.permute(blocks, {0, 1, 3, 5, 2, 4}) : b.g.permute(blocks, {0, 3, 5, 1, 2, 4});
  b.give(0, b.g.reshape(back, s));
}

void tril(Backward& b) { b.give(0, b.g.op_with(Op::Tril, {b.dy}, b.y->params.get<TrilParams>())); }

// The gradient is rotated by the opposite angle.
void rope(Backward& b) {
  auto p = b.y->params.get<RopeParams>();
  p.scale = -p.scale;
  b.give(0, b.source_count() > 1 ? b.g.op_with(Op::Rope, {b.dy, b.source(1)}, p) : b.g.op_with(Op::Rope, {b.dy}, p));
}

}  // namespace arenascope::autodiff
