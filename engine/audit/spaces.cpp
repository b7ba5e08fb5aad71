// SPDX-License-Identifier: MIT
// Memory that allocators reserved, the allocations in each reservation, and their totals in a run. Processes event by
// event; addresses of different devices are unrelated, and an address of 0 means that the trace has none.
#include <algorithm>
#include <functional>
#include <map>

#include "engine/audit/figure_query.h"
#include "engine/audit/writer.h"

namespace arenascope::audit {

namespace {

struct Piece {
  std::string device;
  uint64_t address = 0;
  Bytes bytes = 0;
  int32_t taken_by = 0;  // the raw space: a kind of an allocator
  uint32_t id = 0;       // event id
  bool alone = false;    // its reservation was not recorded: as large as the allocation, and freed with it
};

struct Moment {
  Nanoseconds time = 0;
  Bytes active = 0, reserved = 0;
  int64_t blocks = 0;
};

// Allocations with their times within the range.
struct Residency {
  std::string device;
  uint64_t address = 0;
  Bytes bytes = 0;
  Nanoseconds begin = 0, end = 0;
};

struct Totals {
  Bytes peak = 0, reserved = 0, unused = 0, unplaced = 0;
  bool reserved_known = false;  // the reservation of some piece was recorded
  int64_t blocks = 0;
  std::vector<Moment> moments;
  std::vector<Residency> residencies;
};

constexpr size_t kMaxMoments = 20'000;  // more are not listed one by one

// From the first event on; events before the range only determine its initial state.
class Walk {
 public:
  using Shown = std::function<bool(const Piece&)>;
  Walk(const Raw& raw, Interval range, Shown shown) : raw_(raw), range_(range), shown_(std::move(shown)) {}

  Totals run(const std::vector<const RawMemory*>& events) {
    bool begun = false;
    for (size_t i = 0; i < events.size();) {
      const Nanoseconds time = events[i]->time;
      if (time >= range_.end) break;
      if (!begun && time > range_.begin) begin(), begun = true;
      time_ = time;
      begun_ = begun;
      for (; i < events.size() && events[i]->time == time; ++i) step(*events[i]);
      if (begun) look(time);
    }
    if (!begun) begin();
    for (const auto& [at, block] : blocks_) residency_end(at, block, range_.end);
    return totals_;
  }
  using Pieces = std::map<std::pair<std::string, uint64_t>, Piece>;  // by device and address
  const Pieces& pieces() const { return pieces_; }

 private:
  using AddressUse = std::pair<std::string, uint64_t>;  // device and address
  struct Block {
    bool shown = false;
    Bytes bytes = 0;
    Nanoseconds since = 0;
  };

  void begin() {
    for (const auto& [at, piece] : pieces_) totals_.reserved_known |= !piece.alone && shown_(piece);
    totals_.blocks = std::count_if(blocks_.begin(), blocks_.end(), [](const auto& b) { return b.second.shown; });
    look(range_.begin);
  }
  void residency_end(const AddressUse& at, const Block& block, Nanoseconds end) {
    if (block.shown)
      totals_.residencies.push_back({at.first, at.second, block.bytes, std::max(block.since, range_.begin), end});
  }
  void look(Nanoseconds time) {
    if (totals_.moments.size() <= kMaxMoments) totals_.moments.push_back({time, active_, reserved_, live_});
    totals_.peak = std::max(totals_.peak, active_);
    totals_.reserved = std::max(totals_.reserved, reserved_);
    totals_.unused = std::max(totals_.unused, reserved_ - active_);
    totals_.unplaced = std::max(totals_.unplaced, unplaced_);
  }

  void step(const RawMemory& m) {
    if (m.address == 0) return step_without_address(m);
    const AddressUse at{raw_.spaces[static_cast<size_t>(m.space)].device, m.address};
    switch (m.action) {
      case MemoryAction::Reserve: take(at, m, false); break;
      case MemoryAction::Release: let_go(at, m.bytes); break;
      case MemoryAction::Free: give_back(at); break;
      case MemoryAction::Alloc: {
        give_back(at);
        const Piece* in = around(at);
        if (in == nullptr) in = take(at, m, true);
        const Block block{shown_(*in), m.bytes, m.time};
        blocks_[at] = block;
        if (!block.shown) break;
        active_ += m.bytes;
        ++live_;
        ++totals_.blocks;
      }
    }
  }
  void step_without_address(const RawMemory& m) {
    Piece nowhere;
    nowhere.taken_by = m.space;
    if (!shown_(nowhere)) return;
    if (m.action == MemoryAction::Alloc) unplaced_ += m.bytes;
    if (m.action == MemoryAction::Free) unplaced_ -= m.bytes;
  }
  const Piece* around(const AddressUse& at) const {
    const auto above = pieces_.upper_bound(at);
    if (above == pieces_.begin()) return nullptr;
    const Piece& below = std::prev(above)->second;
    const bool inside = below.device == at.first && at.second - below.address < static_cast<uint64_t>(below.bytes);
    return inside ? &below : nullptr;
  }
  const Piece* take(const AddressUse& at, const RawMemory& m, bool alone) {
    let_go(at, m.bytes);
    const Piece& piece = pieces_[at] = {at.first, m.address, m.bytes, m.space, m.id, alone};
    if (shown_(piece)) reserved_ += piece.bytes, totals_.reserved_known |= begun_ && !alone;
    return &pieces_[at];
  }
  // Removes these bytes; blocks that overlap them in part keep the remainder.
  void let_go(const AddressUse& at, Bytes bytes) {
    const uint64_t begin = at.second, end = at.second + static_cast<uint64_t>(bytes);
    std::vector<Piece> rests;
    for (auto p = pieces_.begin(); p != pieces_.end();) {
      const Piece piece = p->second;
      const uint64_t last = piece.address + static_cast<uint64_t>(piece.bytes);
      if (piece.device != at.first || piece.address >= end || last <= begin) {
        ++p;
        continue;
      }
      p = pieces_.erase(p);
      Piece below = piece, above = piece;
      below.bytes = begin > piece.address ? static_cast<Bytes>(begin - piece.address) : 0;
      above.address = std::max(end, piece.address);
      above.bytes = last > end ? static_cast<Bytes>(last - end) : 0;
      for (const Piece& rest : {below, above})
        if (rest.bytes > 0) rests.push_back(rest);
      if (shown_(piece)) reserved_ -= piece.bytes - below.bytes - above.bytes;
    }
    for (const Piece& rest : rests) pieces_[{rest.device, rest.address}] = rest;
  }
  void give_back(const AddressUse& at) {
    const auto block = blocks_.find(at);
    if (block == blocks_.end()) return;
    if (block->second.shown) active_ -= block->second.bytes, --live_;
    if (begun_) residency_end(at, block->second, time_);
    blocks_.erase(block);
    if (const auto piece = pieces_.find(at); piece != pieces_.end() && piece->second.alone)
      let_go(at, piece->second.bytes);
  }

  const Raw& raw_;
  const Interval range_;
  const Shown shown_;
  Bytes reserved_ = 0, active_ = 0, unplaced_ = 0;
  int64_t live_ = 0;
  Nanoseconds time_ = 0;
  bool begun_ = false;
  Totals totals_;
  Pieces pieces_;
  std::map<AddressUse, Block> blocks_;
};

void write(const std::string& id, const Totals& t, Writer& out) {
  out.bytes(id + ".peak", t.peak);
  out.bytes(id + ".unplaced", t.unplaced);
  out.count(id + ".slices", t.blocks);
  if (!t.reserved_known) return;
  out.bytes(id + ".reserved", t.reserved);
  out.bytes(id + ".unused", t.unused);
}

// Every address that was allocated, numbered by its first use, and every instant at which something changed, numbered in
// order of time: the same program has the same ids in every run.
void write_each(const std::string& range, Interval interval, Nanoseconds origin, const Totals& t, Writer& out) {
  struct AddressUse {
    Nanoseconds first = INT64_MAX;
    Bytes most = 0;
    std::vector<Interval> there;
  };
  std::map<std::pair<uint64_t, std::string>, AddressUse> uses;  // by address and device
  for (const Residency& s : t.residencies) {
    AddressUse& use = uses[{s.address, s.device}];
    use.first = std::min(use.first, std::max(s.begin, interval.begin));
    use.most = std::max(use.most, s.bytes);
    use.there.push_back({s.begin, s.end});
  }
  std::vector<std::pair<uint64_t, const AddressUse*>> by_use;
  for (const auto& [key, use] : uses) by_use.emplace_back(key.first, &use);
  std::stable_sort(by_use.begin(), by_use.end(),
                   [](const auto& a, const auto& b) { return a.second->first < b.second->first; });
  const auto length = static_cast<double>(interval.end - interval.begin);
  for (size_t k = 0; k < by_use.size(); ++k) {
    const auto& [address, use] = by_use[k];
    const std::string id = range + ".place." + std::to_string(k);
    out.bytes(id + ".address", static_cast<Bytes>(address));
    out.bytes(id + ".bytes", use->most);
    out.count(id + ".blocks", static_cast<int64_t>(use->there.size()));
    out.share(id + ".used", length > 0 ? static_cast<double>(length_of_union(use->there)) / length : 0);
  }
  if (t.moments.size() > kMaxMoments) return;
  // The range may begin before anything is allocated or reserved; that is no change.
  const bool empty = !t.moments.empty() && t.moments[0].blocks == 0 && t.moments[0].reserved == 0;
  for (size_t k = empty ? 1 : 0; k < t.moments.size(); ++k) {
    const Moment& m = t.moments[k];
    const std::string id = range + ".moment." + std::to_string(empty ? k - 1 : k);
    out.time(id + ".at", m.time - origin);
    out.bytes(id + ".active", m.active);
    out.count(id + ".blocks", m.blocks);
    if (!t.reserved_known) continue;
    out.bytes(id + ".reserved", m.reserved);
    out.bytes(id + ".unused", m.reserved - m.active);
  }
}

std::vector<const RawMemory*> in_order(const Raw& raw) {
  std::vector<const RawMemory*> events;
  for (const RawMemory& m : raw.held_before) events.push_back(&m);
  for (const RawMemory& m : raw.memory) events.push_back(&m);
  std::stable_sort(events.begin(), events.end(),
                   [](const RawMemory* a, const RawMemory* b) { return a->time < b->time; });
  return events;
}

}  // namespace

std::optional<PieceThere> piece_there(const Raw& raw, const std::string& device, uint64_t address, Nanoseconds time) {
  Walk walk(raw, {time, time + 1}, [](const Piece&) { return true; });
  walk.run(in_order(raw));
  const auto found = walk.pieces().find({device, address});
  if (found == walk.pieces().end()) return std::nullopt;
  return PieceThere{found->second.bytes, found->second.id};
}

void audit_spaces(const Raw& raw, Writer& out) {
  const std::vector<const RawMemory*> events = in_order(raw);
  if (events.empty()) return;
  std::map<std::string, Interval> ranges{{"recording", {raw.begin, raw.end + 1}}};
  for (const auto& [id, run] : raw.runs)
    ranges["run." + std::to_string(id)] = {run.info.begin,
                                           run.ended ? std::max(run.end.end, run.info.begin + 1) : raw.end + 1};
  const auto kind_of = [&](const Piece& p) -> const std::string& {
    return raw.spaces[static_cast<size_t>(p.taken_by)].kind;
  };
  for (const auto& [name, range] : ranges) {
    write(name + ".spaces.all", Walk(raw, range, [](const Piece&) { return true; }).run(events), out);
    const auto working = [&](const Piece& p) { return kind_of(p) != "Persistent" && kind_of(p) != "Mapped"; };
    const Totals totals = Walk(raw, range, working).run(events);
    write(name + ".spaces.working", totals, out);
    write_each(name, range, raw.begin, totals, out);
  }
}

}  // namespace arenascope::audit
