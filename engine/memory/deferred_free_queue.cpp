// SPDX-License-Identifier: MIT
#include <arenascope/memory/deferred_free_queue.h>

#include <new>

namespace arenascope {

EventPool::~EventPool() {
  if (!device_->alive()) return;
  for (const EventHandle e : spare_) device_->destroy_event(e);
}

Result<EventHandle> EventPool::record(Stream stream) {
  EventHandle event;
  if (!spare_.empty()) {
    event = spare_.back();
    spare_.pop_back();
  } else {
    Result<EventHandle> made = device_->create_event();
    if (!made) return made;
    event = *made;
  }
  if (Status s = device_->record_event(event, stream); !s) {
    put_back(event);
    return s.error();
  }
  return event;
}

void EventPool::put_back(EventHandle event) noexcept {
  try {
    spare_.push_back(event);
  } catch (const std::bad_alloc&) {
    device_->destroy_event(event);
  }
}

DeferredFreeQueue::DeferredFreeQueue(std::shared_ptr<DeviceInterface> device) : device_(device), events_(device) {}

DeferredFreeQueue::~DeferredFreeQueue() {
  if (!device_->alive()) return;
  for (Lane& l : lanes_)
    for (const Marker& m : l.markers) events_.put_back(m.event);
}

DeferredFreeQueue::Lane& DeferredFreeQueue::lane(Stream stream) {
  for (Lane& l : lanes_)
    if (l.stream == stream) return l;
  lanes_.push_back({stream, {}});
  return lanes_.back();
}

DeferredFreeQueue::Pushed DeferredFreeQueue::push(void* pointer, Bytes bytes, std::span<const Stream> streams,
                                                  std::optional<Stream> except) noexcept {
  size_t marked = 0;
  size_t entry = 0;
  bool queued = false;
  bool passed = true;
  for (const Stream s : streams) passed = passed && except == s;
  if (passed) return Pushed::Passed;
  try {
    if (vacant_.empty()) {
      if (vacant_.capacity() <= entries_.size()) vacant_.reserve(2 * entries_.size() + 8);
      entries_.emplace_back();
      vacant_.push_back(entries_.size() - 1);
    }
    entry = vacant_.back();
    queued = true;
    for (const Stream s : streams) {
      if (except == s) continue;
      Result<EventHandle> event = events_.record(s);
      if (!event) {
        queued = false;
        break;
      }
      try {
        lane(s).markers.push_back({*event, entry});
      } catch (const std::bad_alloc&) {
        events_.put_back(*event);
        throw;
      }
      ++marked;
    }
  } catch (const std::bad_alloc&) {
    queued = false;
  }
  if (queued) {
    vacant_.pop_back();
    entries_[entry] = {pointer, bytes, marked};
    ++pending_;
    pending_bytes_ += bytes;
    return Pushed::Queued;
  }
  if (marked > 0) take_back(entry);
  if (device_->alive() && device_->synchronize()) return Pushed::Passed;
  lost_bytes_ += bytes;
  return Pushed::Lost;
}

// Removes the markers of an attempt that failed halfway; they are the last ones of their streams.
void DeferredFreeQueue::take_back(size_t entry) noexcept {
  for (Lane& l : lanes_) {
    while (!l.markers.empty() && l.markers.back().entry == entry) {
      events_.put_back(l.markers.back().event);
      l.markers.pop_back();
    }
  }
}

// Records that one stream has completed; returns true if it was the last one.
bool DeferredFreeQueue::pass(const Marker& marker, const Release& release) {
  events_.put_back(marker.event);
  Entry& e = entries_[marker.entry];
  if (--e.waiting > 0) return false;
  --pending_;
  pending_bytes_ -= e.bytes;
  vacant_.push_back(marker.entry);  // capacity was reserved when the entry was created
  release(e.pointer, e.bytes);
  e = {};
  return true;
}

size_t DeferredFreeQueue::poll(const Release& release) {
  size_t released = 0;
  if (pending_ == 0 || !device_->alive()) return 0;
  for (Lane& l : lanes_) {
    while (!l.markers.empty()) {
      Result<bool> passed = device_->query_event(l.markers.front().event);
      if (!passed || !*passed) break;
      const Marker m = l.markers.front();
      l.markers.pop_front();
      released += pass(m, release);
    }
  }
  return released;
}

Status DeferredFreeQueue::drain(const Release& release) {
  if (!device_->alive()) return {};
  for (Lane& l : lanes_) {
    while (!l.markers.empty()) {
      const Marker m = l.markers.front();
      if (Status s = device_->wait_event(m.event); !s) return s;
      l.markers.pop_front();
      pass(m, release);
    }
  }
  return {};
}

bool DeferredFreeQueue::holds(const void* pointer) const {
  for (const Entry& e : entries_)
    if (e.waiting > 0 && e.pointer == pointer) return true;
  return false;
}

}  // namespace arenascope
