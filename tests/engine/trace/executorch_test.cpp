// SPDX-License-Identifier: MIT
// ExecuTorch's programs and event dumps, made here field by field as its schemas have them.
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <fstream>
#include <random>

#include "tests/engine/trace/flat_writer.h"
#include "tests/engine/trace/temp_file.h"

using namespace arenascope;
using namespace arenascope::trace;
using test::FlatWriter;
using Fields = std::vector<FlatWriter::Field>;

namespace {

// x (given) and w (constant) → conv → relu → y. The two results lie at 0 and 64 of buffer 1, x at 128.
std::string program() {
  FlatWriter w("ET12");
  const auto place = [&](uint32_t offset) { return w.table(6, {w.scalar<uint32_t>(0, 1), w.scalar(1, offset)}); };
  const auto tensor = [&](Fields more) {
    Fields fields{w.scalar<int8_t>(0, 6), w.numbers<int32_t>(2, {4, 4})};
    fields.insert(fields.end(), more.begin(), more.end());
    return Fields{w.scalar<uint8_t>(0, 5), w.table(1, fields)};
  };
  const auto call = [&](int32_t op, std::vector<int32_t> arguments) {
    return Fields{w.scalar<uint8_t>(0, 1), w.table(1, {w.scalar(0, op), w.numbers(1, arguments)})};
  };
  const Fields number{w.scalar<uint8_t>(0, 2), w.table(1, {w.scalar<int64_t>(0, 7)})};
  const Fields method{
      w.text(0, "forward"),
      w.tables(2, {tensor({place(128)}), tensor({w.scalar<uint32_t>(5, 3)}), number, tensor({place(0)}),
                   tensor({place(64)})}),
      w.numbers<int32_t>(3, {0}),
      w.numbers<int32_t>(4, {4}),
      w.tables(5, {{w.tables(2, {call(0, {0, 1, 2, 3, 3}), {w.scalar<uint8_t>(0, 5)}, call(1, {3, 4, 4})})}}),
      w.tables(6, {{w.text(0, "aten::convolution"), w.text(1, "out")}, {w.text(0, "aten::relu"), w.text(1, "out")}}),
      w.numbers<int64_t>(8, {0, 192}),
  };
  return w.finish({w.tables(1, {method})});
}

std::string dump() {
  FlatWriter w("ED00");
  const auto event = [&](const std::string& name, int32_t chain, int32_t instruction, uint64_t begin, uint64_t end) {
    return Fields{w.table(
        0, {w.text(0, name), w.scalar(1, chain), w.scalar(2, instruction), w.scalar(6, begin), w.scalar(7, end)})};
  };
  const Fields allocation{w.table(1, {w.scalar<int32_t>(0, 0), w.scalar<uint64_t>(1, 4096)})};
  std::vector<Fields> blocks{{w.text(0, "Default"), w.tables(3, {event("Program::load_method", -1, 0, 100, 200)})}};
  for (const uint64_t at : {1000u, 3000u})
    blocks.push_back({w.text(0, "Execute"), w.tables(2, {{w.text(0, "method allocator")}}),
                      w.tables(3, {allocation, event("native_call_convolution.out", 0, 0, at + 20, at + 180),
                                   event("OPERATOR_CALL", 0, 0, at + 10, at + 200),
                                   event("native_call_relu.out", 0, 2, at + 220, at + 300),
                                   event("OPERATOR_CALL", 0, 2, at + 210, at + 310),
                                   event("Method::execute", -1, 0, at, at + 320)})});
  return w.finish({w.tables(1, blocks)});
}

std::shared_ptr<const Snapshot> opened(const std::string& bytes) {
  Session session;
  const auto report = open_trace(as_bytes(bytes), "x", session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  return session.snapshot();
}

void check_runs(const Snapshot& s) {
  REQUIRE(s.runs.size() == 2);
  for (size_t i = 0; i < s.runs.size(); ++i) {
    const Run& run = s.runs[i];
    CHECK(run.end - run.info.begin == 320);
    REQUIRE(run.table);
    REQUIRE(run.table->nodes.size() == 2);
    CHECK(run.table->nodes[0].host.count == 1);
    CHECK(run.table->nodes[0].host.busy == 190);
    CHECK(run.table->nodes[1].host.busy == 100);
  }
}

}  // namespace

TEST_CASE("an ExecuTorch program is a graph, and a plan of where its tensors lie") {
  const auto s = opened(program());
  REQUIRE(s->graphs.size() == 1);
  const GraphInfo& graph = *s->graphs[0];
  CHECK(graph.model == "forward");
  REQUIRE(graph.nodes.size() == 2);
  REQUIRE(graph.leafs.size() == 2);
  CHECK(graph.nodes[0].op == "convolution");
  CHECK(graph.nodes[0].sources == std::vector{TensorRef::leaf(LeafId(0)), TensorRef::leaf(LeafId(1))});
  CHECK(graph.nodes[1].sources == std::vector{TensorRef::node(NodeId(0))});
  CHECK(graph.nodes[1].shape == std::vector<int64_t>{4, 4});
  CHECK(graph.nodes[1].bytes == 64);
  CHECK(graph.nodes[1].flags == kOutput);
  CHECK(graph.leafs[0].flags == kInput);
  CHECK(graph.leafs[1].flags == kWeight);
  REQUIRE(s->plans.size() == 1);
  const PlanInfo& plan = *s->plans[0];
  CHECK(plan.arena_bytes == 192);
  CHECK(plan.lower_bound_bytes == 128);
  REQUIRE(plan.slices.size() == 3);
  CHECK(plan.slices[0].offset == 128);  // x, until the convolution has read it
  CHECK(plan.slices[0].last == Step(1));
  CHECK(plan.slices[1].offset == 0);
  CHECK(plan.slices[1].last == Step(2));
  CHECK(plan.slices[2].offset == 64);
  CHECK(s->runs.empty());
}

TEST_CASE("an event dump has a run for each execution; kernels are nodes") {
  const auto s = opened(dump());
  REQUIRE(s->graphs.size() == 1);
  REQUIRE(s->graphs[0]->nodes.size() == 2);
  CHECK(s->graphs[0]->nodes[0].op == "convolution");
  CHECK(s->graphs[0]->nodes[1].op == "relu");
  CHECK(s->source.entries == 1 + 2 * 6);  // a load, and of each execution five stretches of time and an allocation
  check_runs(*s);
  CHECK(s->plans.empty());
}

TEST_CASE("an event dump beside its program: times on its nodes, and memory where they ran") {
  const test::TempFile dumped("m.etdp"), beside("m.pte");
  std::ofstream(dumped.path, std::ios::binary) << dump();
  std::ofstream(beside.path, std::ios::binary) << program();
  Session session;
  const auto report = open_trace(dumped.path, session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  CHECK(report->format == "ExecuTorch event dump");
  const auto s = session.snapshot();
  REQUIRE(s->graphs.size() == 1);
  CHECK(s->graphs[0]->leafs.size() == 2);
  CHECK(s->runs[0].info.plan == s->plans[0]->id);
  check_runs(*s);
}

TEST_CASE("what is damaged is refused in a sentence, or read as far as it makes sense") {
  Session session;
  for (const std::string& sound : {program(), dump()}) {
    for (size_t n = 8; n < sound.size(); n += 3) {
      Session one;
      const auto report = open_trace(as_bytes(sound.substr(0, n)), "x", one);
      if (!report.ok()) CHECK(report.error().message.starts_with("x: "));
    }
    std::mt19937 random(7);
    for (int i = 0; i < 20000; ++i) {
      std::string broken = sound;
      for (uint32_t k = 0, most = 1 + random() % 4; k < most; ++k)
        broken[8 + random() % (broken.size() - 8)] = static_cast<char>(random());
      Session one;
      const auto report = open_trace(as_bytes(broken), "x", one);
      if (!report.ok()) CHECK(report.error().message.starts_with("x: "));
    }
  }
  CHECK(open_trace(as_bytes(std::string("\x08\0\0\0ED00", 8)), "x", session).error().message.find("has no events") !=
        std::string::npos);
}
