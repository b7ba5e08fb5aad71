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
  CHECK(devices.error().message == "backend 'cpu' has no option 'precision'");
}

}  // namespace arenascope::test
