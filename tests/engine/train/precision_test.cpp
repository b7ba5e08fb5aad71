// SPDX-License-Identifier: MIT
// Activations that are kept as bfloat16: fewer bytes, the same first loss, nearly the same training.
#include <cmath>

#include "training_helpers.h"

using namespace arenascope;
using namespace arenascope::train;
using namespace arenascope::train::test;

namespace {

struct Ran {
  std::vector<double> losses;
  double measured = 0;
  Bytes arena = 0;
  int casts = 0;  // to bf16
};

Ran ran(const std::string& spec, const Dataset& data, TrainerOptions options, ActivationPrecision precision,
        int epochs) {
  options.precision = precision;
  auto trainer = opened(spec, data, options);
  Ran out;
  for (int i = 0; i < epochs; ++i) REQUIRE(trainer->epoch(data, 2e-3).ok());
  out.losses = trainer->losses();
  out.measured = trainer->measure(data)->loss;
  out.arena = trainer->step().plan().memory.arena_bytes;
  for (const TensorImpl* node : trainer->step().plan().graph.nodes())
    out.casts += node->op == Op::Cast && node->dtype == DType::BF16;
  return out;
}

double mean_of_last(const std::vector<double>& losses, size_t count) {
  double sum = 0;
  for (size_t i = losses.size() - count; i < losses.size(); ++i) sum += losses[i];
  return sum / static_cast<double>(count);
}

void compare(const std::string& spec, const Dataset& data, const TrainerOptions& options, double of_bytes) {
  CAPTURE(spec);
  const Ran whole = ran(spec, data, options, ActivationPrecision::F32, 4),
            small = ran(spec, data, options, ActivationPrecision::BF16, 4);
  CHECK(whole.casts == 0);
  CHECK(small.casts > 0);
  CHECK(double(small.arena) < of_bytes * double(whole.arena));
  if (options.accumulate == 1) CHECK(small.losses[0] == whole.losses[0]);
  CHECK(small.losses[1] != whole.losses[1]);
  REQUIRE(small.losses.size() == whole.losses.size());
  for (size_t i = 0; i < 4; ++i) CHECK(small.losses[i] == doctest::Approx(whole.losses[i]).epsilon(0.02));
  const double first = whole.losses[0], last = mean_of_last(whole.losses, 4);
  CHECK(std::abs(mean_of_last(small.losses, 4) - last) < 0.05 * (first - last));
  CHECK(std::abs(small.measured - whole.measured) < 0.05 * first);
}

}  // namespace

TEST_CASE("bf16 activations take fewer bytes and train to nearly the same loss") {
  const ImageData data = stripes(120, 1);
  TrainerOptions options;
  options.batch = 30;
  compare("zoo:mnist_fc", data, options, 1.1);    // gradients of its weights are its peak
  compare("zoo:mnist_cnn", data, options, 0.93);  // in float32, sums reuse more buffers in place
  options.accumulate = 2;
  compare("zoo:mnist_cnn", data, options, 0.9);
  auto task = SortTask::create(1, 11, 3, 128);
  REQUIRE(task.ok());
  TrainerOptions texts;
  texts.batch = 32;
  texts.run.fuse = true;
  compare("zoo:nano_gpt", *task, texts, 0.9);
}

TEST_CASE("the backward pass keeps no large f32 result of the forward pass") {
  TrainerOptions options;
  options.precision = ActivationPrecision::BF16;
  options.batch = 32;
  auto model = make_step_model("zoo:nano_gpt", options);
  REQUIRE(model.ok());
  const auto backward = [&](const TensorImpl& node) {
    const auto layers = model->graph.context().layer_names();
    return node.layer >= 0 && layers[static_cast<size_t>(node.layer)].ends_with("backward");
  };
  int readers = 0;
  for (const TensorImpl* node : model->graph.nodes()) {
    if (!backward(*node) || node->op == Op::Cast) continue;
    for (const TensorImpl* source : node->sources) {
      const TensorImpl& base = source->is_view() ? *source->view_source : *source;
      const auto layers = model->graph.context().layer_names();
      const bool of_layers = base.op != Op::None && base.layer >= 0 && !backward(base) &&
                             layers[static_cast<size_t>(base.layer)].starts_with("layer");
      readers += of_layers;
      if (of_layers) CHECK((base.dtype != DType::F32 || base.byte_count() < 1024));
    }
  }
  CHECK(parse_activation_precision("bf16") == ActivationPrecision::BF16);
  CHECK(parse_activation_precision(name(ActivationPrecision::F32)) == ActivationPrecision::F32);
  CHECK(!parse_activation_precision("f8"));
}

TEST_CASE("training with bf16 activations resumes bit-identically") {
  const ImageData data = stripes(96, 5);
  const auto whole = scratch("bf16_whole.safetensors"), part = scratch("bf16_part.safetensors");
  TrainerOptions options;
  options.batch = 32;
  options.precision = ActivationPrecision::BF16;
  auto all = opened("zoo:mnist_cnn", data, options);
  for (int i = 0; i < 2; ++i) REQUIRE(all->epoch(data, 1e-3).ok());
  REQUIRE(all->save(whole).ok());
  auto first = opened("zoo:mnist_cnn", data, options);
  REQUIRE(first->epoch(data, 1e-3, [](double) { return false; }).ok());
  REQUIRE(first->save(part).ok());
  options.resume = part;
  auto rest = opened("zoo:mnist_cnn", data, options);
  while (rest->epochs() < 2) REQUIRE(rest->epoch(data, 1e-3).ok());
  REQUIRE(rest->save(part).ok());
  CHECK(bytes_of(part) == bytes_of(whole));
  std::filesystem::remove(whole);
  std::filesystem::remove(part);
}
