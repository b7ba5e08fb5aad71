// SPDX-License-Identifier: MIT
#include <arenascope/graph/builder.h>
#include <arenascope/graph/graph_text.h>
#include <arenascope/run/backends.h>
#include <arenascope/run/runner.h>

#include <algorithm>
#include <cstring>
#include <set>

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

TEST_CASE("a program compiled without weights gives the outputs of Runner::open") {
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

namespace {

// result = op(first, second), and first has a later consumer; `narrow`: the first is broadcast.
models::Model exchanged(Op op, DType dtype, bool narrow) {
  models::Model model;
  model.name = "exchanged";
  model.context = *Context::create({1 << 20, nullptr, true});
  GraphBuilder b(model.context);
  const Tensor x = b.input("x", {97, 130}, dtype), row = b.input("row", {130}, dtype);
  const Tensor& from = narrow ? row : x;
  const Tensor first = b.op(Op::Mul, {from, from}), second = b.op(Op::Add, {x, x});
  const Tensor out = b.op(Op::Sub, {b.op(op, {first, second}), first});
  b.output(out);
  REQUIRE(b.ok());
  model.graph = *model.context.new_graph(16);
  REQUIRE(model.graph.expand(out).ok());
  const auto value = [](const Tensor& t, const char* name) {
    return models::ValueInfo{name, t->dtype, t->sizes, t, nullptr};
  };
  model.inputs.push_back(value(x, "x"));
  if (narrow) model.inputs.push_back(value(row, "row"));
  model.outputs.push_back(value(out, "out"));
  return model;
}

// Its output, and whose bytes the op took over.
struct Exchanged {
  std::vector<std::byte> bytes;
  Op from = Op::None;
};
Exchanged run_exchanged(const Devices& devices, models::Model model, bool in_place) {
  RunnerOptions options;
  options.threads = 3;
  options.planner = "greedy-by-size";
  options.in_place = in_place;
  auto program = compile(model, devices, options);
  REQUIRE_MESSAGE(program.ok(), program.error().message);
  auto runner = Runner::create(std::move(model), std::move(*program), options);
  REQUIRE_MESSAGE(runner.ok(), runner.error().message);
  Exchanged out;
  const ExecutionPlan& plan = (*runner)->plan();
  for (const PlannedTensor& tensor : plan.memory.tensors)
    if (tensor.in_place_of.valid() && plan.graph.node(tensor.node).op != Op::Sub)
      out.from = plan.graph.node(tensor.in_place_of).op;
  auto ran = (*runner)->run();
  REQUIRE_MESSAGE(ran.ok(), ran.error().message);
  auto bytes = (*runner)->output(0);
  REQUIRE_MESSAGE(bytes.ok(), bytes.error().message);
  out.bytes = std::move(*bytes);
  return out;
}

}  // namespace

TEST_CASE("compilation is a sequence of passes with reports") {
  auto devices = open_devices("cpu");
  REQUIRE(devices.ok());
  const models::Model model = squeezenet();
  CompileOptions options = quick();
  options.rewrite = true;
  std::vector<std::pair<std::string, std::string>> dumps;
  options.after_pass = [&](const PassInfo& pass, const Graph& graph) { dumps.emplace_back(pass.name, to_text(graph)); };
  auto program = compile(model, *devices, options);
  REQUIRE_MESSAGE(program.ok(), program.error().message);
  const auto names = [&] {
    std::vector<std::string> out;
    for (const PassReport& report : program->passes) out.emplace_back(report.pass->name);
    return out;
  };
  CHECK(names() == std::vector<std::string>{"import", "rewrite", "fuse", "plan", "schedule"});
  REQUIRE(dumps.size() == program->passes.size());
  for (size_t i = 0; i < dumps.size(); ++i) {
    const PassReport& report = program->passes[i];
    CAPTURE(report.pass->name);
    CHECK(dumps[i].first == report.pass->name);
    CHECK(report.seconds >= 0);
    CHECK((i == 0 ? report.nodes_before == 0 : report.nodes_before == program->passes[i - 1].nodes_after));
    if (i > 0 && report.change.empty()) CHECK(dumps[i].second == dumps[i - 1].second);
    const auto parsed = parse_graph(dumps[i].second, *Context::create({.no_alloc = true, .grow = true}));
    REQUIRE_MESSAGE(parsed.ok(), parsed.error().message);
    CHECK(to_text(parsed->graph) == dumps[i].second);
    CHECK(report.nodes_after == static_cast<int64_t>(parsed->graph.nodes().size()));
  }
  CHECK(program->passes[0].nodes_after == static_cast<int64_t>(model.graph.nodes().size()));
  CHECK(dumps.back().second == to_text(program->plan.graph));
  CHECK(program->passes[2].nodes_after < program->passes[2].nodes_before);

  // Planning again reports the passes of planning, and the others once.
  options.capacity = program->plan.memory.arena_bytes - 1;
  options.in_place = false;
  if (replan(*program, options))
    CHECK(names() == std::vector<std::string>{"import", "rewrite", "fuse", "plan", "fit", "schedule"});
  options.capacity.reset();
  REQUIRE(replan(*program, options).ok());
  CHECK(names() == std::vector<std::string>{"import", "rewrite", "fuse", "plan", "schedule"});
}

TEST_CASE("each pass has a name and a contract of one sentence") {
  std::set<std::string> names;
  for (const PassInfo& pass : compile_passes()) {
    CHECK(names.insert(pass.name).second);
    CHECK(find_pass(pass.name) == &pass);
    const std::string_view contract = pass.contract;
    CHECK(contract.ends_with('.'));
    CHECK(std::count(contract.begin(), contract.end(), '.') == 1);
  }
  CHECK(find_pass("nothing") == nullptr);
}

TEST_CASE("an in-place op on its second source gives the same output on every backend") {
  for (const BackendStatus& status : list_backends()) {
    if (!status.missing.empty()) continue;
    CAPTURE(status.device);
    const auto devices = open_devices(status.backend);
    REQUIRE_MESSAGE(devices.ok(), devices.error().message);
    for (const DType dtype : {DType::F32, DType::F16, DType::I32})
      for (const Op op : {Op::Min, Op::Max, Op::BitXor})
        for (const bool narrow : {false, true}) {
          if ((op == Op::BitXor) != (dtype == DType::I32)) continue;
          CAPTURE(name(dtype));
          CAPTURE(name(op));
          CAPTURE(narrow);
          const Exchanged apart = run_exchanged(*devices, exchanged(op, dtype, narrow), false);
          const Exchanged over = run_exchanged(*devices, exchanged(op, dtype, narrow), true);
          CHECK(apart.from == Op::None);
          CHECK(over.from == Op::Add);
          CHECK(over.bytes == apart.bytes);
        }
  }
}

TEST_CASE("compile errors give the reason") {
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

TEST_CASE("resnet50 op by op needs less than 7 MB: the ADD at the peak runs in place") {
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

TEST_CASE("a failed plan leaves the runner unchanged") {
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

TEST_CASE("names of precisions are parsed and printed") {
  for (auto precision : {Precision::High, Precision::Normal, Precision::Low})
    CHECK(parse_precision(name(precision)) == precision);
  CHECK(!parse_precision("lower").has_value());
  auto devices = open_devices("cpu", {}, Precision::Low);
  REQUIRE(!devices.ok());
  CHECK(devices.error().message == "backend 'cpu' supports precision high and normal, not 'low'");
}

}  // namespace arenascope::test
