// SPDX-License-Identifier: MIT
// ONNX operators that write into places, with indices that are known while opening: rows are written into a copy of the data, or,
// as each element of the result has a known origin then, gathered from the data and the updates behind each other.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <map>
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

// What is done with an update and what stands in its place.
enum class Reduction { None, Add, Mul, Min, Max };

// Which updates, counted from 0, are written where, in the order in which they come.
class Writes {
 public:
  explicit Writes(int64_t places) : places_(places) {}
  void write(int64_t place, int64_t update) { at_[place].push_back(update); }
  // Only the last update of each place, -1 for none.
  std::vector<int64_t> last() const {
    std::vector<int64_t> out(static_cast<size_t>(places_), -1);
    for (const auto& [place, updates] : at_) out[static_cast<size_t>(place)] = updates.back();
    return out;
  }
  // The k-th update of each place, -1 for none.
  std::vector<int64_t> layer(size_t k) const {
    std::vector<int64_t> out(static_cast<size_t>(places_), -1);
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
  // Puts groups of up to `group` updates of a place that has more of them together; the groups' updates behind each other,
  // each group filled up with what it begins with (`repeats`) or with `nothing`. They are counted from `next` on then.
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
  int64_t places_;
  std::map<int64_t, std::vector<int64_t>> at_;
};

constexpr Bytes kWholeRow = 64;  // shorter ones are gathered element by element anyway

// The same where each place is written once, by rows that are worth a copy each: written into a copy of the data.
bool written(OpCall& c, const Tensor& data, const Tensor& updates, int64_t row, const Writes& writes) {
  if (row == 0 || row * element_bytes(data.dtype()) < kWholeRow || writes.depth() != 1) return false;
  const std::vector<int64_t> last = writes.last();
  std::vector<int64_t> places(static_cast<size_t>(updates->element_count() / row));
  for (size_t i = 0; i < last.size(); ++i)
    if (last[i] >= 0) places[static_cast<size_t>(last[i])] = static_cast<int64_t>(i);
  const Tensor copy = c.op(Op::Cont, {c.reshape(data, {data->element_count() / row, row}, ":data")}, ":copy");
  const Tensor rows = c.reshape(updates, {updates->element_count() / row, row}, ":updates");
  const Tensor all = c.op_with(Op::SetRows, {copy, rows, c.constant(HostArray::of(std::move(places)), ":places")},
                               SetRowsParams{0, true}, ":written");
  c.out(0, c.reshape(all, data.sizes()));
  return true;
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

constexpr int64_t kMostLayers = 64;  // one after the other; of more updates of a place some are reduced first

// Rows [rows, row], and behind them those that places with many updates have of these, until none has too many.
Tensor with_groups(OpCall& c, Tensor rows, Reduction reduction, int64_t nothing, Writes& writes) {
  const bool adds = reduction == Reduction::Add || reduction == Reduction::Mul;
  for (int round = 0; c.ok() && static_cast<int64_t>(writes.depth()) > kMostLayers; ++round) {
    const int64_t count = rows.sizes()[0], row = rows.sizes()[1];
    std::vector<int64_t> members = writes.group_up(kMostLayers, count, !adds, nothing);
    const int64_t groups = static_cast<int64_t>(members.size()) / kMostLayers;
    const std::string at = fmt::format(":groups_{}", round);
    const Tensor picked =
        c.op_with(Op::Gather, {rows, c.constant(HostArray::of(std::move(members)), (at + "_from").c_str())},
                  AxisParams{0}, (at + "_members").c_str());
    const Tensor reduced =
        c.op_with(reduction_of(reduction), {c.reshape(picked, {groups, kMostLayers, row}, (at + "_each").c_str())},
                  ReduceParams{1u << 1, false}, at.c_str());
    rows = c.op_with(Op::Concat, {rows, reduced}, AxisParams{0}, (at + "_all").c_str());
  }
  return rows;
}

// `data` with the updates' rows of `row` elements written or reduced into it.
void scattered(OpCall& c, const Tensor& data, const Tensor& updates, int64_t row, int64_t count, Reduction reduction,
               Writes& writes) {
  if (reduction == Reduction::None || writes.empty() || row == 0) {
    if (reduction == Reduction::None && written(c, data, updates, row, writes)) return;
    std::vector<int64_t> places(static_cast<size_t>(row == 0 ? 0 : data->element_count() / row));
    std::iota(places.begin(), places.end(), 0);
    if (row != 0 && !writes.empty()) {
      const std::vector<int64_t> last = writes.last();
      for (size_t i = 0; i < places.size(); ++i)
        if (last[i] >= 0) places[i] = static_cast<int64_t>(places.size()) + last[i];
    }
    return gathered(c, data, updates, row, std::move(places));
  }
  // An entry behind the updates changes nothing; of extremes that is the number itself, so that all of them are asked.
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
    c.refuse(fmt::format("it reduces by {}", name));
  if (!indices)
    c.wait_for(1, "its indices must be known before it runs", true);
  else if (data && data->element_count() > HostArray::kMaxElements * 16)
    c.refuse("its source is too large");
  return c.ok() && data && updates;
}

void scatter_nd(OpCall& c) {
  Tensor data, updates;
  std::shared_ptr<const HostArray> indices;
  Reduction reduction;
  if (!readable(c, data, indices, updates, reduction)) return;
  const int rank = indices->sizes.rank();
  const int64_t width = rank > 0 ? indices->sizes[rank - 1] : 0;
  if (width < 1 || width > data->rank()) return c.refuse("its indices do not fit");
  int64_t rows = 1, row = 1;
  for (int i = 0; i < data->rank(); ++i) (i < width ? rows : row) *= data.sizes()[i];
  const int64_t count = indices->count() / width;
  if (updates->element_count() != count * row) return c.refuse("its updates do not fit");
  Writes writes(rows);
  for (int64_t u = 0; u < count; ++u) {
    int64_t at = 0;
    for (int k = 0; k < width; ++k) {
      const int64_t size = data.sizes()[k], index = indices->integer(u * width + k);
      if (index < -size || index >= size) return c.refuse(fmt::format("index {} of {}", index, size));
      at = at * size + (index < 0 ? index + size : index);
    }
    writes.write(at, u);
  }
  scattered(c, data, updates, row, count, reduction, writes);
}

void scatter_elements(OpCall& c) {
  Tensor data, updates;
  std::shared_ptr<const HostArray> indices;
  Reduction reduction;
  if (!readable(c, data, indices, updates, reduction)) return;
  const int axis = c.axis(c.attr_int("axis", 0), data->rank());
  if (!c.ok() || !(indices->sizes == updates.sizes()) || indices->sizes.rank() != data->rank())
    return c.refuse("its indices do not fit");
  for (int i = 0; i < data->rank(); ++i)
    if (i != axis && indices->sizes[i] > data.sizes()[i]) return c.refuse("its indices do not fit");
  const Dims strides = contiguous_strides(data.sizes());
  Writes writes(data->element_count());
  Dims at = Dims::filled(data->rank(), 0);
  for (int64_t u = 0; u < indices->count(); ++u) {
    const int64_t size = data.sizes()[axis], index = indices->integer(u);
    if (index < -size || index >= size) return c.refuse(fmt::format("index {} of {}", index, size));
    int64_t where = 0;
    for (int d = 0; d < data->rank(); ++d)
      where += (d == axis ? (index < 0 ? index + size : index) : at[d]) * strides[d];
    writes.write(where, u);
    for (int d = data->rank() - 1; d >= 0 && ++at[d] == indices->sizes[d]; --d) at[d] = 0;
  }
  scattered(c, data, updates, 1, indices->count(), reduction, writes);
}

constexpr HandlerEntry kScatterHandlers[] = {
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
};

}  // namespace

std::span<const HandlerEntry> scatter_handlers() { return kScatterHandlers; }

}  // namespace arenascope::models
