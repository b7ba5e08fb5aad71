// SPDX-License-Identifier: MIT
#include <arenascope/planner/clock.h>
#include <arenascope/planner/lower_bound.h>
#include <arenascope/planner/streams.h>
#include <fmt/format.h>
#include "engine/planner/placement.h"

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <random>

namespace arenascope::planner {
namespace {

constexpr int64_t kNothing = std::numeric_limits<int64_t>::min();
constexpr int32_t kMaxStreams = 4096;

Bytes alignment_of(const StreamProblem& p, size_t i) {
  return p.buffers[i].alignment > 0 ? p.buffers[i].alignment : p.alignment;
}

// Sizes, alignments and lifetimes, as one problem for each stream would be refused; and the bound.
Result<Bytes> bound_of(const StreamProblem& p) {
  Bytes bound = 0;
  Problem all;
  all.alignment = p.alignment;
  std::vector<Problem> of(static_cast<size_t>(p.streams));
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const StreamBuffer& b = p.buffers[i];
    if (b.uses.empty()) return Error{fmt::format("Buffer #{} is used on no stream.", i)};
    for (const StreamUse& u : b.uses) {
      if (u.stream < 0 || u.stream >= p.streams) {
        return Error{fmt::format("Buffer #{} is used on stream {}, but there are {}.", i, u.stream, p.streams)};
      }
      if (u.lower >= u.upper) {
        return Error{
            fmt::format("Buffer #{} has an empty lifetime [{}, {}) on stream {}.", i, u.lower, u.upper, u.stream)};
      }
      of[u.stream].intervals.push_back({u.lower, u.upper, b.size, 1});
    }
    all.intervals.push_back({b.uses[0].lower, b.uses[0].upper, b.size, b.alignment});
  }
  if (Status s = validate(all); !s) return s.error();
  for (Problem& q : of) {
    if (Status s = validate(q); !s) return s.error();
    bound = std::max(bound, lower_bound(q));
  }
  return bound;
}

// A local search over sequences of buffers. Each sequence is placed first fit: a buffer goes to the lowest offset that is
// free of all buffers placed before it that it must not overlap.
class StreamSearch {
 public:
  StreamSearch(const StreamProblem& problem, const StreamOrder& order, Bytes bound, const Options& options,
               const Deadline& deadline)
      : p_(problem), options_(options), deadline_(deadline), conflicts_(problem.buffers.size()) {
    for (size_t i = 0; i < conflicts_.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (order.may_share(p_.buffers[i], p_.buffers[k])) continue;
        conflicts_[i].push_back(static_cast<int32_t>(k));
        conflicts_[k].push_back(static_cast<int32_t>(i));
      }
    }
    best_.planner = "streams";
    best_.lower_bound = bound;
    best_.arena_bytes = conflicts_.empty() ? 0 : std::numeric_limits<Bytes>::max();
  }

  Plan run() {
    start();
    improve();
    best_.optimal = best_.arena_bytes == best_.lower_bound;
    best_.seconds = deadline_.measured_seconds();
    return std::move(best_);
  }

 private:
  // The better of two sequences: by size times conflicts, and by size.
  void start() {
    current_.resize(conflicts_.size());
    std::iota(current_.begin(), current_.end(), 0);
    const auto pressure = [&](int32_t i) {
      return static_cast<double>(p_.buffers[i].size) * static_cast<double>(conflicts_[i].size());
    };
    std::stable_sort(current_.begin(), current_.end(), [&](int32_t a, int32_t b) { return pressure(a) > pressure(b); });
    current_arena_ = offer(current_);
    std::vector<int32_t> sequence = current_;
    std::stable_sort(sequence.begin(), sequence.end(),
                     [&](int32_t a, int32_t b) { return p_.buffers[a].size > p_.buffers[b].size; });
    if (const Bytes arena = offer(sequence); arena < current_arena_) accept(arena, sequence);
  }

  // Moves one to three buffers towards the front at a time, until the bound is met or time is up.
  void improve() {
    const size_t n = conflicts_.size();
    std::mt19937_64 random(1);
    std::vector<int32_t> sequence;
    while (n > 1 && best_.arena_bytes > best_.lower_bound && !deadline_.over()) {
      sequence = current_;
      for (int moves = 1 + static_cast<int>(random() % 3); moves > 0; --moves) {
        const size_t to = random() % n, from = random() % n;
        const auto begin = sequence.begin();
        if (to < from)
          std::rotate(begin + static_cast<std::ptrdiff_t>(to), begin + static_cast<std::ptrdiff_t>(from),
                      begin + static_cast<std::ptrdiff_t>(from) + 1);
      }
      if (const Bytes arena = offer(sequence); arena <= current_arena_) accept(arena, sequence);
    }
  }

  void accept(Bytes arena, const std::vector<int32_t>& sequence) {
    current_arena_ = arena;
    current_ = sequence;
  }

  // Places a sequence and keeps it if it is the best so far; its arena.
  Bytes offer(const std::vector<int32_t>& sequence) {
    const Bytes arena = place(sequence);
    if (arena < best_.arena_bytes) {
      best_.arena_bytes = arena;
      best_.offsets = offsets_;
      if (options_.on_progress) options_.on_progress({deadline_.measured_seconds(), arena, best_.lower_bound});
    }
    return arena;
  }

  Bytes place(const std::vector<int32_t>& sequence) {
    offsets_.assign(conflicts_.size(), -1);
    Bytes arena = 0;
    for (int32_t i : sequence) {
      occupied_.clear();
      for (int32_t k : conflicts_[i]) {
        if (offsets_[k] >= 0) occupied_.emplace_back(offsets_[k], offsets_[k] + p_.buffers[k].size);
      }
      std::sort(occupied_.begin(), occupied_.end());
      Bytes offset = 0;
      for (const auto& [lower, upper] : occupied_) {
        if (lower >= offset + p_.buffers[i].size) break;
        if (upper > offset) offset = round_up(upper, alignment_of(p_, static_cast<size_t>(i)));
      }
      offsets_[i] = offset;
      arena = std::max(arena, offset + p_.buffers[i].size);
    }
    return arena;
  }

  const StreamProblem& p_;
  const Options& options_;
  const Deadline& deadline_;
  std::vector<std::vector<int32_t>> conflicts_;  // per buffer: those that it must not overlap
  Plan best_;
  std::vector<int32_t> current_;  // the sequence that the search continues from
  Bytes current_arena_ = 0;
  std::vector<Bytes> offsets_;                     // offsets of the sequence placed last
  std::vector<std::pair<Bytes, Bytes>> occupied_;  // scratch
};

}  // namespace

Result<StreamOrder> StreamOrder::make(const StreamProblem& p) {
  if (p.streams < 1 || p.streams > kMaxStreams) {
    return Error{fmt::format("cannot plan {} streams: expected 1 to {}.", p.streams, kMaxStreams)};
  }
  const auto n = static_cast<size_t>(p.streams);
  StreamOrder out;
  out.syncs_.resize(n);
  for (const StreamEdge& e : p.edges) {
    if (e.from_stream < 0 || e.from_stream >= p.streams || e.to_stream < 0 || e.to_stream >= p.streams) {
      return Error{fmt::format("An edge from stream {} to stream {} is there, but there are {} streams.", e.from_stream,
                               e.to_stream, p.streams)};
    }
    out.syncs_[e.to_stream].push_back({e.to_step, std::vector<int64_t>(n, kNothing)});
  }
  for (auto& list : out.syncs_) {
    std::sort(list.begin(), list.end(), [](const Sync& a, const Sync& b) { return a.step < b.step; });
    list.erase(std::unique(list.begin(), list.end(), [](const Sync& a, const Sync& b) { return a.step == b.step; }),
               list.end());
  }
  // Propagates along edges what each stream has waited for, until nothing changes.
  for (size_t round = 0, changed = 1; changed != 0; ++round) {
    if (round > p.edges.size() + 1) return Error{"The ordering edges form a cycle."};
    changed = 0;
    for (const StreamEdge& e : p.edges) {
      auto& list = out.syncs_[e.to_stream];
      const auto waiter = std::lower_bound(list.begin(), list.end(), e.to_step,
                                           [](const Sync& s, int64_t step) { return s.step < step; });
      const auto learn = [&](size_t stream, int64_t step) {
        for (auto s = waiter; s != list.end(); ++s) {
          if (s->done[stream] >= step) break;
          s->done[stream] = step;
          changed = 1;
        }
      };
      learn(static_cast<size_t>(e.from_stream), e.from_step);
      for (size_t s = 0; s < n; ++s) {
        if (static_cast<int32_t>(s) == e.from_stream || e.from_step == kNothing) continue;
        const int64_t known = out.done(static_cast<int32_t>(s), e.from_stream, e.from_step - 1);
        if (known != kNothing) learn(s, known);
      }
      if (waiter->done[e.to_stream] > e.to_step) return Error{"The ordering edges form a cycle."};
    }
  }
  return out;
}

int64_t StreamOrder::done(int32_t stream, int32_t other, int64_t step) const {
  if (stream == other) return step;
  const std::vector<Sync>& list = syncs_[other];
  const auto after =
      std::upper_bound(list.begin(), list.end(), step, [](int64_t s, const Sync& x) { return s < x.step; });
  return after == list.begin() ? kNothing : std::prev(after)->done[stream];
}

bool StreamOrder::before(const StreamBuffer& a, const StreamBuffer& b) const {
  for (const StreamUse& x : a.uses) {
    for (const StreamUse& y : b.uses) {
      if (done(x.stream, y.stream, y.lower) < x.upper) return false;
    }
  }
  return true;
}

Result<Plan> plan_streams(const StreamProblem& p, const Options& options) {
  const Deadline deadline(options);
  try {
    const Result<StreamOrder> order = StreamOrder::make(p);
    if (!order) return order.error();
    const Result<Bytes> bound = bound_of(p);
    if (!bound) return bound.error();
    return StreamSearch(p, *order, *bound, options, deadline).run();
  } catch (const std::bad_alloc&) {
    return Error{"There is not enough memory to plan this many buffers."};
  }
}

Status check(const StreamProblem& p, const Plan& plan) {
  const Result<StreamOrder> order = StreamOrder::make(p);
  if (!order) return order.error();
  if (plan.offsets.size() != p.buffers.size()) {
    return Error{fmt::format("The plan has {} offsets for {} buffers.", plan.offsets.size(), p.buffers.size())};
  }
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const Bytes o = plan.offsets[i];
    if (o < 0 || o > plan.arena_bytes - p.buffers[i].size || o % alignment_of(p, i) != 0) {
      return Error{fmt::format("Buffer #{} at {} leaves the arena or its alignment.", i, o)};
    }
    for (size_t k = 0; k < i; ++k) {
      const bool overlap = o < plan.offsets[k] + p.buffers[k].size && plan.offsets[k] < o + p.buffers[i].size;
      if (overlap && !order->may_share(p.buffers[i], p.buffers[k])) {
        return Error{fmt::format("Buffers #{} and #{} overlap, and no edge orders their uses.", k, i)};
      }
    }
  }
  return {};
}

}  // namespace arenascope::planner
