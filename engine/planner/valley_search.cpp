// SPDX-License-Identifier: MIT
#include "engine/planner/valley_search.h"

#include <algorithm>

namespace arenascope::planner {

ValleySearch::ValleySearch(const Sections& p, const StopCheck& stop_check)
    : p_(p), sky_(p, stop_check), weight_(p.items()) {
  while ((static_cast<size_t>(p.count) >> shift_) >= 1024) ++shift_;
  reason_.assign(((static_cast<size_t>(p.count) >> shift_) + 64) / 64, 0);
}

// Adds the sections [from, to) to the reason.
void ValleySearch::blame(int32_t from, int32_t to) {
  const size_t x = static_cast<size_t>(std::max(from, 0)) >> shift_;
  const size_t y = static_cast<size_t>(std::min(to, p_.count) - 1) >> shift_;
  for (size_t w = x / 64; w <= y / 64; ++w) {
    uint64_t bits = ~uint64_t{0};
    if (w == x / 64) bits &= ~uint64_t{0} << (x % 64);
    if (w == y / 64) bits &= ~uint64_t{0} >> (63 - y % 64);
    reason_[w] |= bits;
  }
}

bool ValleySearch::blamed(int32_t from, int32_t to) const {
  const size_t x = static_cast<size_t>(from) >> shift_, y = static_cast<size_t>(to - 1) >> shift_;
  for (size_t w = x / 64; w <= y / 64; ++w) {
    uint64_t bits = ~uint64_t{0};
    if (w == x / 64) bits &= ~uint64_t{0} << (x % 64);
    if (w == y / 64) bits &= ~uint64_t{0} >> (63 - y % 64);
    if ((reason_[w] & bits) != 0) return true;
  }
  return false;
}

// The open parts after a choice that touched [lower, upper): its part, split where it is no longer connected.
int32_t ValleySearch::open_after(const Frame& f, int32_t lower, int32_t upper) {
  const Part part = parts_[f.open];
  int32_t begin = part.from, open = part.next;
  bool split = false;
  for (int32_t s = std::max(lower, part.from + 1); s <= std::min(upper, part.to - 1); ++s) {
    if (sky_.connected(s)) continue;
    split = true;
    parts_.push_back({begin, s, open});
    open = static_cast<int32_t>(parts_.size()) - 1;
    begin = s;
  }
  if (!split) return f.open;
  parts_.push_back({begin, part.to, open});
  return static_cast<int32_t>(parts_.size()) - 1;
}

// Opens a frame for a valley with all its choices. False: it has none.
bool ValleySearch::enter(const Valley& v, int32_t open) {
  Frame f;
  f.valley = v;
  f.choices = f.next = choices_.size();
  f.mark = sky_.mark();
  f.parts = parts_.size();
  f.open = open;
  const Bytes m = sky_.floor(v.a);
  const std::vector<int32_t>& list = v.at_end ? sky_.by_upper : sky_.by_lower;
  const int32_t begin = v.at_end ? sky_.upper_at[v.b] : sky_.lower_at[v.a];
  const int32_t end = v.at_end ? sky_.upper_at[v.b + 1] : sky_.lower_at[v.a + 1];
  int32_t last = -1;
  const auto alike = [&](int32_t i, int32_t k) { return p_.lower[i] == p_.lower[k] && p_.upper[i] == p_.upper[k]; };
  for (int32_t k = begin; k < end; ++k) {
    const int32_t i = list[k];
    if (sky_.placed(i) || p_.lower[i] < v.a || p_.upper[i] > v.b) continue;
    // Only the first of identical items; of two stacked items with equal lifetimes, the larger one is below.
    if (last >= 0 && alike(i, last) && p_.size[i] == p_.size[last]) continue;
    last = i;
    const int32_t under = sky_.last_alike(i);
    if (under >= 0 && p_.size[under] < p_.size[i] && sky_.offsets()[under] + p_.size[under] == m) continue;
    choices_.push_back({i, 0});
  }
  rank(f.choices, v);
  if (v.raise < sky_.capacity()) choices_.push_back({-1, 0});
  f.end = choices_.size();
  frames_.push_back(f);
  reasons_.resize(frames_.size() * reason_.size());
  std::fill_n(reasons_.end() - static_cast<std::ptrdiff_t>(reason_.size()), reason_.size(), 0);
  return f.end > f.choices;
}

void ValleySearch::rank(size_t first, const Valley& v) {
  const Bytes m = sky_.floor(v.a);
  for (size_t c = first; c < choices_.size(); ++c) {
    const int32_t i = choices_[c].item;
    float score = weight_[i];
    // Flush with a wall leaves fewer corners.
    const Bytes end = m + p_.size[i];
    if (strategy_.key != Strategy::plain_size) {
      if (p_.lower[i] == v.a && end == v.left) score *= 2;
      if (p_.upper[i] == v.b && end == v.right) score *= 2;
    }
    if (strategy_.seed != 0) {
      random_ ^= random_ << 13;
      random_ ^= random_ >> 7;
      random_ ^= random_ << 17;
      score *= 0.5F + static_cast<float>(random_ >> 40) / static_cast<float>(1 << 24);
    }
    choices_[c].score = score;
  }
  std::sort(
      choices_.begin() + static_cast<std::ptrdiff_t>(first), choices_.end(),
      [](const Choice& x, const Choice& y) { return x.score > y.score || (x.score == y.score && x.item < y.item); });
}

// Makes the frame's next choice that leaves enough bytes over every section. False: none is left.
bool ValleySearch::try_next(Frame& f) {
  while (f.next < f.end) {
    const int32_t i = choices_[f.next++].item;
    if (i >= 0 ? sky_.place(i) : sky_.raise(f.valley.from, f.valley.to, f.valley.raise)) return true;
    sky_.undo(f.mark);
  }
  return false;
}

// Called when a run is stuck. Copies cost time, so only a clearly fuller state is kept.
void ValleySearch::keep_fullest() {
  if (frames_.size() < frames_kept_ + frames_kept_ / 64 + 8) return;
  frames_kept_ = frames_.size();
  fullest_ = sky_.offsets();
}

// Backjumping after a failure with a known reason: back to the last frame that contributed to it and has another choice.
// False: there is none, and no plan fits.
bool ValleySearch::jump_back() {
  const size_t word_count = reason_.size();
  while (!frames_.empty()) {
    Frame& f = frames_.back();
    uint64_t* gathered = &reasons_[(frames_.size() - 1) * word_count];
    bool part = f.next == f.choices;  // a frame without a choice failed by itself
    if (!part) {
      const int32_t i = choices_[f.next - 1].item;
      part = i >= 0 ? blamed(p_.lower[i], p_.upper[i]) : blamed(f.valley.from, f.valley.to);
    }
    sky_.undo(f.mark);
    parts_.resize(f.parts);
    if (part) {
      if (f.next > f.choices) {
        for (size_t w = 0; w < word_count; ++w) gathered[w] |= reason_[w];
      }
      if (try_next(f)) return true;
      std::copy_n(gathered, word_count, reason_.begin());
      blame(f.valley.a - 1, f.valley.b + 1);
    }
    choices_.resize(f.choices);
    frames_.pop_back();
    reasons_.resize(frames_.size() * word_count);
  }
  return false;
}

Verdict ValleySearch::descend() {
  parts_.push_back({0, p_.count, -1});
  int32_t open = 0;
  // Parts of the whole that were never connected.
  {
    Frame whole;
    whole.open = 0;
    open = open_after(whole, 1, p_.count - 1);
  }
  for (;;) {
    if (++nodes_ > max_nodes_ || ((nodes_ & 127) == 0 && (*stop_)())) return Verdict::stopped;
    Valley v = sky_.best(parts_[open].from, parts_[open].to);
    while (v.a < 0) {  // this part is done
      open = parts_[open].next;
      if (open < 0) return Verdict::found;
      v = sky_.best(parts_[open].from, parts_[open].to);
    }
    bool on = v.ways > 0;
    if (on) {
      enter(v, open);
      on = try_next(frames_.back());
      if (!on) {
        choices_.resize(frames_.back().choices);
        frames_.pop_back();
        reasons_.resize(frames_.size() * reason_.size());
      }
    }
    if (!on) {
      std::fill(reason_.begin(), reason_.end(), 0);
      blame(v.a - 1, v.b + 1);
      keep_fullest();
      if (!jump_back()) return Verdict::impossible;
    }
    const Frame& f = frames_.back();
    const int32_t i = choices_[f.next - 1].item;
    open = i >= 0 ? open_after(f, p_.lower[i], p_.upper[i]) : f.open;
  }
}

Verdict ValleySearch::run(Bytes capacity, const Strategy& strategy, int64_t max_nodes,
                          const std::function<bool()>& stop) {
  strategy_ = strategy;
  stop_ = &stop;
  nodes_ = 0;
  max_nodes_ = max_nodes;
  random_ = strategy.seed * 0x9E3779B97F4A7C15u + 1;
  frames_.clear();
  choices_.clear();
  parts_.clear();
  reasons_.clear();
  frames_kept_ = 0;
  fullest_.clear();
  for (size_t i = 0; i < p_.items(); ++i) {
    const auto size = static_cast<float>(p_.size[i]), length = static_cast<float>(p_.upper[i] - p_.lower[i]);
    weight_[i] = strategy.key == Strategy::area ? size * length : strategy.key == Strategy::length ? length : size;
  }
  if (!sky_.reset(capacity)) return Verdict::impossible;
  return p_.count == 0 ? Verdict::found : descend();
}

}  // namespace arenascope::planner
