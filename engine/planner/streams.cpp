// SPDX-License-Identifier: MIT
#include "engine/planner/streams.h"
#include <arenascope/planner/clock.h>
#include <arenascope/planner/lower_bound.h>
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
constexpr int32_t kMostStreams = 4096;

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

}  // namespace

Result<StreamOrder> StreamOrder::make(const StreamProblem& p) {
  if (p.streams < 1 || p.streams > kMostStreams) {
    return Error{fmt::format("{} streams are not between 1 and {}.", p.streams, kMostStreams)};
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
  // What an edge brings, and what that stream itself had waited for by then, until nothing new is learnt.
  for (size_t round = 0, changed = 1; changed != 0; ++round) {
    if (round > p.edges.size() + 1) return Error{"The ordering edges wait for each other in a circle."};
    changed = 0;
    for (const StreamEdge& e : p.edges) {
      auto& list = out.syncs_[e.to_stream];
      auto at = std::lower_bound(list.begin(), list.end(), e.to_step,
                                 [](const Sync& s, int64_t step) { return s.step < step; });
      const auto learn = [&](size_t stream, int64_t step) {
        for (auto s = at; s != list.end(); ++s) {
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
      if (at->done[e.to_stream] > e.to_step) return Error{"The ordering edges wait for each other in a circle."};
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
  const Deadline deadline(options.budget_seconds, options.stop);
  try {
    const Result<StreamOrder> order = StreamOrder::make(p);
    if (!order) return order.error();
    const Result<Bytes> bound = bound_of(p);
    if (!bound) return bound.error();
    const size_t n = p.buffers.size();
    std::vector<std::vector<int32_t>> apart(n);  // whom each one must not overlap
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (order->may_share(p.buffers[i], p.buffers[k])) continue;
        apart[i].push_back(static_cast<int32_t>(k));
        apart[k].push_back(static_cast<int32_t>(i));
      }
    }
    std::vector<std::pair<Bytes, Bytes>> taken;
    const auto place_all = [&](const std::vector<int32_t>& sequence, std::vector<Bytes>& offsets) {
      offsets.assign(n, -1);
      Bytes arena = 0;
      for (int32_t i : sequence) {
        taken.clear();
        for (int32_t k : apart[i]) {
          if (offsets[k] >= 0) taken.emplace_back(offsets[k], offsets[k] + p.buffers[k].size);
        }
        std::sort(taken.begin(), taken.end());
        Bytes at = 0;
        for (const auto& [lo, hi] : taken) {
          if (lo >= at + p.buffers[i].size) break;
          if (hi > at) at = round_up(hi, alignment_of(p, static_cast<size_t>(i)));
        }
        offsets[i] = at;
        arena = std::max(arena, at + p.buffers[i].size);
      }
      return arena;
    };
    Plan best;
    best.planner = "streams";
    best.lower_bound = *bound;
    best.arena_bytes = n > 0 ? std::numeric_limits<Bytes>::max() : 0;
    std::vector<int32_t> sequence(n), current;
    std::iota(sequence.begin(), sequence.end(), 0);
    std::vector<Bytes> offsets;
    Bytes arena_now = 0;
    const auto offer = [&](const std::vector<int32_t>& s) {
      const Bytes arena = place_all(s, offsets);
      if (arena < best.arena_bytes) {
        best.arena_bytes = arena;
        best.offsets = offsets;
        if (options.on_progress) options.on_progress({deadline.seconds(), arena, *bound});
      }
      return arena;
    };
    const auto largest = [&](int32_t a, int32_t b) { return p.buffers[a].size > p.buffers[b].size; };
    const auto busiest = [&](int32_t a, int32_t b) {
      return static_cast<double>(p.buffers[a].size) * static_cast<double>(apart[a].size()) >
             static_cast<double>(p.buffers[b].size) * static_cast<double>(apart[b].size());
    };
    std::stable_sort(sequence.begin(), sequence.end(), busiest);
    arena_now = offer(sequence);
    current = sequence;
    std::stable_sort(sequence.begin(), sequence.end(), largest);
    if (const Bytes arena = offer(sequence); arena < arena_now) {
      arena_now = arena;
      current = sequence;
    }
    std::mt19937_64 random(1);
    while (n > 1 && best.arena_bytes > *bound && !deadline.over()) {
      sequence = current;
      for (int moves = 1 + static_cast<int>(random() % 3); moves > 0; --moves) {
        const size_t a = random() % n, b = random() % n;
        if (a < b)
          std::rotate(sequence.begin() + static_cast<std::ptrdiff_t>(a),
                      sequence.begin() + static_cast<std::ptrdiff_t>(b),
                      sequence.begin() + static_cast<std::ptrdiff_t>(b) + 1);
      }
      if (const Bytes arena = offer(sequence); arena <= arena_now) {
        arena_now = arena;
        current = sequence;
      }
    }
    best.optimal = best.arena_bytes == *bound;
    best.seconds = deadline.seconds();
    return best;
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
