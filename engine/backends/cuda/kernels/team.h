// SPDX-License-Identifier: MIT
// The threads that share one line of elements: one thread, a warp, or a whole block, as the launch chose. Each member
// takes every n-th element; what they found is then joined, always in the same order.
#pragma once
#include "engine/backends/cuda/kernels/portable.h"

namespace arenascope::cuda {

enum class TeamKind : int32_t { Thread, Warp, Block };

struct Team {
  TeamKind kind;
  int member;  // 0 ≤ member < size
  int size;
  int64_t number;  // among all teams of the grid
  int64_t teams;
};

ARENASCOPE_DEVICE Team team_of(TeamKind kind) {
  switch (kind) {
    case TeamKind::Thread: return {kind, 0, 1, block() * threads() + thread(), blocks() * threads()};
    case TeamKind::Warp:
      return {kind, thread() % kWarp, kWarp, block() * (threads() / kWarp) + thread() / kWarp,
              blocks() * (threads() / kWarp)};
    default: return {kind, thread(), threads(), block(), blocks()};
  }
}

// join(all members' values), the same for every member.
template <class T, class Join>
ARENASCOPE_DEVICE T joined(const Team& team, T value, Join join) {
  if (team.kind == TeamKind::Thread) return value;
  ARENASCOPE_UNROLL for (int mask = kWarp / 2; mask > 0; mask /= 2) value = join(value, shuffle_xor(value, mask));
  if (team.kind == TeamKind::Warp) return value;
  ARENASCOPE_SHARED T of_warp[32];
  sync();  // the last use of of_warp is over
  if (team.member % kWarp == 0) of_warp[team.member / kWarp] = value;
  sync();
  T all = of_warp[0];
  for (int w = 1; w < team.size / kWarp; ++w) all = join(all, of_warp[w]);
  return all;
}

// Of whole numbers they keep the low 64 bits.
struct Plus {
  template <class T>
  ARENASCOPE_DEVICE T operator()(T a, T b) const {
    return a + b;
  }
  ARENASCOPE_DEVICE int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
};
struct Times {
  template <class T>
  ARENASCOPE_DEVICE T operator()(T a, T b) const {
    return a * b;
  }
  ARENASCOPE_DEVICE int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};
struct Larger {
  template <class T>
  ARENASCOPE_DEVICE T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Smaller {
  template <class T>
  ARENASCOPE_DEVICE T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

// A number and where it stands in its line; -1: none.
template <class N>
struct Found {
  N value;
  int64_t at;
};

// Which of two comes first.
template <class N>
struct Precedes {
  bool largest, last;
  ARENASCOPE_DEVICE bool operator()(const Found<N>& a, const Found<N>& b) const {
    if (a.at < 0 || b.at < 0) return a.at >= 0;
    if (a.value != b.value) return largest ? a.value > b.value : a.value < b.value;
    return last ? a.at > b.at : a.at < b.at;
  }
};

template <class N>
ARENASCOPE_DEVICE Found<N> first_of(const Team& team, Found<N> mine, const Precedes<N>& precedes) {
  if (team.kind == TeamKind::Thread) return mine;
  ARENASCOPE_UNROLL for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    const Found<N> other{shuffle_xor(mine.value, mask), shuffle_xor(mine.at, mask)};
    if (precedes(other, mine)) mine = other;
  }
  if (team.kind == TeamKind::Warp) return mine;
  ARENASCOPE_SHARED N values[32];
  ARENASCOPE_SHARED int64_t places[32];
  sync();
  if (team.member % kWarp == 0) {
    values[team.member / kWarp] = mine.value;
    places[team.member / kWarp] = mine.at;
  }
  sync();
  mine = {values[0], places[0]};
  for (int w = 1; w < team.size / kWarp; ++w) {
    const Found<N> other{values[w], places[w]};
    if (precedes(other, mine)) mine = other;
  }
  return mine;
}

// The values of the members before this one, of those up to and with it, and of all, joined; `none` is what joins
// without effect.
template <class N>
struct Running {
  N before, through, total;
};
template <class N, class Join>
ARENASCOPE_DEVICE Running<N> running(const Team& team, N value, N none, Join join) {
  if (team.kind == TeamKind::Thread) return {none, value, value};
  const int lane = team.member % kWarp;
  ARENASCOPE_UNROLL for (int by = 1; by < kWarp; by *= 2) {
    const N earlier = shuffle_up(value, by);
    if (lane >= by) value = join(earlier, value);
  }
  N before = shuffle_up(value, 1);
  if (lane == 0) before = none;
  if (team.kind == TeamKind::Warp) {
    N total = value;  // of the last lane
    ARENASCOPE_UNROLL for (int mask = 1; mask < kWarp; mask *= 2) {
      const N other = shuffle_xor(total, mask);
      if ((lane & mask) == 0) total = other;
    }
    return {before, value, total};
  }
  ARENASCOPE_SHARED N of_warp[32];
  sync();
  if (lane == kWarp - 1) of_warp[team.member / kWarp] = value;
  sync();
  N earlier = none, total = none;
  for (int w = 0; w < team.size / kWarp; ++w) {
    if (w < team.member / kWarp) earlier = join(earlier, of_warp[w]);
    total = join(total, of_warp[w]);
  }
  return {join(earlier, before), join(earlier, value), total};
}

}  // namespace arenascope::cuda
