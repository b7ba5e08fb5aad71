// SPDX-License-Identifier: MIT
#include "engine/graph/order_exact.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace arenascope {
namespace {

// Below the speed of current machines, so that the time limit ends a search only on a slow or busy machine.
constexpr double kEvaluationsPerSecond = 2e6;
constexpr int64_t kEvaluationsPerClockRead = 4096;
constexpr size_t kStateBytes = size_t{1} << 26;  // for all states of one search

// Hash table of all reached sets of ops.
template <int W>
class SeenStates {
 public:
  struct Entry {
    WindowState<W> state;
    Bytes peak;  // peak of the best path to this set
    int32_t parent;
    int32_t op;  // executed from the parent, before free ops
    bool closed = false;
  };
  static constexpr size_t kCapacity = kStateBytes / (sizeof(Entry) + 8);

  SeenStates() : table_(1024, -1) {}
  std::vector<Entry> entries;

  // The entry with that set, or -1.
  int32_t find(const OpSet<W>& done) const { return table_[slot(done)]; }
  int32_t add(Entry entry) {
    if (2 * (entries.size() + 1) > table_.size()) grow();
    const auto index = static_cast<int32_t>(entries.size());
    table_[slot(entry.state.done)] = index;
    entries.push_back(std::move(entry));
    return index;
  }

 private:
  size_t slot(const OpSet<W>& done) const {
    size_t at = done.hash() & (table_.size() - 1);
    while (table_[at] >= 0 && !(entries[static_cast<size_t>(table_[at])].state.done == done))
      at = (at + 1) & (table_.size() - 1);
    return at;
  }
  void grow() {
    table_.assign(2 * table_.size(), -1);
    for (size_t i = 0; i < entries.size(); ++i) table_[slot(entries[i].state.done)] = static_cast<int32_t>(i);
  }
  std::vector<int32_t> table_;
};

template <int W>
class ExactSearch {
 public:
  ExactSearch(const OrderWindow& window, Bytes floor, Bytes below, SearchBudget& budget)
      : window_(window), steps_(window), floor_(floor), below_(below), budget_(budget) {}

  ExactResult run() {
    WindowState<W> first = steps_.start();
    Bytes peak = std::max(floor_, first.live);
    if (peak >= below_) return {ExactResult::Kind::NoneBelow, {}, 0};
    bool fits = budget_.spend(1 + steps_.run_free_ops(first, peak, [](int32_t) {}));
    push(seen_.add({first, peak, -1, -1}));
    while (!queue_.empty()) {
      const int32_t at = std::get<2>(queue_.top());
      const Bytes queued = std::get<0>(queue_.top());
      queue_.pop();
      auto& entry = seen_.entries[static_cast<size_t>(at)];
      if (entry.closed || entry.peak != queued) continue;
      if (entry.state.count == window_.size()) return {ExactResult::Kind::Found, path_to(at), entry.peak};
      entry.closed = true;
      fits = fits && expand(at);
      if (!fits) return {};
    }
    return {ExactResult::Kind::NoneBelow, {}, 0};
  }

 private:
  // Among sets of equal peak the largest is expanded first, so that a complete order is found early.
  using Queued = std::tuple<Bytes, int32_t, int32_t>;

  void push(int32_t at) {
    const auto& e = seen_.entries[static_cast<size_t>(at)];
    queue_.emplace(e.peak, -e.state.count, at);
  }

  bool expand(int32_t at) {
    const WindowState<W> from = seen_.entries[static_cast<size_t>(at)].state;  // adding may move the entries
    const Bytes peak = seen_.entries[static_cast<size_t>(at)].peak;
    bool fits = true;
    from.ready.each([&](int32_t op) {
      if (!fits) return;
      const StepCost cost = steps_.cost(from, op);
      fits = budget_.spend(1);
      const Bytes reached = std::max(peak, cost.peak);
      if (reached >= below_) return;
      WindowState<W> to = from;
      steps_.run(to, op, cost.after);
      fits = fits && budget_.spend(steps_.run_free_ops(to, reached, [](int32_t) {}));
      const int32_t known = seen_.find(to.done);
      if (known < 0) {
        fits = fits && seen_.entries.size() < SeenStates<W>::kCapacity;
        if (fits) push(seen_.add({to, reached, at, op}));
        return;
      }
      auto& entry = seen_.entries[static_cast<size_t>(known)];
      if (entry.closed || entry.peak <= reached) return;
      entry.peak = reached;
      entry.parent = at;
      entry.op = op;
      push(known);
    });
    return fits;
  }

  std::vector<int32_t> path_to(int32_t at) const {
    std::vector<int32_t> chain;
    for (; at >= 0; at = seen_.entries[static_cast<size_t>(at)].parent) chain.push_back(at);
    std::vector<int32_t> order;
    const auto note = [&order](int32_t op) { order.push_back(op); };
    WindowState<W> state = steps_.start();
    for (size_t i = chain.size(); i-- > 0;) {
      const auto& entry = seen_.entries[static_cast<size_t>(chain[i])];
      if (entry.op >= 0) {
        steps_.run(state, entry.op, steps_.cost(state, entry.op).after);
        note(entry.op);
      }
      steps_.run_free_ops(state, entry.peak, note);
    }
    return order;
  }

  const OrderWindow& window_;
  const WindowSteps<W> steps_;
  const Bytes floor_, below_;
  SearchBudget& budget_;
  SeenStates<W> seen_;
  std::priority_queue<Queued, std::vector<Queued>, std::greater<>> queue_;
};

}  // namespace

SearchBudget::SearchBudget(double seconds, std::stop_token stop, bool by_clock) : stop_(std::move(stop)) {
  seconds = seconds > 0 ? std::min(seconds, 1e9) : 0;
  left_ = static_cast<int64_t>(seconds * kEvaluationsPerSecond);
  deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                     std::chrono::duration<double>(by_clock ? seconds : 1e9));
}

bool SearchBudget::spend(int64_t evaluations) {
  left_ -= evaluations;
  until_clock_ -= evaluations;
  if (until_clock_ <= 0) {
    until_clock_ = kEvaluationsPerClockRead;
    if (stop_.stop_requested() || std::chrono::steady_clock::now() >= deadline_) {
      ended_ = true;
      left_ = 0;
    }
  }
  return left_ > 0;
}

int64_t SearchBudget::limit(int64_t evaluations) {
  const int64_t taken = evaluations < left_ ? left_ - evaluations : 0;
  left_ -= taken;
  return taken;
}

ExactResult exact_order(const OrderWindow& window, Bytes floor, Bytes below, SearchBudget& budget) {
  const int32_t n = window.size();
  if (n <= 64) return ExactSearch<1>(window, floor, below, budget).run();
  if (n <= 256) return ExactSearch<4>(window, floor, below, budget).run();
  if (n <= kLargestWindow) return ExactSearch<kLargestWindow / 64>(window, floor, below, budget).run();
  return {};
}

}  // namespace arenascope
