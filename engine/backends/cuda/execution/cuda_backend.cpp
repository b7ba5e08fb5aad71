// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/execution/cuda_backend.h"
#include <arenascope/memory/device_allocator.h>
#include <fmt/format.h>

#include <algorithm>

namespace arenascope::cuda {

Result<std::unique_ptr<CudaBackend>> CudaBackend::make(std::shared_ptr<Driver> driver, const CudaOptions& options,
                                                       Bench bench) {
  std::unique_ptr<CudaBackend> backend(new CudaBackend(std::move(driver), options, std::move(bench)));
  if (auto ok = backend->start(); !ok) return ok.error();
  return backend;
}

CudaBackend::CudaBackend(std::shared_ptr<Driver> driver, const CudaOptions& options, Bench bench)
    : options_(options), bench_(std::move(bench)), driver_(std::move(driver)) {}

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
  auto word = MemoryBlock::allocate(memory_, MemoryKind::Default, sizeof(Mishap), 256, compute_stream());
  if (!word) return word.error();
  mishap_block_ = std::move(*word);
  mishap_ = reinterpret_cast<Mishap*>(mishap_block_->data());
  auto seen = MemoryBlock::allocate(pinned_, MemoryKind::HostPinned, sizeof(Mishap));
  if (!seen) return seen.error();
  mishap_seen_ = std::move(*seen);
  return driver_->clear(compute_, mishap_, sizeof(Mishap));
}

CudaBackend::~CudaBackend() {
  if (!driver_->alive()) return;
  for (StreamHandle stream : {compute_, copies_})
    if (stream) [[maybe_unused]]
      const Status through = driver_->synchronize_stream(stream);
  forget_graph();
  staging_.reset();
  timeline_.reset();
  queue_.reset();
  if (between_) driver_->destroy_event(between_);
}

std::string CudaBackend::description() const {
  const DeviceFacts& facts = driver_->facts();
  return fmt::format("{}, {} multiprocessors, {:.1f} GiB", facts.name, facts.multiprocessors,
                     static_cast<double>(facts.memory) / (1 << 30));
}

Status CudaBackend::register_memory(ExecutionContext& context) {
  for (MemoryKind kind : {MemoryKind::Default, MemoryKind::Workspace, MemoryKind::KVCache})
    if (auto ok = context.register_allocator(kind, memory_); !ok) return ok;
  if (auto ok = context.register_allocator(MemoryKind::Persistent, std::make_shared<DeviceAllocator>(driver_)); !ok)
    return ok;
  if (auto ok = context.register_allocator(MemoryKind::HostPinned, pinned_); !ok) return ok;
  context.set_current_stream(compute_stream());
  return {};
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
  if (bytes > to.bytes()) return Error{fmt::format("{} bytes do not fit in a storage of {}", bytes, to.bytes())};
  if (bytes == 0) return {};
  // What was queued before may still use the place.
  if (auto ok = driver_->record_event(between_, compute_stream()); !ok) return ok;
  if (auto ok = driver_->stream_waits(copies_, between_); !ok) return ok;
  if (to.block())
    if (auto ok = to.block()->record_stream(copy_stream()); !ok) return ok;
  copies_pending_ = true;  // also of a part, if the rest fails
  return staging_->upload(copies_, to.data(), from, bytes, *timeline_);
}

Status CudaBackend::download(std::byte* to, const Storage& from, Bytes bytes) {
  if (bytes > from.bytes()) return Error{fmt::format("{} bytes asked of a storage of {}", bytes, from.bytes())};
  if (bytes == 0) return {};
  if (auto ok = compute_waits_for_copies(); !ok) return ok;
  if (auto ok = staging_->download(compute_, to, from.data(), bytes, *timeline_); !ok) return ok;
  return synchronize();
}

void CudaBackend::forget_graph() {
  if (graph_) driver_->destroy_graph(graph_);
  graph_ = 0;
  graph_failed_ = false;
  queued_parts_.clear();
  whole_run_.clear();
}

Status CudaBackend::prepare(std::span<TensorImpl* const> nodes, ExecutionContext&) {
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
  return timeline_->around(&node, compute_, 0, false, [&] {
    return lower({node, *queue_, reinterpret_cast<char*>(params.work), params.work_bytes, number, mishap_});
  });
}

Status CudaBackend::queue_part(size_t part, const ComputeParams& params) {
  const auto [first, count] = parts_[part];
  if (count > 1) return lower_chain(std::span<TensorImpl* const>(nodes_).subspan(first, count), *queue_);
  return queue_node(*nodes_[first], first + 1, params);
}

Status CudaBackend::compute(const TensorImpl& node, const ComputeParams& params) {
  if (replaying_) return {};
  if (auto ok = compute_waits_for_copies(); !ok) {
    as_one_ = false;
    return ok;
  }
  const auto found = numbers_.find(&node);
  if (found == numbers_.end()) {
    others_.push_back(&node);
    return queue_node(node, nodes_.size() + others_.size(), params);
  }
  const size_t number = found->second;
  if (!as_one_) return queue_node(node, number + 1, params);
  work_ = params;
  const auto [first, count] = parts_[part_of_[number]];
  if (number + 1 < first + count) return {};
  queued_parts_.push_back(part_of_[number]);
  Status queued = queue_part(part_of_[number], params);
  if (!queued) as_one_ = false;  // what is queued so far is no whole run
  return queued;
}

// A number that changes when a tensor has got another place.
uint64_t CudaBackend::places() const {
  uint64_t sum = reinterpret_cast<uintptr_t>(work_.work);
  const auto add = [&](const TensorImpl& tensor) {
    sum = (sum ^ reinterpret_cast<uintptr_t>(tensor.data())) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  };
  for (const TensorImpl* node : nodes_) {
    add(*node);
    for (const TensorImpl* source : node->sources) add(*source);
  }
  return sum;
}

Status CudaBackend::begin_run(bool as_one) {
  if (replaying_) return {};  // this run began already
  as_one_ = as_one && !timeline_->keeps();
  // The first time everything is queued as it is, so that libraries load what they need outside of a capture.
  if (!as_one_ || !options_.graphs || graph_failed_ || whole_run_.empty()) return {};
  const uint64_t now = places();
  if (graph_ && now != graph_places_) {
    driver_->destroy_graph(graph_);
    graph_ = 0;
  }
  if (auto ok = compute_waits_for_copies(); !ok) return ok;
  if (!graph_) {
    if (auto ok = capture(); !ok) {
      graph_failed_ = true;  // it is queued node by node from now on
      why_no_graph_ = ok.error().message;
      return {};
    }
    graph_places_ = now;
  }
  may_mishap_ = may_mishap_ || graph_may_mishap_;
  if (auto ok = driver_->launch_graph(graph_, compute_); !ok) return ok;
  replaying_ = true;
  ++replays_;
  return {};
}

Status CudaBackend::capture() {
  const bool before = may_mishap_;
  may_mishap_ = false;
  if (auto ok = driver_->begin_capture(compute_); !ok) return ok;
  Status queued;
  for (size_t i = 0; i < whole_run_.size() && queued.ok(); ++i) queued = queue_part(whole_run_[i], work_);
  auto graph = driver_->end_capture(compute_);
  graph_may_mishap_ = may_mishap_;
  may_mishap_ = may_mishap_ || before;
  if (!graph) return queued ? Status(graph.error()) : queued;
  if (queued)
    graph_ = *graph;
  else
    driver_->destroy_graph(*graph);
  return queued;
}

// An index outside its table is noted by the kernel in a word of the device's memory.
Status CudaBackend::check_mishap() {
  if (!may_mishap_) return {};
  Mishap& mishap = *reinterpret_cast<Mishap*>(mishap_seen_->data());
  if (auto ok = driver_->copy(compute_, &mishap, mishap_, sizeof mishap, Direction::FromDevice); !ok) return ok;
  if (auto ok = driver_->synchronize_stream(compute_); !ok) return ok;
  may_mishap_ = false;
  if (mishap.node == 0) return {};
  if (auto ok = driver_->clear(compute_, mishap_, sizeof mishap); !ok) return ok;
  const size_t number = static_cast<size_t>(mishap.node) - 1;
  if (number < nodes_.size()) return mishap_error(*nodes_[number], mishap);
  if (number - nodes_.size() < others_.size()) return mishap_error(*others_[number - nodes_.size()], mishap);
  return Error{fmt::format("{}: index {} lies outside the {} entries of a table", to_string(device()), mishap.index,
                           mishap.entries)};
}

Status CudaBackend::synchronize() {
  if (as_one_ && !queued_parts_.empty()) whole_run_ = std::move(queued_parts_);
  queued_parts_.clear();
  replaying_ = as_one_ = false;  // until the next run begins
  if (auto ok = driver_->synchronize_stream(copies_); !ok) return ok;
  if (auto ok = driver_->synchronize_stream(compute_); !ok) return ok;
  copies_pending_ = false;
  const Status found = check_mishap();
  others_.clear();
  return found;
}

void CudaBackend::keep_spans(bool keep) { timeline_->keep(keep); }

std::vector<DeviceSpan> CudaBackend::take_spans(const std::function<Nanoseconds()>& now) {
  if (!timeline_->keeps() || !synchronize()) return {};
  return timeline_->take(compute_, now);
}

BackendNotes CudaBackend::take_notes() {
  BackendNotes notes;
  notes.clock_error = timeline_->clock_error();
  const auto say = [&](trace::ProblemKind kind, std::string sentence) {
    if (!told_.insert(sentence).second) return;
    trace::Problem& problem = notes.problems.emplace_back();
    problem.severity = trace::Severity::Note;
    problem.kind = kind;
    problem.sentence = std::move(sentence);
  };
  for (std::string& note : queue_->notes()) say(trace::ProblemKind::Other, std::move(note));
  for (std::string& note : driver_->notes()) say(trace::ProblemKind::Other, std::move(note));
  if (!why_no_graph_.empty())
    say(trace::ProblemKind::NotReplayed,
        fmt::format("the run is queued node by node, since it could not be captured: {}", why_no_graph_));
  if (const Bytes plain = pages_->unpinned(); plain > 0)
    say(trace::ProblemKind::NotPinned,
        fmt::format("{} bytes for copies could not be pinned: they are copied twice", plain));
  const FragmentationStats f = memory_->fragmentation();
  say(trace::ProblemKind::Fragmentation,
      fmt::format("{} keeps {} bytes in {} segments; {} of them are free in {} blocks, the largest of {}, and {} wait "
                  "for a stream",
                  to_string(device()), f.reserved, f.segments, f.free, f.free_blocks, f.largest_free, f.deferred));
  return notes;
}

Result<std::vector<BenchRow>> CudaBackend::bench(bool quick) {
  if (!bench_) return Backend::bench(quick);
  return bench_(*this, quick);
}

}  // namespace arenascope::cuda
