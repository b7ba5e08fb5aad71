// SPDX-License-Identifier: MIT
// Adapters with the real thing: the C library's heap, and OpenCL's loader with whatever device there is (PoCL).
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

// The live bytes behind each event that makes or releases some, in the order in which they were recorded.
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

std::vector<int64_t> numbers_in(const std::string& path) {
  std::ifstream in(path);
  std::vector<int64_t> out;
  for (int64_t n = 0; in >> n;) out.push_back(n);
  return out;
}

}  // namespace

#ifdef ARENASCOPE_MALLOC_ADAPTER
TEST_CASE("the heap of a program that knows nothing of it, by call site") {
  Listening here;
  Target target(here.address(), {}, {"LD_PRELOAD=" ARENASCOPE_MALLOC_ADAPTER}, ARENASCOPE_MALLOC_TARGET);
  CHECK(target.ended() == 0);
  const auto s = here.end();
  CHECK(here.receiver->programs().at(0).lost == 0);
  std::map<std::string, int64_t> allocations, bytes;
  std::map<uint64_t, int64_t> live;  // no address is handed out twice
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

#ifdef ARENASCOPE_OPENCL_ADAPTER
TEST_CASE("OpenCL: live bytes are an independent count at each call; kernels and copies lie on their queue") {
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
  std::map<std::string, int> spans;
  Nanoseconds last = 0;
  for (const auto& track : s->tracks) {
    if (track.info.kind != trace::TrackKind::DeviceQueue) continue;
    for (size_t i = 0; i < track.lanes.at(0).rows.size(); ++i) {
      const Event& e = track.lanes[0].rows[i];
      ++spans[std::string(s->name(trace::NameId(static_cast<int32_t>(e.id))))];
      CHECK(e.begin() <= e.end());
      last = std::max(last, e.end());
    }
  }
  CHECK(spans["twice"] == 3);
  CHECK(spans["write buffer"] == 1);
  CHECK(spans["map buffer"] == 1);
  CHECK(spans["unmap"] == 1);
  CHECK(s->devices.size() == 1);
  CHECK_FALSE(s->devices.at(0).name.empty());
}
#endif
