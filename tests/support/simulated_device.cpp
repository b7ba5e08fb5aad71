// SPDX-License-Identifier: MIT
#include "support/simulated_device.h"
#include <arenascope/base/checked.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace arenascope {

SimulatedDevice::SimulatedDevice(Bytes memory, int16_t index) : index_(index), memory_(memory), range_(memory) {
  memory_ = std::min(memory, range_.capacity()) / 512 * 512;
  [[maybe_unused]] const Status s = heap_.add_segment(range_.base(), memory_, 0);
  streams_[0];
}

void SimulatedDevice::check_alive() const { hazards_ += !alive_; }

Result<void*> SimulatedDevice::take_memory(Bytes bytes) {
  std::lock_guard lock(mutex_);
  check_alive();
  ++takes_;
  uintptr_t at = 0;
  if (bytes > 0 && bytes <= memory_)
    at = heap_.take(0, static_cast<Bytes>(align_up(static_cast<uint64_t>(bytes), 512)), 512);
  if (!at)
    return Error{fmt::format("{} has no {} bytes left, {} of {} are taken", to_string(device()), bytes,
                             heap_.used_bytes(), memory_)};
  taken_[at] = bytes;
  return reinterpret_cast<void*>(at);
}

void SimulatedDevice::give_memory(void* pointer, Bytes bytes) noexcept {
  std::lock_guard lock(mutex_);
  check_alive();
  const auto at = reinterpret_cast<uintptr_t>(pointer);
  const auto it = taken_.find(at);
  if (it == taken_.end() || it->second != bytes) {
    ++hazards_;
    return;
  }
  for (const auto& [handle, queue] : streams_)
    for (const Work& w : queue.work)
      for (const Use& u : w.uses)
        hazards_ += u.address < at + static_cast<uintptr_t>(bytes) && at < u.address + static_cast<uintptr_t>(u.bytes);
  taken_.erase(it);
  heap_.give(at);
}

Result<EventHandle> SimulatedDevice::create_event() {
  std::lock_guard lock(mutex_);
  check_alive();
  if (failing_events_ > 0) {
    --failing_events_;
    return Error{fmt::format("{} makes no more events", to_string(device()))};
  }
  events_[next_event_];
  return next_event_++;
}

void SimulatedDevice::destroy_event(EventHandle event) noexcept {
  std::lock_guard lock(mutex_);
  check_alive();
  hazards_ += events_.erase(event) == 0;
}

Status SimulatedDevice::record_event(EventHandle event, Stream stream) {
  std::lock_guard lock(mutex_);
  check_alive();
  const auto it = events_.find(event);
  if (failing_events_ > 0 || it == events_.end()) {
    failing_events_ -= failing_events_ > 0;
    return Error{fmt::format("{} cannot record an event", to_string(device()))};
  }
  it->second = {stream.handle, streams_[stream.handle].queued};
  return {};
}

Result<bool> SimulatedDevice::query_event(EventHandle event) {
  std::lock_guard lock(mutex_);
  check_alive();
  const auto it = events_.find(event);
  if (it == events_.end()) return Error{fmt::format("{} knows no event {}", to_string(device()), event)};
  return streams_[it->second.stream].done >= it->second.count;
}

Status SimulatedDevice::wait_event(EventHandle event) {
  std::lock_guard lock(mutex_);
  check_alive();
  const auto it = events_.find(event);
  if (it == events_.end()) return Error{fmt::format("{} knows no event {}", to_string(device()), event)};
  run_until(it->second.stream, it->second.count);
  return {};
}

Status SimulatedDevice::synchronize() {
  std::lock_guard lock(mutex_);
  check_alive();
  for (const auto& [handle, queue] : streams_) run_until(handle, queue.queued);
  return {};
}

bool SimulatedDevice::alive() const noexcept { return alive_; }

Stream SimulatedDevice::create_stream() {
  std::lock_guard lock(mutex_);
  streams_[next_stream_];
  return {device(), next_stream_++};
}

void SimulatedDevice::launch(Stream stream, std::span<const Use> uses) {
  std::lock_guard lock(mutex_);
  check_alive();
  for (const Use& u : uses) {
    const uintptr_t end = u.address + static_cast<uintptr_t>(u.bytes);
    auto held = taken_.upper_bound(u.address);
    if (held == taken_.begin()) {
      ++hazards_;
    } else {
      --held;
      hazards_ += end > held->first + static_cast<uintptr_t>(held->second);
    }
    for (const auto& [handle, queue] : streams_) {
      if (handle == stream.handle) continue;  // one stream runs in order
      const auto ordered = streams_[stream.handle].before.find(handle);
      uint64_t number = queue.done;
      for (const Work& w : queue.work) {
        if (ordered != streams_[stream.handle].before.end() && ++number <= ordered->second) continue;
        for (const Use& other : w.uses)
          hazards_ += other.allocation != u.allocation && other.address < end &&
                      u.address < other.address + static_cast<uintptr_t>(other.bytes);
      }
    }
  }
  push(stream.handle, {{uses.begin(), uses.end()}, 0, 0});
}

void SimulatedDevice::push(uintptr_t stream, Work work) {
  Queue& queue = streams_[stream];
  queue.work.push_back(std::move(work));
  ++queue.queued;
}

void SimulatedDevice::wait_for(Stream stream, Stream other) {
  std::lock_guard lock(mutex_);
  check_alive();
  if (stream.handle == other.handle) return;
  const Queue& source = streams_[other.handle];
  if (source.queued == 0) return;
  Queue& queue = streams_[stream.handle];
  for (const auto& [handle, count] : source.before)
    if (handle != stream.handle) queue.before[handle] = std::max(queue.before[handle], count);
  queue.before[other.handle] = source.queued;
  push(stream.handle, {{}, other.handle, source.queued});
}

bool SimulatedDevice::step(Stream stream) {
  std::lock_guard lock(mutex_);
  return step_locked(stream.handle);
}

bool SimulatedDevice::step_locked(uintptr_t stream) {
  Queue& queue = streams_[stream];
  if (queue.work.empty()) return false;
  const Work& w = queue.work.front();
  if (w.wait_count > 0 && streams_[w.wait_stream].done < w.wait_count) return false;
  queue.work.pop_front();
  ++queue.done;
  return true;
}

// Runs what the stream waits for as well. Waits point back in time, so this ends.
void SimulatedDevice::run_until(uintptr_t stream, uint64_t count) {
  Queue& queue = streams_[stream];
  while (queue.done < count) {
    const Work& w = queue.work.front();
    if (w.wait_count > 0) run_until(w.wait_stream, w.wait_count);
    step_locked(stream);
  }
}

int64_t SimulatedDevice::hazards() const {
  std::lock_guard lock(mutex_);
  return hazards_;
}

Bytes SimulatedDevice::used() const {
  std::lock_guard lock(mutex_);
  return heap_.used_bytes();
}

int64_t SimulatedDevice::calls_to_take() const {
  std::lock_guard lock(mutex_);
  return takes_;
}

size_t SimulatedDevice::live_events() const {
  std::lock_guard lock(mutex_);
  return events_.size();
}

void SimulatedDevice::kill() {
  std::lock_guard lock(mutex_);
  alive_ = false;
}

void SimulatedDevice::fail_events(int n) {
  std::lock_guard lock(mutex_);
  failing_events_ = n;
}

}  // namespace arenascope
