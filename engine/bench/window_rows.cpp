// SPDX-License-Identifier: MIT
// Convolutions and pooling of real networks, with images in the graph's layout.
#include <fmt/format.h>

#include <arenascope/graph/builder.h>
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {
namespace {

void conv(Table& table, const std::string& kind, const ConvShape& s, double target) {
  const std::string title =
                        fmt::format("{}, {} channels {}x{}, stride {}", kind, s.channels, s.height, s.width, s.stride),
                    own = title + ", its own layout";
  if (!table.wants(title) && !table.wants(own)) return;
  const int64_t floats =
      s.channels * s.height * s.width +
      s.out_channels * (s.out_height() * s.out_width() + s.channels / s.groups * s.kernel * s.kernel + 1);
  auto node = Node::make(4 * floats + 65536, [&](GraphBuilder& g) {
    return g.conv2d(g.input("x", {1, s.channels, s.height, s.width}),
                    g.weight("w", {s.out_channels, s.channels / s.groups, s.kernel, s.kernel}),
                    g.weight("b", {s.out_channels}), static_cast<int>(s.stride), static_cast<int>(s.pad),
                    static_cast<int>(s.groups));
  });
  if (!node) return;
  table.against(title, {"GFLOP/s", 1e-9 * s.flops(), target}, node->runner(), {dnnl_conv(s, true)});
  table.against(own, {"GFLOP/s", 1e-9 * s.flops(), 0}, node->runner(), {dnnl_conv(s, false)});
}

void pool(Table& table, const std::string& title, const ConvShape& s, bool maximum) {
  const double gigabytes = 4e-9 * static_cast<double>(s.channels * s.height * s.width);
  const std::string named = title + " against oneDNN";
  if (!table.wants(named)) return;
  auto node = Node::make(8 * s.channels * s.height * s.width, [&](GraphBuilder& g) {
    return g.pool2d(maximum ? Op::MaxPool : Op::AvgPool, g.input("x", {1, s.channels, s.height, s.width}),
                    static_cast<int>(s.kernel), static_cast<int>(s.stride), static_cast<int>(s.pad));
  });
  if (node) table.against(named, {"GB/s", gigabytes, 0}, node->runner(), {dnnl_pool(s, maximum)});
}

}  // namespace

void window_rows(Table& table) {
  for (const ConvShape& s : {ConvShape{64, 56, 56, 64, 3, 1, 1, 1}, ConvShape{128, 28, 28, 128, 3, 1, 1, 1},
                             ConvShape{256, 14, 14, 256, 3, 1, 1, 1}, ConvShape{512, 7, 7, 512, 3, 1, 1, 1},
                             ConvShape{128, 56, 56, 128, 3, 2, 1, 1}})
    conv(table, "conv 3x3", s, 1);
  conv(table, "conv 7x7", {3, 224, 224, 64, 7, 2, 3, 1}, 0);
  conv(table, "conv 1x1", {256, 56, 56, 64, 1, 1, 0, 1}, 0);
  conv(table, "conv 1x1", {1024, 14, 14, 256, 1, 1, 0, 1}, 0);
  for (const ConvShape& s : {ConvShape{32, 112, 112, 32, 3, 1, 1, 32}, ConvShape{96, 112, 112, 96, 3, 2, 1, 96},
                             ConvShape{144, 56, 56, 144, 3, 1, 1, 144}, ConvShape{384, 14, 14, 384, 3, 1, 1, 384},
                             ConvShape{960, 7, 7, 960, 3, 1, 1, 960}})
    conv(table, "depthwise", s, 1);
  pool(table, "max pooling 3x3, stride 2", {64, 112, 112, 64, 3, 2, 1, 64}, true);
  pool(table, "max pooling 2x2, stride 2", {64, 112, 112, 64, 2, 2, 0, 64}, true);
  pool(table, "mean pooling 3x3, stride 1", {192, 28, 28, 192, 3, 1, 1, 192}, false);
  pool(table, "mean pooling 7x7", {1024, 7, 7, 1024, 7, 7, 0, 1024}, false);
}

}  // namespace arenascope::cpu_bench
