// SPDX-License-Identifier: MIT
// A ring of events with one writer and one reader, which never blocks its writer and counts lost events.
// The Recorder owns the rings; a worker holds a pointer, or null when nothing is recorded.
#pragma once
#include <arenascope/trace/clock.h>
#include <arenascope/trace/events.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>

namespace arenascope::trace {

class ThreadRing {
 public:
  // `capacity` is a power of two.
  ThreadRing(TrackId track, size_t capacity, Clock clock)
      : slots_(new Event[capacity]), mask_(capacity - 1), track_(track), clock_(clock) {}
  ThreadRing(const ThreadRing&) = delete;
  ThreadRing& operator=(const ThreadRing&) = delete;

  TrackId track() const { return track_; }
  size_t capacity() const { return mask_ + 1; }
  Nanoseconds now() const { return clock_.now(); }

  // Writer's thread only. False if the ring was full and the event is lost (and counted).
  bool record(const Event& event) {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - known_tail_ > mask_) [[unlikely]] {
      known_tail_ = tail_.load(std::memory_order_acquire);
      if (head - known_tail_ > mask_) {
        lose(1);
        return false;
      }
    }
    slots_[head & mask_] = event;
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // Reader's thread only: the position after the newest event.
  uint64_t head() const { return head_.load(std::memory_order_acquire); }
  // Reader's thread only: the position of the oldest event, and the event at a position before a head.
  uint64_t tail() const { return tail_.load(std::memory_order_relaxed); }
  const Event& at(uint64_t position) const { return slots_[position & mask_]; }
  // Reader's thread only: hands all events before `until` to f(span), in at most two pieces, and frees their slots.
  template <class F>
  void consume(uint64_t until, F&& f) {
    uint64_t tail = tail_.load(std::memory_order_relaxed);
    while (tail != until) {
      const size_t at = tail & mask_;
      const size_t n = std::min<uint64_t>(until - tail, mask_ + 1 - at);
      f(std::span<const Event>(slots_.get() + at, n));
      tail += n;
      tail_.store(tail, std::memory_order_release);
    }
  }
  // Reader's thread only: the number of unread events before `until`.
  size_t waiting(uint64_t until) const { return until - tail(); }
  // Counts events that were not written, or not read. Any thread.
  void lose(int64_t events) { lost_.fetch_add(events, std::memory_order_relaxed); }
  // How many events were lost so far. Any thread.
  int64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  std::unique_ptr<Event[]> slots_;
  uint64_t mask_;
  TrackId track_;
  Clock clock_;
  uint64_t known_tail_ = 0;  // writer's copy of tail_
  alignas(64) std::atomic<uint64_t> head_{0};
  std::atomic<int64_t> lost_{0};
  alignas(64) std::atomic<uint64_t> tail_{0};
};

// Writes to a ring that may be null: the one predictable branch that tracing costs when it is off.
inline void record(ThreadRing* ring, const Event& event) {
  if (ring != nullptr) [[unlikely]]
    ring->record(event);
}

}  // namespace arenascope::trace
