// SPDX-License-Identifier: MIT
#include <arenascope/planner/arenas.h>
#include <arenascope/planner/check.h>
#include <fmt/format.h>
#include "engine/planner/items.h"

#include <algorithm>
#include <new>

namespace arenascope::planner {
namespace {

// The intervals of `chosen` as a problem of their own.
Problem part_of(const Problem& p, const std::vector<int32_t>& chosen, std::optional<Bytes> capacity) {
  std::vector<int32_t> index(p.size(), -1);  // in the part
  Problem out;
  out.alignment = p.alignment;
  out.capacity = capacity;
  for (size_t k = 0; k < chosen.size(); ++k) {
    index[chosen[k]] = static_cast<int32_t>(k);
    out.intervals.push_back(p.intervals[chosen[k]]);
    if (!p.ids.empty()) out.ids.push_back(p.ids[chosen[k]]);
  }
  for (const InPlace& s : p.in_place) {
    if (index[s.source] >= 0 && index[s.target] >= 0)
      out.in_place.push_back({index[s.source], index[s.target], s.shift});
  }
  for (const Attachment& a : p.attachments) {
    if (index[a.part] >= 0 && index[a.whole] >= 0) out.attachments.push_back({index[a.part], index[a.whole], a.shift});
  }
  return out;
}

// Live bytes over time, to query whether one more item would exceed the capacity.
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

Status check_input(const Problem& p, const std::vector<Arena>& arenas, const std::vector<double>& traffic) {
  if (Status s = validate(p); !s) return s;
  if (arenas.empty()) return Error{"No arena was given to plan for."};
  if (!traffic.empty() && traffic.size() != p.size()) {
    return Error{fmt::format("There are {} traffic figures for {} buffers.", traffic.size(), p.size())};
  }
  for (size_t k = 0; k + 1 < arenas.size(); ++k) {
    if (!arenas[k].capacity)
      return Error{fmt::format("Arena {} has no capacity, but is not the last.", arenas[k].name)};
  }
  return {};
}

// Distributes items over arenas, the fastest arena first. Items are sorted by priority: first those with a fixed offset,
// then by traffic per byte and step that they occupy.
class Distribution {
 public:
  Distribution(const Problem& problem, const Items& items, size_t arenas, const std::vector<double>& traffic)
      : p_(problem), items_(items), members_(items.items.size()), waiting_(items.items.size()) {
    std::vector<double> worth(items.items.size(), 0);
    for (size_t i = 0; i < p_.size(); ++i) {
      worth[items.item_of[i]] += traffic.empty() ? static_cast<double>(p_.intervals[i].size) : traffic[i];
      members_[items.item_of[i]].push_back(static_cast<int32_t>(i));
    }
    for (size_t i = 0; i < waiting_.size(); ++i) {
      const Item& item = items.items[i];
      waiting_[i] = static_cast<int32_t>(i);
      worth[i] /= static_cast<double>(item.size) * static_cast<double>(item.upper - item.lower);
    }
    std::stable_sort(waiting_.begin(), waiting_.end(), [&](int32_t a, int32_t b) {
      const bool fa = items.items[a].fixed >= 0, fb = items.items[b].fixed >= 0;
      return fa != fb ? fa : worth[a] > worth[b];
    });
    plan_.arena.assign(p_.size(), -1);
    plan_.offsets.assign(p_.size(), 0);
    plan_.arena_bytes.assign(arenas, 0);
    plan_.spilled_bytes.assign(arenas, 0);
  }

  // Plans arena k with the waiting items that fit by live bytes. Items that the planner puts above the capacity wait for
  // the next arena, with all that it is attached to.
  Status fill(size_t k, std::optional<Bytes> capacity, const Planner& planner, const Options& options) {
    std::vector<int32_t> left;
    const std::vector<int32_t> chosen = choose(capacity, left);
    const Problem part = part_of(p_, chosen, capacity);
    const Result<Plan> placed = planner.plan(part, options);
    if (!placed) return placed.error();
    std::vector<bool> out(items_.items.size(), false);
    for (size_t c = 0; c < chosen.size(); ++c) {
      if (capacity && placed->offsets[c] + part.intervals[c].size > *capacity) out[items_.item_of[chosen[c]]] = true;
    }
    for (size_t c = 0; c < chosen.size(); ++c) {
      if (out[items_.item_of[chosen[c]]]) continue;
      plan_.arena[chosen[c]] = static_cast<int32_t>(k);
      plan_.offsets[chosen[c]] = placed->offsets[c];
      plan_.arena_bytes[k] = std::max(plan_.arena_bytes[k], placed->offsets[c] + part.intervals[c].size);
      if (k > 0) plan_.spilled_bytes[k] += part.intervals[c].size;
    }
    for (int32_t i : waiting_) {
      if (out[i]) left.push_back(i);
    }
    waiting_ = std::move(left);
    return {};
  }

  bool done() const { return waiting_.empty(); }

  Result<ArenaPlan> finish() {
    if (done()) return std::move(plan_);
    return Error{fmt::format("Buffer {} and {} more fit into none of the arenas.", p_.name_of(members_[waiting_[0]][0]),
                             waiting_.size() - 1)};
  }

 private:
  // The intervals of the waiting items that fit, in their own order; the other items go to `left`.
  std::vector<int32_t> choose(std::optional<Bytes> capacity, std::vector<int32_t>& left) const {
    Load load(items_);
    std::vector<int32_t> chosen;
    for (int32_t i : waiting_) {
      const Item& item = items_.items[i];
      const bool fits =
          !capacity || (std::max<Bytes>(item.fixed, 0) + item.size <= *capacity && load.add(item, *capacity));
      if (fits)
        chosen.insert(chosen.end(), members_[i].begin(), members_[i].end());
      else
        left.push_back(i);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  const Problem& p_;
  const Items& items_;
  std::vector<std::vector<int32_t>> members_;  // the intervals of each item
  std::vector<int32_t> waiting_;               // items that no arena has yet, in order of worth
  ArenaPlan plan_;
};

}  // namespace

Result<ArenaPlan> plan_arenas(const Problem& p, const std::vector<Arena>& arenas, const std::vector<double>& traffic,
                              const Planner& planner, const Options& options) {
  if (Status s = check_input(p, arenas, traffic); !s) return s.error();
  try {
    const Result<Items> items = make_items(p, false);
    if (!items) return items.error();
    Options share = options;
    share.divide_budget(static_cast<double>(arenas.size()));
    Distribution distribution(p, *items, arenas.size(), traffic);
    for (size_t k = 0; k < arenas.size() && !distribution.done(); ++k) {
      if (Status s = distribution.fill(k, arenas[k].capacity, planner, share); !s) return s.error();
    }
    return distribution.finish();
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
      return Error{fmt::format("Buffer {} is in no arena.", p.name_of(i))};
    chosen[k].push_back(static_cast<int32_t>(i));
  }
  for (const Attachment& a : p.attachments) {
    if (plan.arena[a.part] != plan.arena[a.whole]) {
      return Error{fmt::format("Buffer {} is in another arena than {}, to which it is attached.", p.name_of(a.part),
                               p.name_of(a.whole))};
    }
  }
  for (size_t k = 0; k < arenas.size(); ++k) {
    if (arenas[k].capacity && plan.arena_bytes[k] > *arenas[k].capacity) {
      return Error{fmt::format("Arena {} needs {} bytes, but has {}.", arenas[k].name, plan.arena_bytes[k],
                               *arenas[k].capacity)};
    }
    Plan own;
    own.arena_bytes = plan.arena_bytes[k];
    for (int32_t i : chosen[k]) own.offsets.push_back(plan.offsets[i]);
    if (Status s = check(part_of(p, chosen[k], std::nullopt), own); !s) return s;
  }
  return {};
}

}  // namespace arenascope::planner
