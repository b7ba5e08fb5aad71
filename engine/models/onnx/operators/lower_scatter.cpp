// SPDX-License-Identifier: MIT
// ONNX's scatter operators: updates are written into a copy of the data. With a reduction the indices must be known when
// the model is opened; each element then gathers its updates.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <map>
#include <vector>

namespace arenascope::models {
namespace {

// How an update is combined with the current element.
enum class Reduction { None, Add, Mul, Min, Max };

// The updates, counted from 0, of each index, in order.
class Writes {
 public:
  explicit Writes(int64_t index_list) : indices_(index_list) {}
  void write(int64_t place, int64_t update) { at_[place].push_back(update); }
  // The k-th update of each index, -1 for none.
  std::vector<int64_t> layer(size_t k) const {
    std::vector<int64_t> out(static_cast<size_t>(indices_), -1);
    for (const auto& [place, updates] : at_)
      if (k < updates.size()) out[static_cast<size_t>(place)] = updates[k];
    return out;
  }
  size_t depth() const {
    size_t most = 0;
    for (const auto& [place, updates] : at_) most = std::max(most, updates.size());
    return most;
  }
  bool empty() const { return at_.empty(); }
  // Splits the updates of an index with more than `group` of them into groups, and returns the groups' updates one after
  // another, each group padded with its first update (`repeats`) or with `nothing`. Groups are numbered from `next` on.
  std::vector<int64_t> group_up(int64_t group, int64_t next, bool repeats, int64_t nothing) {
    std::vector<int64_t> out;
    for (auto& [place, updates] : at_) {
      if (static_cast<int64_t>(updates.size()) <= group) continue;
      std::vector<int64_t> groups;
      for (size_t i = 0; i < updates.size(); i += static_cast<size_t>(group)) {
        for (size_t k = i; k < i + static_cast<size_t>(group); ++k)
          out.push_back(k < updates.size() ? updates[k] : repeats ? updates[i] : nothing);
        groups.push_back(next++);
      }
      updates = std::move(groups);
    }
    return out;
  }

 private:
  int64_t indices_;
  std::map<int64_t, std::vector<int64_t>> at_;
};

// Writes the updates into a copy of the data, along `axis`, at the rows or elements in `index_list` (scatter_indices.h).
void write_into(OpCall& c, const Tensor& data, const Dims& sizes, const Tensor& updates, const Tensor& index_list,
                int axis) {
  const Tensor copy = c.op(Op::Cont, {c.reshape(data, sizes, ":data")}, ":copy");
  const Tensor all = c.op_with(Op::SetRows, {copy, updates, index_list}, SetRowsParams{axis, true}, ":written");
  c.out(0, c.reshape(all, data.sizes()));
}

Op op_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::Add: return Op::Add;
    case Reduction::Mul: return Op::Mul;
    case Reduction::Min: return Op::Min;
    case Reduction::Max: return Op::Max;
    case Reduction::None: break;
  }
  return Op::Copy;
}

Op reduction_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::Mul: return Op::ReduceProd;
    case Reduction::Min: return Op::ReduceMin;
    case Reduction::Max: return Op::ReduceMax;
    default: return Op::ReduceSum;
  }
}

constexpr int64_t kMaxLayers = 64;  // applied in sequence; more updates of one index are first reduced in groups

// Rows [rows, row], followed by the reduced groups of indices with many updates, until no index has too many.
Tensor with_groups(OpCall& c, Tensor rows, Reduction reduction, int64_t nothing, Writes& writes) {
  const bool adds = reduction == Reduction::Add || reduction == Reduction::Mul;
  for (int round = 0; c.ok() && static_cast<int64_t>(writes.depth()) > kMaxLayers; ++round) {
    const int64_t count = rows.sizes()[0], row = rows.sizes()[1];
    std::vector<int64_t> members = writes.group_up(kMaxLayers, count, !adds, nothing);
    const int64_t groups = static_cast<int64_t>(members.size()) / kMaxLayers;
    const std::string at = fmt::format(":groups_{}", round);
    const Tensor picked =
        c.op_with(Op::Gather, {rows, c.constant(HostArray::of(std::move(members)), (at + "_from").c_str())},
                  AxisParams{0}, (at + "_members").c_str());
    const Tensor reduced =
        c.op_with(reduction_of(reduction), {c.reshape(picked, {groups, kMaxLayers, row}, (at + "_each").c_str())},
                  ReduceParams{1u << 1, false}, at.c_str());
    rows = c.op_with(Op::Concat, {rows, reduced}, AxisParams{0}, (at + "_all").c_str());
  }
  return rows;
}

// `data` with the updates' rows of `row` elements reduced into it.
void reduce_into(OpCall& c, const Tensor& data, const Tensor& updates, int64_t row, int64_t count, Reduction reduction,
                 Writes& writes) {
  if (writes.empty() || row == 0) return c.out(0, c.op(Op::Copy, {data}));
  // An additional neutral row for indices without a further update; for extremes the element itself is neutral.
  const bool adds = reduction == Reduction::Add || reduction == Reduction::Mul;
  const Tensor rows = c.reshape(updates, {count, row}, ":updates");
  const Tensor one =
      c.expand(c.scalar(reduction == Reduction::Mul ? 1 : 0, data.dtype(), ":nothing"), {1, row}, ":none");
  Tensor table = adds ? c.op_with(Op::Concat, {rows, one}, AxisParams{0}, ":table") : rows;
  table = with_groups(c, table, reduction, count, writes);
  Tensor y = c.reshape(data, {data->element_count() / row, row}, ":data");
  for (size_t k = 0; c.ok() && k < writes.depth(); ++k) {
    std::vector<int64_t> from = writes.layer(k);
    Tensor source = table;
    if (!adds) source = c.op_with(Op::Concat, {table, y}, AxisParams{0}, fmt::format(":table_{}", k).c_str());
    const int64_t own = table ? table.sizes()[0] : 0;
    for (size_t i = 0; i < from.size(); ++i)
      if (from[i] < 0) from[i] = adds ? count : own + static_cast<int64_t>(i);
    const Tensor layer =
        c.op_with(Op::Gather, {source, c.constant(HostArray::of(std::move(from)), fmt::format(":from_{}", k).c_str())},
                  AxisParams{0}, fmt::format(":layer_{}", k).c_str());
    y = c.op(op_of(reduction), {y, layer}, fmt::format(":reduced_{}", k).c_str());
  }
  c.out(0, c.reshape(y, data.sizes()));
}

bool readable(OpCall& c, Tensor& data, std::shared_ptr<const HostArray>& indices, Tensor& updates,
              Reduction& reduction) {
  data = c.in(0);
  updates = c.in(2);
  indices = c.known(1);
  const std::string name = c.attr_string("reduction", "none");
  reduction = Reduction::None;
  if (name == "add")
    reduction = Reduction::Add;
  else if (name == "mul")
    reduction = Reduction::Mul;
  else if (name == "min")
    reduction = Reduction::Min;
  else if (name == "max")
    reduction = Reduction::Max;
  else if (name != "none")
    c.fail(fmt::format("the reduction '{}' is not supported", name));
  if (!indices && reduction != Reduction::None)
    c.wait_for(1, "its indices must be known at compile time", true);
  else if (indices && data && data->element_count() > HostArray::kMaxElements * 16)
    c.fail("its input is too large");
  return c.ok() && data && updates;
}

// Linear row indices from index tuples known at run time: each component is looked up in a table of its strides, which also
// detects indices out of range.
Tensor rows_of(OpCall& c, const Tensor& data, int64_t count, int width) {
  if (width == 1) return c.reshape(c.in(1), {count});
  Tensor sum;
  int64_t stride = 1;
  for (int k = width - 1; c.ok() && k >= 0; stride *= data.sizes()[k--]) {
    const Tensor tuples = c.reshape(c.in(1), {count, width}, ":tuples");
    const Tensor index = c.reshape(c.slice(tuples, 1, k, k + 1), {count});
    const FillParams line{{data.sizes()[k]}, DType::I64, 0, static_cast<double>(stride)};
    const Tensor index_list =
        c.op_list(Op::Arange, std::span<const Tensor>{}, line, fmt::format(":places_{}", k).c_str());
    const Tensor at = c.op_with(Op::Gather, {index_list, index}, AxisParams{0}, fmt::format(":at_{}", k).c_str());
    sum = sum ? c.op(Op::Add, {sum, at}, fmt::format(":rows_{}", k).c_str()) : at;
  }
  return sum;
}

constexpr Bytes kWholeRow = 64;  // shorter ones are written element by element

// Known rows without repetition are written as rows, which devices support too. Others are written element by element with
// the indices of the rows.
void write_rows(OpCall& c, const Tensor& data, const Tensor& updates, int64_t row, int64_t rows,
                const Tensor& index_list, bool once) {
  const int64_t count = index_list->element_count();
  if (row == 0 || rows == 0 || count == 0) return c.out(0, c.op(Op::Copy, {data}));
  const Tensor lines = c.reshape(updates, {count, row}, ":updates");
  if (once && row * element_bytes(data.dtype()) >= kWholeRow)
    return write_into(c, data, {rows, row}, lines, index_list, 0);
  write_into(c, data, {rows, row}, lines, c.expand(c.reshape(index_list, {count, 1}), {count, row}), 0);
}

void scatter_nd(OpCall& c) {
  Tensor data, updates;
  std::shared_ptr<const HostArray> indices;
  Reduction reduction;
  if (!readable(c, data, indices, updates, reduction)) return;
  const Dims tuples = indices ? indices->sizes : c.in(1).sizes();
  const int64_t width = tuples.rank() > 0 ? tuples.back() : 0;
  if (width < 1 || width > data->rank())
    return c.fail(fmt::format("its indices have the shape {}: the last dimension must be 1 to {}", to_string(tuples),
                              data->rank()));
  int64_t rows = 1, row = 1;
  for (int i = 0; i < data->rank(); ++i) (i < width ? rows : row) *= data.sizes()[i];
  const int64_t count = element_count(tuples) / width;
  if (updates->element_count() != count * row)
    return c.fail(fmt::format("its updates have {} elements: expected {}", updates->element_count(), count * row));
  if (!indices) {
    const Tensor index_list = rows_of(c, data, count, static_cast<int>(width));
    return index_list ? write_rows(c, data, updates, row, rows, index_list, false) : void();
  }
  Writes writes(rows);
  std::vector<int64_t> index_list;
  for (int64_t u = 0; u < count; ++u) {
    int64_t at = 0;
    for (int k = 0; k < width; ++k) {
      const int64_t size = data.sizes()[k], index = indices->integer(u * width + k);
      if (index < -size || index >= size)
        return c.fail(fmt::format("the index {} is out of range for a dimension of {}", index, size));
      at = at * size + (index < 0 ? index + size : index);
    }
    writes.write(at, u);
    index_list.push_back(at);
  }
  if (reduction != Reduction::None) return reduce_into(c, data, updates, row, count, reduction, writes);
  write_rows(c, data, updates, row, rows, c.constant(HostArray::of(std::move(index_list)), ":places"),
             writes.depth() == 1);
}

void scatter_elements(OpCall& c) {
  Tensor data, updates;
  std::shared_ptr<const HostArray> indices;
  Reduction reduction;
  if (!readable(c, data, indices, updates, reduction)) return;
  const int axis = c.axis(c.attr_int("axis", 0), data->rank());
  if (!c.ok() || !(c.in(1).sizes() == updates.sizes()) || updates->rank() != data->rank())
    return c.fail("its indices and updates must have equal shapes, and as many dimensions as the data");
  for (int i = 0; i < data->rank(); ++i)
    if (i != axis && updates.sizes()[i] > data.sizes()[i])
      return c.fail(
          fmt::format("its indices {} exceed the data {}", to_string(updates.sizes()), to_string(data.sizes())));
  const Dims strides = contiguous_strides(data.sizes());
  Writes writes(data->element_count());
  Dims at = Dims::filled(data->rank(), 0);
  for (int64_t u = 0; indices && u < indices->count(); ++u) {
    const int64_t size = data.sizes()[axis], index = indices->integer(u);
    if (index < -size || index >= size)
      return c.fail(fmt::format("the index {} is out of range for a dimension of {}", index, size));
    if (reduction == Reduction::None) continue;
    int64_t where = 0;
    for (int d = 0; d < data->rank(); ++d)
      where += (d == axis ? (index < 0 ? index + size : index) : at[d]) * strides[d];
    writes.write(where, u);
    for (int d = data->rank() - 1; d >= 0 && ++at[d] == indices->sizes[d]; --d) at[d] = 0;
  }
  if (reduction != Reduction::None)
    return reduce_into(c, data, updates, 1, updates->element_count(), reduction, writes);
  if (data->rank() > 1) return write_into(c, data, data.sizes(), updates, c.in(1), axis);
  const Dims line{1, updates->element_count()};
  write_into(c, data, {1, data->element_count()}, c.reshape(updates, line), c.reshape(c.in(1), line), 1);
}

constexpr HandlerEntry kScatterHandlers[] = {
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
};

}  // namespace

std::span<const HandlerEntry> scatter_handlers() { return kScatterHandlers; }

}  // namespace arenascope::models
