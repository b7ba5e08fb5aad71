// SPDX-License-Identifier: MIT
// Experimental operators that ONNX removed, which old files still use.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <vector>

namespace arenascope::models {
namespace {

void affine(OpCall& c) {
  c.out(0, c.op_with(Op::Scale, {c.in(0)}, ScaleParams{c.attr_float("alpha", 1), c.attr_float("beta", 0)}));
}

// alpha · tanh(beta · x)
void scaled_tanh(OpCall& c) {
  const Tensor inner = c.op_with(Op::Scale, {c.in(0)}, ScaleParams{c.attr_float("beta", 1), 0}, ":inner");
  c.out(0, c.op_with(Op::Scale, {c.op(Op::Tanh, {inner}, ":tanh")}, ScaleParams{c.attr_float("alpha", 1), 0}));
}

// alpha · ln(1 + exp(beta · x))
void parametric_softplus(OpCall& c) {
  const Tensor inner = c.op_with(Op::Scale, {c.in(0)}, ScaleParams{c.attr_float("beta", 1), 0}, ":inner");
  c.out(0, c.op_with(Op::Scale, {c.op(Op::Softplus, {inner}, ":softplus")}, ScaleParams{c.attr_float("alpha", 1), 0}));
}

// scale · x, and a number more for each channel.
void image_scaler(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const auto* a = c.attr("bias");
  const std::vector<float> bias = a ? a->floats : std::vector<float>();
  if (x->rank() != 4 || static_cast<int64_t>(bias.size()) != x.sizes()[1])
    return c.fail(fmt::format("{} bias values do not match the channels of {}", bias.size(), to_string(x.sizes())));
  HostArray channels = HostArray::make(x.dtype(), {x.sizes()[1], 1, 1});
  for (size_t i = 0; i < bias.size(); ++i) channels.set(static_cast<int64_t>(i), static_cast<double>(bias[i]));
  const Tensor scaled = c.op_with(Op::Scale, {x}, ScaleParams{c.attr_float("scale", 1), 0}, ":scaled");
  c.out(0, c.op(Op::Add, {scaled, c.constant(std::move(channels), ":bias")}));
}

// Crops an image by a border at the left, top, right and bottom, or to a given height and width.
void crop(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const auto border = c.attr_ints("border"), scale = c.attr_ints("scale");
  if (x->rank() != 4 || border.size() != 4 || (!scale.empty() && scale.size() != 2))
    return c.fail(
        fmt::format("found {} border values for {}: expected 4 and an image", border.size(), to_string(x.sizes())));
  const int64_t height = x.sizes()[2], width = x.sizes()[3];
  for (const int64_t n : border)
    if (n < 0 || n > height + width) return c.fail(fmt::format("the border value {} is out of range", n));
  for (const int64_t n : scale)
    if (n < 0 || n > height + width) return c.fail(fmt::format("the size {} is out of range", n));
  const int64_t bottom = scale.empty() ? height - border[3] : border[1] + scale[0];
  const int64_t right = scale.empty() ? width - border[2] : border[0] + scale[1];
  if (bottom > height || right > width || border[1] > bottom || border[0] > right)
    return c.fail(fmt::format("its border exceeds the image {}", to_string(x.sizes())));
  const Tensor rows = c.slice(x, 2, border[1], bottom, 1, ":rows");
  c.out(0, c.op(Op::Cont, {c.slice(rows, 3, border[0], right, 1, ":columns")}));
}

void scale(OpCall& c) {
  const Tensor x = c.in(0);
  if (x) c.out(0, c.op_with(Op::Scale, {x}, ScaleParams{c.attr_float("scale", 1), 0}));
}

// A copy that an optimiser inserted between devices.
void same(OpCall& c) {
  if (c.has(0)) return c.out(0, c.inputs()[0]);
  c.fail("it has no input");
}

constexpr HandlerEntry kExperimentalHandlers[] = {
    {"Affine", affine},
    {"Crop", crop},
    {"ImageScaler", image_scaler},
    {"MemcpyFromHost", same},
    {"MemcpyToHost", same},
    {"ParametricSoftplus", parametric_softplus},
    {"Scale", scale},
    {"ScaledTanh", scaled_tanh},
};

}  // namespace

std::span<const HandlerEntry> experimental_handlers() { return kExperimentalHandlers; }

}  // namespace arenascope::models
