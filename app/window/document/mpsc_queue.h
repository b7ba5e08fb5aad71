// SPDX-License-Identifier: GPL-3.0-or-later
// Lock-free queue with several producers and one consumer. The consumer sleeps while the queue is empty.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace arenascope::app {

template <class T>
class MpscQueue {
 public:
  MpscQueue() = default;
  MpscQueue(const MpscQueue&) = delete;
  MpscQueue& operator=(const MpscQueue&) = delete;
  ~MpscQueue() { drain(); }

  void push(T item) {
    Node* node = new Node{std::move(item), newest_.load(std::memory_order_relaxed)};
    while (!newest_.compare_exchange_weak(node->before, node, std::memory_order_release, std::memory_order_relaxed)) {
    }
    wake();
  }
  // All items pushed so far, oldest first.
  std::vector<T> drain() {
    Node* node = newest_.exchange(nullptr, std::memory_order_acquire);
    std::vector<T> items;
    while (node != nullptr) {
      items.push_back(std::move(node->item));
      delete std::exchange(node, node->before);
    }
    std::reverse(items.begin(), items.end());
    return items;
  }
  bool empty() const { return newest_.load(std::memory_order_acquire) == nullptr; }
  // Blocks the consumer until an item is pushed or wake() is called.
  void wait() {
    const uint32_t seen = calls_.load(std::memory_order_acquire);
    if (seen == seen_calls_) calls_.wait(seen, std::memory_order_acquire);
    seen_calls_ = calls_.load(std::memory_order_acquire);
  }
  void wake() {
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
  }

 private:
  struct Node {
    T item;
    Node* before;
  };
  std::atomic<Node*> newest_{nullptr};
  std::atomic<uint32_t> calls_{0};
  uint32_t seen_calls_ = 0;  // the consumer's
};

}  // namespace arenascope::app
