// SPDX-License-Identifier: MIT
// SqueezeNet 1.1 (Iandola 2016), ResNet-50 (He 2015, stride in the 3x3) and MobileNetV2 (Sandler 2018), as
// trained on ImageNet: batch normalisations are separate nodes.
#include <fmt/format.h>
#include "engine/models/zoo/model_builder.h"

namespace arenascope::models {
namespace {

Tensor max_pool(ModelBuilder& builder, const Tensor& x, int kernel, int stride, int pad, bool ceil_mode,
                const std::string& name) {
  const PoolParams params{
      2, {kernel, kernel, 1}, {stride, stride, 1}, {1, 1, 1}, {pad, pad, 0}, {pad, pad, 0}, ceil_mode, false};
  return builder.g().op_with(Op::MaxPool, {x}, params, name);
}

Tensor global_average(ModelBuilder& builder, const Tensor& x, const std::string& name) {
  return builder.g().reduce(Op::ReduceMean, x, {2, 3}, false, name);
}

Tensor fire(ModelBuilder& builder, const Tensor& x, int index, int64_t squeeze, int64_t expand) {
  const std::string at = fmt::format("features.{}", index);
  builder.layer(at);
  const Tensor s = builder.relu(builder.conv(at + ".squeeze", x, squeeze, 1), at + ".squeeze_activation");
  const Tensor e1 = builder.relu(builder.conv(at + ".expand1x1", s, expand, 1), at + ".expand1x1_activation");
  const Tensor e3 = builder.relu(builder.conv(at + ".expand3x3", s, expand, 3, 1, 1), at + ".expand3x3_activation");
  const Tensor parts[] = {e1, e3};
  return builder.g().concat(parts, 1, at + ".cat");
}

Tensor bottleneck(ModelBuilder& builder, const Tensor& x, const std::string& at, int64_t width, int stride,
                  bool project) {
  builder.layer(at);
  Tensor y = builder.relu(builder.batch_norm(at + ".bn1", builder.conv(at + ".conv1", x, width, 1, 1, 0, 1, false)),
                          at + ".relu1");
  y = builder.relu(builder.batch_norm(at + ".bn2", builder.conv(at + ".conv2", y, width, 3, stride, 1, 1, false)),
                   at + ".relu2");
  // The last norm is damped so that sixteen sums do not blow up.
  y = builder.batch_norm(at + ".bn3", builder.conv(at + ".conv3", y, width * 4, 1, 1, 0, 1, false), {0.2, 0.6});
  Tensor shortcut = x;
  if (project)
    shortcut = builder.batch_norm(at + ".downsample.1",
                                  builder.conv(at + ".downsample.0", x, width * 4, 1, stride, 0, 1, false, 1));
  return builder.relu(builder.g().add(y, shortcut, at + ".add"), at + ".relu3");
}

Tensor relu6(ModelBuilder& builder, const Tensor& x, const std::string& name) {
  return builder.g().op_with(Op::Clamp, {x}, ClampParams{0, 6}, name);
}

Tensor inverted_residual(ModelBuilder& builder, const Tensor& x, int index, int64_t expand, int64_t to, int stride) {
  if (!x) return {};
  const std::string at = fmt::format("features.{}", index);
  builder.layer(at);
  const int64_t from = x.sizes()[1], hidden = from * expand;
  int stage = 0;
  Tensor y = x;
  if (expand != 1) {
    const std::string s = fmt::format("{}.conv.{}", at, stage++);
    y = relu6(builder, builder.batch_norm(s + ".1", builder.conv(s + ".0", y, hidden, 1, 1, 0, 1, false)), s + ".2");
  }
  const std::string depth = fmt::format("{}.conv.{}", at, stage++);
  y = builder.conv(depth + ".0", y, hidden, 3, stride, 1, static_cast<int>(hidden), false);
  y = relu6(builder, builder.batch_norm(depth + ".1", y), depth + ".2");
  const std::string project = fmt::format("{}.conv.{}", at, stage);
  y = builder.batch_norm(project + ".1", builder.conv(project, y, to, 1, 1, 0, 1, false, 1));
  return stride == 1 && from == to ? builder.g().add(x, y, at + ".add") : y;
}

// Number of images: the dimension "batch", default 1.
Result<int64_t> batch_of(const OpenOptions& options, const char* model) {
  const auto given = options.dims.find("batch");
  if (given == options.dims.end()) return 1;
  if (given->second < 1 || given->second > 4096)
    return Error{
        fmt::format("zoo:{}: a batch of {} images is not supported: expected 1 to 4096", model, given->second)};
  return given->second;
}

}  // namespace

Result<Model> build_squeezenet(const OpenOptions& options) {
  const auto batch = batch_of(options, "squeezenet");
  if (!batch) return batch.error();
  ModelBuilder builder("squeezenet");
  builder.layer("features.0");
  Tensor x = builder.input("input", {*batch, 3, 224, 224});
  x = builder.relu(builder.conv("features.0", x, 64, 3, 2), "features.1");
  x = max_pool(builder, x, 3, 2, 0, true, "features.2");
  x = fire(builder, x, 3, 16, 64);
  x = fire(builder, x, 4, 16, 64);
  x = max_pool(builder, x, 3, 2, 0, true, "features.5");
  x = fire(builder, x, 6, 32, 128);
  x = fire(builder, x, 7, 32, 128);
  x = max_pool(builder, x, 3, 2, 0, true, "features.8");
  x = fire(builder, x, 9, 48, 192);
  x = fire(builder, x, 10, 48, 192);
  x = fire(builder, x, 11, 64, 256);
  x = fire(builder, x, 12, 64, 256);
  builder.layer("classifier");
  x = builder.relu(builder.conv("classifier.1", x, 1000, 1), "classifier.2");
  builder.output("logits", global_average(builder, x, "classifier.3"));
  return builder.finish();
}

Result<Model> build_resnet50(const OpenOptions& options) {
  const auto batch = batch_of(options, "resnet50");
  if (!batch) return batch.error();
  ModelBuilder builder("resnet50");
  builder.learn(options);
  builder.layer("stem");
  Tensor x = builder.input("input", {*batch, 3, 224, 224});
  x = builder.relu(builder.batch_norm("bn1", builder.conv("conv1", x, 64, 7, 2, 3, 1, false)), "relu");
  x = max_pool(builder, x, 3, 2, 1, false, "maxpool");
  constexpr int kBlocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage)
    for (int block = 0; block < kBlocks[stage]; ++block)
      x = bottleneck(builder, x, fmt::format("layer{}.{}", stage + 1, block), int64_t{64} << stage,
                     stage > 0 && block == 0 ? 2 : 1, block == 0);
  builder.layer("head");
  builder.output("logits", builder.linear("fc", global_average(builder, x, "avgpool"), 1000));
  return builder.finish();
}

Result<Model> build_mobilenet_v2(const OpenOptions& options) {
  const auto batch = batch_of(options, "mobilenet_v2");
  if (!batch) return batch.error();
  ModelBuilder builder("mobilenet_v2");
  builder.learn(options);
  builder.layer("features.0");
  Tensor x = builder.input("input", {*batch, 3, 224, 224});
  x = relu6(builder, builder.batch_norm("features.0.1", builder.conv("features.0.0", x, 32, 3, 2, 1, 1, false)),
            "features.0.2");
  struct Stage {
    int64_t expand, channels;
    int repeats, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  int index = 1;
  for (const Stage& stage : kStages)
    for (int i = 0; i < stage.repeats; ++i)
      x = inverted_residual(builder, x, index++, stage.expand, stage.channels, i == 0 ? stage.stride : 1);
  builder.layer("features.18");
  x = relu6(builder, builder.batch_norm("features.18.1", builder.conv("features.18.0", x, 1280, 1, 1, 0, 1, false)),
            "features.18.2");
  builder.layer("classifier");
  builder.output("logits", builder.linear("classifier.1", global_average(builder, x, "pool"), 1000));
  return builder.finish();
}

}  // namespace arenascope::models
