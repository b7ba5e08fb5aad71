// SPDX-License-Identifier: MIT
#include "engine/planner/chunk.h"
#include "engine/planner/blocks.h"
#include "engine/planner/restart_portfolio.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace arenascope::planner {
namespace {

void append(Items& out, const Items& from, int32_t i) {
  Item v = from.items[i];
  const Piece piece = from.pieces[v.first];
  v.first = static_cast<int32_t>(out.pieces.size());
  v.last = v.first + 1;
  out.pieces.push_back(piece);
  out.item_of.push_back(static_cast<int32_t>(out.items.size()));
  out.items.push_back(v);
}

std::vector<int32_t> sorted_by(const std::vector<double>& rank) {
  std::vector<int32_t> order(rank.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return rank[a] < rank[b] || (rank[a] == rank[b] && a < b); });
  return order;
}

}  // namespace

void Chunk::set(std::vector<int32_t> inner, std::vector<int32_t> crossing) {
  index_ = std::move(inner);
  crossing_ = std::move(crossing);
  end_ = std::numeric_limits<Bytes>::max();
}

void Chunk::gather(const Items& items, const std::vector<Bytes>& offsets) {
  part_.items.reserve(index_.size() + crossing_.size());
  part_.pieces.reserve(index_.size() + crossing_.size());
  for (const int32_t i : index_) append(part_, items, i);
  for (const int32_t i : crossing_) {
    append(part_, items, i);
    fixed_.push_back(offsets[i]);
    fixed_end_ = std::max(fixed_end_, offsets[i] + items.items[i].size);
  }
}

// Places the inner items in this order, after the crossing ones and the core.
bool Chunk::lay(const std::vector<int32_t>& order, const Deadline& deadline) {
  FitAllocator placer(part_);
  const size_t inner = index_.size();
  for (size_t k = 0; k < fixed_.size(); ++k) placer.put(static_cast<int32_t>(inner + k), fixed_[k]);
  laid_.assign(inner, -1);
  laid_end_ = fixed_end_;
  for (size_t k = 0; k < core_.size(); ++k) {
    if (core_[k] < 0) continue;
    placer.put(static_cast<int32_t>(k), laid_[k] = core_[k]);
    laid_end_ = std::max(laid_end_, laid_[k] + part_.items[k].size);
  }
  int count = 0;
  for (const int32_t k : order) {
    if (static_cast<size_t>(k) >= inner || laid_[k] >= 0) continue;
    laid_[k] = placer.place(k, Fit::first);
    laid_end_ = std::max(laid_end_, laid_[k] + part_.items[k].size);
    if ((++count & 15) == 0 && deadline.over()) return false;
  }
  return true;
}

// The first attempt: from large to small. As soon as the remaining items fit into a band on top, up to `bound`, they are
// placed there in order of time, which is many times faster. Most chunks have that many bytes to spare.
bool Chunk::lay_first(Bytes bound, const Deadline& deadline) {
  FitAllocator placer(part_);
  const size_t inner = index_.size();
  for (size_t k = 0; k < fixed_.size(); ++k) placer.put(static_cast<int32_t>(inner + k), fixed_[k]);
  laid_.assign(inner, -1);
  laid_end_ = fixed_end_;
  std::vector<int32_t> order = order_by(part_, Key::size);
  std::erase_if(order, [&](int32_t k) { return static_cast<size_t>(k) >= inner; });
  for (size_t at = 0; at < inner; ++at) {
    if ((at & 15) == 0 && deadline.over()) return false;
    if ((at == inner / 8 || at == inner / 4 || at == inner / 2) && lay_band(std::span(order).subspan(at), bound)) break;
    const int32_t k = order[at];
    laid_[k] = placer.place(k, Fit::first);
    laid_end_ = std::max(laid_end_, laid_[k] + part_.items[k].size);
  }
  return true;
}

// Places these, which are sorted from large to small, above all other items. False, without a change, if they would end
// above `bound`.
bool Chunk::lay_band(std::span<const int32_t> some, Bytes bound) {
  Items band;
  Bytes alignment = 1;
  for (const int32_t k : some) {
    append(band, part_, k);
    alignment = common_alignment(alignment, part_.items[k].alignment);
  }
  const Bytes base = round_up(laid_end_, alignment);
  if (base > bound) return false;
  // Block sizes four to the octave.
  std::vector<Bytes> ranges{band.items.back().size};
  while (ranges.back() < band.items.front().size) ranges.push_back(ranges.back() + ranges.back() / 5 + 1);
  const std::vector<Bytes> offsets = place_in_ranges(band, ranges).offsets;
  const Bytes end = base + arena_of(band, offsets);
  if (end > bound) return false;
  for (size_t at = 0; at < some.size(); ++at) laid_[some[at]] = base + offsets[at];
  laid_end_ = std::max(laid_end_, end);
  return true;
}

void Chunk::keep() {
  if (laid_end_ >= end_) return;
  end_ = laid_end_;
  best_ = laid_;
}

void Chunk::prepare() {
  loads_ = std::make_unique<Loads>(part_);
  share_.resize(index_.size());
  stubborn_.assign(index_.size(), 0);
  for (size_t k = 0; k < share_.size(); ++k)
    share_[k] = static_cast<double>(loads_->most(part_.items[k])) / static_cast<double>(loads_->peak_bytes());
}

// The items around the peaks as a problem of their own, which is searched; the other items are placed around it.
bool Chunk::core_first(Bytes goal, const Deadline& deadline) {
  std::vector<std::pair<int64_t, int64_t>> crossing;
  for (size_t k = index_.size(); k < part_.items.size(); ++k)
    crossing.emplace_back(part_.items[k].lower, part_.items[k].upper);
  const double level = 0.96 - 0.02 * (tries_ % 8);
  Items core;
  std::vector<int32_t> index;
  for (size_t k = 0; k < index_.size(); ++k) {
    const Item& v = part_.items[k];
    const bool apart = std::none_of(crossing.begin(), crossing.end(),
                                    [&](const auto& c) { return c.first < v.upper && v.lower < c.second; });
    if ((share_[k] < level && !stubborn_[k]) || !apart) continue;
    append(core, part_, static_cast<int32_t>(k));
    index.push_back(static_cast<int32_t>(k));
  }
  if (index.size() < 2 || index.size() > 3000) return true;
  const std::function<void(const Progress&)> quiet;
  Incumbent inner(core, 0, goal, deadline, quiet);
  inner.offer(FitAllocator(core).place_all(order_by(core, Key::size), Fit::first));
  if (const std::optional<Sections> sections = make_sections(core); sections && !inner.settled())
    run_restart_portfolio(core, *sections, 1, inner, 1 + static_cast<uint64_t>(tries_) / 4);
  if (deadline.over()) return false;
  core_.assign(index_.size(), -1);
  for (size_t k = 0; k < index.size(); ++k) core_[index[k]] = inner.offsets()[k];
  std::vector<double> rank(index_.size());
  const std::vector<int32_t> by_size = order_by(part_, Key::size);
  for (size_t at = 0; at < by_size.size(); ++at) {
    const auto k = static_cast<size_t>(by_size[at]);
    if (k < rank.size())
      rank[k] = static_cast<double>(at) - 2.0 * static_cast<double>(rank.size()) * std::floor(16 * share_[k]);
  }
  // Items above the target are placed first the next time, as near to the core as possible.
  for (int round = 0; round < 5; ++round) {
    if (!lay(sorted_by(rank), deadline)) return false;
    keep();
    if (laid_end_ <= goal) break;
    for (size_t k = 0; k < rank.size(); ++k)
      if (laid_[k] + part_.items[k].size > goal) rank[k] -= 100.0 * static_cast<double>(rank.size());
  }
  for (size_t k = 0; k < stubborn_.size(); ++k)
    if (laid_[k] + part_.items[k].size > goal) stubborn_[k] = 1;
  core_.clear();
  return true;
}

bool Chunk::improve(const Items& items, const std::vector<Bytes>& offsets, Bytes goal, Bytes bound,
                    const Deadline& deadline) {
  const int nth = tries_++;
  if (part_.items.empty()) gather(items, offsets);
  if (nth == 0) {
    const bool whole = lay_first(bound, deadline);
    if (whole) keep();
    part_ = Items();  // most are good enough with that
    fixed_ = laid_ = {};
    return whole;
  }
  if (nth == 1) prepare();
  goal = std::max({goal, bound, fixed_end_});
  if (nth >= 2 && nth % 3 == 2) return core_first(goal, deadline);
  const auto chance = [&] {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<double>(random_ >> 11) * 0x1p-53;
  };
  if (nth == 1) {  // the fullest steps first, by tenths of the peak
    const std::vector<int32_t> by_size = order_by(part_, Key::size);
    rank_.assign(index_.size(), 0);
    for (size_t at = 0; at < by_size.size(); ++at) {
      const auto k = static_cast<size_t>(by_size[at]);
      if (k < rank_.size())
        rank_[k] = static_cast<double>(at) + static_cast<double>(by_size.size()) * (10 - std::floor(10 * share_[k]));
    }
    kept_rank_ = rank_;
    kept_end_ = std::numeric_limits<Bytes>::max();
  }
  // Squeaky wheel: items above the target move forward in the order.
  for (int round = 0; round < 4; ++round) {
    const std::vector<int32_t> order = sorted_by(rank_);
    if (!lay(order, deadline)) return false;
    keep();
    if (end_ <= goal) return true;
    if (laid_end_ <= kept_end_ || chance() < 0.1) {
      for (size_t at = 0; at < order.size(); ++at) rank_[order[at]] = static_cast<double>(at);
      kept_rank_ = rank_;
      kept_end_ = laid_end_;
    } else {
      rank_ = kept_rank_;
    }
    for (size_t k = 0; k < rank_.size(); ++k)
      if (laid_[k] + part_.items[k].size > goal && chance() < 0.8) rank_[k] *= 0.1 + 0.7 * chance();
  }
  return true;
}

void Chunk::write(std::vector<Bytes>& offsets) const {
  for (size_t k = 0; k < best_.size(); ++k) offsets[index_[k]] = best_[k];
}

}  // namespace arenascope::planner
