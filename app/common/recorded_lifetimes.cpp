// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/recorded_lifetimes.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include <arenascope/trace/recording.h>
#include <fmt/format.h>

namespace arenascope::app {
namespace {

using trace::Event;
using trace::EventKind;

// One space's allocations while they are walked through.
struct Walk {
  RecordedLifetimes out;
  std::map<uint64_t, size_t> live;  // by address
  Bytes live_bytes = 0, reserved = 0;
  int64_t step = 0;

  void take(const Event& e) {
    const auto address = static_cast<uint64_t>(e.a);
    if (e.kind() == EventKind::Reserve || e.kind() == EventKind::Release) {
      reserved += e.kind() == EventKind::Reserve ? e.b : -e.b;
      out.reserved_peak = std::max(out.reserved_peak, reserved);
    } else if (e.kind() == EventKind::Alloc && e.b > 0) {
      end(address);  // its free was lost
      live[address] = out.problem.intervals.size();
      out.problem.intervals.push_back({step++, 0, e.b, 0, {}, {}});
      live_bytes += e.b;
      out.live_peak = std::max(out.live_peak, live_bytes);
    } else if (e.kind() == EventKind::Free) {
      end(address);
    }
  }
  void end(uint64_t address) {
    const auto found = live.find(address);
    if (found == live.end()) return;
    planner::Interval& interval = out.problem.intervals[found->second];
    interval.upper = std::max(step, interval.lower + 1);
    live_bytes -= interval.size;
    live.erase(found);
    ++step;
  }
  void finish() {
    for (const auto& [address, index] : live)
      out.problem.intervals[index].upper = std::max(step, out.problem.intervals[index].lower + 1);
  }
};

}  // namespace

bool is_recording(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 4096> head{};
  in.read(head.data(), head.size());
  return trace::looks_like_recording(trace::as_bytes({head.data(), static_cast<size_t>(in.gcount())}));
}

Result<RecordedLifetimes> recorded_lifetimes(const trace::Snapshot& snapshot, const std::string& space) {
  std::map<uint32_t, Walk> walks;
  for (const auto& allocator : snapshot.allocators) walks[allocator.id].out.space = allocator.name;
  for (size_t i = 0; i < snapshot.memory_events.size(); ++i) {
    const Event& e = snapshot.event(snapshot.memory_events[i]);
    walks[e.allocator()].take(e);
  }
  std::erase_if(walks, [](const auto& w) { return w.second.out.problem.intervals.empty(); });
  if (walks.empty()) return Error{"no memory was allocated in it"};
  Walk* chosen = nullptr;
  std::string names;
  for (auto& [id, walk] : walks) {
    names += (names.empty() ? "" : ", ") + walk.out.space;
    if (!space.empty() && walk.out.space != space) continue;
    if (chosen == nullptr || walk.out.live_peak > chosen->out.live_peak) chosen = &walk;
  }
  if (chosen == nullptr) return Error{fmt::format("there is no space '{}' in it; there are: {}", space, names)};
  chosen->finish();
  return std::move(chosen->out);
}

}  // namespace arenascope::app
