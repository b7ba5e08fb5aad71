// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/module/cuda_device.h"
#include <fmt/format.h>
#include "engine/backends/cuda/execution/absence.h"
#include "engine/backends/cuda/module/stream_queue.h"

namespace arenascope::cuda {
namespace {

cudaStream_t stream_of(StreamHandle stream) { return reinterpret_cast<cudaStream_t>(stream); }
cudaEvent_t event_of(EventHandle event) { return reinterpret_cast<cudaEvent_t>(event); }
cudaGraphExec_t graph_of(GraphHandle graph) { return reinterpret_cast<cudaGraphExec_t>(graph); }

}  // namespace

Result<std::shared_ptr<CudaDevice>> CudaDevice::open(int number, bool activities) {
  const DeviceGuard guard(number);
  cudaDeviceProp properties{};
  if (guard.status() != cudaSuccess) return cuda_error(number, "be used", guard.status());
  if (const cudaError_t code = cudaGetDeviceProperties(&properties, number); code != cudaSuccess)
    return cuda_error(number, "describe itself", code);
  if (std::string missing = why_not_this_device(number, properties.name, properties.major, properties.minor);
      !missing.empty())
    return Error{std::move(missing)};
  std::shared_ptr<CudaDevice> device(new CudaDevice(
      number, {properties.name, properties.multiProcessorCount, static_cast<Bytes>(properties.totalGlobalMem)}));
  if (activities) device->activities_ = Activities::of_this_process();
  return device;
}

Error CudaDevice::failed(const char* action, cudaError_t code) const {
  // Memory of a lost device cannot be freed either.
  if (is_end(code) || is_loss(code)) gone_.store(true, std::memory_order_relaxed);
  return cuda_error(number_, action, code);
}

Status CudaDevice::check(const char* action, cudaError_t code) const {
  return code == cudaSuccess ? Status() : failed(action, code);
}

// At process exit the driver may be unloaded before the last tensor is destroyed.
bool CudaDevice::alive() const noexcept {
  if (gone_.load(std::memory_order_relaxed)) return false;
  int current = 0;
  if (!is_end(cudaGetDevice(&current))) return true;
  gone_.store(true, std::memory_order_relaxed);
  return false;
}

Result<void*> CudaDevice::take_memory(Bytes bytes) {
  const DeviceGuard guard(number_);
  void* memory = nullptr;
  cudaError_t code = guard.status();
  if (code == cudaSuccess) code = cudaMalloc(&memory, static_cast<size_t>(bytes));
  if (code == cudaSuccess) return memory;
  return failed(fmt::format("allocate {} bytes", bytes).c_str(), code);
}

void CudaDevice::give_memory(void* pointer, Bytes) noexcept {
  if (!alive()) return;
  const DeviceGuard guard(number_);
  if (is_end(cudaFree(pointer))) gone_.store(true, std::memory_order_relaxed);
}

PinnedMemory::Pages CudaDevice::pages() {
  const auto pin = [](void* context, Bytes bytes) -> void* {
    const DeviceGuard guard(static_cast<CudaDevice*>(context)->number());
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, static_cast<size_t>(bytes), cudaHostAllocPortable) == cudaSuccess) return memory;
    cudaGetLastError();
    return nullptr;
  };
  const auto unpin = [](void* context, void* pointer) {
    auto* device = static_cast<CudaDevice*>(context);
    if (!device->alive()) return;
    const DeviceGuard guard(device->number());
    cudaFreeHost(pointer);
  };
  return {pin, unpin, this};
}

Result<EventHandle> CudaDevice::make_event(unsigned flags) {
  const DeviceGuard guard(number_);
  cudaEvent_t event = nullptr;
  if (const cudaError_t code = cudaEventCreateWithFlags(&event, flags); code != cudaSuccess)
    return failed("create an event", code);
  return reinterpret_cast<EventHandle>(event);
}

void CudaDevice::destroy_event(EventHandle event) noexcept {
  if (!alive()) return;
  const DeviceGuard guard(number_);
  cudaEventDestroy(event_of(event));
}

Status CudaDevice::record_event(EventHandle event, Stream stream) {
  const DeviceGuard guard(number_);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (const cudaError_t code = cudaStreamIsCapturing(stream_of(stream.handle), &capture); code != cudaSuccess)
    return failed("record an event", code);
  const unsigned flags = capture == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault;
  return check("record an event", cudaEventRecordWithFlags(event_of(event), stream_of(stream.handle), flags));
}

Result<bool> CudaDevice::query_event(EventHandle event) {
  const DeviceGuard guard(number_);
  const cudaError_t code = cudaEventQuery(event_of(event));
  if (code == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  if (code != cudaSuccess) return failed("query an event", code);
  return true;
}

Status CudaDevice::wait_event(EventHandle event) {
  const DeviceGuard guard(number_);
  return check("wait for an event", cudaEventSynchronize(event_of(event)));
}

Result<Nanoseconds> CudaDevice::between(EventHandle first, EventHandle second) {
  const DeviceGuard guard(number_);
  float milliseconds = 0;
  if (const cudaError_t code = cudaEventElapsedTime(&milliseconds, event_of(first), event_of(second));
      code != cudaSuccess)
    return failed("measure the time between events", code);
  return static_cast<Nanoseconds>(static_cast<double>(milliseconds) * 1e6);
}

Status CudaDevice::synchronize() {
  const DeviceGuard guard(number_);
  return check("finish its work", cudaDeviceSynchronize());
}

Result<StreamHandle> CudaDevice::create_stream() {
  const DeviceGuard guard(number_);
  cudaStream_t stream = nullptr;
  if (const cudaError_t code = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); code != cudaSuccess)
    return failed("create a stream", code);
  return reinterpret_cast<StreamHandle>(stream);
}

Status CudaDevice::synchronize_stream(StreamHandle stream) {
  const DeviceGuard guard(number_);
  return check("finish its work", cudaStreamSynchronize(stream_of(stream)));
}

Status CudaDevice::stream_waits(StreamHandle stream, EventHandle event) {
  const DeviceGuard guard(number_);
  return check("order its streams", cudaStreamWaitEvent(stream_of(stream), event_of(event), 0));
}

Status CudaDevice::copy(StreamHandle stream, void* to, const void* from, Bytes bytes, Direction direction) {
  const DeviceGuard guard(number_);
  const bool in = direction == Direction::ToDevice;
  return check(in ? "copy to its memory" : "copy from its memory",
               cudaMemcpyAsync(to, from, static_cast<size_t>(bytes),
                               in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream_of(stream)));
}

Status CudaDevice::clear(StreamHandle stream, void* at, Bytes bytes) {
  const DeviceGuard guard(number_);
  return check("clear its memory", cudaMemsetAsync(at, 0, static_cast<size_t>(bytes), stream_of(stream)));
}

Status CudaDevice::begin_capture(StreamHandle stream) {
  const DeviceGuard guard(number_);
  return check("begin a capture", cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeThreadLocal));
}

Result<GraphHandle> CudaDevice::end_capture(StreamHandle stream) {
  const DeviceGuard guard(number_);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  cudaError_t code = cudaStreamEndCapture(stream_of(stream), &graph);
  if (code == cudaSuccess) code = cudaGraphInstantiate(&ready, graph, 0);
  if (graph) cudaGraphDestroy(graph);
  if (code != cudaSuccess) return failed("capture a graph", code);
  return reinterpret_cast<GraphHandle>(ready);
}

Result<size_t> CudaDevice::captured(StreamHandle stream) {
  const DeviceGuard guard(number_);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
  cudaError_t code = cudaStreamGetCaptureInfo(stream_of(stream), &status, nullptr, &graph, nullptr, nullptr, nullptr);
#else
  cudaError_t code = cudaStreamGetCaptureInfo_v2(stream_of(stream), &status, nullptr, &graph, nullptr, nullptr);
#endif
  size_t nodes = 0;
  if (code == cudaSuccess && graph) code = cudaGraphGetNodes(graph, nullptr, &nodes);
  if (code != cudaSuccess) return failed("count what it captured", code);
  return nodes;
}

Status CudaDevice::launch_graph(GraphHandle graph, StreamHandle stream) {
  const DeviceGuard guard(number_);
  return check("replay a graph", cudaGraphLaunch(graph_of(graph), stream_of(stream)));
}

void CudaDevice::destroy_graph(GraphHandle graph) noexcept {
  if (!alive()) return;
  const DeviceGuard guard(number_);
  cudaGraphExecDestroy(graph_of(graph));
}

Result<std::unique_ptr<Queue>> CudaDevice::make_queue(StreamHandle stream, const QueueOptions& options) {
  return std::unique_ptr<Queue>(std::make_unique<StreamQueue>(*this, number_, stream_of(stream), options));
}

void CudaDevice::label(uint64_t label) {
  if (activities_) activities_->label(label);
}

std::vector<Activity> CudaDevice::take_activities(const std::function<Nanoseconds()>& now) {
  return activities_ ? activities_->take(now) : std::vector<Activity>();
}

std::vector<std::string> CudaDevice::notes() const {
  if (!activities_ || activities_->missing().empty()) return {};
  return {fmt::format("kernel times come from events around nodes, not from CUPTI activity records: {}",
                      activities_->missing())};
}

}  // namespace arenascope::cuda
