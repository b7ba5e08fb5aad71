// SPDX-License-Identifier: MIT
// com.microsoft.nchwc: convolutions and pools over blocks of channels, as in networks that ONNX Runtime optimised for a
// processor. Here images have the layout of their shapes, with padding channels in the last block; only the weights are
// converted from blocks to ONNX's layout when they are read.
#include <fmt/format.h>
#include "engine/models/onnx/channel_block.h"
#include "engine/models/onnx/operators/decompose.h"

#include <cstring>

namespace arenascope::models {
namespace {

int64_t block_of(OpCall& c) {
  const auto& dims = c.lowering().options().dims;
  const auto specified = dims.find(ir::kChannelBlock);
  const int64_t block = specified != dims.end() ? specified->second : c.lowering().channel_block();
  if (block < 1 || block > 64)
    c.fail(fmt::format("a block size of {} channels is not supported: expected 1 to 64", block));
  return block;
}

// The layout of a weight [O, I, H, W]: blocks of outputs, then inputs (in blocks or single), taps, and elements of a block.
struct BlockedWeight {
  Dims sizes;
  int64_t block;
  bool sources_in_blocks;

  // The offset of an element given by its ONNX indices.
  int64_t place(int64_t o, int64_t i, int64_t tap) const {
    const int64_t taps = sizes[2] * sizes[3], b = block;
    if (!sources_in_blocks) return ((o / b * sizes[1] + i) * taps + tap) * b + o % b;
    return ((o / b * (sizes[1] / b) + i / b) * taps + tap) * b * b + i % b * b + o % b;
  }
};

WeightSource::Writer in_order(WeightSource source, const BlockedWeight& weight) {
  return [source = std::move(source), weight](std::byte* out) -> Status {
    const auto plain = WeightReader::read(source, static_cast<size_t>(element_count(weight.sizes)) * sizeof(float));
    if (!plain) return plain.error();
    const int64_t taps = weight.sizes[2] * weight.sizes[3];
    for (int64_t o = 0; o < weight.sizes[0]; ++o)
      for (int64_t i = 0; i < weight.sizes[1]; ++i)
        for (int64_t tap = 0; tap < taps; ++tap, out += sizeof(float))
          std::memcpy(out, plain->data() + static_cast<size_t>(weight.place(o, i, tap)) * sizeof(float), sizeof(float));
    return {};
  };
}

// Null, with an error: it cannot be such a weight.
ValuePtr weight_in_order(OpCall& c) {
  const Value& value = c.value(1);
  const int64_t block = block_of(c), groups = c.attr_int("group", 1);
  if (!c.ok()) return nullptr;
  if (value.kind != Value::Kind::Constant || value.dtype != DType::F32 || value.sizes.rank() != 4) {
    c.fail("its weight must be a constant FLOAT tensor of 4 dimensions");
    return nullptr;
  }
  const int64_t results = value.sizes[0], sources = value.sizes[1];
  // Fewer channels than a block are not blocked, nor is the single channel of each group.
  const bool one_by_one = groups > 1 ? sources == 1 : sources < block;
  if (results % block != 0 || (!one_by_one && sources % block != 0)) {
    c.fail(fmt::format("its weight {} has no blocks of {} channels", to_string(value.sizes), block));
    return nullptr;
  }
  auto transposed = std::make_shared<Value>();
  transposed->name = value.name + ":in_order";
  transposed->kind = Value::Kind::Constant;
  transposed->dtype = value.dtype;
  transposed->sizes = value.sizes;
  transposed->source = in_order(value.source, {value.sizes, block, !one_by_one});
  Status status;
  transposed->tensor = c.lowering().materialise(*transposed, value.source.bytes().data(), status);
  if (!status.ok()) c.fail(status.error().message);
  return transposed;
}

void conv(OpCall& c) {
  const ValuePtr weight = c.has(1) ? weight_in_order(c) : nullptr;
  if (!c.ok()) return;
  if (!weight) return c.fail("it has no weight");
  fused_conv(c, weight, false);
}

// The channels that fill up the last block are zeros.
void reorder_input(OpCall& c) {
  const int64_t block = block_of(c);
  const bool last = c.attr_int("channels_last", 0) != 0;
  if (!c.ok() || !c.in(0)) return;
  if (c.rank(0) != 4) return c.fail(fmt::format("the input has {} dimensions: expected 4", c.rank(0)));
  const int64_t channels = c.sizes(0)[last ? 3 : 1], more = (block - channels % block) % block;
  if (!last && more == 0) return c.out(0, c.inputs()[0]);
  const Tensor x = last ? channels_second(c, c.in(0), more > 0 ? ":channels_second" : "") : c.in(0);
  if (more == 0) return c.out(0, x);
  c.out(0,
        lower_part(c, {"Pad", {as_source(c, x)}, {{"pads", ints_attribute({0, 0, 0, 0, 0, more, 0, 0})}}, {}, 1, 2}));
}

void reorder_output(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const int64_t channels = c.attr_int("channels", 0);
  const bool last = c.attr_int("channels_last", 0) != 0;
  if (x->rank() != 4) return c.fail(fmt::format("the input has {} dimensions: expected 4", x->rank()));
  if (channels < 1 || channels > x.sizes()[1])
    return c.fail(fmt::format("{} channels are out of range for the input {}", channels, to_string(x.sizes())));
  const bool whole = channels == x.sizes()[1];
  if (whole && !last) return c.out(0, c.inputs()[0]);
  const Tensor cut = whole ? x : c.slice(x, 1, 0, channels, 1, last ? ":channels" : "");
  c.out(0, last ? channels_last(c, cut, "") : cut);
}

template <const char* const& kName>
void as_plain(OpCall& c) {
  c.out(0, lower_part(c, {kName, {source_of(c, 0)}, c.node().attributes, {}, 1, 11}));
}

// Whole steps along the image.
void upsample(OpCall& c) {
  const std::vector<int64_t> scales = c.attr_ints("scales");
  if (scales.size() != 4) return c.fail(fmt::format("found {} scales: expected 4", scales.size()));
  HostArray numbers = HostArray::make(DType::F32, {4});
  for (size_t i = 0; i < 4; ++i) numbers.set(static_cast<int64_t>(i), static_cast<double>(scales[i]));
  PartAttributes attributes = attributes_without(c, {"scales"});
  attributes.try_emplace("coordinate_transformation_mode", string_attribute("asymmetric"));
  attributes["nearest_mode"] = string_attribute("floor");
  const ValuePtr specified = c.lowering().make_constant(c.name_of(":scales"), std::move(numbers));
  c.out(0, lower_part(c, {"Resize", {source_of(c, 0), nullptr, specified}, std::move(attributes), {}, 1, 13}));
}

constexpr const char *kMaxPool = "MaxPool", *kAveragePool = "AveragePool", *kGlobalMaxPool = "GlobalMaxPool",
                     *kGlobalAveragePool = "GlobalAveragePool";

constexpr HandlerEntry kContribBlocked[] = {
    {"com.microsoft.nchwc::AveragePool", as_plain<kAveragePool>},
    {"com.microsoft.nchwc::Conv", conv},
    {"com.microsoft.nchwc::GlobalAveragePool", as_plain<kGlobalAveragePool>},
    {"com.microsoft.nchwc::GlobalMaxPool", as_plain<kGlobalMaxPool>},
    {"com.microsoft.nchwc::MaxPool", as_plain<kMaxPool>},
    {"com.microsoft.nchwc::ReorderInput", reorder_input},
    {"com.microsoft.nchwc::ReorderOutput", reorder_output},
    {"com.microsoft.nchwc::Upsample", upsample},
};

}  // namespace

std::span<const HandlerEntry> contrib_nchwc_handlers() { return kContribBlocked; }

}  // namespace arenascope::models
