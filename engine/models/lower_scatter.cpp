// SPDX-License-Identifier: MIT
// ONNX operators that write into places: with indices that are known while opening, each element of the result has a
// known origin, so that they are one gather from the data and the updates behind each other.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <numeric>
#include <vector>

namespace arenascope::models {
namespace {

// The result: rows of `row` elements, row i from places[i], which counts the data's rows first, then the updates'.
void gathered(OpCall& c, const Tensor& data, const Tensor& updates, int64_t row, std::vector<int64_t> places) {
  const int64_t rows = static_cast<int64_t>(places.size());
  if (row == 0 || rows == 0) return c.out(0, c.op(Op::Copy, {data}));
  const Tensor parts[] = {c.reshape(data, {rows, row}, ":data"),
                          c.reshape(updates, {updates->element_count() / row, row}, ":updates")};
  if (!parts[0] || !parts[1]) return;
  const Tensor both = c.op_list(Op::Concat, parts, AxisParams{0}, ":both");
  const Tensor picked =
      c.op_with(Op::Gather, {both, c.constant(HostArray::of(std::move(places)), ":places")}, AxisParams{0}, ":picked");
  c.out(0, c.reshape(picked, data.sizes()));
}

bool readable(OpCall& c, Tensor& data, std::shared_ptr<const HostArray>& indices, Tensor& updates) {
  data = c.in(0);
  updates = c.in(2);
  indices = c.known(1);
  const std::string reduction = c.attr_string("reduction", "none");
  if (!indices)
    c.refuse("its indices must be known before it runs");
  else if (reduction != "none")
    c.refuse(fmt::format("it reduces by {}", reduction));
  else if (data && data->element_count() > HostArray::kMaxElements * 16)
    c.refuse("its source is too large");
  return c.ok() && data && updates;
}

void scatter_nd(OpCall& c) {
  Tensor data, updates;
  std::shared_ptr<const HostArray> indices;
  if (!readable(c, data, indices, updates)) return;
  const int rank = indices->sizes.rank();
  const int64_t width = rank > 0 ? indices->sizes[rank - 1] : 0;
  if (width < 1 || width > data->rank()) return c.refuse("its indices do not fit");
  int64_t rows = 1, row = 1;
  for (int i = 0; i < data->rank(); ++i) (i < width ? rows : row) *= data.sizes()[i];
  const int64_t count = indices->count() / width;
  if (updates->element_count() != count * row) return c.refuse("its updates do not fit");
  std::vector<int64_t> places(static_cast<size_t>(rows));
  std::iota(places.begin(), places.end(), 0);
  for (int64_t u = 0; u < count; ++u) {
    int64_t at = 0;
    for (int k = 0; k < width; ++k) {
      const int64_t size = data.sizes()[k], index = indices->integer(u * width + k);
      if (index < -size || index >= size) return c.refuse(fmt::format("index {} of {}", index, size));
      at = at * size + (index < 0 ? index + size : index);
    }
    places[static_cast<size_t>(at)] = rows + u;
  }
  gathered(c, data, updates, row, std::move(places));
}

void scatter_elements(OpCall& c) {
  Tensor data, updates;
  std::shared_ptr<const HostArray> indices;
  if (!readable(c, data, indices, updates)) return;
  const int axis = c.axis(c.attr_int("axis", 0), data->rank());
  if (!c.ok() || !(indices->sizes == updates.sizes()) || indices->sizes.rank() != data->rank())
    return c.refuse("its indices do not fit");
  for (int i = 0; i < data->rank(); ++i)
    if (i != axis && indices->sizes[i] > data.sizes()[i]) return c.refuse("its indices do not fit");
  const Dims strides = contiguous_strides(data.sizes());
  const int64_t total = data->element_count();
  std::vector<int64_t> places(static_cast<size_t>(total));
  std::iota(places.begin(), places.end(), 0);
  Dims at = Dims::filled(data->rank(), 0);
  for (int64_t u = 0; u < indices->count(); ++u) {
    const int64_t size = data.sizes()[axis], index = indices->integer(u);
    if (index < -size || index >= size) return c.refuse(fmt::format("index {} of {}", index, size));
    int64_t where = 0;
    for (int d = 0; d < data->rank(); ++d)
      where += (d == axis ? (index < 0 ? index + size : index) : at[d]) * strides[d];
    places[static_cast<size_t>(where)] = total + u;
    for (int d = data->rank() - 1; d >= 0 && ++at[d] == indices->sizes[d]; --d) at[d] = 0;
  }
  gathered(c, data, updates, 1, std::move(places));
}

constexpr HandlerEntry kHandlers[] = {
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
};

}  // namespace

std::span<const HandlerEntry> scatter_handlers() { return kHandlers; }

}  // namespace arenascope::models
