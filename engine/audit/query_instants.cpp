// SPDX-License-Identifier: MIT
// Memory at a time, or its maximum during a step: bytes in arenas, in spaces, and allocated bytes.
#include <arenascope/trace/bind_event.h>

#include <charconv>
#include <set>

#include "engine/audit/figure_query.h"

namespace arenascope::audit {

Bytes union_of(const std::vector<ArenaRect>& rects) {
  std::vector<std::pair<Bytes, Bytes>> sorted;
  for (const ArenaRect& p : rects)
    if (p.bytes > 0) sorted.emplace_back(p.offset, p.offset + p.bytes);
  std::sort(sorted.begin(), sorted.end());
  Bytes sum = 0, reached = 0;
  for (const auto& [low, high] : sorted) {
    sum += std::max<Bytes>(0, high - std::max(low, reached));
    reached = std::max(reached, high);
  }
  return sum;
}

std::map<int32_t, Nanoseconds> steps_of(const Raw& raw, int32_t run) {
  std::map<int32_t, Nanoseconds> steps;
  for (const RawMark& m : raw.marks) {
    if (m.run != run) continue;
    const auto [it, fresh] = steps.try_emplace(m.step, m.time);
    it->second = std::min(it->second, m.time);
  }
  if (steps.empty()) return steps;
  const RawRun& r = raw.runs.at(run);
  steps.emplace(steps.rbegin()->first + 1, std::max(r.ended ? r.end.end : raw.end, steps.rbegin()->second));
  return steps;
}

std::vector<const RawMemory*> handed_out(const Raw& raw, Nanoseconds time) {
  std::vector<const RawMemory*> events;
  for (const auto* list : {&raw.held_before, &raw.memory})
    for (const RawMemory& m : *list)
      if (m.time <= time && m.address != 0) events.push_back(&m);
  std::stable_sort(events.begin(), events.end(), [](auto* a, auto* b) { return a->time < b->time; });
  std::map<std::pair<std::string, uint64_t>, const RawMemory*> there;
  for (const RawMemory* m : events) {
    const std::pair key(raw.spaces[static_cast<size_t>(m->space)].device, m->address);
    if (m->action == MemoryAction::Alloc) there[key] = m;
    if (m->action == MemoryAction::Free) there.erase(key);
  }
  std::vector<const RawMemory*> out;
  for (const auto& [key, m] : there) out.push_back(m);
  return out;
}

namespace {

using Kinds = std::string_view;  // "" of all

// The most of a balance from `begin` until before `end`; at `begin` alone where they are the same.
Bytes max_of(const Raw& raw, Kinds kind, bool active, Nanoseconds begin, Nanoseconds end) {
  Bytes now = 0;
  for (const RawSpace& s : raw.spaces)
    if (kind.empty() || s.kind == kind) now += active ? s.active_before : s.reserved_before;
  std::vector<const RawMemory*> sorted;
  for (const RawMemory& m : raw.memory) {
    const bool of_active = m.action == MemoryAction::Alloc || m.action == MemoryAction::Free;
    if (of_active == active && (kind.empty() || raw.spaces[static_cast<size_t>(m.space)].kind == kind))
      sorted.push_back(&m);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->time < b->time; });
  size_t next = 0;
  const auto add = [&] {
    const RawMemory& m = *sorted[next];
    now += m.action == MemoryAction::Alloc || m.action == MemoryAction::Reserve ? m.bytes : -m.bytes;
  };
  for (; next < sorted.size() && sorted[next]->time <= begin; ++next) add();
  Bytes most = now;
  for (; next < sorted.size() && sorted[next]->time < end; ++next) add(), most = std::max(most, now);
  return most;
}

const RawSample* sample_at(const Raw& raw, int32_t counter, Nanoseconds time) {
  const RawSample* newest = nullptr;
  for (const RawSample& s : raw.samples)
    if (s.counter == counter && s.time <= time && (newest == nullptr || s.time >= newest->time)) newest = &s;
  return newest;
}

Bytes filled_at(const Raw& raw, Nanoseconds time) {
  const RawSample* newest = sample_at(raw, raw.cache_filled, time);
  return newest != nullptr ? static_cast<Bytes>(newest->value) : 0;
}

// "kind.K.", "reserved", in a range of time; a cache is divided into filled and unfilled bytes.
Answered query_memory(const Raw& raw, std::string_view what, Nanoseconds begin, Nanoseconds end,
                      FigureIdReader& reader) {
  if (what == "reserved")
    return raw.has_reservations() ? Answered(in_bytes(max_of(raw, "", false, begin, end))) : std::nullopt;
  if (what == "active") return in_bytes(max_of(raw, "", true, begin, end));
  if (what != "kind") return std::nullopt;
  const Bytes most = max_of(raw, reader.next(), true, begin, end);
  const std::string_view part = reader.next();
  if (part.empty()) return in_bytes(most);
  const Bytes filled = std::min(most, filled_at(raw, end));
  return in_bytes(part == "filled" ? filled : most - filled);
}

// Weights, caches, gradients, what optimisers keep, activations, workspace, other.
class Classes {
 public:
  explicit Classes(const Raw& raw) : raw_(raw) {
    for (const auto& [id, graph] : raw.graphs)
      for (const auto* list : {&graph.nodes, &graph.leafs})
        for (const trace::TensorInfo& t : *list)
          for (const trace::TensorRef ref : {t.gradient, t.accumulator})
            if (ref.valid()) gradients_.insert({id, ref.value});
  }
  int of_tensor(int32_t graph, trace::TensorRef ref, const trace::TensorInfo& tensor) const {
    if (gradients_.contains({graph, ref.value})) return 2;
    if ((tensor.flags & trace::kOptimizerState) != 0) return 3;
    return (tensor.flags & (trace::kWeight | trace::kParameter)) != 0 ? 0 : 4;
  }
  int of(const RawMemory& m) const {
    const std::string& kind = raw_.spaces[static_cast<size_t>(m.space)].kind;
    if (kind == "KVCache") return 1;
    if (const trace::TensorInfo* t = tensor_of(raw_, m.graph, m.tensor)) return of_tensor(m.graph, m.tensor, *t);
    if (kind == "Persistent" || kind == "Mapped") return 0;
    return kind == "Workspace" ? 5 : 6;
  }

 private:
  const Raw& raw_;
  std::set<std::pair<int32_t, uint32_t>> gradients_;
};

// A tensor in an arena counts for its own class, shared bytes for the first one; the remainder counts for the arena's class.
Bytes of_class(const AuditContext& context, const std::vector<const RawMemory*>& there, int requested,
               Nanoseconds time) {
  const Classes classes(context.raw);
  Bytes sum = 0;
  for (const RawMemory* m : there) {
    const bool arena = m->graph >= 0 && !m->tensor.valid();
    std::map<int, std::vector<ArenaRect>> lives;
    for (const Residency& s : context.residencies) {
      const auto run = context.raw.runs.find(s.run);
      if (!arena || run == context.raw.runs.end() || run->second.info.graph.value != m->graph) continue;
      if (s.begin > time || time >= s.end || s.begin < m->time || s.offset + s.bytes > m->bytes) continue;
      const trace::TensorInfo* t = tensor_of(context.raw, m->graph, s.tensor);
      lives[t ? classes.of_tensor(m->graph, s.tensor, *t) : 4].push_back({0, 1, s.offset, s.bytes});
    }
    std::vector<ArenaRect> counted;
    Bytes before = 0;
    for (const auto& [of, rects] : lives) {
      counted.insert(counted.end(), rects.begin(), rects.end());
      const Bytes now = union_of(counted);
      if (of == requested) sum += now - before;
      before = now;
    }
    if (classes.of(*m) == requested) sum += m->bytes - before;
  }
  return sum;
}

// "allocator.A", "device.NAME", "class.C", "blocks", "block_bytes".
Answered query_allocated(const AuditContext& context, std::string_view what, Nanoseconds time, FigureIdReader& reader) {
  const auto there = handed_out(context.raw, time);
  if (what == "blocks") return in_count(static_cast<int64_t>(there.size()));
  Bytes sum = 0;
  if (what == "block_bytes") {
    for (const RawMemory* m : there) sum += m->bytes;
    return in_bytes(sum);
  }
  if (what == "class") {
    const auto requested = reader.number();
    return requested ? Answered(in_bytes(of_class(context, there, static_cast<int>(*requested), time))) : std::nullopt;
  }
  if (what == "device" && std::none_of(context.raw.spaces.begin(), context.raw.spaces.end(),
                                       [&](const RawSpace& space) { return space.device == reader.rest(); }))
    return std::nullopt;
  for (const RawMemory* m : there) {
    const RawSpace& space = context.raw.spaces[static_cast<size_t>(m->space)];
    sum += (what == "device" ? space.device == reader.rest() : std::to_string(space.allocator) == reader.rest())
               ? m->bytes
               : 0;
  }
  return in_bytes(sum);
}

const trace::PlanInfo* plan_of(const Raw& raw, int32_t run) {
  const auto it = raw.runs.find(run);
  const auto plan = it == raw.runs.end() ? raw.plans.end() : raw.plans.find(it->second.info.plan.value);
  return plan == raw.plans.end() ? nullptr : &plan->second;
}

// The gap that begins at `low`, between rects that are in use.
std::optional<Interval> gap_at(const std::vector<ArenaRect>& rects, Bytes low) {
  Bytes next = INT64_MAX;
  for (const ArenaRect& p : rects) {
    if (p.bytes <= 0) continue;
    if (p.offset <= low && low < p.offset + p.bytes) return std::nullopt;
    if (p.offset > low) next = std::min(next, p.offset);
  }
  const bool begins = low == 0 || std::any_of(rects.begin(), rects.end(), [&](const ArenaRect& p) {
                        return p.bytes > 0 && p.offset + p.bytes == low;
                      });
  if (!begins || next == INT64_MAX) return std::nullopt;
  return Interval{low, next};
}

// Those whose residency was not seen in a run are where the plan has them.
void add_unseen(const AuditContext& context, int32_t run, int32_t step, std::vector<ArenaRect>& rects) {
  const trace::PlanInfo* plan = plan_of(context.raw, run);
  if (plan == nullptr) return;
  std::set<uint32_t> seen;
  for (const Residency& s : context.residencies)
    if (s.run == run) seen.insert(s.tensor.value);
  for (const trace::SliceInfo& s : plan->slices)
    if (!seen.contains(s.tensor.value) && s.first.value <= step && step < s.last.value)
      rects.push_back({0, 1, s.offset, s.size});
}

// "live", "unused", "hole.LOW.bytes", "hole.LOW.end".
Answered query_arena(const AuditContext& context, int32_t run, int32_t step, std::vector<ArenaRect> rects,
                     std::string_view what, FigureIdReader& reader) {
  if (what == "live") return in_bytes(union_of(rects));
  if (what == "unused") {
    const trace::PlanInfo* plan = plan_of(context.raw, run);
    return plan ? Answered(in_bytes(plan->arena_bytes - union_of(rects))) : std::nullopt;
  }
  const auto low = reader.number();
  if (what != "hole" || !low) return std::nullopt;
  add_unseen(context, run, step, rects);
  const auto gap = gap_at(rects, *low);
  if (!gap) return std::nullopt;
  return in_bytes(reader.next() == "bytes" ? gap->end - gap->begin : gap->end);
}

}  // namespace

Answered query_step(const AuditContext& context, int32_t run, int32_t step, FigureIdReader reader) {
  const std::string_view what = reader.next();
  if (what == "live" || what == "unused" || what == "hole") {
    std::vector<ArenaRect> rects;
    for (const Residency& s : context.residencies)
      if (s.run == run && s.first <= step && step < s.last) rects.push_back({0, 1, s.offset, s.bytes});
    return query_arena(context, run, step, std::move(rects), what, reader);
  }
  const auto steps = steps_of(context.raw, run);
  const auto begin = steps.find(step);
  if (begin == steps.end() || std::next(begin) == steps.end()) return std::nullopt;
  return query_memory(context.raw, what, begin->second, std::next(begin)->second, reader);
}

Answered query_counter(const AuditContext& context, FigureIdReader reader) {
  const auto counter = reader.number();
  if (!counter || reader.next() != "at") return std::nullopt;
  const auto at = reader.number();
  if (!at) return std::nullopt;
  const RawSample* sample = sample_at(context.raw, static_cast<int32_t>(*counter), context.raw.begin + *at);
  return sample == nullptr ? std::nullopt : Answered({sample->value, Unit::Count});
}

Answered query_instant(const AuditContext& context, int32_t run, Nanoseconds time, FigureIdReader reader) {
  const std::string_view what = reader.next();
  int32_t step = -1;
  if (run >= 0)
    for (const auto& [s, begin] : steps_of(context.raw, run))
      if (begin <= time) step = s;
  if (what == "step") return in_steps(step);
  if (what == "live" || what == "unused" || what == "hole") {
    std::vector<ArenaRect> rects;
    for (const Residency& s : context.residencies)
      if (s.begin <= time && time < s.end) rects.push_back({0, 1, s.offset, s.bytes});
    return query_arena(context, run, step, std::move(rects), what, reader);
  }
  if (what == "kind" || what == "reserved" || what == "active")
    return query_memory(context.raw, what, time, time, reader);
  return query_allocated(context, what, time, reader);
}

namespace {

std::optional<uint64_t> read_address(FigureIdReader& reader) {
  const std::string_view word = reader.next();
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

// "block.ADDRESS.T.": the allocation there at that time, followed by the device's name.
Answered query_block(const AuditContext& context, FigureIdReader reader) {
  const Raw& raw = context.raw;
  const auto address = read_address(reader);
  const auto begin = reader.number();
  if (!address || !begin) return std::nullopt;
  const std::string_view what = reader.next();
  const auto device_of = [&](const RawMemory& m) { return raw.spaces[static_cast<size_t>(m.space)].device; };
  const RawMemory* found = nullptr;
  for (const auto* list : {&raw.held_before, &raw.memory})
    for (const RawMemory& m : *list)
      if (m.action == MemoryAction::Alloc && m.address == *address && m.time == raw.begin + *begin &&
          device_of(m) == reader.rest())
        found = &m;
  if (found == nullptr) return std::nullopt;
  const Bytes asked = found->asked.value_or(found->bytes);
  if (what == "bytes") return in_bytes(found->bytes);
  if (what == "end") return in_bytes(static_cast<Bytes>(found->address) + found->bytes);
  if (what == "asked") return in_bytes(asked);
  if (what == "waste") return in_bytes(found->bytes - asked);
  if (what == "from") return in_time(found->time - raw.begin);
  std::vector<const RawMemory*> later;  // later ones with the same key
  for (const RawMemory& m : raw.memory)
    if (m.address == *address && device_of(m) == reader.rest() && m.time >= found->time && &m != found &&
        (m.action == MemoryAction::Alloc || m.action == MemoryAction::Free))
      later.push_back(&m);
  std::stable_sort(later.begin(), later.end(), [](auto* a, auto* b) { return a->time < b->time; });
  std::erase_if(later, [&](const RawMemory* m) { return m->time == found->time && m < found; });
  const Nanoseconds end = later.empty() ? raw.end : later.front()->time;
  if (what == "until") return in_time(end - raw.begin);
  return what == "lived" ? Answered(in_time(end - found->time)) : std::nullopt;
}

// "space.ADDRESS.T.": the block that begins there at that time, followed by the device's name.
Answered query_space(const AuditContext& context, FigureIdReader reader) {
  const auto address = read_address(reader);
  const auto time = reader.number();
  if (!address || !time) return std::nullopt;
  const std::string_view what = reader.next();
  const auto piece = piece_there(context.raw, std::string(reader.rest()), *address, context.raw.begin + *time);
  if (!piece) return std::nullopt;
  const int64_t width = piece->id & 0xffff, height = piece->id >> 16;
  if (what == "bytes") return in_bytes(piece->bytes);
  if (what == "width") return in_count(width);
  if (what == "height") return in_count(height);
  if (what == "texel" && width * height > 0) return in_bytes(piece->bytes / (width * height));
  return std::nullopt;
}

}  // namespace arenascope::audit
