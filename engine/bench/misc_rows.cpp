// SPDX-License-Identifier: MIT
// Ops that classifiers rarely use: comparisons, rounding, casts, functions, gathers, and grouped, int8 and transposed
// convolutions. The baseline is a library if it supports the op, else a copy of the same number of bytes.
#include <cstdlib>

#include <arenascope/graph/builder.h>
#include <arenascope/graph/op_params.h>
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {
namespace {

constexpr int64_t kLines = 1024, kAcross = 1024, kAll = kLines * kAcross;  // 4 MiB of floats

using Describe = Tensor (*)(GraphBuilder&);
using Fill = void (*)(Node&);

// `bytes`: bytes moved per element.
void moves(Table& table, const std::string& name, double bytes, double target, Describe describe, Fill fill = nullptr) {
  if (!table.wants(name)) return;
  auto node = Node::make(64 * kAll, describe);
  if (!node) return;
  if (fill) fill(*node);
  const double all = bytes * static_cast<double>(kAll);
  table.against(name, {"GB/s", 1e-9 * all, target}, node->runner(), {copy_loop(static_cast<int64_t>(all / 8))});
}

Tensor floats(GraphBuilder& g, const char* name = "x") { return g.input(name, {kLines, kAcross}); }

template <Op op>
Tensor of_one(GraphBuilder& g) {
  return g.op(op, {floats(g)});
}
template <Op op>
Tensor of_two(GraphBuilder& g) {
  return g.op(op, {floats(g), floats(g, "y")});
}
template <DType from, DType to>
Tensor as_type(GraphBuilder& g) {
  return g.op_with(Op::Cast, {g.input("x", {kLines, kAcross}, from)}, CastParams{to});
}

// Random indices into a row of the input.
void shuffled(Node& node) {
  TensorImpl& places = node.source(1);
  for (int64_t i = 0; i < places.element_count(); ++i) places.data_as<int64_t>()[i] = i * 7919 % kAcross;
}

void casts(Table& table) {
  moves(table, "cast f32 to f16", 6, 0.7, as_type<DType::F32, DType::F16>);
  moves(table, "cast f32 to bf16", 6, 0.7, as_type<DType::F32, DType::BF16>);
  moves(table, "cast f32 to i64", 12, 0.7, as_type<DType::F32, DType::I64>);
  moves(table, "cast f32 to u8", 5, 0.7, as_type<DType::F32, DType::U8>);
  moves(table, "cast f16 to f32", 6, 0.7, as_type<DType::F16, DType::F32>);
  moves(table, "cast bf16 to f32", 6, 0.7, as_type<DType::BF16, DType::F32>);
  moves(table, "cast i64 to f32", 12, 0.7, as_type<DType::I64, DType::F32>);
  moves(table, "cast u8 to f32", 5, 0.7, as_type<DType::U8, DType::F32>);
}

void elements(Table& table) {
  moves(table, "neg", 8, 0.7, of_one<Op::Neg>);
  moves(table, "floor", 8, 0.7, of_one<Op::Floor>);
  moves(table, "round", 8, 0.7, of_one<Op::Round>);
  moves(table, "is nan", 5, 0.7, of_one<Op::IsNan>);
  moves(table, "less", 9, 0.7, of_two<Op::Less>);
  moves(table, "equal", 9, 0.7, of_two<Op::Equal>);
  moves(table, "sin", 8, 0, of_one<Op::Sin>);
  moves(table, "cos", 8, 0, of_one<Op::Cos>);
  moves(table, "asin", 8, 0, of_one<Op::Asin>);
  moves(table, "atan", 8, 0, of_one<Op::Atan>);
}

void picked(Table& table) {
  moves(table, "softmax, outer axis", 8, 0, [](GraphBuilder& g) { return g.soft_max(floats(g), 0); });
  moves(table, "log softmax, outer axis", 8, 0, [](GraphBuilder& g) {
    return g.op_with(Op::LogSoftMax, {floats(g)}, SoftMaxParams{0, 1});
  });
  moves(table, "top 10 of 1024", 4, 0, [](GraphBuilder& g) {
    return g.op_with(Op::TopKValues, {floats(g)}, TopKParams{1, 10, true, true});
  });
  moves(
      table, "gather, single columns", 8, 0,
      [](GraphBuilder& g) {
        return g.op_with(Op::Gather, {floats(g), g.input("places", {kAcross}, DType::I64)}, AxisParams{1});
      },
      shuffled);
  moves(
      table, "gather elements", 16, 0,
      [](GraphBuilder& g) {
        return g.op_with(Op::GatherElements, {floats(g), g.input("places", {kLines, kAcross}, DType::I64)},
                         AxisParams{1});
      },
      shuffled);
  moves(table, "grid sample, 64 channels 128x128", 8, 0, [](GraphBuilder& g) {
    return g.op_with(Op::GridSample, {g.input("x", {1, 64, 128, 128}), g.input("grid", {1, 128, 128, 2})},
                     GridSampleParams{ResizeMode::Linear, GridPadding::Zeros, false});
  });
}

// Channels-last images, as in a network.
void last(const Tensor& t) { t->strides.set(channels_last_strides(t->sizes).span()); }

void conv_last(Table& table, const std::string& name, const ConvShape& s) {
  if (!table.wants(name)) return;
  auto node = Node::make(1 << 26, [&](GraphBuilder& g) {
    const Tensor x = g.input("x", {1, s.channels, s.height, s.width}),
                 w = g.weight("w", {s.out_channels, s.channels / s.groups, s.kernel, s.kernel});
    w->flags |= kFlagWeight;
    const Tensor y =
        g.conv2d(x, w, {}, static_cast<int>(s.stride), static_cast<int>(s.pad), static_cast<int>(s.groups));
    last(x), last(y);
    return y;
  });
  if (node) table.against(name, {"GFLOP/s", 1e-9 * s.flops(), 0.5}, node->runner(), {dnnl_conv(s, false)});
}

void convolutions(Table& table) {
  conv_last(table, "conv 3x3, 64 channels 56x56, channels last", {64, 56, 56, 64, 3, 1, 1, 1});
  conv_last(table, "conv 3x3, 256 channels 14x14, channels last", {256, 14, 14, 256, 3, 1, 1, 1});
  conv_last(table, "conv 3x3, 128 channels in 8 groups 56x56, channels last", {128, 56, 56, 128, 3, 1, 1, 8});
  const ConvShape bytes{64, 56, 56, 64, 3, 1, 1, 1};
  if (const char* name = "conv 3x3 int8, 64 channels 56x56"; table.wants(name)) {
    auto node = Node::make(1 << 24, [&](GraphBuilder& g) {
      return g.conv2d(g.input("x", {1, 64, 56, 56}, DType::U8), g.weight("w", {64, 64, 3, 3}, DType::I8), {}, 1, 1);
    });
    if (node) table.against(name, {"GFLOP/s", 1e-9 * bytes.flops(), 0.5}, node->runner(), {dnnl_byte_conv(bytes)});
  }
  const ConvShape turned{128, 56, 56, 64, 2, 2, 0, 1};
  if (const char* name = "transposed conv 2x2, stride 2, 128 channels 56x56"; table.wants(name)) {
    auto node = Node::make(1 << 25, [&](GraphBuilder& g) {
      const Tensor x = g.input("x", {1, 128, 56, 56}), w = g.weight("w", {128, 64, 2, 2});
      const Tensor y = g.op_with(Op::ConvTranspose, {x, w}, ConvParams{2, {2, 2}, {1, 1}, {}, {}, {}, 1});
      last(x), last(y);
      return y;
    });
    const double flops = 2.0 * 128 * 64 * 4 * 56 * 56;
    if (node) table.against(name, {"GFLOP/s", 1e-9 * flops, 0.5}, node->runner(), {dnnl_conv_transpose(turned)});
  }
}

}  // namespace

void more_rows(Table& table) {
  casts(table);
  elements(table);
  picked(table);
  convolutions(table);
}

}  // namespace arenascope::cpu_bench
