// SPDX-License-Identifier: GPL-3.0-or-later
// Content, filled panels and kind of layout of a document, for each kind of file. No widgets.
#include <doctest/doctest.h>

#include <arenascope/schedule/intervals_file.h>
#include <arenascope/trace/import.h>

#include <algorithm>
#include <set>

#include "app/window/panels/panel_content.h"
#include "tests/engine/trace/pickled.h"
#include "tests/engine/trace/sample_executorch.h"
#include "tests/engine/trace/sample_traces.h"
#include "tests/engine/trace/temp_file.h"

using namespace arenascope;
using namespace arenascope::app;

namespace {

const std::string kSpansAlone = R"({"traceEvents":[
  {"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"outer"},{"ph":"X","pid":1,"tid":2,"ts":2,"dur":3,"name":"inner"}]})";
const std::string kCountersAlone = R"({"traceEvents":[
  {"ph":"C","pid":1,"ts":1,"name":"loss","args":{"loss":2.5}},{"ph":"C","pid":1,"ts":9,"name":"loss","args":{"loss":1}}]})";
// PyTorch's profiler: spans, and memory by size without the addresses of its segments.
const std::string kProfile = R"({"traceEvents":[
  {"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":50,"name":"aten::mm","args":{}},
  {"ph":"i","s":"t","pid":1,"tid":1,"ts":10,"name":"[memory]",
   "args":{"Device Type":1,"Device Id":0,"Bytes":1024,"Total Allocated":1024,"Total Reserved":2048}},
  {"ph":"i","s":"t","pid":1,"tid":1,"ts":30,"name":"[memory]",
   "args":{"Device Type":1,"Device Id":0,"Bytes":-1024,"Total Allocated":0,"Total Reserved":2048}}]})";
const std::string kBuffers = "id,lower,upper,size\na,0,4,64\nb,2,6,32\nc,5,8,64\n";

// As the window shows it without a choice by the user.
DocumentContent content_of_session(const trace::Session& session, const DocumentRole& role = {}) {
  const auto snapshot = session.snapshot();
  const trace::GraphInfo* graph = snapshot->graphs.empty() ? nullptr : snapshot->graphs.front().get();
  const trace::PlanInfo* plan = snapshot->plans.empty() ? nullptr : snapshot->plans.back().get();
  return content_of(*snapshot, graph, plan, role);
}

DocumentContent content_of_trace(const std::string& bytes, const char* name) {
  const test::TempFile file(name);
  std::ofstream(file.path, std::ios::binary) << bytes;
  trace::Session session;
  const auto report = trace::open_trace(file.path.string(), session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  return content_of_session(session);
}

DocumentContent content_of_buffers() {
  const test::TempFile file("buffers.csv");
  std::ofstream(file.path) << kBuffers;
  const auto session = open_intervals(file.path, "search", 0.1);
  REQUIRE(session.ok());
  return content_of_session(**session);
}

using Panels = std::set<PanelId>;

Panels panels_of(const DocumentContent& content) {
  Panels panels;
  for (size_t i = 0; i < kPanelCount; ++i)
    if (const auto id = static_cast<PanelId>(i); has_content(id, content)) panels.insert(id);
  return panels;
}

}  // namespace

TEST_CASE("a trace of spans has a timeline, a flame graph and nothing else") {
  const DocumentContent content = content_of_trace(kSpansAlone, "spans.json");
  CHECK(layout_kind_of(content) == LayoutKind::Trace);
  CHECK(panels_of(content) == Panels{PanelId::Flame, PanelId::Timeline, PanelId::Durations, PanelId::Spans,
                                     PanelId::Inspector, PanelId::Lesson, PanelId::Notes, PanelId::Query,
                                     PanelId::Search});
}

TEST_CASE("the memory of a profiler has an occupancy, but no addresses for a map") {
  const DocumentContent content = content_of_trace(kProfile, "profile.json");
  CHECK(layout_kind_of(content) == LayoutKind::Trace);
  CHECK(has_content(PanelId::Timeline, content));
  CHECK(has_content(PanelId::Occupancy, content));
  CHECK(has_content(PanelId::Allocators, content));
  for (const PanelId empty : {PanelId::Graph, PanelId::Nodes, PanelId::Arena, PanelId::Lifetimes, PanelId::Planners,
                              PanelId::Settings, PanelId::Text})
    CHECK_MESSAGE(!has_content(empty, content), name_of(empty));
}

TEST_CASE("counters without spans are a trace") {
  const DocumentContent content = content_of_trace(kCountersAlone, "counters.json");
  CHECK(layout_kind_of(content) == LayoutKind::Trace);
  CHECK(has_content(PanelId::Counters, content));
  CHECK(has_content(PanelId::Timeline, content));  // as curves
  CHECK(!has_content(PanelId::Flame, content));
}

TEST_CASE("a PyTorch snapshot has memory at addresses") {
  const DocumentContent content = content_of_trace(test::snapshot_pickle(), "snapshot.pickle");
  CHECK(layout_kind_of(content) == LayoutKind::Memory);
  for (const PanelId filled : {PanelId::Occupancy, PanelId::Arena, PanelId::Lifetimes, PanelId::CallSites,
                               PanelId::Flame, PanelId::Allocators, PanelId::Blocks, PanelId::Pools})
    CHECK_MESSAGE(has_content(filled, content), name_of(filled));
  for (const PanelId empty : {PanelId::Graph, PanelId::Nodes, PanelId::Planners, PanelId::Barriers, PanelId::Settings,
                              PanelId::Training, PanelId::Laboratory})
    CHECK_MESSAGE(!has_content(empty, content), name_of(empty));
  DocumentContent file = content;
  file.role.replayable = true;
  CHECK(has_content(PanelId::Laboratory, file));
}

TEST_CASE("a snapshot without history has a map of the moment and no curve") {
  for (const bool traces : {false, true}) {
    const DocumentContent content = content_of_trace(test::snapshot_without_history(traces), "moment.pickle");
    CHECK(layout_kind_of(content) == LayoutKind::Memory);
    CHECK(!content.history);
    for (const PanelId filled : {PanelId::Arena, PanelId::Blocks, PanelId::Allocators, PanelId::Pools})
      CHECK_MESSAGE(has_content(filled, content), name_of(filled));
    for (const PanelId empty : {PanelId::Occupancy, PanelId::Lifetimes, PanelId::Timeline, PanelId::Laboratory})
      CHECK_MESSAGE(!has_content(empty, content), name_of(empty));
  }
}

TEST_CASE("an ONNX Runtime profile has a graph with times, but no memory") {
  const DocumentContent content = content_of_trace(test::kOnnxRuntimeProfile, "profile.json");
  CHECK(layout_kind_of(content) == LayoutKind::Model);
  for (const PanelId filled : {PanelId::Graph, PanelId::Nodes, PanelId::Timeline, PanelId::Flame})
    CHECK_MESSAGE(has_content(filled, content), name_of(filled));
  for (const PanelId empty : {PanelId::Occupancy, PanelId::Arena, PanelId::Lifetimes, PanelId::Allocators,
                              PanelId::Settings, PanelId::Training})
    CHECK_MESSAGE(!has_content(empty, content), name_of(empty));
}

TEST_CASE("a graph in DOT has a graph, without sizes, times or memory") {
  const DocumentContent content = content_of_trace(test::ggml_dot(), "graph.dot");
  CHECK(layout_kind_of(content) == LayoutKind::Model);
  CHECK(panels_of(content) == Panels{PanelId::Graph, PanelId::Nodes, PanelId::Ops, PanelId::Layers, PanelId::Bytes,
                                     PanelId::Inspector, PanelId::Lesson, PanelId::Notes, PanelId::Query,
                                     PanelId::Search});
}

TEST_CASE("a program of ExecuTorch has a graph and a plan, but no times") {
  const DocumentContent content = content_of_trace(test::executorch_program(), "program.pte");
  CHECK(layout_kind_of(content) == LayoutKind::Model);
  for (const PanelId filled :
       {PanelId::Graph, PanelId::Nodes, PanelId::Occupancy, PanelId::Arena, PanelId::Lifetimes, PanelId::Planners})
    CHECK_MESSAGE(has_content(filled, content), name_of(filled));
  CHECK(!has_content(PanelId::Timeline, content));
}

TEST_CASE("buffers of a CSV have a plan, but no graph") {
  const DocumentContent content = content_of_buffers();
  CHECK(layout_kind_of(content) == LayoutKind::Plan);
  CHECK(content.plannable);
  for (const PanelId filled :
       {PanelId::Arena, PanelId::Lifetimes, PanelId::Occupancy, PanelId::Planners, PanelId::Blocks})
    CHECK_MESSAGE(has_content(filled, content), name_of(filled));
  for (const PanelId empty : {PanelId::Graph, PanelId::Nodes, PanelId::Ops, PanelId::Layers, PanelId::Moves,
                              PanelId::Timeline, PanelId::Allocators})
    CHECK_MESSAGE(!has_content(empty, content), name_of(empty));
}

// The kind does not change while another program is recorded, so that panels keep their positions.
TEST_CASE("a program that is being recorded has the layout of a model from its first event on") {
  trace::Session session;
  DocumentRole role;
  role.attached = true;
  CHECK(layout_kind_of(content_of_session(session, role)) == LayoutKind::Model);
  CHECK(panels_of(content_of_session(session, role)) ==
        Panels{PanelId::Inspector, PanelId::Lesson, PanelId::Notes, PanelId::Query, PanelId::Search});
}

TEST_CASE("an empty document and one of a lesson show every panel") {
  DocumentContent lesson = content_of_buffers();
  lesson.role.lesson = true;
  CHECK(layout_kind_of(lesson) == LayoutKind::Model);
  CHECK(panels_of(lesson).size() == kPanelCount);
  CHECK(panels_of(DocumentContent{}).size() == kPanelCount);
  CHECK(layout_kind_of(DocumentContent{}) == LayoutKind::Model);
  CHECK(!panel_named("no such panel"));
}
