// SPDX-License-Identifier: MIT
// Allocated and reserved bytes: by space, by kind, by device and in total.
#include <algorithm>
#include <map>

#include "engine/audit/curve.h"
#include "engine/audit/known_until.h"
#include "engine/audit/writer.h"

namespace arenascope::audit {

namespace {

struct Both {
  Balance active, reserved;
  int64_t allocations = 0;
  int64_t blocks_before = 0, pieces_before = 0;

  void add_before(const RawSpace& space) {
    active.add_before(space.active_before), reserved.add_before(space.reserved_before);
    blocks_before += space.blocks_before, pieces_before += space.pieces_before;
  }
};

void add(Both& both, const RawMemory& m) {
  switch (m.action) {
    case MemoryAction::Alloc: both.active.add(m.time, m.bytes), ++both.allocations; break;
    case MemoryAction::Free: both.active.add(m.time, -m.bytes); break;
    case MemoryAction::Reserve: both.reserved.add(m.time, m.bytes); break;
    case MemoryAction::Release: both.reserved.add(m.time, -m.bytes); break;
  }
}

// After the first event; 0 if memory did not change, as in a snapshot without a history.
Nanoseconds peak_time(const Balance& balance, Nanoseconds origin) {
  return balance.empty() ? 0 : balance.sum().peak_at - origin;
}

// Memory from before the first event counts as one change per block.
void write(const std::string& id, const Balance& balance, int64_t before, Nanoseconds origin, Writer& out) {
  const Balance::Result r = balance.sum();
  out.bytes(id + ".peak", r.peak);
  out.time(id + ".peak_at", peak_time(balance, origin));
  out.bytes(id + ".end", r.end);
  out.count(id + ".changes", before + balance.changes());
}

// A trace without reservations has no figures of reserved memory.
void write(const std::string& id, const Both& both, Nanoseconds origin, Writer& out) {
  write(id + ".active", both.active, both.blocks_before, origin, out);
  out.count(id + ".allocations", both.allocations);
  if (both.reserved.empty() && both.reserved.before() == 0) return;
  write(id + ".reserved", both.reserved, both.pieces_before, origin, out);
  out.bytes(id + ".kept.end", std::max<Bytes>(both.reserved.sum().end - both.active.sum().end, 0));
}

// All bytes allocated at a time of a run; the step is the last that had begun by then.
void write_runs(const Raw& raw, Bytes before, Writer& out) {
  std::vector<const RawMemory*> sorted;
  for (const RawMemory& m : raw.memory)
    if (m.action == MemoryAction::Alloc || m.action == MemoryAction::Free) sorted.push_back(&m);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const RawMemory* a, const RawMemory* b) { return a->time < b->time; });
  for (const auto& [id, run] : raw.runs) {
    if (!run.ended || sorted.empty()) continue;
    Bytes now = before, peak = 0;
    Nanoseconds at = run.info.begin;
    size_t next = 0;
    const auto add = [&] {
      now += sorted[next]->action == MemoryAction::Alloc ? sorted[next]->bytes : -sorted[next]->bytes;
    };
    for (; next < sorted.size() && sorted[next]->time <= run.info.begin; ++next) add();
    peak = now;
    for (; next < sorted.size() && sorted[next]->time < run.end.end; ++next) {
      add();
      if (now > peak) peak = now, at = sorted[next]->time;
    }
    int64_t step = 0;
    for (const RawMark& m : raw.marks)
      if (m.run == id && m.time <= at) step = std::max<int64_t>(step, m.step);
    const std::string of = "run." + std::to_string(id) + ".active";
    out.bytes(of + ".peak", peak);
    out.time(of + ".peak_at", at - raw.begin);
    out.step(of + ".peak_step", step);
  }
}

// The process's largest resident memory, and the part of it outside all reservations at that time, if any were recorded.
void write_resident(const Raw& raw, const std::string& id, Nanoseconds begin, Nanoseconds end, Writer& out) {
  std::vector<const RawSample*> samples;
  for (const RawSample& s : raw.samples)
    if (s.counter == raw.resident) samples.push_back(&s);
  std::stable_sort(samples.begin(), samples.end(), [](auto* a, auto* b) { return a->time < b->time; });
  const RawSample* most = nullptr;
  Nanoseconds at = begin;
  for (const RawSample* s : samples)  // the last one before it began holds on
    if (s->time <= begin) most = s;
  for (const RawSample* s : samples)
    if (s->time > begin && s->time < end && (most == nullptr || s->value > most->value)) most = s, at = s->time;
  if (most == nullptr) return;
  Bytes reserved = 0;
  bool recorded = false;  // reservations, at any time
  for (const RawMemory& m : raw.memory) {
    const bool reserves = m.action == MemoryAction::Reserve, releases = m.action == MemoryAction::Release;
    if (!raw.spaces[static_cast<size_t>(m.space)].in_main_memory || (!reserves && !releases)) continue;
    recorded = true;
    if (m.time <= at) reserved += reserves ? m.bytes : -m.bytes;
  }
  const auto resident = static_cast<Bytes>(most->value);
  out.bytes(id + ".resident", resident);
  if (!recorded) return;
  out.bytes(id + ".outside", std::max<Bytes>(resident - reserved, 0));
  out.bytes(id + ".untouched", std::max<Bytes>(reserved - resident, 0));
}

}  // namespace

void audit_resident(const Raw& raw, Writer& out) {
  if (raw.resident < 0) return;
  write_resident(raw, "recording", raw.begin, raw.end + 1, out);
  for (const auto& [id, run] : raw.runs) {
    const Nanoseconds begin = run.info.begin;
    write_resident(raw, "run." + std::to_string(id), begin, run.ended ? std::max(run.end.end, begin + 1) : raw.end + 1,
                   out);
  }
}

void audit_memory(const Raw& raw, Writer& out) {
  if (raw.spaces.empty()) return;
  Both all;
  std::map<std::string, Both> kinds, devices;
  std::map<uint32_t, Both> allocators;  // by number, in recordings
  std::vector<Both> spaces(raw.spaces.size());
  for (size_t i = 0; i < raw.spaces.size(); ++i)
    for (Both* both : {&all, &kinds[raw.spaces[i].kind], &devices[raw.spaces[i].device], &spaces[i]})
      both->add_before(raw.spaces[i]);
  for (const RawMemory& m : raw.memory) {
    const RawSpace& space = raw.spaces[static_cast<size_t>(m.space)];
    add(all, m);
    add(kinds[space.kind], m);
    add(devices[space.device], m);
    if (raw.entries == 0) add(allocators[space.allocator], m);
    add(spaces[static_cast<size_t>(m.space)], m);
  }
  Report& report = out.report();
  for (size_t i = 0; i < spaces.size(); ++i) {
    const Balance::Result r = spaces[i].active.sum();
    const RawSpace& s = raw.spaces[i];
    report.spaces.push_back(
        {s.name, s.kind, s.device, r.peak, r.end, peak_time(spaces[i].active, raw.begin), spaces[i].allocations});
    write("space." + std::to_string(report.spaces.size() - 1), spaces[i], raw.begin, out);
  }
  for (const auto& [kind, both] : kinds) write("kind." + kind, both, raw.begin, out);
  for (const auto& [device, both] : devices)
    if (!device.empty()) write("device." + device, both, raw.begin, out);
  for (const auto& [number, both] : allocators) write("allocator." + std::to_string(number), both, raw.begin, out);
  write("memory", all, raw.begin, out);
  write_runs(raw, all.active.before(), out);
  report.peak = all.active.sum().peak;
  report.peak_at = peak_time(all.active, raw.begin);
}

namespace {

// Removes bytes from blocks; returns how many were present.
Bytes take_out(std::map<uint64_t, Bytes>& pieces, uint64_t address, Bytes bytes) {
  const uint64_t end = address + static_cast<uint64_t>(bytes);
  Bytes taken = 0;
  const std::map<uint64_t, Bytes> before = pieces;
  for (const auto& [begin, length] : before) {
    const uint64_t last = begin + static_cast<uint64_t>(length);
    const uint64_t low = std::max(begin, address), high = std::min(last, end);
    if (low >= high) continue;
    pieces.erase(begin);
    taken += static_cast<Bytes>(high - low);
    if (low > begin) pieces[begin] = static_cast<Bytes>(low - begin);
    if (last > high) pieces[high] = static_cast<Bytes>(last - high);
  }
  return taken;
}

}  // namespace

// An allocation must not overlap another one, and a free must match an allocation. Adjacent ranges that were reserved
// separately may be released together, and a range may be released in part.
void find_impossible_memory(const Raw& raw, Writer& out) {
  std::vector<RawMemory> sorted = raw.memory;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const RawMemory& a, const RawMemory& b) { return a.time < b.time; });
  // By space, with allocated and reserved bytes separately.
  std::map<std::pair<int32_t, bool>, std::map<uint64_t, Bytes>> held;
  const KnownUntil known(raw);
  for (const RawMemory& m : sorted) {
    const bool complete = raw.lost == 0 && m.time < known.memory(m);
    const RawSpace& space = raw.spaces[static_cast<size_t>(m.space)];
    if (!space.has_addresses) continue;
    const bool active = m.action == MemoryAction::Alloc || m.action == MemoryAction::Free;
    auto& blocks = held[{m.space, active}];
    const std::string where = std::to_string(m.bytes) + " bytes at " + std::to_string(m.address) + " of " + space.kind;
    if (m.action == MemoryAction::Alloc || m.action == MemoryAction::Reserve) {
      const auto next = blocks.upper_bound(m.address);
      const bool above = next != blocks.end() && next->first - m.address < static_cast<uint64_t>(m.bytes);
      const bool below =
          next != blocks.begin() &&
          m.address - std::prev(next)->first < static_cast<uint64_t>(std::max<Bytes>(std::prev(next)->second, 0));
      if (complete && m.bytes > 0 && (above || below))
        out.contradiction(where + " were handed out although something lay there");
      blocks[m.address] = m.bytes;
      continue;
    }
    if (m.action == MemoryAction::Release) {
      if (take_out(blocks, m.address, m.bytes) != m.bytes && complete && space.reserved_before == 0)
        out.contradiction(where + " were released to the system, but not all of them had been reserved from it");
      continue;
    }
    const auto own = blocks.find(m.address);
    if (own == blocks.end()) {
      // Memory allocated before the recording began may be freed in it.
      if (complete && space.active_before == 0) out.contradiction(where + " were freed, but never allocated");
      continue;
    }
    if (complete && own->second != m.bytes)
      out.contradiction(where + " were freed, but " + std::to_string(own->second) + " bytes were allocated");
    blocks.erase(own);
  }
}

}  // namespace arenascope::audit
