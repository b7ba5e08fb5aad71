// SPDX-License-Identifier: MIT
// Metrics of a plan: the values that it states, and the sums over its rectangles.
#include <fmt/format.h>

#include "engine/audit/residencies.h"
#include "engine/audit/writer.h"

namespace arenascope::audit {

namespace {

struct Block {
  Bytes low = INT64_MAX, high = 0, largest = 0, sum = 0;
  int32_t first = INT32_MAX, last = 0, level = 0;
  int64_t tensors = 0;
  double byte_steps = 0;
};

void write_blocks(const std::string& id, const trace::PlanInfo& plan, Writer& out) {
  std::map<int32_t, Block> blocks;
  for (const trace::SliceInfo& s : plan.slices) {
    Block& b = blocks[s.block.value];
    b.low = std::min(b.low, s.offset);
    b.high = std::max(b.high, s.offset + s.size);
    b.largest = std::max(b.largest, s.size);
    b.sum += s.size;
    b.first = std::min(b.first, s.first.value);
    b.last = std::max(b.last, s.last.value);
    b.level = std::max(b.level, s.level);
    b.byte_steps += static_cast<double>(s.size) * (s.last.value - s.first.value);
    ++b.tensors;
  }
  out.count(id + ".blocks", static_cast<int64_t>(blocks.size()));
  const auto steps = static_cast<double>(std::max<size_t>(plan.order.size(), 1));
  for (const auto& [block, b] : blocks) {
    const std::string of = fmt::format("{}.block.{}", id, block);
    out.bytes(of + ".offset", b.low);
    out.bytes(of + ".bytes", b.high - b.low);
    out.bytes(of + ".largest", b.largest);
    out.count(of + ".tensors", b.tensors);
    out.step(of + ".first", b.first);
    out.step(of + ".last", b.last);
    out.count(of + ".level", b.level);
    out.share(of + ".filled", b.high > b.low ? b.byte_steps / (static_cast<double>(b.high - b.low) * steps) : 0);
  }
}

void write_holes(const std::string& id, const Occupied& occupied, Writer& out) {
  double byte_steps = 0;
  Bytes largest = 0;
  for (const Hole& h : occupied.holes) {
    largest = std::max(largest, h.high - h.low);
    byte_steps += static_cast<double>(h.high - h.low) * static_cast<double>(h.end - h.begin);
  }
  out.count(id + ".holes", static_cast<int64_t>(occupied.holes.size()));
  out.bytes(id + ".max_holes", occupied.max_holes);
  out.bytes(id + ".largest_hole", largest);
  out.put(id + ".hole_byte_steps", byte_steps, Unit::Bytes);
}

// Live bytes in each step; shared bytes count once.
void write_steps(const std::string& id, const trace::PlanInfo& plan, Writer& out) {
  for (size_t step = 0; step < plan.order.size(); ++step) {
    std::vector<ArenaRect> live;
    const auto now = static_cast<int32_t>(step);
    for (const trace::SliceInfo& s : plan.slices)
      if (s.first.value <= now && now < s.last.value) live.push_back({0, 1, s.offset, s.size});
    const Bytes bytes = occupied(live).peak;
    const std::string of = fmt::format("{}.step.{}", id, step);
    out.bytes(of + ".live", bytes);
    out.count(of + ".tensors", static_cast<int64_t>(std::count_if(plan.slices.begin(), plan.slices.end(), [&](auto& s) {
                return s.first.value <= now && now < s.last.value;
              })));
    if (plan.lower_bound_bytes > 0)
      out.share(of + ".of_bound", static_cast<double>(bytes) / static_cast<double>(plan.lower_bound_bytes));
    out.bytes(of + ".unused", std::max<Bytes>(0, plan.arena_bytes - bytes));
  }
}

}  // namespace

void audit_plans(const Raw& raw, Writer& out) {
  for (const auto& [number, plan] : raw.plans) {
    const std::string id = fmt::format("plan.{}", number);
    std::vector<ArenaRect> rects;
    Bytes bytes = 0;
    for (const trace::SliceInfo& s : plan.slices) {
      rects.push_back({s.first.value, s.last.value, s.offset, s.size});
      bytes += s.size;
    }
    const Occupied o = occupied(rects);
    out.bytes(id + ".arena", plan.arena_bytes);
    out.bytes(id + ".lower_bound", plan.lower_bound_bytes);
    out.bytes(id + ".capacity", plan.capacity_bytes);
    out.bytes(id + ".gap", plan.arena_bytes - plan.lower_bound_bytes);
    if (plan.lower_bound_bytes > 0)
      out.share(id + ".gap_share", static_cast<double>(plan.arena_bytes - plan.lower_bound_bytes) /
                                       static_cast<double>(plan.lower_bound_bytes));
    out.bytes(id + ".saved_by_reuse", std::max<Bytes>(0, bytes - plan.arena_bytes));
    out.share(id + ".ratio", plan.lower_bound_bytes > 0
                                 ? static_cast<double>(plan.arena_bytes) / static_cast<double>(plan.lower_bound_bytes)
                                 : 1);
    out.bytes(id + ".peak", o.peak);
    out.step(id + ".peak_step", o.peak_at);
    out.bytes(id + ".top", o.top);
    out.count(id + ".slices", static_cast<int64_t>(plan.slices.size()));
    out.bytes(id + ".slice_bytes", bytes);
    out.count(id + ".steps", static_cast<int64_t>(plan.order.size()));
    out.time(id + ".planning", static_cast<Nanoseconds>(plan.seconds * 1e9));
    if (plan.budget_seconds > 0) out.time(id + ".budget", static_cast<Nanoseconds>(plan.budget_seconds * 1e9));
    write_holes(id, o, out);
    write_blocks(id, plan, out);
    write_steps(id, plan, out);
  }
}

}  // namespace arenascope::audit
