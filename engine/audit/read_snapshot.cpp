// SPDX-License-Identifier: MIT
// PyTorch's CUDA memory snapshot: the final state of its allocator, and its history. Entries have
// requested sizes, the final state has block sizes and the requested size of each block;
// values are those of blocks.
#include <fmt/format.h>

#include "engine/audit/imported_trace.h"
#include "engine/audit/pickle_value.h"

namespace arenascope::audit {

namespace {

constexpr Bytes kMaxBytes = Bytes{1} << 60;
constexpr int64_t kMaxDevices = 4096;

bool sensible(int64_t bytes) { return bytes >= 0 && bytes <= kMaxBytes; }

struct Piece {
  uint64_t begin = 0, end = 0;
  bool is_block = false;
  bool asked = false;    // `end` is from the requested size: the block size is still to be determined
  Bytes requested = -1;  // requested size of a block, if known
};

// A device's memory at one instant: segments and the blocks in them. Scanned linearly each time.
class Holding {
 public:
  Bytes max_split = INT64_MAX;
  bool expandable = false;
  std::vector<Piece> pieces;

  const Piece* find(uint64_t begin, bool block) const {
    for (const Piece& p : pieces)
      if (p.is_block == block && p.begin == begin) return &p;
    return nullptr;
  }
  void remove_block(uint64_t begin) {
    std::erase_if(pieces, [&](const Piece& p) { return p.is_block && p.begin == begin; });
  }
  // Any range, regardless of the reservations: parts of an expandable segment are unmapped.
  void remove_reserved(uint64_t begin, uint64_t end) {
    std::vector<Piece> kept;
    for (const Piece& p : pieces) {
      const bool apart = p.is_block || p.end <= begin || p.begin >= end;
      if (apart) kept.push_back(p);
      if (!apart && p.begin < begin) kept.push_back({p.begin, begin});
      if (!apart && p.end > end) kept.push_back({end, p.end});
    }
    pieces = std::move(kept);
  }
  // PyTorch allocates multiples of 512. A remainder stays with the block: less than 512 of a small segment,
  // up to a MiB of a large one.
  Bytes handed_out(uint64_t begin, Bytes asked) const {
    uint64_t limit = 0;
    for (const Piece& p : pieces)
      if (!p.is_block && p.begin <= begin && begin < p.end) limit = p.end;
    Bytes size = (asked + 511) / 512 * 512;
    if (size == 0) size = 512;
    if (limit == 0) return size;
    for (bool grown = expandable; grown;) {  // segments that continue each other are one
      grown = false;
      for (const Piece& p : pieces)
        if (!p.is_block && p.begin == limit && p.end > limit) limit = p.end, grown = true;
    }
    for (const Piece& p : pieces)
      if (p.is_block && p.begin > begin) limit = std::min(limit, p.begin);
    const auto all = static_cast<Bytes>(limit - begin);
    if (all < size) return std::max(all, asked);
    const bool small = size <= (1 << 20) || expandable;
    const bool keeps_rest = small ? all - size < 512 : all - size <= (1 << 20) || size >= max_split;
    return keeps_rest ? all : size;
  }
};

// Live when the snapshot was taken, by device.
std::map<int64_t, std::vector<Piece>> held_at_end(const Pickled& root) {
  std::map<int64_t, std::vector<Piece>> out;
  for (const Pickled* segment : root.list("segments")) {
    auto& pieces = out[segment->number("device", 0)];
    const int64_t total = segment->number("total_size", -1);
    auto at = static_cast<uint64_t>(segment->number("address", 0));
    if (sensible(total)) pieces.push_back({at, at + static_cast<uint64_t>(total), false, false});
    for (const Pickled* block : segment->list("blocks")) {
      const int64_t size = block->number("size", -1);
      if (!sensible(size)) break;
      at = static_cast<uint64_t>(block->number("address", static_cast<int64_t>(at)));
      if (block->string("state").starts_with("active"))
        pieces.push_back({at, at + static_cast<uint64_t>(size), true, false, block->number("requested_size", -1)});
      at += static_cast<uint64_t>(size);
    }
  }
  return out;
}

bool action_of(std::string_view action, MemoryAction& out) {
  if (action == "alloc")
    out = MemoryAction::Alloc;
  else if (action == "free_completed" || action == "free")
    out = MemoryAction::Free;
  else if (action == "segment_alloc" || action == "segment_map")
    out = MemoryAction::Reserve;
  else if (action == "segment_free" || action == "segment_unmap")
    out = MemoryAction::Release;
  else
    return false;
  return true;
}

struct Entry {
  MemoryAction action;
  Nanoseconds time;
  uint64_t address;
  Bytes bytes;
  Bytes requested = -1;  // Alloc: as in the entry
  bool is_block() const { return action == MemoryAction::Alloc || action == MemoryAction::Free; }
  bool takes() const { return action == MemoryAction::Alloc || action == MemoryAction::Reserve; }
};

std::vector<Entry> entries_of(const Pickled& trace) {
  std::vector<Entry> out;
  if (trace.type != Pickled::Type::List) return out;
  for (const Pickled* event : trace.items) {
    MemoryAction action{};
    const int64_t size = event->number("size", -1), time = event->number("time_us", 0);
    if (!action_of(event->string("action"), action) || !sensible(size) || time < 0 || time > INT64_MAX / 4000) continue;
    out.push_back({action, time * 1000, static_cast<uint64_t>(event->number("addr", 0)), size,
                   action == MemoryAction::Alloc ? size : -1});
  }
  return out;
}

// Blocks from before the first entry: all that exist at the end or are freed in an entry, unless an entry allocated
// them. Reserved memory from before it: that at the end, walked back entry by entry.
std::vector<Piece> held_before(const std::vector<Piece>& at_end, const std::vector<Entry>& entries) {
  Holding before;
  std::map<uint64_t, bool> named;
  for (const Entry& e : entries)
    if (e.is_block() && named.try_emplace(e.address, true).second && !e.takes())
      before.pieces.push_back({e.address, e.address + static_cast<uint64_t>(e.bytes), true, true, e.bytes});
  for (const Piece& p : at_end)
    if (!p.is_block || !named.contains(p.begin)) before.pieces.push_back(p);
  for (auto e = entries.rbegin(); e != entries.rend(); ++e) {
    if (e->is_block()) continue;
    const uint64_t end = e->address + static_cast<uint64_t>(e->bytes);
    before.remove_reserved(e->address, end);
    if (!e->takes()) before.pieces.push_back({e->address, end});
  }
  return before.pieces;
}

// Requested bytes of a block; none: unknown.
std::optional<Bytes> asked_of(Bytes requested, Bytes bytes) {
  return requested >= 0 ? std::optional(std::min(requested, bytes)) : std::nullopt;
}

// Reservations come before blocks.
void note_held(const std::vector<Piece>& pieces, int32_t space, Nanoseconds first, Raw& raw) {
  for (const bool block : {false, true})
    for (const Piece& p : pieces)
      if (p.is_block == block) {
        const auto bytes = static_cast<Bytes>(p.end - p.begin);
        raw.held_before.push_back({.time = first,
                                   .action = block ? MemoryAction::Alloc : MemoryAction::Reserve,
                                   .space = space,
                                   .address = p.begin,
                                   .bytes = bytes,
                                   .asked = block ? asked_of(p.requested, bytes) : std::nullopt});
      }
}

// The first entry or annotation of all devices; 0 if the snapshot has no history.
Nanoseconds first_time(const Pickled& root) {
  std::optional<Nanoseconds> first;
  const auto take = [&](Nanoseconds time) { first = std::min(first.value_or(time), time); };
  for (const Pickled* trace : root.list("device_traces"))
    for (const Entry& e : entries_of(*trace)) take(e.time);
  for (const Pickled* mark : root.list("external_annotations"))
    if (const int64_t time = mark->number("time_us", -1); time >= 0 && time <= INT64_MAX / 4000) take(time * 1000);
  return first.value_or(0);
}

// Walks through a device's entries and gives each its block's bytes. `start`: the time if it has no entries.
void allocate_entries(std::vector<Entry>& entries, const std::vector<Piece>& at_end, Holding& now, int32_t number,
                      Nanoseconds start, Raw& raw) {
  RawSpace& space = raw.spaces[static_cast<size_t>(number)];
  now.pieces = held_before(at_end, entries);
  for (Piece& p : now.pieces)
    if (p.asked) p.end = p.begin + static_cast<uint64_t>(now.handed_out(p.begin, static_cast<Bytes>(p.end - p.begin)));
  for (const Piece& p : now.pieces) {
    (p.is_block ? space.active_before : space.reserved_before) += static_cast<Bytes>(p.end - p.begin);
    ++(p.is_block ? space.blocks_before : space.pieces_before);
  }
  if (!entries.empty())
    start = std::min_element(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.time < b.time; })->time;
  note_held(now.pieces, number, start, raw);
  std::map<uint64_t, size_t> newest;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].is_block()) newest[entries[i].address] = i;
  for (size_t i = 0; i < entries.size(); ++i) {
    Entry& e = entries[i];
    if (e.action == MemoryAction::Alloc) {
      e.bytes = now.handed_out(e.address, e.bytes);
      if (newest[e.address] == i)
        for (const Piece& p : at_end)
          if (p.is_block && p.begin == e.address) e.bytes = static_cast<Bytes>(p.end - p.begin);
    } else if (e.action == MemoryAction::Free) {
      const Piece* own = now.find(e.address, true);
      e.bytes = own != nullptr ? static_cast<Bytes>(own->end - own->begin) : 0;
    }
    const uint64_t end = e.address + static_cast<uint64_t>(e.bytes);
    if (e.is_block())
      now.remove_block(e.address);
    else
      now.remove_reserved(e.address, end);
    if (e.takes()) now.pieces.push_back({e.address, end, e.is_block(), false});
  }
}

// Named ranges of time: from each START to the next END of the same name and device.
void annotate(const Pickled& root, size_t devices, Tables& tables) {
  std::map<std::string, std::vector<Nanoseconds>> begun;
  for (const Pickled* mark : root.list("external_annotations")) {
    const int64_t device = mark->number("device", -1), time = mark->number("time_us", -1);
    if (device < 0 || device >= static_cast<int64_t>(devices) || time < 0 || time > INT64_MAX / 4000) continue;
    const std::string name(mark->string("name"));
    auto& own = begun[fmt::format("{} {}", device, name)];
    if (mark->string("stage") == "START") {
      own.push_back(time * 1000);
    } else if (!own.empty()) {
      const std::string row = fmt::format("device {} annotations", device);
      tables.span(tables.track(row, row), name, own.back(), std::max(time * 1000, own.back()), 0);
      own.pop_back();
    }
  }
}

}  // namespace

Result<Raw> read_snapshot(ByteSpan bytes, const std::string& name) {
  const auto pickle = Pickle::read(bytes, name);
  if (!pickle) return pickle.error();
  const Pickled& root = pickle->root();
  const Pickled *segments = root.find("segments"), *histories = root.find("device_traces");
  if (segments == nullptr || segments->type != Pickled::Type::List || histories == nullptr ||
      histories->type != Pickled::Type::List)
    return Error{name +
                 ": the pickle is not a PyTorch memory snapshot: it has no lists \"segments\" and \"device_traces\"."};
  Raw raw;
  raw.format = "PyTorch memory snapshot";
  Tables tables(raw);
  std::map<int64_t, std::vector<Piece>> at_end = held_at_end(root);
  Holding rules;
  if (const Pickled* settings = root.find("allocator_settings")) {
    if (const int64_t most = settings->number("max_split_size", -1); most > 0) rules.max_split = most;
    rules.expandable = settings->number("expandable_segments", 0) != 0;
  }
  const auto& traces = root.list("device_traces");
  size_t devices = traces.size();  // without a history there may be no trace of a device
  for (const auto& [device, pieces] : at_end)
    if (device >= 0 && device < kMaxDevices) devices = std::max(devices, static_cast<size_t>(device) + 1);
  const Nanoseconds start = first_time(root);
  for (size_t device = 0; device < devices; ++device) {
    const auto own = at_end.find(static_cast<int64_t>(device));
    std::vector<Entry> entries;
    if (device < traces.size()) {
      entries = entries_of(*traces[device]);
      raw.entries += static_cast<int64_t>(traces[device]->items.size());
    }
    if (entries.empty() && own == at_end.end()) continue;
    const std::string gpu = fmt::format("GPU {}", device);
    const int32_t number = tables.space(gpu, "Default", gpu);
    raw.spaces[static_cast<size_t>(number)].has_addresses = true;
    const std::string row = fmt::format("device {} allocator", device);  // on which there is no span
    tables.track(row, row);
    Holding now = rules;
    allocate_entries(entries, own == at_end.end() ? std::vector<Piece>() : own->second, now, number, start, raw);
    for (const Entry& e : entries) {
      raw.memory.push_back({.time = e.time,
                            .action = e.action,
                            .space = number,
                            .address = e.address,
                            .bytes = e.bytes,
                            .asked = asked_of(e.requested, e.bytes)});
      raw.cover(e.time, e.time);
    }
  }
  annotate(root, devices, tables);
  return raw;
}

}  // namespace arenascope::audit
