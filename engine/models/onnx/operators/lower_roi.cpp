// SPDX-License-Identifier: MIT
// ONNX operators that make regions of an image as one size.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace arenascope::models {
namespace {

// An f32 constant of shape `sizes`.
Tensor roi_numbers(OpCall& c, const Dims& sizes, const std::vector<double>& values, const std::string& at) {
  HostArray out = HostArray::make(DType::F32, sizes);
  for (size_t i = 0; i < values.size(); ++i) out.set(static_cast<int64_t>(i), values[i]);
  return c.constant(std::move(out), at.c_str());
}

std::vector<double> roi_counted(int64_t count) {
  std::vector<double> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), 0.0);
  return out;
}

// Along one side: of the result, in each of its cells (0: by each region's size), and of the image.
struct RoiCall {
  int64_t out = 0, samples = 0, size = 0;
  double scale = 1, shift = 0;
  bool may_be_empty = false;  // else a region is one element wide at least
};

// Sample coordinates of all regions in one dimension, [R, out·samples], clamped to the image; `counts` is 1 for samples
// inside the image, otherwise 0.
struct IndexTable {
  Tensor at, counts;
};
IndexTable indices_of(OpCall& c, const Tensor& rois, int first, const RoiCall& side, const std::string& name) {
  const auto edge = [&](int column, const char* suffix) {
    return c.op_with(Op::Scale, {c.slice(rois, 1, column, column + 1, 1, (name + suffix + "_given").c_str())},
                     ScaleParams{static_cast<float>(side.scale), static_cast<float>(-side.shift)},
                     (name + suffix).c_str());
  };
  const Tensor start = edge(first, "_start");
  Tensor length = c.op(Op::Sub, {edge(first + 2, "_end"), start}, (name + "_length").c_str());
  if (!side.may_be_empty)
    length = c.op(Op::Max, {length, c.scalar(1, DType::F32, (name + "_one").c_str())}, (name + "_wide").c_str());
  std::vector<double> steps;  // positions of the samples, as fractions of the region
  const auto n = static_cast<double>(side.samples);
  for (int64_t i = 0; i < side.out * side.samples; ++i)
    steps.push_back((static_cast<double>(i) + 0.5) / n / static_cast<double>(side.out));
  const Tensor step = roi_numbers(c, {1, static_cast<int64_t>(steps.size())}, steps, name + "_steps");
  const Tensor at =
      c.op(Op::Add, {c.op(Op::Mul, {length, step}, (name + "_along").c_str()), start}, (name + "_at").c_str());
  const auto last = static_cast<double>(side.size);
  const Tensor inside =
      c.op(Op::And,
           {c.op(Op::GreaterEqual, {at, c.scalar(-1, DType::F32, (name + "_low").c_str())}, (name + "_above").c_str()),
            c.op(Op::LessEqual, {at, c.scalar(last, DType::F32, (name + "_high").c_str())}, (name + "_below").c_str())},
           (name + "_inside").c_str());
  return {c.op_with(Op::Clamp, {at}, ClampParams{0, last - 1}, (name + "_cut").c_str()),
          c.cast(inside, DType::F32, (name + "_counts").c_str())};
}

// The same with as many samples per cell as the region has elements there, rounded up: regions with fewer samples than the
// maximum repeat their last one, with weight 0 in a mean.
IndexTable adaptive_windows(OpCall& c, const HostArray& rois, int first, RoiCall& side, bool mean,
                            const std::string& name) {
  const int64_t regions = rois.sizes[0];
  const auto edge = [&](int64_t r, int column) { return rois.number(r * 4 + column) * side.scale - side.shift; };
  const auto length = [&](int64_t r) {
    const double given = edge(r, first + 2) - edge(r, first);
    return side.may_be_empty ? given : std::max(given, 1.0);
  };
  const auto samples = [&](int64_t r) { return std::ceil(length(r) / static_cast<double>(side.out)); };
  double most = 1;
  for (int64_t r = 0; r < regions; ++r) most = std::max(most, samples(r));
  if (!(most * static_cast<double>(side.out * regions) <= static_cast<double>(HostArray::kMaxElements * 16))) {
    c.fail(fmt::format("{} samples in each of {} cells of {} regions exceed the limit of a constant", most, side.out,
                       regions));
    return {};
  }
  side.samples = static_cast<int64_t>(most);
  const int64_t row = side.out * side.samples;
  std::vector<double> at, counts;
  for (int64_t r = 0; r < regions; ++r)
    for (int64_t i = 0; i < row; ++i) {
      const auto own = static_cast<int64_t>(std::max(samples(r), 0.0)), k = i % side.samples;
      const double step = length(r) / static_cast<double>(side.out * std::max<int64_t>(own, 1));
      const double cell = static_cast<double>(i / side.samples * own + std::min(k, own - 1)) + 0.5;
      const double place = edge(r, first) + cell * step;
      const bool inside = own > 0 && place >= -1 && place <= static_cast<double>(side.size);
      const double weight = mean ? (k < own ? most / static_cast<double>(own) : 0) : 1;
      at.push_back(std::clamp(place, 0.0, static_cast<double>(side.size - 1)));
      counts.push_back(inside ? weight : 0);
    }
  return {roi_numbers(c, {regions, row}, at, name + "_at"), roi_numbers(c, {regions, row}, counts, name + "_counts")};
}

// The weight of each element of the image in each sample, [R, 1, out·samples, size]: both neighbours, or one of them.
enum class Part { Both, Low, High };
Tensor shares(OpCall& c, const IndexTable& indices, const RoiCall& side, Part part, const std::string& name) {
  if (!indices.at || !indices.counts) return {};
  const int64_t regions = indices.at.sizes()[0], samples = indices.at.sizes()[1];
  const Dims column{regions, samples, 1};
  const Tensor elements = roi_numbers(c, {1, 1, side.size}, roi_counted(side.size), name + "_elements");
  const Tensor at = c.reshape(indices.at, column, (name + "_column").c_str());
  // max(0, 1 - |distance|): the weights of linear interpolation.
  const Tensor away = c.op(Op::Abs, {c.op(Op::Sub, {at, elements}, (name + "_off").c_str())}, (name + "_away").c_str());
  Tensor share = c.op(Op::Relu, {c.op_with(Op::Scale, {away}, ScaleParams{-1, 1}, (name + "_near").c_str())},
                      (name + "_share").c_str());
  if (part != Part::Both) {
    const Tensor low = c.op(Op::Floor, {at}, (name + "_floor").c_str());
    const Tensor is_low = c.op(Op::Equal, {low, elements}, (name + "_is_low").c_str());
    const Tensor selected = part == Part::Low ? is_low : c.op(Op::Not, {is_low}, (name + "_is_high").c_str());
    share =
        c.op(Op::Mul, {share, c.cast(selected, DType::F32, (name + "_selected").c_str())}, (name + "_part").c_str());
  }
  const Tensor counts = c.reshape(indices.counts, column, (name + "_counting").c_str());
  return c.reshape(c.op(Op::Mul, {share, counts}, (name + "_weighed").c_str()), {regions, 1, samples, side.size},
                   (name + "_weights").c_str());
}

// The mean over each cell's samples of weights [R, 1, out·samples, size].
Tensor cell_means(OpCall& c, const Tensor& weights, const RoiCall& side, const std::string& name) {
  if (!weights || side.samples == 1) return weights;
  const int64_t regions = weights.sizes()[0];
  const Tensor cells = c.reshape(weights, {regions, 1, side.out, side.samples, side.size}, (name + "_cells").c_str());
  return c.op_with(Op::ReduceMean, {cells}, ReduceParams{1u << 3, false}, (name + "_mean").c_str());
}

// y · x · zᵀ for each region and channel: x [R, C, H, W], y [R, 1, P, H], z [R, 1, Q, W].
Tensor sampled(OpCall& c, const Tensor& x, const Tensor& y, const Tensor& z, const std::string& name) {
  const Tensor rows = c.mul_mat(z, x, {}, 1, (name + "_rows").c_str());  // [R, C, H, Q]
  if (!rows) return {};
  const Tensor columns = c.op(Op::Transpose, {rows}, (name + "_turned").c_str());
  const Tensor made = c.mul_mat(y, columns, {}, 1, (name + "_made").c_str());  // [R, C, Q, P]
  return made ? c.op(Op::Transpose, {made}, (name + "_sampled").c_str()) : Tensor();
}

void roi_align(OpCall& c) {
  const Tensor x = c.in_f32(0), rois = c.in_f32(1), batch = c.in(2);
  if (!x || !rois || !batch) return;
  if (x->rank() != 4 || rois->rank() != 2 || rois.sizes()[1] != 4 || batch->rank() != 1 ||
      batch.sizes()[0] != rois.sizes()[0] || element_count(x.sizes()) == 0)
    return c.fail(
        fmt::format("the regions {} do not match the input {}", to_string(rois.sizes()), to_string(x.sizes())));
  const std::string mode = c.attr_string("mode", "avg");
  const std::string how =
      c.attr_string("coordinate_transformation_mode", c.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if ((mode != "avg" && mode != "max") || (how != "half_pixel" && how != "output_half_pixel"))
    return c.fail(fmt::format("the mode '{}' with coordinate_transformation_mode '{}' is not supported", mode, how));
  RoiCall rows, columns;
  rows.out = c.attr_int("output_height", 1), columns.out = c.attr_int("output_width", 1);
  rows.samples = columns.samples = c.attr_int("sampling_ratio", 0);
  const bool adaptive = rows.samples == 0;
  const auto known = adaptive ? c.known(1) : nullptr;
  if (adaptive && !known)
    return c.wait_for(1, "its regions must be known at compile time if sampling_ratio is 0", true);
  constexpr int64_t kMaxCells = 1 << 12;
  if (rows.out < 1 || columns.out < 1 || rows.out > kMaxCells || columns.out > kMaxCells || rows.samples < 0 ||
      rows.samples > 64)
    return c.fail(fmt::format("{} × {} cells of {} samples are not supported", rows.out, columns.out, rows.samples));
  if (x.sizes()[2] > HostArray::kMaxElements || x.sizes()[3] > HostArray::kMaxElements)
    return c.fail(fmt::format("an image of {} is not supported", to_string(x.sizes())));
  rows.size = x.sizes()[2], columns.size = x.sizes()[3];
  rows.scale = columns.scale = static_cast<double>(c.attr_float("spatial_scale", 1));
  rows.shift = columns.shift = how == "half_pixel" ? 0.5 : 0;
  rows.may_be_empty = columns.may_be_empty = how == "half_pixel";
  const Tensor images = c.op_with(Op::Gather, {x, batch}, AxisParams{0}, ":images");
  const auto indices = [&](int first, RoiCall& side, const char* name) {
    return adaptive ? adaptive_windows(c, *known, first, side, mode == "avg", name)
                    : indices_of(c, rois, first, side, name);
  };
  const IndexTable at_rows = indices(1, rows, ":y"), at_columns = indices(0, columns, ":x");
  if (!c.ok() || !images) return;
  Tensor y;
  if (mode == "avg") {
    y = sampled(c, images, cell_means(c, shares(c, at_rows, rows, Part::Both, ":rows"), rows, ":rows"),
                cell_means(c, shares(c, at_columns, columns, Part::Both, ":columns"), columns, ":columns"), ":all");
  } else {
    // The largest of the four neighbours' shares of each sample, then of a cell's samples.
    for (const Part row : {Part::Low, Part::High})
      for (const Part column : {Part::Low, Part::High}) {
        const std::string name = fmt::format(":corner_{}{}", row == Part::Low ? 0 : 1, column == Part::Low ? 0 : 1);
        const Tensor one = sampled(c, images, shares(c, at_rows, rows, row, name + "_y"),
                                   shares(c, at_columns, columns, column, name + "_x"), name);
        y = y ? c.op(Op::Max, {y, one}, (name + "_max").c_str()) : one;
      }
    if (y && rows.samples * columns.samples > 1) {
      const Dims sizes{y.sizes()[0], y.sizes()[1], rows.out, rows.samples, columns.out, columns.samples};
      const Tensor cells = c.reshape(c.op(Op::Cont, {y}, ":laid"), sizes, ":cells");
      y = c.op_with(Op::ReduceMax, {cells}, ReduceParams{1u << 3 | 1u << 5, false}, ":largest");
    }
  }
  if (y) c.out(0, c.cast(c.op(Op::Cont, {y}, c.value(0).dtype == DType::F32 ? "" : ":y"), c.value(0).dtype));
}

// The elements of the image that a cell of a region has along one side, half-open.
struct Cells {
  int64_t begin, end;
};
Cells pooled_cells(double from, double to, int64_t cell, int64_t out, int64_t size) {
  const double start = std::round(from), length = std::max(std::round(to) - start + 1, 1.0);
  const double step = length / static_cast<double>(out);
  const auto place = [&](double at) {
    return static_cast<int64_t>(std::clamp(at + start, 0.0, static_cast<double>(size)));
  };
  return {place(std::floor(static_cast<double>(cell) * step)), place(std::ceil(static_cast<double>(cell + 1) * step))};
}

// The elements of all images, indexed as [N, H, W], in each cell of each region; smaller cells repeat an element to match the
// largest cell.
struct RoiTaps {
  std::vector<int64_t> from;
  std::vector<int64_t> there;  // per cell: 1 if it has elements, else 0
  int64_t each = 1;
};
RoiTaps roi_taps(OpCall& c, const HostArray& rois, const Dims& x, const int64_t* out, double scale) {
  RoiTaps taps;
  std::vector<std::vector<int64_t>> cells;
  int64_t all = 0;
  for (int64_t r = 0; r < rois.sizes[0] && c.ok(); ++r) {
    const int64_t image = rois.integer(r * 5);
    if (image < 0 || image >= x[0]) c.fail(fmt::format("a region has the batch index {} out of {}", image, x[0]));
    for (int64_t i = 0; i < out[0] * out[1] && c.ok(); ++i) {
      const auto side = [&](int64_t column, int64_t cell, int64_t of, int64_t size) {
        return pooled_cells(rois.number(r * 5 + column) * scale, rois.number(r * 5 + column + 2) * scale, cell, of,
                            size);
      };
      const Cells rows = side(2, i / out[1], out[0], x[2]), columns = side(1, i % out[1], out[1], x[3]);
      std::vector<int64_t>& cell = cells.emplace_back();
      all += std::max<int64_t>(rows.end - rows.begin, 0) * std::max<int64_t>(columns.end - columns.begin, 0);
      if (all > HostArray::kMaxElements * 16) c.fail("its regions have too many elements");
      for (int64_t y = rows.begin; y < rows.end && c.ok(); ++y)
        for (int64_t z = columns.begin; z < columns.end; ++z) cell.push_back((image * x[2] + y) * x[3] + z);
      taps.each = std::max(taps.each, static_cast<int64_t>(cell.size()));
    }
  }
  if (taps.each * static_cast<int64_t>(cells.size()) > HostArray::kMaxElements * 16)
    c.fail(fmt::format("{} elements in each of {} cells exceed the limit of a constant", taps.each, cells.size()));
  for (const std::vector<int64_t>& cell : cells) {
    if (!c.ok()) return taps;
    for (size_t k = 0; k < static_cast<size_t>(taps.each); ++k)
      taps.from.push_back(cell.empty() ? 0 : k < cell.size() ? cell[k] : cell.back());
    taps.there.push_back(cell.empty() ? 0 : 1);
  }
  return taps;
}

// The maximum of each cell of a region [image, x1, y1, x2, y2]; 0 if a cell is empty.
void max_roi_pool(OpCall& c) {
  const Tensor x = c.in_f32(0);
  const auto pooled = c.attr_ints("pooled_shape");
  if (!x) return;
  const auto rois = c.known(1);
  if (!rois) return c.wait_for(1, "its regions must be known at compile time", true);
  if (x->rank() != 4 || rois->sizes.rank() != 2 || rois->sizes[1] != 5 || pooled.size() != 2 ||
      element_count(x.sizes()) == 0)
    return c.fail(
        fmt::format("the regions {} do not match the input {}", to_string(rois->sizes), to_string(x.sizes())));
  if (pooled[0] < 1 || pooled[1] < 1 || pooled[0] > 1 << 12 || pooled[1] > 1 << 12)
    return c.fail(fmt::format("an output of {} × {} cells is not supported", pooled[0], pooled[1]));
  const int64_t regions = rois->sizes[0], channels = x.sizes()[1];
  const Dims sizes{regions, channels, pooled[0], pooled[1]};
  if (regions == 0) return c.out(0, HostArray::make(c.value(0).dtype, sizes));
  RoiTaps taps = roi_taps(c, *rois, x.sizes(), pooled.data(), static_cast<double>(c.attr_float("spatial_scale", 1)));
  if (!c.ok()) return;
  const int channels_first[] = {1, 0, 2, 3}, regions_first[] = {1, 0, 2, 3};
  const Tensor planes = c.reshape(c.op(Op::Cont, {c.permute(x, channels_first, ":turned")}, ":planes"),
                                  {channels, x->element_count() / channels}, ":rows");
  const int64_t cells = static_cast<int64_t>(taps.there.size());
  const Tensor read =
      c.op_with(Op::Gather, {planes, c.constant(HostArray::of(std::move(taps.from)), ":taps")}, AxisParams{1}, ":read");
  const Tensor largest = c.op_with(Op::ReduceMax, {c.reshape(read, {channels, cells, taps.each}, ":cells")},
                                   ReduceParams{1u << 2, false}, ":largest");
  HostArray there = HostArray::make(DType::Bool, {1, cells});
  there.ints = std::move(taps.there);
  const Tensor kept =
      c.op(Op::Where, {c.constant(std::move(there), ":there"), largest, c.scalar(0, DType::F32, ":empty")}, ":kept");
  const Tensor y =
      c.permute(c.reshape(kept, {channels, regions, pooled[0], pooled[1]}, ":shaped"), regions_first, ":y");
  if (y) c.out(0, c.cast(c.op(Op::Cont, {y}, c.value(0).dtype == DType::F32 ? "" : ":laid"), c.value(0).dtype));
}

constexpr HandlerEntry kRoiHandlers[] = {
    {"MaxRoiPool", max_roi_pool},
    {"RoiAlign", roi_align},
};

}  // namespace

std::span<const HandlerEntry> roi_handlers() { return kRoiHandlers; }

}  // namespace arenascope::models
