// SPDX-License-Identifier: MIT
// ONNX operators that write into places: with indices that are known while opening, each element of the result has a
// known origin, so that they are one gather from the data and the updates behind each other.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <numeric>
#include <unordered_map>
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

// Which update, counted from 0, is written where, in the order in which they come: -1 for none. Only the last stays
// where nothing is reduced, else one layer follows the other.
class Layers {
 public:
  explicit Layers(int64_t places, bool only_last) : places_(places), only_last_(only_last) {}
  void write(int64_t place, int64_t update) {
    const size_t depth = only_last_ ? 0 : depths_[place]++;
    if (depth == layers_.size()) layers_.emplace_back(static_cast<size_t>(places_), int64_t{-1});
    layers_[depth][static_cast<size_t>(place)] = update;
  }
  const std::vector<std::vector<int64_t>>& all() const { return layers_; }

 private:
  int64_t places_;
  bool only_last_;
  std::unordered_map<int64_t, size_t> depths_;
  std::vector<std::vector<int64_t>> layers_;
};

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

// `data` with the updates' rows of `row` elements written or reduced into it.
void scattered(OpCall& c, const Tensor& data, const Tensor& updates, int64_t row, int64_t count, Reduction reduction,
               const Layers& layers) {
  constexpr size_t kMostLayers = 64;
  if (layers.all().size() > kMostLayers)
    return c.refuse(fmt::format("{} updates of one place, of at most {}", layers.all().size(), kMostLayers));
  if (reduction == Reduction::None || layers.all().empty() || row == 0) {
    std::vector<int64_t> places(static_cast<size_t>(row == 0 ? 0 : data->element_count() / row));
    std::iota(places.begin(), places.end(), 0);
    if (!layers.all().empty())
      for (size_t i = 0; i < places.size(); ++i)
        if (layers.all()[0][i] >= 0) places[i] = static_cast<int64_t>(places.size()) + layers.all()[0][i];
    return gathered(c, data, updates, row, std::move(places));
  }
  // An entry behind the updates changes nothing; of extremes that is the number itself, so that all of them are asked.
  const bool adds = reduction == Reduction::Add || reduction == Reduction::Mul;
  const Tensor rows = c.reshape(updates, {count, row}, ":updates");
  const Tensor one =
      c.expand(c.scalar(reduction == Reduction::Mul ? 1 : 0, data.dtype(), ":nothing"), {1, row}, ":none");
  Tensor table = adds ? c.op_with(Op::Concat, {rows, one}, AxisParams{0}, ":table") : rows;
  Tensor y = c.reshape(data, {data->element_count() / row, row}, ":data");
  for (size_t k = 0; k < layers.all().size() && c.ok(); ++k) {
    std::vector<int64_t> from = layers.all()[k];
    const int64_t lines = static_cast<int64_t>(from.size());
    Tensor source = table;
    if (!adds) source = c.op_with(Op::Concat, {table, y}, AxisParams{0}, fmt::format(":table_{}", k).c_str());
    for (int64_t i = 0; i < lines; ++i)
      if (from[static_cast<size_t>(i)] < 0) from[static_cast<size_t>(i)] = adds ? count : count + i;
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
    c.wait_for(1, "its indices must be known before it runs");
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
  Layers layers(rows, reduction == Reduction::None);
  for (int64_t u = 0; u < count; ++u) {
    int64_t at = 0;
    for (int k = 0; k < width; ++k) {
      const int64_t size = data.sizes()[k], index = indices->integer(u * width + k);
      if (index < -size || index >= size) return c.refuse(fmt::format("index {} of {}", index, size));
      at = at * size + (index < 0 ? index + size : index);
    }
    layers.write(at, u);
  }
  scattered(c, data, updates, row, count, reduction, layers);
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
  Layers layers(data->element_count(), reduction == Reduction::None);
  Dims at = Dims::filled(data->rank(), 0);
  for (int64_t u = 0; u < indices->count(); ++u) {
    const int64_t size = data.sizes()[axis], index = indices->integer(u);
    if (index < -size || index >= size) return c.refuse(fmt::format("index {} of {}", index, size));
    int64_t where = 0;
    for (int d = 0; d < data->rank(); ++d)
      where += (d == axis ? (index < 0 ? index + size : index) : at[d]) * strides[d];
    layers.write(where, u);
    for (int d = data->rank() - 1; d >= 0 && ++at[d] == indices->sizes[d]; --d) at[d] = 0;
  }
  scattered(c, data, updates, 1, indices->count(), reduction, layers);
}

constexpr HandlerEntry kScatterHandlers[] = {
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
};

}  // namespace

std::span<const HandlerEntry> scatter_handlers() { return kScatterHandlers; }

}  // namespace arenascope::models
