// SPDX-License-Identifier: MIT
// ONNX operators that slide a window over images: convolutions, pools and LRN.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>
#include <vector>

namespace arenascope::models {
namespace {

// Attributes that convolutions and pools share, completed by defaults.
struct Window {
  int spatial = 0;
  int32_t kernel[3] = {1, 1, 1}, strides[3] = {1, 1, 1}, dilations[3] = {1, 1, 1};
  int32_t begin[3] = {0, 0, 0}, end[3] = {0, 0, 0};
};

bool copy_numbers(OpCall& c, const char* name, const std::vector<int64_t>& from, int32_t* to, int count,
                  int64_t least) {
  if (from.empty()) return true;
  if (static_cast<int>(from.size()) != count) {
    c.fail(fmt::format("its {} have {} numbers for {} dimensions", name, from.size(), count));
    return false;
  }
  for (int i = 0; i < count; ++i) {
    const int64_t v = from[static_cast<size_t>(i)];
    if (v < least || v > (1 << 24)) {
      c.fail(fmt::format("its {} contain {}: expected {} to {}", name, v, least, 1 << 24));
      return false;
    }
    to[i] = static_cast<int32_t>(v);
  }
  return true;
}

// `kernel`: the sizes of the kernel if a weight determines them. auto_pad SAME pads so that out = ceil(in / stride).
bool read_window(OpCall& c, const Dims& x, const Dims& weight, Window& w) {
  w.spatial = x.rank() - 2;
  if (w.spatial < 1 || w.spatial > 3) {
    c.fail(fmt::format("the input has {} dimensions: expected 3 to 5", x.rank()));
    return false;
  }
  auto kernel = c.attr_ints("kernel_shape");
  if (weight.rank() > 0) {
    std::vector<int64_t> of_weight(weight.begin() + 2, weight.end());
    if (!kernel.empty() && kernel != of_weight) {
      c.fail("its kernel_shape differs from the shape of its weight");
      return false;
    }
    kernel = of_weight;
  }
  std::vector<int64_t> pads = c.attr_ints("pads");
  if (kernel.empty()) {
    c.fail("it has no kernel_shape");
    return false;
  }
  if (!copy_numbers(c, "kernel sizes", kernel, w.kernel, w.spatial, 1) ||
      !copy_numbers(c, "strides", c.attr_ints("strides"), w.strides, w.spatial, 1) ||
      !copy_numbers(c, "dilations", c.attr_ints("dilations"), w.dilations, w.spatial, 1))
    return false;
  const std::string automatic = c.attr_string("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    for (int i = 0; i < w.spatial; ++i) {
      const int64_t size = x[i + 2], out = (size + w.strides[i] - 1) / w.strides[i];
      const int64_t reach = int64_t{w.kernel[i] - 1} * w.dilations[i] + 1;
      const int64_t total = std::clamp<int64_t>((out - 1) * w.strides[i] + reach - size, 0, 1 << 24);
      const auto small = static_cast<int32_t>(total / 2), large = static_cast<int32_t>(total - total / 2);
      w.begin[i] = automatic == "SAME_UPPER" ? small : large;
      w.end[i] = automatic == "SAME_UPPER" ? large : small;
    }
    return true;
  }
  if (automatic == "VALID" || pads.empty()) return true;
  if (static_cast<int>(pads.size()) != 2 * w.spatial) {
    c.fail(fmt::format("found {} pads: expected 2 for each of {} dimensions", pads.size(), w.spatial));
    return false;
  }
  return copy_numbers(c, "pads", {pads.begin(), pads.begin() + w.spatial}, w.begin, w.spatial, 0) &&
         copy_numbers(c, "pads", {pads.begin() + w.spatial, pads.end()}, w.end, w.spatial, 0);
}

template <class Params>
void copy_window(const Window& w, Params& p) {
  p.spatial = w.spatial;
  std::copy_n(w.strides, 3, p.strides);
  std::copy_n(w.dilations, 3, p.dilations);
  std::copy_n(w.begin, 3, p.pads_begin);
  std::copy_n(w.end, 3, p.pads_end);
}

ConvParams conv_params(const Window& w, int32_t groups) {
  ConvParams p{};
  copy_window(w, p);
  p.groups = groups;
  return p;
}

PoolParams pool_params(OpCall& c, const Window& w) {
  PoolParams p{};
  std::copy_n(w.kernel, 3, p.kernel);
  copy_window(w, p);
  p.ceil_mode = c.attr_int("ceil_mode", 0) != 0;
  return p;
}

int32_t read_groups(OpCall& c) {
  const int64_t groups = c.attr_int("group", 1);
  if (groups < 1 || groups > INT_MAX) c.fail(fmt::format("group is {}: expected at least 1", groups));
  return static_cast<int32_t>(std::clamp<int64_t>(groups, 1, INT_MAX));
}

void conv(OpCall& c) {
  const Tensor x = c.in(0), w = c.in(1);
  Window window;
  if (!x || !w || w->rank() != x->rank()) return c.fail("expected an input and a weight of equal rank");
  if (const int64_t groups = c.attr_int("group", 1);
      x->rank() >= 2 && (groups < 1 || x.sizes()[1] % groups != 0 || x.sizes()[1] / groups != w.sizes()[1]))
    return c.fail(fmt::format("the weight reads {} channels in each of {} groups, the input has {}", w.sizes()[1],
                              groups, x.sizes()[1]));
  if (!read_window(c, x.sizes(), w.sizes(), window)) return;
  const ConvParams params = conv_params(window, read_groups(c));
  c.out(0, c.has(2) ? c.op_with(Op::Conv, {x, w, c.in(2)}, params) : c.op_with(Op::Conv, {x, w}, params));
}

void conv_transpose(OpCall& c) {
  const Tensor x = c.in(0), w = c.in(1);
  if (!x || !w || w->rank() != x->rank()) return c.fail("expected an input and a weight of equal rank");
  Window window;
  const std::string automatic = c.attr_string("auto_pad", "NOTSET");
  if (!read_window(c, x.sizes(), w.sizes(), window)) return;
  ConvParams params = conv_params(window, read_groups(c));
  if (!copy_numbers(c, "output paddings", c.attr_ints("output_padding"), params.output_padding, window.spatial, 0))
    return;
  const auto output_shape = c.attr_ints("output_shape");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!output_shape.empty() && static_cast<int>(output_shape.size()) < window.spatial)
    return c.fail(
        fmt::format("its output_shape has {} entries: expected at least {}", output_shape.size(), window.spatial));
  if (!output_shape.empty() || same) {
    for (int i = 0; i < window.spatial; ++i) {
      const int64_t in = x.sizes()[i + 2], reach = int64_t{window.kernel[i] - 1} * window.dilations[i] + 1;
      auto grown = checked_mul(in, window.strides[i]);
      if (!grown || *grown > int64_t{1} << 62) return c.fail("its sizes overflow");
      const int64_t out =
          output_shape.empty() ? *grown : output_shape[output_shape.size() - static_cast<size_t>(window.spatial - i)];
      if (out < 0) return c.fail(fmt::format("its output_shape has the size {}", out));
      const int64_t total = *grown - window.strides[i] + params.output_padding[i] + reach - out;
      if (total < -(1 << 24) || total > (1 << 24))
        return c.fail(fmt::format("a total padding of {} is not supported", total));
      const auto small = static_cast<int32_t>(total / 2), large = static_cast<int32_t>(total - total / 2);
      params.pads_begin[i] = automatic == "SAME_UPPER" ? small : large;
      params.pads_end[i] = automatic == "SAME_UPPER" ? large : small;
      if (total < 0) {  // nothing to crop: the remainder is appended
        params.pads_begin[i] = params.pads_end[i] = 0;
        params.output_padding[i] += static_cast<int32_t>(-total);
      }
    }
  }
  c.out(0, c.has(2) ? c.op_with(Op::ConvTranspose, {x, w, c.in(2)}, params)
                    : c.op_with(Op::ConvTranspose, {x, w}, params));
}

// For each element of a plane's result and each tap of its window: the input element's index in the plane as the file
// counts it, and its own index, which is `beyond` in the padding.
struct Taps {
  int64_t indices = 1, taps = 1, plane = 1;
  std::vector<int64_t> from, index;
};
bool read_taps(OpCall& c, const Dims& x, const Window& w, const Dims& out, Taps& t) {
  for (int d = 0; d < w.spatial; ++d) t.indices *= out[d + 2], t.taps *= w.kernel[d], t.plane *= x[d + 2];
  if (t.indices * t.taps > HostArray::kMaxElements * 16) {
    c.fail(fmt::format("indices of {} windows of {} elements exceed the limit of an index table", t.indices, t.taps));
    return false;
  }
  const bool column_major = c.attr_int("storage_order", 0) != 0;
  for (int64_t i = 0; i < t.indices; ++i)
    for (int64_t k = 0; k < t.taps; ++k) {
      int64_t place = i, tap = k, row_major = 0, counted = 0, inner = 1, outer = t.plane;
      bool inside = true;
      for (int d = w.spatial - 1; d >= 0; --d) {
        const int64_t at = place % out[d + 2] * w.strides[d] - w.begin[d] + tap % w.kernel[d] * w.dilations[d];
        const int64_t size = x[d + 2];
        place /= out[d + 2], tap /= w.kernel[d];
        inside = inside && at >= 0 && at < size;
        outer /= size;
        row_major += at * inner;
        counted += at * (column_major ? outer : inner);
        inner *= size;
      }
      t.from.push_back(inside ? row_major : t.plane);
      t.index.push_back(inside ? counted : 0);
    }
  return true;
}

// The index of each window's maximum in the whole tensor.
Tensor maxima(OpCall& c, const Tensor& x, const Window& w, const Dims& out) {
  Taps t;
  if (element_count(x.sizes()) == 0 || !read_taps(c, x.sizes(), w, out, t)) return {};
  const int64_t planes = x.sizes()[0] * x.sizes()[1];
  const double least = info(x.dtype()).floating ? -std::numeric_limits<double>::infinity()
                       : x.dtype() == DType::I8 ? -128.0
                                                : 0.0;
  const auto made = [&](Op op, const FillParams& params, const char* suffix) {
    OpParams bytes;
    bytes.set(params);
    return c.apply(op, std::span<const Tensor>{}, bytes, suffix);
  };
  const Tensor both[] = {c.reshape(x, {planes, t.plane}, ":planes"),
                         made(Op::Fill, {{planes, 1}, x.dtype(), least, 0}, ":beyond")};
  const auto table = [&](std::vector<int64_t> numbers, const Dims& sizes, const char* suffix) {
    HostArray array = HostArray::of(std::move(numbers));
    array.sizes = sizes;
    return c.constant(std::move(array), suffix);
  };
  const Tensor windows = c.op_with(
      Op::Gather,
      {c.op_list(Op::Concat, both, AxisParams{1}, ":padded"), table(std::move(t.from), {t.indices, t.taps}, ":taps")},
      AxisParams{1}, ":windows");
  const Tensor tap = c.op_with(Op::ArgMax, {windows}, ArgParams{2, false, false}, ":tap");
  const Tensor entry =
      c.op(Op::Add, {tap, made(Op::Arange, {{1, t.indices}, DType::I64, 0, static_cast<double>(t.taps)}, ":rows")},
           ":entry");
  const Tensor own = c.op_with(Op::Gather, {table(std::move(t.index), {t.indices * t.taps}, ":indices"), entry},
                               AxisParams{0}, ":own");
  const Tensor first = made(Op::Arange, {{planes, 1}, DType::I64, 0, static_cast<double>(t.plane)}, ":first");
  return c.reshape(c.op(Op::Add, {own, first}, ":whole"), out, ":maxima");
}

void pool(OpCall& c, Op op) {
  const Tensor x = c.in(0);
  if (!x) return;
  Window w;
  if (!read_window(c, x.sizes(), {}, w)) return;
  PoolParams p = pool_params(c, w);
  p.count_include_pad = c.attr_int("count_include_pad", 0) != 0;
  const Tensor y = c.op_with(op, {x}, p);
  c.out(0, y);
  if (op == Op::MaxPool && c.has_output(1) && y) c.out(1, maxima(c, x, w, y.sizes()));
}

// Converts ceil_mode to end padding with the same result, so that an average counts the padding.
void pad_for_ceil(const Dims& x, PoolParams& p) {
  for (int i = 0; p.ceil_mode && i < p.spatial; ++i) {
    const int64_t span = int64_t{p.dilations[i]} * (p.kernel[i] - 1) + 1, before = x[i + 2] + p.pads_begin[i];
    const int64_t slack = before + p.pads_end[i] - span;
    if (slack < 0 || p.strides[i] < 1) continue;
    int64_t begin = (slack + p.strides[i] - 1) / p.strides[i] * p.strides[i];
    if (begin >= before) begin -= p.strides[i];  // a window that begins in the end padding does not count
    p.pads_end[i] = static_cast<int32_t>(std::clamp<int64_t>(begin + span - before, 0, INT_MAX));
  }
  p.ceil_mode = false;
}

// (Σ |x|^p)^(1/p) over a window: an average pool of the powers, undone.
void lp_pool(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  Window w;
  if (!read_window(c, x.sizes(), {}, w)) return;
  const auto power = static_cast<double>(c.attr_int("p", 2));
  PoolParams p = pool_params(c, w);
  p.count_include_pad = true;
  pad_for_ceil(x.sizes(), p);
  float cells = 1;
  for (int i = 0; i < w.spatial; ++i) cells *= static_cast<float>(w.kernel[i]);
  const Tensor raised = c.op(Op::Pow, {c.op(Op::Abs, {x}, ":abs"), c.scalar(power, x.dtype(), ":p")}, ":raised");
  const Tensor sum =
      c.op_with(Op::Scale, {c.op_with(Op::AvgPool, {raised}, p, ":mean")}, ScaleParams{cells, 0}, ":sum");
  c.out(0, c.op(Op::Pow, {sum, c.scalar(1 / power, x.dtype(), ":root")}));
}

void lrn(OpCall& c) {
  const int64_t size = c.attr_int("size", 0);
  if (size < 1 || size > INT_MAX) return c.fail(fmt::format("size is {}: expected at least 1", size));
  const LrnParams params{static_cast<int32_t>(size), c.attr_float("alpha", 1e-4f), c.attr_float("beta", 0.75f),
                         c.attr_float("bias", 1)};
  c.out(0, c.op_with(Op::Lrn, {c.in(0)}, params));
}

constexpr HandlerEntry kWindowsHandlers[] = {
    {"AveragePool", [](OpCall& c) { pool(c, Op::AvgPool); }},
    {"Conv", conv},
    {"ConvTranspose", conv_transpose},
    {"LRN", lrn},
    {"LpPool", lp_pool},
    {"MaxPool", [](OpCall& c) { pool(c, Op::MaxPool); }},
};

}  // namespace

bool read_convolution(OpCall& c, const Dims& x, const Dims& weight, ConvParams& params) {
  Window window;
  if (weight.rank() != x.rank()) c.fail("expected an input and a weight of equal rank");
  if (!c.ok() || !read_window(c, x, weight, window)) return false;
  params = conv_params(window, read_groups(c));
  return c.ok();
}

std::span<const HandlerEntry> conv_pool_handlers() { return kWindowsHandlers; }

}  // namespace arenascope::models
