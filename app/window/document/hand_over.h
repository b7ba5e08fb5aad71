// SPDX-License-Identifier: GPL-3.0-or-later
// What one thread wants of another, handed over without a lock: any thread gives, one takes, and whoever has nothing to
// do sleeps until something is given.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace arenascope::app {

template <class T>
class HandOver {
 public:
  HandOver() = default;
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;
  ~HandOver() { take(); }

  void give(T thing) {
    Node* node = new Node{std::move(thing), newest_.load(std::memory_order_relaxed)};
    while (!newest_.compare_exchange_weak(node->before, node, std::memory_order_release, std::memory_order_relaxed)) {
    }
    wake();
  }
  // Everything that was given so far, oldest first.
  std::vector<T> take() {
    Node* node = newest_.exchange(nullptr, std::memory_order_acquire);
    std::vector<T> things;
    while (node != nullptr) {
      things.push_back(std::move(node->thing));
      delete std::exchange(node, node->before);
    }
    std::reverse(things.begin(), things.end());
    return things;
  }
  bool empty() const { return newest_.load(std::memory_order_acquire) == nullptr; }
  // Until something is there or wake() is called; by the thread that takes.
  void wait() {
    const uint32_t seen = calls_.load(std::memory_order_acquire);
    if (seen == heard_) calls_.wait(seen, std::memory_order_acquire);
    heard_ = calls_.load(std::memory_order_acquire);
  }
  void wake() {
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
  }

 private:
  struct Node {
    T thing;
    Node* before;
  };
  std::atomic<Node*> newest_{nullptr};
  std::atomic<uint32_t> calls_{0};
  uint32_t heard_ = 0;  // the taker's
};

}  // namespace arenascope::app
