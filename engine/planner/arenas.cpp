// SPDX-License-Identifier: MIT
#include "engine/planner/arenas.h"
#include <arenascope/planner/check.h>
#include <fmt/format.h>
#include "engine/planner/items.h"

#include <algorithm>
#include <new>

namespace arenascope::planner {
namespace {

// The intervals of `chosen` as a problem of their own.
Problem part_of(const Problem& p, const std::vector<int32_t>& chosen, std::optional<Bytes> capacity) {
  std::vector<int32_t> at(p.size(), -1);
  Problem out;
  out.alignment = p.alignment;
  out.capacity = capacity;
  for (size_t k = 0; k < chosen.size(); ++k) {
    at[chosen[k]] = static_cast<int32_t>(k);
    out.intervals.push_back(p.intervals[chosen[k]]);
    if (!p.ids.empty()) out.ids.push_back(p.ids[chosen[k]]);
  }
  for (const InPlace& s : p.in_place) {
    if (at[s.source] >= 0 && at[s.target] >= 0) out.in_place.push_back({at[s.source], at[s.target], s.shift});
  }
  for (const Attachment& a : p.attachments) {
    if (at[a.part] >= 0 && at[a.whole] >= 0) out.attachments.push_back({at[a.part], at[a.whole], a.shift});
  }
  return out;
}

// Live bytes over time, to ask whether one more item would exceed the capacity.
class Load {
 public:
  explicit Load(const Items& items) {
    for (const Item& i : items.items) {
      steps_.push_back(i.lower);
      steps_.push_back(i.upper);
    }
    std::sort(steps_.begin(), steps_.end());
    steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
    live_.assign(steps_.size(), 0);
  }
  bool add(const Item& item, Bytes capacity) {
    const size_t from = rank(item.lower), to = rank(item.upper);
    for (size_t s = from; s < to; ++s) {
      if (live_[s] + item.size > capacity) return false;
    }
    for (size_t s = from; s < to; ++s) live_[s] += item.size;
    return true;
  }

 private:
  size_t rank(int64_t step) const {
    return static_cast<size_t>(std::lower_bound(steps_.begin(), steps_.end(), step) - steps_.begin());
  }
  std::vector<int64_t> steps_;
  std::vector<Bytes> live_;
};

}  // namespace

Result<ArenaPlan> plan_arenas(const Problem& p, const std::vector<Arena>& arenas, const std::vector<double>& traffic,
                              const Planner& planner, const Options& options) {
  if (Status s = validate(p); !s) return s.error();
  if (arenas.empty()) return Error{"There is no arena to plan for."};
  if (!traffic.empty() && traffic.size() != p.size()) {
    return Error{fmt::format("There are {} traffic figures for {} buffers.", traffic.size(), p.size())};
  }
  for (size_t k = 0; k + 1 < arenas.size(); ++k) {
    if (!arenas[k].capacity)
      return Error{fmt::format("Arena {} has no capacity, but is not the last.", arenas[k].name)};
  }
  try {
    const Result<Items> items = make_items(p, false);
    if (!items) return items.error();
    std::vector<double> worth(items->items.size(), 0);  // traffic for each byte and step that an item takes up
    std::vector<std::vector<int32_t>> members(items->items.size());
    for (size_t i = 0; i < p.size(); ++i) {
      worth[items->item_of[i]] += traffic.empty() ? static_cast<double>(p.intervals[i].size) : traffic[i];
      members[items->item_of[i]].push_back(static_cast<int32_t>(i));
    }
    std::vector<int32_t> waiting(items->items.size());
    for (size_t i = 0; i < waiting.size(); ++i) {
      const Item& item = items->items[i];
      waiting[i] = static_cast<int32_t>(i);
      worth[i] /= static_cast<double>(item.size) * static_cast<double>(item.upper - item.lower);
    }
    std::stable_sort(waiting.begin(), waiting.end(), [&](int32_t a, int32_t b) {
      const bool fa = items->items[a].fixed >= 0, fb = items->items[b].fixed >= 0;
      return fa != fb ? fa : worth[a] > worth[b];
    });
    ArenaPlan plan;
    plan.arena.assign(p.size(), -1);
    plan.offsets.assign(p.size(), 0);
    plan.arena_bytes.assign(arenas.size(), 0);
    plan.spilled_bytes.assign(arenas.size(), 0);
    for (size_t k = 0; k < arenas.size() && !waiting.empty(); ++k) {
      const std::optional<Bytes> capacity = arenas[k].capacity;
      Load load(*items);
      std::vector<int32_t> chosen, left;
      for (int32_t i : waiting) {
        const Item& item = items->items[i];
        const bool fits =
            !capacity || (std::max<Bytes>(item.fixed, 0) + item.size <= *capacity && load.add(item, *capacity));
        if (!fits) {
          left.push_back(i);
          continue;
        }
        chosen.insert(chosen.end(), members[i].begin(), members[i].end());
      }
      std::sort(chosen.begin(), chosen.end());
      const Problem part = part_of(p, chosen, capacity);
      Options share = options;
      share.budget_seconds = options.budget_seconds / static_cast<double>(arenas.size());
      const Result<Plan> here = planner.plan(part, share);
      if (!here) return here.error();
      // What ended up above the capacity goes on to the next arena, with all that it is attached to.
      std::vector<bool> out(items->items.size(), false);
      for (size_t c = 0; c < chosen.size(); ++c) {
        if (capacity && here->offsets[c] + part.intervals[c].size > *capacity) out[items->item_of[chosen[c]]] = true;
      }
      for (size_t c = 0; c < chosen.size(); ++c) {
        if (out[items->item_of[chosen[c]]]) continue;
        plan.arena[chosen[c]] = static_cast<int32_t>(k);
        plan.offsets[chosen[c]] = here->offsets[c];
        plan.arena_bytes[k] = std::max(plan.arena_bytes[k], here->offsets[c] + part.intervals[c].size);
        if (k > 0) plan.spilled_bytes[k] += part.intervals[c].size;
      }
      for (int32_t i : waiting) {
        if (out[i]) left.push_back(i);
      }
      waiting = std::move(left);
    }
    if (!waiting.empty()) {
      return Error{fmt::format("Buffer {} and {} more fit into none of the arenas.", p.name_of(members[waiting[0]][0]),
                               waiting.size() - 1)};
    }
    return plan;
  } catch (const std::bad_alloc&) {
    return Error{"There is not enough memory to plan this many buffers."};
  }
}

Status check(const Problem& p, const std::vector<Arena>& arenas, const ArenaPlan& plan) {
  if (plan.arena.size() != p.size() || plan.offsets.size() != p.size() || plan.arena_bytes.size() != arenas.size()) {
    return Error{"The plan is for another problem."};
  }
  std::vector<std::vector<int32_t>> chosen(arenas.size());
  for (size_t i = 0; i < p.size(); ++i) {
    const int32_t k = plan.arena[i];
    if (k < 0 || k >= static_cast<int32_t>(arenas.size()))
      return Error{fmt::format("Buffer {} lies in no arena.", p.name_of(i))};
    chosen[k].push_back(static_cast<int32_t>(i));
  }
  for (const Attachment& a : p.attachments) {
    if (plan.arena[a.part] != plan.arena[a.whole]) {
      return Error{fmt::format("Buffer {} lies in another arena than {}, to which it is attached.", p.name_of(a.part),
                               p.name_of(a.whole))};
    }
  }
  for (size_t k = 0; k < arenas.size(); ++k) {
    if (arenas[k].capacity && plan.arena_bytes[k] > *arenas[k].capacity) {
      return Error{fmt::format("Arena {} needs {} bytes, but has {}.", arenas[k].name, plan.arena_bytes[k],
                               *arenas[k].capacity)};
    }
    Plan here;
    here.arena_bytes = plan.arena_bytes[k];
    for (int32_t i : chosen[k]) here.offsets.push_back(plan.offsets[i]);
    if (Status s = check(part_of(p, chosen[k], std::nullopt), here); !s) return s;
  }
  return {};
}

}  // namespace arenascope::planner
