// SPDX-License-Identifier: MIT
// Cooperative group: the threads that share one row of elements, which is one thread, a warp or a whole block. Each
// member processes every n-th element; the results are then combined, always in the same order.
#pragma once
#include "engine/backends/cuda/kernels/portable.h"

namespace arenascope::cuda {

enum class GroupKind : int32_t { Thread, Warp, Block };

struct CooperativeGroup {
  GroupKind kind;
  int member;  // 0 ≤ member < size
  int size;
  int64_t number;  // index among all groups of the grid
  int64_t group_count;
};

ARENASCOPE_DEVICE CooperativeGroup group_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::Thread: return {kind, 0, 1, block() * threads() + thread(), blocks() * threads()};
    case GroupKind::Warp:
      return {kind, thread() % kWarp, kWarp, block() * (threads() / kWarp) + thread() / kWarp,
              blocks() * (threads() / kWarp)};
    default: return {kind, thread(), threads(), block(), blocks()};
  }
}

// Reduction of all members' values with `join`; every member gets the result.
template <class T, class Join>
ARENASCOPE_DEVICE T joined(const CooperativeGroup& group, T value, Join join) {
  if (group.kind == GroupKind::Thread) return value;
  ARENASCOPE_UNROLL for (int mask = kWarp / 2; mask > 0; mask /= 2) value = join(value, shuffle_xor(value, mask));
  if (group.kind == GroupKind::Warp) return value;
  ARENASCOPE_SHARED T of_warp[32];
  sync();  // the previous use of of_warp is finished
  if (group.member % kWarp == 0) of_warp[group.member / kWarp] = value;
  sync();
  T all = of_warp[0];
  for (int w = 1; w < group.size / kWarp; ++w) all = join(all, of_warp[w]);
  return all;
}

// Integers wrap to the low 64 bits.
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

// A value and its index in the row; -1: none.
template <class N>
struct Found {
  N value;
  int64_t at;
};

// Order of two values: true if `a` comes first.
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
ARENASCOPE_DEVICE Found<N> first_of(const CooperativeGroup& group, Found<N> mine, const Precedes<N>& precedes) {
  if (group.kind == GroupKind::Thread) return mine;
  ARENASCOPE_UNROLL for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    const Found<N> other{shuffle_xor(mine.value, mask), shuffle_xor(mine.at, mask)};
    if (precedes(other, mine)) mine = other;
  }
  if (group.kind == GroupKind::Warp) return mine;
  ARENASCOPE_SHARED N values[32];
  ARENASCOPE_SHARED int64_t indexer[32];
  sync();
  if (group.member % kWarp == 0) {
    values[group.member / kWarp] = mine.value;
    indexer[group.member / kWarp] = mine.at;
  }
  sync();
  mine = {values[0], indexer[0]};
  for (int w = 1; w < group.size / kWarp; ++w) {
    const Found<N> other{values[w], indexer[w]};
    if (precedes(other, mine)) mine = other;
  }
  return mine;
}

// Prefix results of the members before this one, up to and including it, and of all; `none` is the neutral element of
// `join`.
template <class N>
struct Running {
  N before, through, total;
};
template <class N, class Join>
ARENASCOPE_DEVICE Running<N> running(const CooperativeGroup& group, N value, N none, Join join) {
  if (group.kind == GroupKind::Thread) return {none, value, value};
  const int lane = group.member % kWarp;
  ARENASCOPE_UNROLL for (int by = 1; by < kWarp; by *= 2) {
    const N earlier = shuffle_up(value, by);
    if (lane >= by) value = join(earlier, value);
  }
  N before = shuffle_up(value, 1);
  if (lane == 0) before = none;
  if (group.kind == GroupKind::Warp) {
    N total = value;  // total of the last lane
    ARENASCOPE_UNROLL for (int mask = 1; mask < kWarp; mask *= 2) {
      const N other = shuffle_xor(total, mask);
      if ((lane & mask) == 0) total = other;
    }
    return {before, value, total};
  }
  ARENASCOPE_SHARED N of_warp[32];
  sync();
  if (lane == kWarp - 1) of_warp[group.member / kWarp] = value;
  sync();
  N earlier = none, total = none;
  for (int w = 0; w < group.size / kWarp; ++w) {
    if (w < group.member / kWarp) earlier = join(earlier, of_warp[w]);
    total = join(total, of_warp[w]);
  }
  return {join(earlier, before), join(earlier, value), total};
}

}  // namespace arenascope::cuda
