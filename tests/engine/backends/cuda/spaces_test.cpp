// SPDX-License-Identifier: MIT
// A session's view of a CUDA device's memory, compared with the simulated driver and with the context's counters.
#include <arenascope/trace/space_use.h>

#include <map>
#include <set>

#include "engine/backends/cuda/execution/staging.h"
#include "watched_network.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

bool on_gpu(const trace::Snapshot& s, trace::DeviceId id) {
  return id.valid() && id.index() < s.devices.size() && !s.devices[id.index()].host;
}

// The spaces come to what the driver holds, the slices to what the context has counted, by kind.
void compare(Watched& w) {
  const auto s = w.now();
  CHECK(s->lost == 0);
  Bytes held = 0;
  for (const trace::Space& space : s->open_spaces)
    if (on_gpu(*s, space.device)) held += space.bytes;
  CHECK(held == w.driver->held_memory());
  std::map<MemoryKind, Bytes> gpu, host;
  for (const trace::SpaceAllocation& slice : s->open_space_slices)
    (on_gpu(*s, slice.device) ? gpu : host)[static_cast<MemoryKind>(slice.kind)] += slice.bytes;
  for (const MemoryKind kind : kMemoryKinds) {
    CAPTURE(name(kind));
    CHECK(gpu[kind] == w.context->stats(w.driver->device(), kind).active);
    CHECK(host[kind] == w.context->stats({}, kind).active);
  }
  // Device allocations are inside of memory reserved from the driver.
  for (const trace::SpaceAllocation& slice : s->open_space_slices) {
    if (!on_gpu(*s, slice.device)) continue;
    int around = 0;
    for (const trace::Space& space : s->open_spaces)
      around +=
          space.device == slice.device && !space.implied && slice.address >= space.address &&
          slice.address + static_cast<uint64_t>(slice.bytes) <= space.address + static_cast<uint64_t>(space.bytes);
    CHECK(around == 1);
  }
}

}  // namespace

TEST_CASE("in every strategy the recorded segments of a CUDA device equal the driver's") {
  for (const auto strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None}) {
    CAPTURE(std::string(name(strategy)));
    Watched w;
    compare(w);  // staging and what kernels report in
    REQUIRE(move_to_device(*w.backend, *w.context, w.net.leafs, MemoryKind::Persistent).ok());
    compare(w);
    w.prepare(strategy);
    compare(w);
    for (int run = 0; run < 2; ++run) {
      REQUIRE(w.executor->run().ok());
      compare(w);
    }
    const auto s = w.now();
    std::set<trace::TensorRef> nodes;
    for (const trace::SpaceAllocation& slice : trace::slices_of(*s, {s->time.begin, s->time.end + 1}, {}))
      if (slice.tensor.is_node() && slice.tensor.valid()) nodes.insert(slice.tensor);
    if (strategy == MemoryStrategy::Planned) CHECK(nodes.empty());  // they are in the arena
    if (strategy != MemoryStrategy::Planned) CHECK(nodes.size() > 3);
    if (strategy == MemoryStrategy::Planned) CHECK(!s->slices.empty());
  }
}

TEST_CASE("each weight on a CUDA device is a separate block, and staging is counted as pinned") {
  Watched w;
  REQUIRE(move_to_device(*w.backend, *w.context, w.net.leafs, MemoryKind::Persistent).ok());
  w.prepare(MemoryStrategy::Planned);
  REQUIRE(w.executor->run().ok());
  const auto s = w.now();
  REQUIRE(s->graphs.size() == 1);
  std::map<trace::TensorRef, int> seen;
  Bytes pinned = 0;
  for (const trace::SpaceAllocation& slice : s->open_space_slices) {
    if (slice.kind == trace::MemoryKind::HostPinned) pinned += slice.bytes;
    if (slice.kind != trace::MemoryKind::Persistent || !slice.tensor.is_leaf()) continue;
    ++seen[slice.tensor];
    const trace::TensorInfo* tensor = s->tensor(slice.graph, slice.tensor);
    REQUIRE(tensor != nullptr);
    CHECK(tensor->bytes == slice.bytes);
  }
  CHECK(pinned >= 2 * cuda::Staging::kBytes);
  CHECK(pinned == w.context->stats({}, MemoryKind::HostPinned).active);
  CHECK(seen.size() == w.net.leafs.size());
  for (const auto& [tensor, times] : seen) CHECK(times == 1);
}
