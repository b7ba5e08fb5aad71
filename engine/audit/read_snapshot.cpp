// SPDX-License-Identifier: MIT
// PyTorch's CUDA memory snapshot: what its allocator held when it was taken, and what happened before.
#include <fmt/format.h>

#include "engine/audit/foreign.h"
#include "engine/audit/pickled.h"

namespace arenascope::audit {

namespace {

constexpr Bytes kMostBytes = Bytes{1} << 60;

bool sensible(int64_t bytes) { return bytes >= 0 && bytes <= kMostBytes; }

// Held when the snapshot was taken, by device.
struct Held {
  Bytes active = 0, reserved = 0;
};

std::map<int64_t, Held> held_at_end(const Pickled& root) {
  std::map<int64_t, Held> out;
  for (const Pickled* segment : root.list("segments")) {
    Held& held = out[segment->number("device", 0)];
    const int64_t total = segment->number("total_size", 0);
    if (sensible(total)) held.reserved += total;
    for (const Pickled* block : segment->list("blocks"))
      if (const int64_t size = block->number("size", 0); sensible(size) && block->string("state").starts_with("active"))
        held.active += size;
  }
  return out;
}

bool action_of(std::string_view action, MemoryAction& out) {
  if (action == "alloc")
    out = MemoryAction::Alloc;
  else if (action == "free_completed")
    out = MemoryAction::Free;
  else if (action == "segment_alloc" || action == "segment_map")
    out = MemoryAction::Reserve;
  else if (action == "segment_free" || action == "segment_unmap")
    out = MemoryAction::Release;
  else
    return false;
  return true;
}

}  // namespace

Result<Raw> read_snapshot(ByteSpan bytes, const std::string& name) {
  const auto pickle = Pickle::read(bytes, name);
  if (!pickle) return pickle.error();
  const Pickled& root = pickle->root();
  if (root.find("segments") == nullptr && root.find("device_traces") == nullptr)
    return Error{name + ": it is a pickle, but no memory snapshot of PyTorch."};
  Raw raw;
  raw.format = "PyTorch memory snapshot";
  Tables tables(raw);
  std::map<int64_t, Held> at_end = held_at_end(root);
  const auto& traces = root.list("device_traces");
  for (size_t device = 0; device < traces.size(); ++device) {
    if (traces[device]->type != Pickled::Type::List ||
        (traces[device]->items.empty() && !at_end.contains(static_cast<int64_t>(device))))
      continue;
    const std::string gpu = fmt::format("GPU {}", device);
    const int32_t space = tables.space(gpu, "Default", gpu);
    raw.spaces[static_cast<size_t>(space)].has_addresses = true;
    Held before = at_end[static_cast<int64_t>(device)];
    for (const Pickled* event : traces[device]->items) {
      MemoryAction action{};
      const int64_t size = event->number("size", -1), time = event->number("time_us", 0);
      if (!action_of(event->string("action"), action) || !sensible(size) || time < 0 || time > INT64_MAX / 4000)
        continue;
      raw.memory.push_back({time * 1000, action, space, static_cast<uint64_t>(event->number("addr", 0)), size});
      raw.cover(time * 1000, time * 1000);
      Bytes& balance = action == MemoryAction::Alloc || action == MemoryAction::Free ? before.active : before.reserved;
      balance -= action == MemoryAction::Alloc || action == MemoryAction::Reserve ? size : -size;
    }
    raw.spaces[static_cast<size_t>(space)].active_before = before.active;
    raw.spaces[static_cast<size_t>(space)].reserved_before = before.reserved;
  }
  return raw;
}

}  // namespace arenascope::audit
