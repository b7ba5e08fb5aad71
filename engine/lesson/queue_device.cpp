// SPDX-License-Identifier: MIT
#include "engine/lesson/queue_device.h"

#include <cstdlib>

#include <fmt/format.h>

namespace arenascope::lesson {
namespace {

constexpr size_t kAlignment = 4096;

}  // namespace

Stream QueueDevice::add_stream(const std::string& name) {
  const uintptr_t handle = queues_.size() + 1;
  queues_[handle].ring = recorder_.register_thread(name, trace::TrackKind::DeviceQueue);
  return {device(), handle};
}

void QueueDevice::launch(Stream stream, const std::string& name, std::function<void()> work) {
  queues_[stream.handle].waiting.push_back({recorder_.name(name), std::move(work)});
}

void QueueDevice::run_next(Stream stream) {
  Queue& queue = queues_[stream.handle];
  if (queue.waiting.empty()) return;
  const Work work = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  const Nanoseconds begin = recorder_.now();
  work.run();
  queue.ring->record(trace::slice(begin, recorder_.now(), work.name, 0));
  ++queue.done;
}

Result<void*> QueueDevice::take_memory(Bytes bytes) {
  const size_t whole = (static_cast<size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
  void* pointer = std::aligned_alloc(kAlignment, whole);
  if (!pointer) return Error{fmt::format("cannot allocate {} bytes", bytes)};
  return pointer;
}

void QueueDevice::give_memory(void* pointer, Bytes) noexcept { std::free(pointer); }

Result<EventHandle> QueueDevice::create_event() {
  events_[++newest_];
  return newest_;
}

Status QueueDevice::record_event(EventHandle event, Stream stream) {
  const Queue& queue = queues_[stream.handle];
  events_[event] = {stream.handle, queue.done + queue.waiting.size()};
  return {};
}

Result<bool> QueueDevice::query_event(EventHandle event) {
  const Event& e = events_[event];
  return queues_[e.stream].done >= e.preceding;
}

Status QueueDevice::wait_event(EventHandle event) {
  const Event e = events_[event];
  while (queues_[e.stream].done < e.preceding && !queues_[e.stream].waiting.empty()) run_next({device(), e.stream});
  return {};
}

Status QueueDevice::synchronize() {
  for (auto& [handle, queue] : queues_)
    while (!queue.waiting.empty()) run_next({device(), handle});
  return {};
}

}  // namespace arenascope::lesson
