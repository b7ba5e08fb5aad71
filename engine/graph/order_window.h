// SPDX-License-Identifier: MIT
// A window of an order that a search may rearrange while everything before and after it is fixed: its ops numbered from
// 0, the buffers that they use, and the bytes that are live throughout. Also the state of a search: the set of executed
// ops.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/graph/order_problem.h"

namespace arenascope {

struct OrderWindow {
  std::vector<int32_t> ops;  // the problem's numbers, in the order from which the window was cut
  IndexLists preds, succs;   // within the window
  IndexLists inputs;         // op → local buffers
  IndexLists consumers;      // local buffer → ops of the window
  // Local buffer i < size() is op i's result; the others come from outside or from lazy sources.
  std::vector<Bytes> bytes;
  std::vector<uint8_t> given;  // live from the window's first step on
  std::vector<uint8_t> stays;  // not freed within the window
  Bytes live = 0;              // before the first step, given buffers included

  int32_t size() const { return static_cast<int32_t>(ops.size()); }
};

// Positions and live bytes of an order of a problem at each step.
struct OrderTrack {
  std::vector<int32_t> ops;
  std::vector<int32_t> position;  // by op
  std::vector<Bytes> live;        // before each step and after the last one
  std::vector<Bytes> step_peak;   // in each step
  Bytes peak = 0;
};
OrderTrack track_order(const OrderProblem& problem, std::vector<int32_t> ops);

// The window [begin, end) of a tracked order.
OrderWindow cut_window(const OrderProblem& problem, const OrderTrack& track, int32_t begin, int32_t end);

// A lower bound of the peak: the maximum over the ops of the bytes that are live while the op runs in every order.
Bytes window_lower_bound(const OrderWindow& window);

// A set of the ops of a window of up to 64·W.
template <int W>
struct OpSet {
  std::array<uint64_t, W> words{};
  bool has(int32_t i) const { return words[static_cast<size_t>(i >> 6)] >> (i & 63) & 1; }
  void add(int32_t i) { words[static_cast<size_t>(i >> 6)] |= uint64_t{1} << (i & 63); }
  void remove(int32_t i) { words[static_cast<size_t>(i >> 6)] &= ~(uint64_t{1} << (i & 63)); }
  bool operator==(const OpSet&) const = default;
  uint64_t hash() const {
    uint64_t h = 0;
    for (uint64_t word : words) h = (h ^ word) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    return h;
  }
  template <class F>
  void each(F&& f) const {
    for (int w = 0; w < W; ++w)
      for (uint64_t left = words[static_cast<size_t>(w)]; left; left &= left - 1) f(64 * w + std::countr_zero(left));
  }
};

template <int W>
struct WindowState {
  OpSet<W> done, ready;
  Bytes live = 0;
  int32_t count = 0;  // number of done ops
};

// The memory cost of running an op.
struct StepCost {
  Bytes peak;   // live bytes while it runs
  Bytes after;  // live bytes after it
};

template <int W>
class WindowSteps {
 public:
  explicit WindowSteps(const OrderWindow& window) : w_(window) {}

  WindowState<W> start() const {
    WindowState<W> s;
    s.live = w_.live;
    for (int32_t op = 0; op < w_.size(); ++op)
      if (w_.preds[op].empty()) s.ready.add(op);
    return s;
  }

  StepCost cost(const WindowState<W>& s, int32_t op) const {
    Bytes peak = s.live + w_.bytes[static_cast<size_t>(op)], freed = 0;
    for (int32_t b : w_.inputs[op]) {
      const auto i = static_cast<size_t>(b);
      bool begun = b < w_.size() || w_.given[i], last = !w_.stays[i];
      for (int32_t user : w_.consumers[i]) {
        const bool ran = s.done.has(user);
        begun = begun || ran;
        last = last && (ran || user == op);
      }
      if (!begun) peak += w_.bytes[i];
      if (last) freed += w_.bytes[i];
    }
    const auto own = static_cast<size_t>(op);
    if (!w_.stays[own] && w_.consumers[own].empty()) freed += w_.bytes[own];
    return {peak, peak - freed};
  }

  void run(WindowState<W>& s, int32_t op, Bytes after) const {
    s.done.add(op);
    s.ready.remove(op);
    s.live = after;
    ++s.count;
    for (int32_t user : w_.succs[op]) {
      bool ready = true;
      for (int32_t pred : w_.preds[user]) ready = ready && s.done.has(pred);
      if (ready) s.ready.add(user);
    }
  }

  // Runs every op that fits under `bound` and does not increase the live bytes: any continuation within the bound can
  // be reordered to run it first. Calls `ran` for each; returns the number of evaluated costs.
  template <class F>
  int64_t run_free_ops(WindowState<W>& s, Bytes bound, F&& ran) const {
    int64_t looked = 0;
    for (bool again = true; again;) {
      again = false;
      int32_t chosen = -1;
      StepCost cost{};
      s.ready.each([&](int32_t op) {
        if (chosen >= 0) return;
        cost = this->cost(s, op);
        ++looked;
        if (cost.peak <= bound && cost.after <= s.live) chosen = op;
      });
      if (chosen < 0) break;
      run(s, chosen, cost.after);
      ran(chosen);
      again = true;
    }
    return looked;
  }

 private:
  const OrderWindow& w_;
};

}  // namespace arenascope
