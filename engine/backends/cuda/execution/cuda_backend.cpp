// SPDX-License-Identifier: MIT
#include <arenascope/base/format_bytes.h>
#include <arenascope/memory/device_allocator.h>
#include <fmt/format.h>
#include "engine/backends/cuda/execution/cuda_run.h"

#include <algorithm>

namespace arenascope::cuda {

Result<std::unique_ptr<CudaBackend>> CudaBackend::make(std::shared_ptr<Driver> driver, const CudaOptions& options) {
  std::unique_ptr<CudaBackend> backend(new CudaBackend(std::move(driver), options));
  if (auto ok = backend->start(); !ok) return ok.error();
  return backend;
}

CudaBackend::CudaBackend(std::shared_ptr<Driver> driver, const CudaOptions& options)
    : options_(options), driver_(std::move(driver)) {}

Status CudaBackend::start() {
  for (StreamHandle* stream : {&compute_, &copies_}) {
    auto made = driver_->create_stream();
    if (!made) return made.error();
    *stream = *made;
  }
  auto event = driver_->create_event();
  if (!event) return event.error();
  between_ = *event;
  auto queue = driver_->make_queue(compute_, options_.queue);
  if (!queue) return queue.error();
  queue_ = std::move(*queue);
  memory_ = std::make_shared<DeviceCachingAllocator>(driver_);
  pages_ = std::make_shared<PinnedMemory>(driver_, driver_->pages());
  pinned_ = std::make_shared<DeviceCachingAllocator>(pages_);
  timeline_ = std::make_unique<Timeline>(driver_);
  staging_ = std::make_unique<Staging>(driver_, pinned_);
  return {};
}

CudaBackend::~CudaBackend() {
  if (!driver_->alive()) return;
  for (StreamHandle stream : {compute_, copies_})
    if (stream) [[maybe_unused]]
      const Status through = driver_->synchronize_stream(stream);
  staging_.reset();
  timeline_.reset();
  queue_.reset();
  if (between_) driver_->destroy_event(between_);
}

std::string CudaBackend::description() const {
  const DeviceFacts& facts = driver_->facts();
  return fmt::format("{}, {} multiprocessors, {}", facts.name, facts.multiprocessors, format_bytes(facts.memory));
}

Status CudaBackend::register_memory(ExecutionContext& context) {
  for (MemoryKind kind : {MemoryKind::Default, MemoryKind::Workspace, MemoryKind::KVCache})
    if (auto ok = context.register_allocator(kind, memory_); !ok) return ok;
  if (auto ok = context.register_allocator(MemoryKind::Persistent, std::make_shared<DeviceAllocator>(driver_)); !ok)
    return ok;
  if (auto ok = context.register_allocator(MemoryKind::HostPinned, pinned_); !ok) return ok;
  context.set_current_stream(compute_stream());
  if (auto ok = staging_->allocate(context); !ok) return ok;
  return allocate_fault(context);
}

Status CudaBackend::allocate_fault(ExecutionContext& context) {
  if (fault_block_) return {};
  auto seen = context.allocate({}, MemoryKind::HostPinned, sizeof(IndexFault));
  if (!seen) return seen.error();
  auto word = context.allocate(device(), MemoryKind::Default, sizeof(IndexFault), 256);
  if (!word) return word.error();
  fault_copy_ = std::move(*seen);
  fault_block_ = std::move(*word);
  fault_ = reinterpret_cast<IndexFault*>(fault_block_->data());
  return driver_->clear(compute_, fault_, sizeof(IndexFault));
}

Bytes CudaBackend::work_bytes(const TensorImpl& node, int) const { return scratch_bytes(node, *queue_); }

Status CudaBackend::compute_waits_for_copies() {
  if (!copies_pending_) return {};
  if (auto ok = driver_->record_event(between_, copy_stream()); !ok) return ok;
  if (auto ok = driver_->stream_waits(compute_, between_); !ok) return ok;
  copies_pending_ = false;
  return {};
}

Status CudaBackend::upload(const Storage& to, const std::byte* from, Bytes bytes) {
  if (bytes > to.bytes())
    return Error{fmt::format("cannot upload {} bytes to a storage of {} bytes", bytes, to.bytes())};
  if (bytes == 0) return {};
  // Work queued before may still use the memory.
  if (auto ok = driver_->record_event(between_, compute_stream()); !ok) return ok;
  if (auto ok = driver_->stream_waits(copies_, between_); !ok) return ok;
  if (to.block())
    if (auto ok = to.block()->record_stream(copy_stream()); !ok) return ok;
  copies_pending_ = true;  // also after a partial copy
  return staging_->upload(copies_, to.data(), from, bytes, *timeline_);
}

Status CudaBackend::download(std::byte* to, const Storage& from, Bytes bytes) {
  if (bytes > from.bytes())
    return Error{fmt::format("cannot download {} bytes from a storage of {} bytes", bytes, from.bytes())};
  if (bytes == 0) return {};
  if (auto ok = compute_waits_for_copies(); !ok) return ok;
  if (auto ok = staging_->download(compute_, to, from.data(), bytes, *timeline_); !ok) return ok;
  return synchronize();
}

Result<std::unique_ptr<PreparedGraph>> CudaBackend::prepare(std::span<const TensorImpl* const> nodes, ExecutionContext&,
                                                            const PreparedGraph*) {
  if (auto ok = synchronize(); !ok) return ok.error();
  return std::unique_ptr<PreparedGraph>(std::make_unique<Run>(*this, nodes));
}

// Kernels record an index out of range in device memory.
Status CudaBackend::check_fault() {
  if (!may_fault_) return {};
  IndexFault& fault = *reinterpret_cast<IndexFault*>(fault_copy_->data());
  if (auto ok = driver_->copy(compute_, &fault, fault_, sizeof fault, Direction::FromDevice); !ok) return ok;
  if (auto ok = driver_->synchronize_stream(compute_); !ok) return ok;
  may_fault_ = false;
  if (fault.node == 0) return {};
  if (auto ok = driver_->clear(compute_, fault_, sizeof fault); !ok) return ok;
  if (const TensorImpl* node = running_ ? running_->find(fault.node) : nullptr) return fault_error(*node, fault);
  return Error{fmt::format("{}: index {} is out of range for a table of {} rows", to_string(device()), fault.index,
                           fault.entries)};
}

Status CudaBackend::synchronize() {
  if (running_) running_->end();
  if (auto ok = driver_->synchronize_stream(copies_); !ok) return ok;
  if (auto ok = driver_->synchronize_stream(compute_); !ok) return ok;
  copies_pending_ = false;
  return check_fault();
}

void CudaBackend::enable_profiling(bool keep) { timeline_->keep(keep); }

std::vector<DeviceSpan> CudaBackend::drain_spans(const std::function<Nanoseconds()>& now) {
  if (!timeline_->keeps() || !synchronize()) return {};
  return timeline_->take(compute_, now);
}

BackendDiagnostics CudaBackend::drain_diagnostics() {
  BackendDiagnostics notes;
  notes.clock_error = timeline_->clock_error();
  const auto say = [&](trace::ProblemKind kind, std::string sentence) {
    if (!reported_.insert(sentence).second) return;
    trace::Problem& problem = notes.problems.emplace_back();
    problem.severity = trace::Severity::Note;
    problem.kind = kind;
    problem.sentence = std::move(sentence);
  };
  for (std::string& note : queue_->notes()) say(trace::ProblemKind::Other, std::move(note));
  for (std::string& note : driver_->notes()) say(trace::ProblemKind::Other, std::move(note));
  if (!why_no_graph_.empty())
    say(trace::ProblemKind::NotReplayed,
        fmt::format("the run is queued node by node because capturing failed: {}", why_no_graph_));
  if (!why_no_timed_graph_.empty() && why_no_graph_.empty())
    say(trace::ProblemKind::Other,
        fmt::format("the nodes of a captured graph are not timed, because capturing it with timers failed: {}",
                    why_no_timed_graph_));
  if (const Bytes plain = pages_->unpinned(); plain > 0)
    say(trace::ProblemKind::NotPinned,
        fmt::format("cannot pin {} bytes of staging memory: host copies go through pageable memory", plain));
  const FragmentationStats f = memory_->fragmentation();
  say(trace::ProblemKind::Fragmentation,
      fmt::format(
          "{} holds {} bytes in {} segments; {} bytes are free in {} blocks, the largest of {} bytes, and {} wait "
          "for a stream",
          to_string(device()), f.reserved, f.segments, f.free, f.free_blocks, f.largest_free, f.deferred));
  return notes;
}

}  // namespace arenascope::cuda
