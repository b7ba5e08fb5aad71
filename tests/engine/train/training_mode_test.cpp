// SPDX-License-Identifier: MIT
// Differences in training mode: dropout is active, and batch normalisation uses the statistics of the batch. ONNX files
// are generated here.
#include <arenascope/graph/dropout_mask.h>
#include <arenascope/models/model.h>
#include <arenascope/train/frontier.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/ranges.h>

#include "tests/engine/models/onnx_maker.h"
#include "training_helpers.h"

using namespace arenascope;
using namespace arenascope::train;
using namespace arenascope::train::test;
using models::test::OnnxMaker;

namespace {

constexpr int64_t kBatch = 20, kSide = 8, kPixels = kSide * kSide, kInner = 24, kClasses = 4, kChannels = 3;

// Numbers that look as if they were drawn, within ±bound.
std::vector<float> numbers(int64_t count, uint32_t seed, float bound) {
  std::vector<float> out;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    out.push_back((static_cast<float>(seed >> 8) / 8388608.0f - 1) * bound);
  }
  return out;
}

std::string written(const OnnxMaker& maker, const std::string& name) {
  const auto path = scratch(name);
  const auto bytes = maker.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

// Two layers with a dropout between them.
std::string net_with_dropout(int64_t opset, const std::string& name) {
  OnnxMaker maker(opset);
  maker.input("x", {-1, kSide, kSide}).output("logits", {-1, kClasses});
  maker.weight("small", {}, std::vector<float>{1 / 255.0f})
      .weight("w1", {kPixels, kInner}, numbers(kPixels * kInner, 1, 0.2f))
      .weight("w2", {kInner, kClasses}, numbers(kInner * kClasses, 2, 0.4f));
  maker.node("Flatten", {"x"}, {"flat"}).node("Mul", {"flat", "small"}, {"scaled"});
  maker.node("MatMul", {"scaled", "w1"}, {"a"}).node("Relu", {"a"}, {"b"});
  if (opset < 12) {
    maker.node("Dropout", {"b"}, {"c"}, {{"ratio", 0.5f}});
  } else {
    maker.weight("ratio", {}, std::vector<float>{0.5f});
    maker.node("Dropout", {"b", "ratio"}, {"c", "kept"});
  }
  maker.node("MatMul", {"c", "w2"}, {"logits"});
  return written(maker, name);
}

// A convolution and its batch normalisation.
std::string net_with_batch_norm(const std::string& name) {
  OnnxMaker maker(15);
  maker.input("x", {-1, 1, kSide, kSide}).output("logits", {-1, kClasses});
  maker.weight("small", {}, std::vector<float>{1 / 255.0f})
      .weight("conv", {kChannels, 1, 3, 3}, numbers(kChannels * 9, 3, 0.5f))
      .weight("gain", {kChannels}, std::vector<float>{1, 1.5f, 0.5f})
      .weight("shift", {kChannels}, std::vector<float>{0.1f, 0, -0.1f})
      .weight("mean", {kChannels}, std::vector<float>{0.5f, -0.5f, 0.25f})
      .weight("variance", {kChannels}, std::vector<float>{2, 3, 4})
      .weight("shape", {2}, std::vector<int64_t>{0, -1})
      .weight("w", {kChannels * 36, kClasses}, numbers(kChannels * 36 * kClasses, 4, 0.2f));
  maker.node("Mul", {"x", "small"}, {"scaled"}).node("Conv", {"scaled", "conv"}, {"a"});
  maker.node("BatchNormalization", {"a", "gain", "shift", "mean", "variance"}, {"b"}, {{"momentum", 0.8f}});
  maker.node("Relu", {"b"}, {"c"}).node("Reshape", {"c", "shape"}, {"flat"});
  maker.node("MatMul", {"flat", "w"}, {"logits"});
  return written(maker, name);
}

TrainerOptions in_batches() {
  TrainerOptions options;
  options.batch = kBatch;
  return options;
}

std::vector<double> losses_of(const std::string& spec, const Dataset& data, const TrainerOptions& options,
                              int epochs = 2) {
  auto trainer = opened(spec, data, options);
  for (int i = 0; i < epochs; ++i) REQUIRE(trainer->epoch(data, 2e-2).ok());
  return trainer->losses();
}

// Mean and mean square around it of the convolution over pictures, channel by channel, in double.
struct Statistics {
  std::vector<double> mean, variance;
};
Statistics statistics_of(const ImageData& data) {
  const auto weights = numbers(kChannels * 9, 3, 0.5f);
  Statistics out;
  for (int64_t c = 0; c < kChannels; ++c) {
    double sum = 0, squares = 0, count = 0;
    for (int64_t i = 0; i < data.count(); ++i)
      for (int64_t y = 0; y + 3 <= kSide; ++y)
        for (int64_t x = 0; x + 3 <= kSide; ++x) {
          double value = 0;
          for (int64_t k = 0; k < 9; ++k)
            value += static_cast<double>(weights[static_cast<size_t>(c * 9 + k)]) *
                     data.pixels[static_cast<size_t>(i * kPixels + (y + k / 3) * kSide + x + k % 3)] / 255;
          sum += value, squares += value * value, ++count;
        }
    out.mean.push_back(sum / count);
    out.variance.push_back(squares / count - sum / count * sum / count);
  }
  return out;
}

// Broken off within an epoch and taken up again, until so many epochs are through: the checkpoint is `whole`, bit by bit.
template <class Path>
void check_resumed(const std::string& path, const ImageData& data, TrainerOptions options, int64_t epochs,
                   const Path& part, const Path& whole) {
  auto first = opened(path, data, options);
  REQUIRE(first->epoch(data, 1e-2, [&](double) { return first->steps() < 2; }).ok());
  REQUIRE(first->save(part).ok());
  options.resume = part;
  auto rest = opened(path, data, options);
  while (rest->epochs() < epochs) REQUIRE(rest->epoch(data, 1e-2).ok());
  REQUIRE(rest->save(part).ok());
  CHECK(bytes_of(part) == bytes_of(whole));
}

}  // namespace

TEST_CASE("the dropout mask depends only on seed, step, node and index") {
  const auto kept = [](float ratio, uint32_t node, int64_t seed, int64_t step) {
    const DropoutMask mask(ratio, node, seed, step);
    std::vector<bool> out;
    for (uint64_t i = 0; i < 20000; ++i) out.push_back(mask.keeps(i));
    return out;
  };
  for (float ratio : {0.0f, 0.1f, 0.5f, 0.9f}) {
    const auto mask = kept(ratio, 1, 2, 3);
    const auto share = static_cast<double>(std::count(mask.begin(), mask.end(), true)) / 20000;
    CHECK(share == doctest::Approx(1 - static_cast<double>(ratio)).epsilon(0.02));
    CHECK(mask == kept(ratio, 1, 2, 3));
  }
  const std::set<std::vector<bool>> all{kept(0.5f, 1, 2, 3), kept(0.5f, 2, 2, 3), kept(0.5f, 1, 3, 3),
                                        kept(0.5f, 1, 2, 4), kept(0.5f, 1, 3, 2)};
  CHECK(all.size() == 5);
  CHECK(DropoutMask::factor(0.75f) == 4);
}

TEST_CASE("ONNX dropout is active in training, not in evaluation") {
  const ImageData data = stripes(60, 3, kSide, kClasses);
  for (int64_t opset : {11, 13}) {
    CAPTURE(opset);
    const std::string path = net_with_dropout(opset, "dropout.onnx");
    TrainerOptions options = in_batches(), none = options;
    none.dropout = 0;
    const auto once = losses_of(path, data, options), plain = losses_of(path, data, none);
    CHECK(once == losses_of(path, data, options));
    CHECK(once[0] != plain[0]);
    auto trainer = opened(path, data, options);
    const auto before = trainer->measure(data);
    REQUIRE(before.ok());
    CHECK(before->loss == trainer->measure(data)->loss);
    CHECK(before->loss == opened(path, data, none)->measure(data)->loss);
    for (int i = 0; i < 10; ++i) REQUIRE(trainer->epoch(data, 2e-2).ok());
    CHECK(trainer->measure(data)->loss < before->loss / 2);
    std::filesystem::remove(path);
  }
}

TEST_CASE("training with dropout resumes bit-identically") {
  const ImageData data = stripes(60, 3, kSide, kClasses);
  const std::string path = net_with_dropout(13, "resumed_dropout.onnx");
  const auto whole = scratch("dropped_whole.safetensors"), part = scratch("dropped_part.safetensors");
  for (int64_t parts : {1, 2}) {
    TrainerOptions options = in_batches();
    options.accumulate = parts;
    auto all = opened(path, data, options);
    for (int i = 0; i < 2; ++i) REQUIRE(all->epoch(data, 1e-2).ok());
    REQUIRE(all->save(whole).ok());
    check_resumed(path, data, options, 2, part, whole);
  }
  for (const auto& file : {whole, part, std::filesystem::path(path)}) std::filesystem::remove(file);
}

TEST_CASE("a rematerialised dropout has the same mask") {
  auto data = SortTask::create(1, 11, 3, 64);
  REQUIRE(data.ok());
  TrainerOptions options;
  options.batch = 32;
  options.dropout = 0.2;
  options.run.threads = 1;
  options.run.budget_seconds = 0.05;
  auto points = checkpoint_frontier("zoo:nano_gpt", options);
  REQUIRE_MESSAGE(points.ok(), (points.ok() ? "" : points.error().message));
  REQUIRE(points->size() > 2);
  const auto all = losses_of("zoo:nano_gpt", *data, options);
  options.run.capacity = points->back().arena;
  int again = 0;
  auto trainer = opened("zoo:nano_gpt", *data, options);
  for (const TensorImpl* node : trainer->step().plan().graph.nodes())
    again += node->op == Op::Dropout && std::string_view(node->name).find("(again") != std::string_view::npos;
  CHECK(again > 0);
  const auto spared = losses_of("zoo:nano_gpt", *data, options);
  CHECK(spared == all);
  options.run.capacity.reset();
  options.dropout.reset();
  CHECK(losses_of("zoo:nano_gpt", *data, options)[0] != all[0]);
  const ImageData pictures = stripes(20, 3);
  options = in_batches();
  options.dropout = 0.5;
  auto refused = Trainer::open("zoo:mnist_fc", pictures, options);
  REQUIRE(!refused.ok());
  CHECK(refused.error().message.find("nothing in it that could be dropped") != std::string::npos);
}

TEST_CASE("batch normalisation trains with batch statistics and updates running ones") {
  const ImageData data = stripes(kBatch, 3, kSide, kClasses);
  const std::string path = net_with_batch_norm("batch_norm.onnx");
  const Statistics batch = statistics_of(data);
  auto trainer = opened(path, data, in_batches());
  std::vector<std::string> trained = trainer->trained();
  std::sort(trained.begin(), trained.end());
  CHECK(fmt::format("{}", fmt::join(trained, " ")) == "conv gain shift w:t");
  const std::vector<double> mean{0.5, -0.5, 0.25}, variance{2, 3, 4};
  double share = 1;
  for (int step = 1; step <= 120; ++step) {
    REQUIRE(trainer->epoch(data, 0.0).ok());
    share *= 0.8;
    if (step > 2 && step < 120) continue;
    const auto now = state_of(*trainer, "mean"), spread = state_of(*trainer, "variance");
    for (size_t c = 0; c < kChannels; ++c) {
      CHECK(double(now[c]) == doctest::Approx(share * mean[c] + (1 - share) * batch.mean[c]).epsilon(1e-4));
      CHECK(double(spread[c]) == doctest::Approx(share * variance[c] + (1 - share) * batch.variance[c]).epsilon(1e-4));
    }
  }
  // With them a measured batch is what a learned one is.
  CHECK(trainer->measure(data)->loss == doctest::Approx(trainer->losses().back()).epsilon(1e-3));
  const auto saved = scratch("batch_norm.safetensors");
  REQUIRE(trainer->save(saved).ok());
  CHECK(opened(saved.string(), data, in_batches())->measure(data)->loss == trainer->measure(data)->loss);
  for (const auto& file : {saved, std::filesystem::path(path)}) std::filesystem::remove(file);
}

TEST_CASE("batch normalisation in micro-batches, with a smaller last batch, resumed, and after a NaN loss") {
  const ImageData data = stripes(50, 3, kSide, kClasses);
  const std::string path = net_with_batch_norm("batch_norm_parts.onnx");
  const auto whole = scratch("norm_whole.safetensors"), part = scratch("norm_part.safetensors");
  for (int64_t parts : {1, 2}) {
    TrainerOptions options = in_batches();
    options.accumulate = parts;
    auto all = opened(path, data, options);
    const double before = all->measure(data)->loss;
    for (int i = 0; i < 6; ++i) REQUIRE(all->epoch(data, 1e-2).ok());
    CHECK(all->measure(data)->loss < before / 2);
    REQUIRE(all->save(whole).ok());
    check_resumed(path, data, options, 6, part, whole);
  }
  TrainerOptions options = in_batches();
  options.optimizer.kind = OptimizerKind::Sgd;
  auto trainer = opened(path, data, options);
  bool spoilt = false;
  for (int step = 0; step < 20 && !spoilt; ++step) {
    const auto mean = state_of(*trainer, "mean");
    for (float number : mean) REQUIRE(std::isfinite(number));
    spoilt = !trainer->epoch(data, 1e30, [](double) { return false; }).ok();
    CHECK((state_of(*trainer, "mean") == mean) == spoilt);
  }
  CHECK(spoilt);
  for (const auto& file : {whole, part, std::filesystem::path(path)}) std::filesystem::remove(file);
}
