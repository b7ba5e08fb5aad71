// SPDX-License-Identifier: MIT
#include "engine/planner/restart_portfolio.h"
#include "engine/planner/fit_allocator.h"
#include "engine/planner/valley_search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>

namespace arenascope::planner {
namespace {

// Restarts come in waves of a fixed size, whose members are independent: the result does not depend on how
// many of them run side by side.
constexpr size_t kWave = 4;
constexpr int64_t kWorthThreads = 20000;  // decisions; below that, starting a thread costs more than it gains

uint64_t luby(uint64_t i) {
  while (((i + 1) & i) != 0) {  // not the last of a block of 2^k - 1: the same index in the previous block
    uint64_t block = 1;
    while (2 * block - 1 < i) block *= 2;
    i -= block - 1;
  }
  return (i + 1) / 2;
}

struct Restart {
  Bytes capacity = 0;
  int64_t nodes = 0;
  Strategy strategy;
  Verdict verdict = Verdict::stopped;
  std::vector<Bytes> offsets;
  std::vector<Bytes> fullest;
};

class Race {
 public:
  Race(const Items& items, const Sections& sections, int threads, Incumbent& best)
      : sections_(sections),
        best_(best),
        placer_(items, best.deadline().stop_check()),
        by_size_(order_by(items, Key::size, best.deadline().stop_check())),
        searches_(static_cast<size_t>(std::clamp<int>(threads, 1, kWave))) {}

  void run(uint64_t waves) {
    low_ = std::max(sections_.peak(), (best_.bound() + sections_.unit - 1) / sections_.unit);
    const auto n = static_cast<int64_t>(sections_.items());
    // Few restarts are long and most are short, as in the sequence of Luby, Sinclair and Zuckerman (1 1 2 1 1 2 4 …), with
    // factors of three instead of two; and all grow with time.
    const int64_t base = std::max<int64_t>(500, 4 * n);
    for (uint64_t w = 1; w <= waves && !best_.done(); ++w) {
      double nodes = static_cast<double>(base) * (1 + static_cast<double>(w) / 128);
      // The first long restarts continue where the short ones without noise were cut off.
      const bool first = luby(w) > longest_;
      longest_ = std::max(longest_, luby(w));
      for (uint64_t left = luby(w); left > 1; left /= 2) nodes *= 3;
      wave(static_cast<int64_t>(std::min(nodes, 1e9)), base + base * static_cast<int64_t>(w) / 32, first);
    }
  }

 private:
  Bytes high() const { return (best_.arena() + sections_.unit - 1) / sections_.unit; }

  // Restarts at the bound get `nodes` decisions, those that aim between it and the best plan `eased_nodes`: there,
  // another strategy finds more than a longer search.
  void wave(int64_t nodes, int64_t eased_nodes, bool plain) {
    std::array<Restart, kWave> restarts;
    const Bytes most = high() - 1;
    for (size_t k = 0; k < kWave; ++k) {
      Restart& r = restarts[k];
      static constexpr Strategy::Key kKeys[] = {Strategy::area, Strategy::size, Strategy::length, Strategy::plain_size};
      r.strategy = {kKeys[count_ % 4], plain ? 0 : count_ / 4};
      ++count_;
      if (best_.capacity() && *best_.capacity() / sections_.unit >= low_) {
        r.capacity = *best_.capacity() / sections_.unit;
      } else {
        const double ease = plain ? 0 : ease_[k];
        const Bytes eased = low_ + static_cast<Bytes>(ease * static_cast<double>(most - low_));
        r.capacity = eased;
      }
      r.capacity = std::clamp(r.capacity, low_, std::max(low_, most));
      const bool eased = !best_.capacity() && r.capacity > low_;
      r.nodes = eased ? std::min(nodes, eased_nodes) : nodes;
    }
    std::rotate(ease_.begin(), ease_.begin() + 1, ease_.end());
    execute(restarts, nodes);
    for (size_t k = 0; k < kWave; ++k) {
      Restart& r = restarts[k];
      if (r.verdict == Verdict::found) {
        for (Bytes& o : r.offsets) o *= sections_.unit;
        best_.offer(std::move(r.offsets));
      }
      if (r.verdict == Verdict::impossible && r.capacity >= low_) {
        low_ = r.capacity + 1;
        best_.raise_bound(r.capacity * sections_.unit + 1);
        if (low_ >= high()) best_.raise_bound(best_.arena());
      }
      if (r.verdict == Verdict::stopped && !r.fullest.empty()) complete(r.fullest);
      if (r.capacity > low_)
        ease_of(k) = std::clamp(ease_of(k) * (r.verdict == Verdict::found ? 0.7 : 1.3), 0.02, 0.95);
    }
  }
  // Places the items that a failed restart did not place into holes or on top, from large to small.
  void complete(const std::vector<Bytes>& partial) {
    if (completing_ > 0.2 * best_.deadline().seconds()) return;
    const double start = best_.deadline().seconds();
    placer_.clear();
    std::vector<Bytes> offsets(partial.size());
    for (size_t i = 0; i < partial.size(); ++i) {
      if (partial[i] >= 0) placer_.put(static_cast<int32_t>(i), offsets[i] = partial[i] * sections_.unit);
    }
    int count = 0;
    bool whole = true;
    for (int32_t i : by_size_) {
      if (partial[i] >= 0) continue;
      offsets[i] = placer_.place(i, Fit::first);
      if ((++count & 15) == 0 && best_.deadline().over()) {
        whole = false;
        break;
      }
    }
    if (whole) best_.offer(std::move(offsets));
    completing_ += best_.deadline().seconds() - start;
  }

  // The share of a restart that has been rotated since.
  double& ease_of(size_t k) { return ease_[(k + kWave - 1) % kWave]; }

  void execute(std::array<Restart, kWave>& restarts, int64_t nodes) {
    std::atomic<size_t> next{0};
    std::atomic<bool> enough{false};
    const auto work = [&](size_t worker) {
      const std::function<bool()> stop = [&] {
        return enough.load(std::memory_order_relaxed) || best_.deadline().over();
      };
      try {
        if (!searches_[worker])
          searches_[worker] = std::make_unique<ValleySearch>(sections_, best_.deadline().stop_check());
        ValleySearch& search = *searches_[worker];
        for (size_t k = next++; k < kWave && !enough; k = next++) {
          restarts[k].verdict = search.run(restarts[k].capacity, restarts[k].strategy, restarts[k].nodes, stop);
          if (restarts[k].verdict == Verdict::found) restarts[k].offsets = search.offsets();
          if (restarts[k].verdict == Verdict::stopped) restarts[k].fullest = search.fullest();
          // Alone, the restarts after one that cannot be beaten are not needed. Side by side they are waited for.
          if (restarts[k].verdict == Verdict::found && restarts[k].capacity <= low_ && searches_.size() == 1)
            enough = true;
        }
      } catch (const std::bad_alloc&) {
        enough = true;
      } catch (const Interrupted&) {
        enough = true;
      }
    };
    if (searches_.size() == 1 || nodes < kWorthThreads) {
      work(0);
    } else {
      std::vector<std::jthread> threads;
      for (size_t t = 1; t < searches_.size(); ++t) threads.emplace_back(work, t);
      work(0);
    }
  }

  const Sections& sections_;
  Incumbent& best_;
  FitAllocator placer_;
  std::vector<int32_t> by_size_;
  double completing_ = 0;  // seconds
  std::vector<std::unique_ptr<ValleySearch>> searches_;
  Bytes low_ = 0;  // nothing fits below this many units
  uint64_t count_ = 0, longest_ = 0;
  // The targets of a wave's restarts: distances to the bound, as fractions of the gap to the best plan.
  std::array<double, kWave> ease_{0, 0.3, 0, 0.6};
};

}  // namespace

void run_restart_portfolio(const Items& items, const Sections& sections, int threads, Incumbent& best, uint64_t waves) {
  if (!best.done()) Race(items, sections, threads, best).run(waves);
}

}  // namespace arenascope::planner
