// SPDX-License-Identifier: MIT
// Adapters with real libraries: the C library's heap, and OpenCL's loader with any available device (PoCL).
#include <arenascope/trace/bind_event.h>

#include "tests/engine/attach/watched.h"

#include <fstream>
#include <map>

using namespace arenascope;
using namespace arenascope::test;
using trace::Event;
using trace::EventKind;

namespace {

std::string allocator_name(const trace::Snapshot& s, uint32_t id) {
  for (const auto& a : s.allocators)
    if (a.id == id) return a.name;
  return "";
}

// The live bytes after each event that allocates or frees memory, in the order of the recording.
std::vector<int64_t> live_bytes(const trace::Snapshot& s) {
  std::vector<int64_t> out;
  int64_t live = 0;
  for (size_t i = 0; i < s.memory_events.size(); ++i) {
    const Event& e = s.event(s.memory_events[i]);
    live += e.kind() == EventKind::Alloc ? e.b : -e.b;
    out.push_back(live);
  }
  return out;
}

// Allocations that were put, within their space, where another still lay.
int overlaps(const trace::Snapshot& s) {
  std::map<uint32_t, std::map<int64_t, int64_t>> live;  // per allocator: ends by begins
  int out = 0;
  for (size_t i = 0; i < s.memory_events.size(); ++i) {
    const Event& e = s.event(s.memory_events[i]);
    auto& own = live[e.extra()];
    if (e.kind() != EventKind::Alloc) {
      own.erase(e.a);
      continue;
    }
    const auto next = own.lower_bound(e.a + e.b);
    out += next != own.begin() && std::prev(next)->second > e.a ? 1 : 0;
    own[e.a] = e.a + e.b;
  }
  return out;
}

std::vector<int64_t> numbers_in(const std::string& path) {
  std::ifstream in(path);
  std::vector<int64_t> out;
  for (int64_t n = 0; in >> n;) out.push_back(n);
  return out;
}

}  // namespace

#ifdef ARENASCOPE_MALLOC_ADAPTER
TEST_CASE("heap of an unmodified program, by call site") {
  Listening here;
  Target target(here.address(), {}, {"LD_PRELOAD=" ARENASCOPE_MALLOC_ADAPTER}, ARENASCOPE_MALLOC_TARGET);
  CHECK(target.ended() == 0);
  const auto s = here.end();
  CHECK(here.receiver->programs().at(0).lost == 0);
  std::map<std::string, int64_t> allocations, bytes;
  std::map<uint64_t, int64_t> live;  // an address is not allocated twice
  for (size_t i = 0; i < s->memory_events.size(); ++i) {
    const Event& e = s->event(s->memory_events[i]);
    const auto address = static_cast<uint64_t>(e.a);
    if (e.kind() == EventKind::Alloc) {
      CHECK(live.emplace(address, e.b).second);
      const std::string name = allocator_name(*s, e.allocator());
      ++allocations[name.substr(0, name.find('+'))];
      bytes[name.substr(0, name.find('+'))] += e.b;
    } else {
      REQUIRE(live.count(address) == 1);
      CHECK(live[address] == e.b);
      live.erase(address);
    }
  }
  CHECK(live.empty());
  CHECK(allocations["load_weights"] == 1);
  CHECK(bytes["load_weights"] == 1000000);
  CHECK(allocations["make_activations"] == 400);
  CHECK(bytes["make_activations"] == 400 * 100000);
  CHECK(allocations["main"] == 2);
  CHECK(bytes["main"] == 2300000);
  CHECK(s->peak(trace::MemoryKind::Default, trace::MemoryCount::Active) >= 2300000);
}
#endif

#ifdef ARENASCOPE_MALLOC_ADAPTER
TEST_CASE("heap: a library that allocates while it is loaded does not block") {
  Listening here;
  Target target(here.address(), {ARENASCOPE_MALLOC_LIBRARY}, {"LD_PRELOAD=" ARENASCOPE_MALLOC_ADAPTER},
                ARENASCOPE_MALLOC_TARGET);
  CHECK(target.ended() == 0);
  CHECK(here.end()->memory_events.size() >= 3);
}
#endif

#ifdef ARENASCOPE_OPENCL_ADAPTER
TEST_CASE(
    "OpenCL: live bytes are an independent count at each change; what a queue was given is a graph, and runs of it") {
  Listening here;
  const std::string counted = here.folder / "counted";
  Target target(here.address(), {}, {"OPENCL_LAYERS=" ARENASCOPE_OPENCL_ADAPTER}, ARENASCOPE_OPENCL_TARGET, counted);
  const int status = target.ended();
  if (status == 77) {
    MESSAGE("skipped: there is no OpenCL device");
    return;
  }
  REQUIRE(status == 0);
  const auto s = here.end();
  REQUIRE(numbers_in(counted).size() >= 4);
  CHECK(live_bytes(*s) == numbers_in(counted));
  CHECK(overlaps(*s) == 0);
  CHECK(s->devices.size() == 1);
  CHECK_FALSE(s->devices.at(0).name.empty());
  CHECK(here.receiver->programs().at(0).refused == 0);
  // write y and three times x = 2 y; twice that: two kernels on a part of x; these and map x; unmap, which is a span.
  using trace::TensorRef;
  REQUIRE(s->graphs.size() == 3);
  const trace::GraphInfo& graph = *s->graphs[0];
  REQUIRE(graph.nodes.size() == 4);
  REQUIRE(graph.leafs.size() == 2);
  const TensorRef y = TensorRef::leaf(LeafId(0)), x = TensorRef::leaf(LeafId(1));
  const auto node = [](int i) { return TensorRef::node(NodeId(i)); };
  CHECK(graph.nodes[0].op == "write buffer");
  CHECK(graph.nodes[0].sources == std::vector{y});
  CHECK(graph.nodes[1].op == "twice");
  CHECK(graph.nodes[1].sources == std::vector{x, node(0)});
  CHECK(graph.nodes[2].sources == std::vector{node(1), node(0)});  // y is only read
  CHECK(graph.nodes[3].view_source == x);
  CHECK(graph.nodes[3].bytes == 16384);
  CHECK((graph.nodes[3].flags & trace::kWritesSource) != 0);
  CHECK(graph.leafs[1].bytes == 16384);
  CHECK(s->graphs[1]->nodes.size() == 2);
  CHECK(s->graphs[1]->leafs.size() == 2);  // a part is its buffer
  CHECK(s->graphs[2]->nodes.back().op == "map buffer");
  REQUIRE(s->runs.size() == 4);
  CHECK(s->runs[2].info.graph == s->runs[1].info.graph);
  Nanoseconds last = 0;
  for (size_t r = 0; r < 4; ++r) {
    CHECK(s->runs[r].finished);
    CHECK(s->runs[r].info.begin >= last);
    last = s->runs[r].end;
    REQUIRE(s->runs[r].table);
    for (const auto& row : s->runs[r].table->nodes) CHECK(row.host.count + row.device.count == 1);
  }
  // Buffers know the graph that uses them.
  size_t owned = 0;
  for (size_t i = 0; i < s->space_slices.size(); ++i) owned += s->space_slices[i].tensor.valid() ? 1 : 0;
  CHECK(owned == 2);
}
#endif

#ifdef ARENASCOPE_CUDA_ADAPTER
TEST_CASE("CUDA: live bytes equal an independent count at each call, also out of order; kernels are on their streams") {
  Listening here;
  const std::string counted = here.folder / "counted";
  Target target(here.address(), {},
                {"CUDA_INJECTION64_PATH=" ARENASCOPE_CUDA_ADAPTER, "ARENASCOPE_CUPTI=" ARENASCOPE_FAKE_CUPTI},
                ARENASCOPE_CUDA_TARGET, counted);
  REQUIRE(target.ended() == 0);
  const auto s = here.end();
  CHECK(here.receiver->programs().at(0).refused == 0);
  CHECK(s->lost == 0);
  CHECK(s->problems.size() == 0);
  REQUIRE(numbers_in(counted).size() == 20010);
  CHECK(live_bytes(*s) == numbers_in(counted));
  CHECK(s->peak(trace::MemoryKind::HostPinned, trace::MemoryCount::Active) == 1 << 20);
  CHECK(s->all_active.at(s->time.end) == 4096 + 512 + 2000 + 3000);
  std::map<std::string, int> spans;
  for (const auto& track : s->tracks)
    if (track.info.kind == trace::TrackKind::DeviceQueue)
      for (size_t i = 0; i < track.lanes.at(0).rows.size(); ++i)
        ++spans[track.info.name + ": " +
                std::string(s->name(trace::NameId(static_cast<int32_t>(track.lanes[0].rows[i].id))))];
  CHECK(spans.size() == 4);
  // The target loads no C++ library by itself: the name is readable only if a preloaded library does.
  CHECK(spans["CUDA device 0, stream 7: twice<int>"] + spans["CUDA device 0, stream 7: _Z5twiceIiEvPf"] == 3);
  CHECK(spans["CUDA device 0, stream 8: add"] == 1);
  CHECK(spans["CUDA device 0, stream 7: copy host to device"] == 1);
  CHECK(spans["CUDA device 0, stream 7: fill"] == 1);
  std::map<std::string, int64_t> live;
  for (size_t i = 0; i < s->memory_events.size(); ++i) {
    const Event& e = s->event(s->memory_events[i]);
    live[allocator_name(*s, e.allocator())] += e.kind() == EventKind::Alloc ? e.b : -e.b;
  }
  CHECK(live["memory of CUDA device 0"] == 4096 + 512);
  CHECK(live["memory pool 1 of CUDA device 0"] == 2000);
  CHECK(live["memory pool 2 of CUDA device 0"] == 3000);
  std::map<std::string, std::vector<double>> reserved;
  for (size_t c = 0; c < s->counters.size(); ++c)
    for (size_t i = 0; i < s->counter_series[c].samples.size(); ++i)
      reserved[s->counters[c].name].push_back(s->counter_series[c].samples[i].value);
  CHECK(reserved["reserved by memory pool 1 of CUDA device 0"] == std::vector<double>{1 << 25, 0});
  CHECK(reserved["reserved by memory pool 2 of CUDA device 0"] == std::vector<double>{1 << 26});
}

TEST_CASE("CUDA: an unknown value of ARENASCOPE_CUDA_RECORD is reported and kernels are recorded") {
  Listening here;
  Target target(here.address(), {},
                {"CUDA_INJECTION64_PATH=" ARENASCOPE_CUDA_ADAPTER, "ARENASCOPE_CUPTI=" ARENASCOPE_FAKE_CUPTI,
                 "ARENASCOPE_CUDA_RECORD=kernel"},
                ARENASCOPE_CUDA_TARGET, here.folder / "counted");
  CHECK(target.ended() == 0);
  const auto s = here.end();
  REQUIRE(s->problems.size() == 1);
  CHECK(s->problems[0].sentence.find("found 'kernel'") != std::string::npos);
  CHECK(s->memory_events.size() > 20000);
}

TEST_CASE("CUDA: missing CUPTI is reported and the program continues") {
  Listening here;
  Target target(here.address(), {},
                {"CUDA_INJECTION64_PATH=" ARENASCOPE_CUDA_ADAPTER, "ARENASCOPE_CUPTI=/nowhere/libcupti.so"},
                ARENASCOPE_CUDA_TARGET);
  CHECK(target.ended() == 0);
  const auto s = here.end();
  REQUIRE(s->problems.size() == 1);
  CHECK(s->problems[0].sentence.find("libcupti.so) was not found") != std::string::npos);
}
#endif

#ifdef ARENASCOPE_GGML_ADAPTER
namespace {

std::shared_ptr<const trace::Snapshot> watch_ggml(const std::vector<std::string>& arguments, const char* nodes,
                                                  const char* release = "FAKE_GGML=") {
  Listening here;
  CHECK(
      Target(here.address(), arguments, {"LD_PRELOAD=" ARENASCOPE_GGML_ADAPTER, nodes, release}, ARENASCOPE_GGML_TARGET)
          .ended() == 0);
  auto s = here.end();
  CHECK(here.receiver->programs().at(0).refused == 0);
  CHECK(s->lost == 0);
  return s;
}

}  // namespace

TEST_CASE("ggml: nodes, offsets, splits and buffers equal the program's") {
  std::string release;
  SUBCASE("today's") {}
  SUBCASE("with gradients in its tensors") { release = "gradient"; }
  const auto s = watch_ggml({}, "ARENASCOPE_GGML_NODES=0", ("FAKE_GGML=" + release).c_str());
  REQUIRE(s->graphs.size() == 1);  // computed three times
  const trace::GraphInfo& graph = *s->graphs[0];
  REQUIRE(graph.nodes.size() == 5);
  REQUIRE(graph.leafs.size() == 3);
  CHECK(graph.nodes[0].name == "y");
  CHECK(graph.nodes[0].op == "MUL_MAT");
  CHECK(graph.nodes[0].shape == std::vector<int64_t>{8, 64});
  CHECK(graph.nodes[0].backend == "FAKE");
  CHECK(graph.nodes[0].sources == std::vector{trace::TensorRef::leaf(LeafId(0)), trace::TensorRef::leaf(LeafId(1))});
  CHECK(graph.nodes[2].view_source == trace::TensorRef::node(NodeId(1)));
  CHECK(graph.nodes[2].flags == trace::kView);
  CHECK(graph.nodes[4].flags == (trace::kView | trace::kWritesSource));
  CHECK(graph.nodes[4].view_source == trace::TensorRef::leaf(LeafId(2)));
  CHECK(graph.leafs[0].flags == trace::kWeight);
  CHECK(graph.leafs[1].flags == trace::kInput);
  CHECK(graph.nodes[3].flags == trace::kOutput);
  REQUIRE(s->runs.size() == 3);
  CHECK(s->runs[2].finished);
  REQUIRE(s->plans.size() == 1);
  CHECK(s->runs[0].info.plan == s->plans[0]->id);
  CHECK(s->plans[0]->arena_bytes == 4096 + 2048);     // one buffer after the other
  std::map<uint32_t, std::array<int64_t, 3>> places;  // offset, first, last
  for (const auto& slice : s->plans[0]->slices)
    places[slice.tensor.value] = {slice.offset, slice.first.value, slice.last.value};
  CHECK(places.size() == 4);
  CHECK(places[0] == std::array<int64_t, 3>{2048, 0, 2});
  CHECK(places[1] == std::array<int64_t, 3>{0, 1, 4});
  CHECK(places[3] == std::array<int64_t, 3>{4096, 3, 5});
  CHECK(places[trace::TensorRef::leaf(LeafId(1)).value] == std::array<int64_t, 3>{0, 0, 2});
  CHECK(s->peak(trace::MemoryKind::Persistent, trace::MemoryCount::Active) == 16384);
  CHECK(s->peak(trace::MemoryKind::Workspace, trace::MemoryCount::Active) == 4096 + 2048);
  CHECK(s->peak(trace::MemoryKind::KVCache, trace::MemoryCount::Active) == 8192);  // a graph writes into it
  CHECK(s->all_active.at(s->time.end) == 0);
  int splits = 0;
  for (const auto& track : s->tracks)
    for (size_t i = 0; i < track.lanes.at(0).rows.size(); ++i)
      splits += s->name(trace::NameId(static_cast<int32_t>(track.lanes[0].rows[i].id))).starts_with("split on FAKE, ");
  CHECK(splits == 6);
}

TEST_CASE("ggml: every node has a time if requested") {
  const auto s = watch_ggml({}, "ARENASCOPE_GGML_NODES=1");
  REQUIRE(s->runs.size() == 3);
  for (size_t r = 0; r < 3; ++r) {
    REQUIRE(s->runs[r].table);
    REQUIRE(s->runs[r].table->nodes.size() == 5);
    for (const auto& node : s->runs[r].table->nodes) CHECK(node.host.count == 1);
  }
  CHECK(s->marks.size() == 15);
}

TEST_CASE("ggml: graphs of a release with an unknown tensor layout are skipped with a warning") {
  const auto s = watch_ggml({"strange"}, "ARENASCOPE_GGML_NODES=0");
  CHECK(s->graphs.empty());
  CHECK(s->runs.empty());
  REQUIRE(s->problems.size() == 1);
  CHECK(s->problems[0].sentence.find("unknown tensor layout") != std::string::npos);
  CHECK(s->peak(trace::MemoryKind::Workspace, trace::MemoryCount::Active) == 4096 + 2048);
}
#endif
