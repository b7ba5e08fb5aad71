// SPDX-License-Identifier: MIT
// The zoo: real sizes, the same values in every process, and weights that are generated on demand.
#include <arenascope/graph/order.h>
#include <arenascope/models/weight_store.h>
#include <arenascope/models/zoo.h>
#include <doctest/doctest.h>
#include "engine/models/seeded.h"

#include <cmath>
#include <map>
#include <set>
#include <vector>

using namespace arenascope;
using namespace arenascope::models;

TEST_CASE("every architecture builds without weights, has a valid order and named tensors") {
  for (const ZooEntry& entry : zoo()) {
    CAPTURE(entry.name);
    auto model = open_model(std::string("zoo:") + entry.name);
    REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
    CHECK(model->runnable());
    CHECK(model->name == entry.name);
    CHECK(model->format == "zoo");
    auto order = depth_first_order(model->graph, {});
    REQUIRE(order.ok());
    CHECK(check_order(model->graph, *order).ok());
    CHECK(!model->inputs.empty());
    CHECK(!model->outputs.empty());
    std::set<const TensorImpl*> known;
    for (const ValueInfo& input : model->inputs) {
      CHECK(input.tensor->has(kFlagInput));
      CHECK(model->graph.find_leaf(*input.tensor).valid());
      CHECK(input.write_default);
      known.insert(input.tensor.impl());
    }
    for (const Weight& weight : model->weights) {
      CHECK(weight.tensor->has(kFlagWeight));
      CHECK(weight.tensor->data() == nullptr);
      CHECK(model->graph.find_leaf(*weight.tensor).valid());
      known.insert(weight.tensor.impl());
    }
    for (const TensorImpl* leaf : model->graph.leafs()) CHECK(known.count(leaf) == 1);
    std::set<std::string> names;
    for (const TensorImpl* node : model->graph.nodes()) {
      CHECK(!node->name.empty());
      names.insert(node->name.str());
    }
    CHECK(names.size() == model->graph.nodes().size());
    if (model->node_count > 50) CHECK(model->context.layer_names().size() > 3);
  }
}

TEST_CASE("classifiers accept batches") {
  for (const char* name : {"zoo:squeezenet", "zoo:resnet50", "zoo:mobilenet_v2"}) {
    OpenOptions options;
    options.dims["batch"] = 4;
    auto model = open_model(name, options);
    REQUIRE(model.ok());
    CHECK(model->inputs[0].tensor.sizes()[0] == 4);
    CHECK(model->outputs[0].tensor.sizes()[0] == 4);
    CHECK(model->outputs[0].tensor.sizes()[1] == 1000);
    options.dims["batch"] = 0;
    CHECK(!open_model(name, options));
  }
}

TEST_CASE("parameter counts equal those of the published networks") {
  // Millions, as published; batch norms' running statistics are counted here too.
  const std::map<std::string, double> published{{"squeezenet", 1.24}, {"resnet50", 25.6},   {"mobilenet_v2", 3.54},
                                                {"unet", 31.05},      {"bert_base", 109.5}, {"gpt2", 124.4},
                                                {"llama_7b", 6738},   {"llama_13b", 13016}, {"baichuan_13b", 13265},
                                                {"vit_b16", 86.57},   {"yolo", 3.16}};
  for (const auto& [name, millions] : published) {
    CAPTURE(name);
    auto model = open_zoo(name);
    REQUIRE(model.ok());
    CHECK(static_cast<double>(model->parameter_bytes) / 4e6 == doctest::Approx(millions).epsilon(0.005));
  }
}

TEST_CASE("output shapes equal those of the published networks") {
  const auto shape = [](const char* name, const OpenOptions& options = {}) {
    auto model = open_zoo(name, options);
    REQUIRE(model.ok());
    return to_string(model->outputs.back().sizes);
  };
  CHECK(shape("mul_mat") == "[3, 4]");
  CHECK(shape("squeezenet") == "[1, 1000]");
  CHECK(shape("resnet50") == "[1, 1000]");
  CHECK(shape("unet") == "[1, 2, 256, 256]");
  CHECK(shape("yolo") == "[1, 84, 8400]");
  CHECK(shape("bert_base") == "[128, 768]");
  CHECK(shape("gpt2") == "[1, 50257]");
  CHECK(shape("llama_13b") == "[1, 32000]");
  OpenOptions prompt;
  prompt.prefill = true;
  prompt.tokens = 64;
  CHECK(shape("llama_7b", prompt) == "[1, 32000]");
  auto model = open_zoo("llama_7b", prompt);
  REQUIRE(model.ok());
  CHECK(to_string(model->outputs.front().sizes) == "[32, 64, 128]");
  auto decode = open_zoo("llama_7b");
  REQUIRE(decode.ok());
  CHECK(to_string(decode->outputs.front().sizes) == "[32, 1, 128]");
}

TEST_CASE("weights are generated on request, deterministically, one Persistent block each") {
  auto context = make_cpu_context();
  auto model = open_zoo("squeezenet");
  auto again = open_zoo("squeezenet");
  REQUIRE(model.ok());
  REQUIRE(again.ok());
  REQUIRE(WeightStore().load(*model, *context).ok());
  REQUIRE(WeightStore().load(*again, *context).ok());
  std::set<const MemoryBlock*> blocks;
  for (size_t i = 0; i < model->weights.size(); ++i) {
    const Tensor &a = model->weights[i].tensor, &b = again->weights[i].tensor;
    CHECK(blocks.insert(a->storage.block().get()).second);
    CHECK(a.memory_kind() == MemoryKind::Persistent);
    CHECK(reinterpret_cast<uintptr_t>(a->data()) % 64 == 0);
    const auto bytes = static_cast<size_t>(a->byte_count());
    CHECK(std::memcmp(a->data(), b->data(), bytes) == 0);
    double sum = 0;
    for (int64_t e = 0; e < a->element_count(); ++e) sum += std::abs(static_cast<double>(a.data_as<float>()[e]));
    CHECK(sum > 0);
  }
}

TEST_CASE("a training step computes the loss and a gradient of each weight") {
  for (const char* name : {"gpt2", "nano_gpt", "llama_7b", "llama_13b", "baichuan_13b"}) {
    CAPTURE(std::string(name));
    OpenOptions training;
    training.training = true;
    training.tokens = std::string(name) == "nano_gpt" ? 11 : 128;
    auto model = open_zoo(name, training);
    REQUIRE_MESSAGE(model.ok(), (model ? "" : model.error().message));
    CHECK(model->outputs.front().name == "loss");
    CHECK(model->outputs.front().sizes == Dims{});
    CHECK(model->inputs.back().name == "targets");
    REQUIRE(model->outputs.size() == model->weights.size() + 1);
    CHECK(model->graph.has_grads());
    for (size_t i = 0; i < model->weights.size(); ++i) {
      const Tensor& weight = model->weights[i].tensor;
      CHECK(model->outputs[i + 1].sizes == weight.sizes());
      CHECK(model->graph.grad(*weight) == model->outputs[i + 1].tensor.impl());
      CHECK(weight->has(kFlagParameter));
      CHECK(model->graph.find_node(*weight).valid());
    }
    CHECK(model->graph.leafs().size() == model->inputs.size());
    CHECK(static_cast<size_t>(model->node_count) + model->weights.size() == model->graph.nodes().size());
    CHECK(!model->ops.contains("NONE"));
    CHECK(open_zoo(name)->graph.nodes().size() * 2 < model->graph.nodes().size());
  }
  OpenOptions training;
  training.training = true;
  CHECK(open_model("some.gguf", training).error().message ==
        "some.gguf: training steps are available for zoo models only");
  auto none = open_zoo("resnet50", training);
  REQUIRE(!none.ok());
  CHECK(none.error().message ==
        "zoo:resnet50 has no training step; these have one: gpt2, nano_gpt, llama_7b, llama_13b, baichuan_13b");
}

TEST_CASE("seeded numbers follow splitmix64 over FNV-1a") {
  CHECK(fnv1a("") == 0xCBF29CE484222325ull);
  CHECK(fnv1a("a") == 0xAF63DC4C8601EC8Cull);
  std::vector<float> numbers(4096);
  REQUIRE(SeededNumbers("w", DType::F32, 4096, {-2, 2})(reinterpret_cast<std::byte*>(numbers.data())).ok());
  double mean = 0;
  for (float v : numbers) {
    CHECK(v >= -2);
    CHECK(v < 2);
    mean += static_cast<double>(v) / 4096;
  }
  CHECK(std::abs(mean) < 0.1);
  std::vector<int64_t> ids(1000);
  REQUIRE(SeededNumbers("ids", DType::I64, 1000, {0, 7})(reinterpret_cast<std::byte*>(ids.data())).ok());
  std::set<int64_t> seen(ids.begin(), ids.end());
  CHECK(seen == std::set<int64_t>{0, 1, 2, 3, 4, 5, 6});
  CHECK(!SeededNumbers("q", DType::Q4_0, 32, {0, 1})(nullptr).ok());
}

TEST_CASE("unknown zoo models are an error") {
  auto none = open_model("zoo:nothing");
  REQUIRE(!none.ok());
  CHECK(none.error().message.find("resnet50") != std::string::npos);
  OpenOptions odd;
  odd.tokens = -1;
  CHECK(!open_zoo("gpt2", odd).ok());
  odd.tokens = 5000;
  CHECK(!open_zoo("gpt2", odd).ok());
}
