// SPDX-License-Identifier: MIT
#include <arenascope/backends/cuda/module/cuda_backend.h>
#include <arenascope/memory/device_allocator.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace arenascope::cuda {
namespace {

constexpr Bytes kStagingBytes = Bytes{8} << 20;

}  // namespace

Result<std::unique_ptr<Backend>> CudaBackend::open(const CudaOptions& options) {
  const DeviceGuard guard(options.device);
  cudaDeviceProp properties{};
  if (guard.status() != cudaSuccess) return cuda_error(options.device, "be used", guard.status());
  if (const cudaError_t code = cudaGetDeviceProperties(&properties, options.device); code != cudaSuccess)
    return cuda_error(options.device, "describe itself", code);
  if (properties.major * 10 + properties.minor < 75)
    return Error{fmt::format("cuda:{} is a {} of compute capability {}.{}; 7.5 is the least", options.device,
                             properties.name, properties.major, properties.minor)};
  std::unique_ptr<CudaBackend> backend(new CudaBackend(
      options, fmt::format("{}, {} multiprocessors, {:.1f} GiB", properties.name, properties.multiProcessorCount,
                           static_cast<double>(properties.totalGlobalMem) / (1 << 30))));
  if (auto ok = backend->start(properties); !ok) return ok.error();
  return std::unique_ptr<Backend>(std::move(backend));
}

CudaBackend::CudaBackend(const CudaOptions& options, std::string description)
    : options_(options), description_(std::move(description)), device_(std::make_shared<CudaDevice>(options.device)) {}

Status CudaBackend::start(const cudaDeviceProp& properties) {
  for (cudaStream_t* stream : {&compute_, &copies_})
    if (const cudaError_t code = cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking); code != cudaSuccess)
      return failed("create a stream", code);
  if (const cudaError_t code = cudaEventCreateWithFlags(&between_, cudaEventDisableTiming); code != cudaSuccess)
    return failed("create an event", code);
  queue_ = std::make_unique<StreamQueue>(options_.device, properties.multiProcessorCount, compute_,
                                         StreamQueue::Options{options_.libraries, options_.tf32});
  memory_ = std::make_shared<DeviceCachingAllocator>(device_);
  pinned_ = std::make_shared<DeviceCachingAllocator>(std::make_shared<PinnedMemory>(device_, device_->pages()));
  void* word = nullptr;
  if (const cudaError_t code = cudaMalloc(&word, sizeof(Mishap)); code != cudaSuccess)
    return failed("allocate its first bytes", code);
  mishap_ = static_cast<Mishap*>(word);
  if (const cudaError_t code = cudaMemset(mishap_, 0, sizeof(Mishap)); code != cudaSuccess)
    return failed("clear its first bytes", code);
  return {};
}

CudaBackend::~CudaBackend() {
  if (!device_->alive()) return;
  const DeviceGuard guard(options_.device);
  if (compute_) cudaStreamSynchronize(compute_);
  if (copies_) cudaStreamSynchronize(copies_);
  forget_graph();
  for (Staging& staging : staging_) {
    staging.block = BlockPtr();
    if (staging.copied) cudaEventDestroy(staging.copied);
  }
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
  if (mishap_) cudaFree(mishap_);
  queue_.reset();
  if (between_) cudaEventDestroy(between_);
  // Blocks that outlive the backend are freed behind events on these streams, which therefore stay: a handful of
  // handles a backend, given back with the process.
}

Status CudaBackend::register_memory(ExecutionContext& context) {
  const auto persistent = std::make_shared<DeviceAllocator>(device_);
  for (MemoryKind kind : {MemoryKind::Default, MemoryKind::Workspace, MemoryKind::KVCache})
    if (auto ok = context.register_allocator(kind, memory_); !ok) return ok;
  if (auto ok = context.register_allocator(MemoryKind::Persistent, persistent); !ok) return ok;
  if (auto ok = context.register_allocator(MemoryKind::HostPinned, pinned_); !ok) return ok;
  context.set_current_stream({device(), reinterpret_cast<uintptr_t>(compute_)});
  return {};
}

Bytes CudaBackend::work_bytes(const TensorImpl& node, int) const {
  const DeviceGuard guard(options_.device);
  return scratch_bytes(node, *queue_);
}

// `behind` goes on when everything queued on `first` up to now is through.
Status CudaBackend::order_streams(cudaStream_t behind, cudaStream_t first) {
  cudaError_t code = cudaEventRecord(between_, first);
  if (code == cudaSuccess) code = cudaStreamWaitEvent(behind, between_, 0);
  return code == cudaSuccess ? Status() : failed("order its streams", code);
}

Status CudaBackend::upload(const Storage& to, const std::byte* from, Bytes bytes) {
  if (bytes > to.bytes()) return Error{fmt::format("{} bytes do not fit in a storage of {}", bytes, to.bytes())};
  if (bytes == 0) return {};
  const DeviceGuard guard(options_.device);
  // What was queued before may still use the place.
  if (auto ok = order_streams(copies_, compute_); !ok) return ok;
  if (to.block())
    if (auto ok = to.block()->record_stream({device(), reinterpret_cast<uintptr_t>(copies_)}); !ok) return ok;
  size_t turn = 0;
  for (Bytes at = 0; at < bytes; at += kStagingBytes, turn ^= 1) {
    Staging& staging = staging_[turn];
    if (!staging.block) {
      auto block = MemoryBlock::allocate(std::shared_ptr<Allocator>(pinned_), MemoryKind::HostPinned, kStagingBytes);
      if (!block) return block.error();
      if (const cudaError_t code = cudaEventCreateWithFlags(&staging.copied, cudaEventDisableTiming);
          code != cudaSuccess)
        return failed("create an event", code);
      staging.block = std::move(*block);
    }
    cudaError_t code = cudaEventSynchronize(staging.copied);  // its last copy is through; at once if there was none
    const Bytes part = std::min(kStagingBytes, bytes - at);
    if (code == cudaSuccess) {
      std::memcpy(staging.block->data(), from + at, static_cast<size_t>(part));
      code = cudaMemcpyAsync(to.data() + at, staging.block->data(), static_cast<size_t>(part), cudaMemcpyHostToDevice,
                             copies_);
    }
    if (code == cudaSuccess) code = cudaEventRecord(staging.copied, copies_);
    if (code != cudaSuccess) return failed("copy to its memory", code);
  }
  copies_pending_ = true;
  return {};
}

Status CudaBackend::download(std::byte* to, const Storage& from, Bytes bytes) {
  if (bytes > from.bytes()) return Error{fmt::format("{} bytes asked of a storage of {}", bytes, from.bytes())};
  if (bytes == 0) return {};
  const DeviceGuard guard(options_.device);
  if (auto ok = synchronize(); !ok) return ok;
  const cudaError_t code = cudaMemcpy(to, from.data(), static_cast<size_t>(bytes), cudaMemcpyDeviceToHost);
  return code == cudaSuccess ? Status() : failed("copy from its memory", code);
}

void CudaBackend::forget_graph() {
  if (graph_) cudaGraphExecDestroy(graph_);
  graph_ = nullptr;
  graph_failed_ = false;
  whole_runs_ = 0;
}

Status CudaBackend::prepare(std::span<TensorImpl* const> nodes, ExecutionContext&) {
  const DeviceGuard guard(options_.device);
  if (auto ok = synchronize(); !ok) return ok;
  forget_graph();
  nodes_.assign(nodes.begin(), nodes.end());
  numbers_.clear();
  for (size_t i = 0; i < nodes_.size(); ++i) numbers_[nodes_[i]] = i;
  bool bound = true;  // an eager run binds its memory as it goes
  for (const TensorImpl* node : nodes_) bound = bound && (node->element_count() == 0 || node->data());
  parts_.clear();
  if (options_.chains && bound)
    parts_ = Chains(nodes_).parts();
  else
    for (size_t i = 0; i < nodes_.size(); ++i) parts_.push_back({i, 1});
  part_of_.assign(nodes_.size(), 0);
  for (size_t p = 0; p < parts_.size(); ++p)
    for (size_t i = 0; i < parts_[p].count; ++i) part_of_[parts_[p].first + i] = p;
  return {};
}

Status CudaBackend::queue_node(const TensorImpl& node, size_t number, const ComputeParams& params) {
  may_mishap_ = may_mishap_ || node.op == Op::Gather || node.op == Op::GatherElements;
  return lower({node, *queue_, reinterpret_cast<char*>(params.work), params.work_bytes, number, mishap_});
}

Status CudaBackend::queue_part(size_t part, const ComputeParams& params) {
  const auto [first, count] = parts_[part];
  if (count > 1) return lower_chain(std::span<TensorImpl* const>(nodes_).subspan(first, count), *queue_);
  return queue_node(*nodes_[first], first + 1, params);
}

Status CudaBackend::compute(const TensorImpl& node, const ComputeParams& params) {
  if (replaying_) return {};
  const DeviceGuard guard(options_.device);
  if (copies_pending_) {
    if (auto ok = order_streams(compute_, copies_); !ok) return ok;
    copies_pending_ = false;
  }
  const auto found = numbers_.find(&node);
  if (found == numbers_.end()) {
    others_.push_back(&node);
    return queue_node(node, nodes_.size() + others_.size(), params);
  }
  const size_t number = found->second;
  if (run_.whole && !run_.timed) {
    work_ = params;
    const auto [first, count] = parts_[part_of_[number]];
    return number + 1 == first + count ? queue_part(part_of_[number], params) : Status();
  }
  if (!run_.timed) return queue_node(node, number + 1, params);
  auto begin = record_time();
  if (!begin) return begin.error();
  if (auto ok = queue_node(node, number + 1, params); !ok) return ok;
  auto end = record_time();
  if (!end) return end.error();
  timed_.push_back({static_cast<int32_t>(number), *begin, *end});
  return {};
}

Result<size_t> CudaBackend::record_time() {
  if (used_events_ == events_.size()) {
    cudaEvent_t event = nullptr;
    if (const cudaError_t code = cudaEventCreate(&event); code != cudaSuccess) return failed("create an event", code);
    events_.push_back(event);
  }
  if (const cudaError_t code = cudaEventRecord(events_[used_events_], compute_); code != cudaSuccess)
    return failed("record an event", code);
  return used_events_++;
}

Status CudaBackend::begin_run(const RunStart& start) {
  const DeviceGuard guard(options_.device);
  run_ = start;
  replaying_ = false;
  timed_.clear();
  used_events_ = 0;
  if (run_.timed) {
    // An event that is over while the host looks at its clock ties the two clocks together.
    auto base = record_time();
    if (!base) return base.error();
    if (const cudaError_t code = cudaEventSynchronize(events_[*base]); code != cudaSuccess)
      return failed("wait for an event", code);
    static const trace::Clock monotonic;
    base_time_ = (start.clock ? start.clock : &monotonic)->now();
    return {};
  }
  if (!run_.whole || !options_.graphs || graph_failed_ || nodes_.empty()) return {};
  // The first time everything is queued as it is, so that libraries load what they need outside of a capture.
  if (whole_runs_++ == 0) return {};
  if (!graph_)
    if (auto ok = capture(); !ok) {
      graph_failed_ = true;  // it is queued node by node from now on
      return {};
    }
  if (copies_pending_) {
    if (auto ok = order_streams(compute_, copies_); !ok) return ok;
    copies_pending_ = false;
  }
  if (const cudaError_t code = cudaGraphLaunch(graph_, compute_); code != cudaSuccess)
    return failed("replay a graph", code);
  replaying_ = true;
  return {};
}

Status CudaBackend::capture() {
  cudaError_t code = cudaStreamBeginCapture(compute_, cudaStreamCaptureModeThreadLocal);
  if (code != cudaSuccess) return failed("begin a capture", code);
  Status queued;
  for (size_t part = 0; part < parts_.size() && queued.ok(); ++part) queued = queue_part(part, work_);
  cudaGraph_t graph = nullptr;
  code = cudaStreamEndCapture(compute_, &graph);
  if (queued.ok() && code == cudaSuccess) code = cudaGraphInstantiate(&graph_, graph, 0);
  if (graph) cudaGraphDestroy(graph);
  if (!queued) return queued;
  return code == cudaSuccess ? Status() : failed("capture a graph", code);
}

Status CudaBackend::check_mishap() {
  if (!may_mishap_) return {};
  Mishap mishap;
  if (const cudaError_t code = cudaMemcpy(&mishap, mishap_, sizeof mishap, cudaMemcpyDeviceToHost); code != cudaSuccess)
    return failed("copy from its memory", code);
  if (!graph_) may_mishap_ = false;
  if (mishap.node == 0) return {};
  if (const cudaError_t code = cudaMemset(mishap_, 0, sizeof mishap); code != cudaSuccess)
    return failed("clear a word", code);
  const size_t number = static_cast<size_t>(mishap.node) - 1;
  if (number < nodes_.size()) return mishap_error(*nodes_[number], mishap);
  if (number - nodes_.size() < others_.size()) return mishap_error(*others_[number - nodes_.size()], mishap);
  return Error{fmt::format("cuda:{}: index {} lies outside the {} entries of a table", options_.device, mishap.index,
                           mishap.entries)};
}

Status CudaBackend::synchronize() {
  const DeviceGuard guard(options_.device);
  cudaError_t code = cudaStreamSynchronize(copies_);
  if (code == cudaSuccess) code = cudaStreamSynchronize(compute_);
  replaying_ = false;
  run_.whole = false;  // until the next run begins
  if (code != cudaSuccess) return failed("finish its work", code);
  copies_pending_ = false;
  const Status found = check_mishap();
  others_.clear();
  return found;
}

std::vector<DeviceSpan> CudaBackend::device_spans() {
  const DeviceGuard guard(options_.device);
  std::vector<DeviceSpan> spans;
  const auto time = [&](size_t event) {
    float milliseconds = 0;
    if (cudaEventElapsedTime(&milliseconds, events_[0], events_[event]) != cudaSuccess) cudaGetLastError();
    return base_time_ + static_cast<Nanoseconds>(static_cast<double>(milliseconds) * 1e6);
  };
  for (const Timed& timed : timed_) spans.push_back({timed.node, time(timed.begin), time(timed.end), 0});
  return spans;
}

}  // namespace arenascope::cuda
