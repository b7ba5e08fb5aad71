// SPDX-License-Identifier: MIT
#include <arenascope/run/runner.h>

#include <cstring>

#include <doctest/doctest.h>

namespace arenascope::test {
namespace {

models::Model squeezenet() {
  auto model = models::open_model("zoo:squeezenet");
  REQUIRE_MESSAGE(model.ok(), model.error().message);
  return std::move(*model);
}

CompileOptions quick() {
  CompileOptions options;
  options.threads = 2;
  options.planner = "two-level";
  options.fuse = true;
  return options;
}

}  // namespace

TEST_CASE("a program is compiled without weights, and prepared it gives what Runner::open gives") {
  auto devices = open_devices("cpu");
  REQUIRE(devices.ok());
  models::Model model = squeezenet();
  auto program = compile(model, *devices, quick());
  REQUIRE_MESSAGE(program.ok(), program.error().message);
  for (const models::Weight& weight : model.weights) CHECK(!weight.tensor->storage.allocated());
  CHECK(program->plan.graph.nodes().size() < model.graph.nodes().size());  // fused
  CHECK(program->plan.steps.size() == program->plan.graph.nodes().size());
  CHECK(program->plan.memory.planner == "two-level");
  CHECK(program->threads == 2);
  REQUIRE(program->outputs.size() == model.outputs.size());
  for (const Tensor& output : program->outputs) CHECK(program->plan.graph.find_node(*output).valid());

  RunnerOptions options;
  static_cast<CompileOptions&>(options) = quick();
  auto created = Runner::create(std::move(model), std::move(*program), options);
  REQUIRE_MESSAGE(created.ok(), created.error().message);
  auto opened = Runner::open("zoo:squeezenet", options);
  REQUIRE_MESSAGE(opened.ok(), opened.error().message);
  std::vector<std::byte> outputs[2];
  for (int i = 0; i < 2; ++i) {
    Runner& runner = i == 0 ? **created : **opened;
    REQUIRE(runner.run().ok());
    auto bytes = runner.output(0);
    REQUIRE(bytes.ok());
    outputs[i] = std::move(*bytes);
  }
  CHECK(outputs[0].size() > 0);
  CHECK(outputs[0] == outputs[1]);
}

TEST_CASE("what cannot be compiled says why") {
  auto devices = open_devices("cpu");
  REQUIRE(devices.ok());
  CompileOptions options = quick();
  options.planner = "no such planner";
  auto program = compile(squeezenet(), *devices, options);
  REQUIRE(!program.ok());
  CHECK(program.error().message.find("no such planner") != std::string::npos);

  models::Model problem = squeezenet();
  problem.problems = {"node 3 'x' makes no sense"};
  program = compile(problem, *devices, quick());
  REQUIRE(!program.ok());
  CHECK(program.error().message.find("node 3 'x' makes no sense") != std::string::npos);
}

TEST_CASE("resnet50 op by op runs under 7 MB: the ADD at its peak takes over an input") {
  auto devices = open_devices("cpu");
  REQUIRE(devices.ok());
  auto model = models::open_model("zoo:resnet50");
  REQUIRE_MESSAGE(model.ok(), model.error().message);
  CompileOptions options;
  options.threads = 1;
  auto whole = compile(*model, *devices, options);
  REQUIRE_MESSAGE(whole.ok(), whole.error().message);
  CHECK(whole->plan.memory.arena_bytes == 9'633'792);
  for (const Bytes capacity : {Bytes{7} << 20, Bytes{7'000'000}}) {
    options.capacity = capacity;
    auto program = compile(*model, *devices, options);
    REQUIRE_MESSAGE(program.ok(), program.error().message);
    CHECK(program->plan.memory.arena_bytes <= capacity);
    REQUIRE(!program->savings.empty());
    CHECK(program->savings[0].method == Saving::InPlace);
    for (const MemorySaving& step : program->savings) {
      CAPTURE(sentence(step));
      CHECK(step.peak_after < step.peak_before);
    }
    if (capacity == Bytes{7} << 20) CHECK(program->savings.size() == 1);
    int in_place = 0;
    for (const PlannedTensor& tensor : program->plan.memory.tensors)
      in_place += tensor.in_place_of.valid() && program->plan.graph.node(tensor.node).op == Op::Add ? 1 : 0;
    CHECK(in_place > 0);
  }
}

TEST_CASE("a plan that fails leaves the runner as it was") {
  RunnerOptions options;
  static_cast<CompileOptions&>(options) = quick();
  auto runner = Runner::open("zoo:mul_mat", options);
  REQUIRE_MESSAGE(runner.ok(), runner.error().message);
  CHECK(!(*runner)->replan("no such planner", "depth-first", MemoryStrategy::Planned).ok());
  CHECK((*runner)->options().planner == "two-level");
  CHECK((*runner)->run().ok());
  CHECK((*runner)->replan("greedy-by-size", "depth-first", MemoryStrategy::Eager, 1).ok());
  CHECK((*runner)->program().strategy == MemoryStrategy::Eager);
  CHECK((*runner)->plan().threads == 1);
  CHECK((*runner)->run().ok());
}

TEST_CASE("precision has a name") {
  for (auto precision : {Precision::High, Precision::Normal, Precision::Low})
    CHECK(parse_precision(name(precision)) == precision);
  CHECK(!parse_precision("lower").has_value());
  auto devices = open_devices("cpu", {}, Precision::Low);
  REQUIRE(!devices.ok());
  CHECK(devices.error().message == "backend 'cpu' computes with precision high or normal, not 'low'");
}

}  // namespace arenascope::test
