// SPDX-License-Identifier: MIT
// A CUDA device for the backend and the allocators: Driver on top of the CUDA runtime. Each call makes the device
// current and restores the previous one.
#pragma once
#include "engine/backends/cuda/execution/driver.h"
#include "engine/backends/cuda/module/activities.h"
#include "engine/backends/cuda/module/runtime.h"

#include <atomic>

namespace arenascope::cuda {

class CudaDevice final : public Driver {
 public:
  // Errors: the device cannot be queried, or is older than compute capability 7.5. `activities`: activity records may
  // be used.
  static Result<std::shared_ptr<CudaDevice>> open(int number, bool activities);

  int number() const { return number_; }
  Device device() const override { return {DeviceType::Cuda, static_cast<int16_t>(number_)}; }
  const DeviceFacts& facts() const override { return facts_; }
  bool alive() const noexcept override;

  Result<void*> take_memory(Bytes bytes) override;
  void give_memory(void* pointer, Bytes bytes) noexcept override;
  PinnedMemory::Pages pages() override;

  Result<EventHandle> create_event() override { return make_event(cudaEventDisableTiming); }
  Result<EventHandle> create_timer() override { return make_event(cudaEventDefault); }
  void destroy_event(EventHandle event) noexcept override;
  Status record_event(EventHandle event, Stream stream) override;
  Result<bool> query_event(EventHandle event) override;
  Status wait_event(EventHandle event) override;
  Result<Nanoseconds> between(EventHandle first, EventHandle second) override;
  Status synchronize() override;

  Result<StreamHandle> create_stream() override;
  Status synchronize_stream(StreamHandle stream) override;
  Status stream_waits(StreamHandle stream, EventHandle event) override;
  Status copy(StreamHandle stream, void* to, const void* from, Bytes bytes, Direction direction) override;
  Status clear(StreamHandle stream, void* at, Bytes bytes) override;

  Status begin_capture(StreamHandle stream) override;
  Result<GraphHandle> end_capture(StreamHandle stream) override;
  Result<size_t> captured(StreamHandle stream) override;
  Status launch_graph(GraphHandle graph, StreamHandle stream) override;
  void destroy_graph(GraphHandle graph) noexcept override;

  Result<std::unique_ptr<Queue>> make_queue(StreamHandle stream, const QueueOptions& options) override;

  bool keep_activities(bool keep) override { return activities_ && activities_->keep(keep); }
  void label(uint64_t label) override;
  std::vector<Activity> take_activities(const std::function<Nanoseconds()>& now) override;
  std::vector<std::string> notes() const override;

 private:
  CudaDevice(int number, DeviceFacts facts) : number_(number), facts_(std::move(facts)) {}
  Error failed(const char* action, cudaError_t code) const;
  Status check(const char* action, cudaError_t code) const;
  Result<EventHandle> make_event(unsigned flags);

  const int number_;
  const DeviceFacts facts_;
  std::shared_ptr<Activities> activities_;  // null: disabled
  mutable std::atomic<bool> gone_{false};
};

}  // namespace arenascope::cuda
