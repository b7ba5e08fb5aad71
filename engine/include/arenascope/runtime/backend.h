// SPDX-License-Identifier: MIT
// What the runtime asks of a backend. A host backend (the CPU) is called by all threads for each node; a device
// backend is called by one thread and queues the work.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/base/bench_row.h>
#include <arenascope/memory/execution_context.h>
#include <arenascope/trace/info.h>
#include <arenascope/transform/capabilities.h>

namespace arenascope {

// One thread's part in computing one node.
struct ComputeParams {
  int ith = 0;                // this thread's part, 0 ≤ ith < nth
  int nth = 1;                // parts of the node (its tasks)
  std::byte* work = nullptr;  // the plan's work buffer, 64-byte aligned, shared by the parts
  Bytes work_bytes = 0;
};

// What a device did for a node, in nanoseconds of the clock that take_spans() was given.
struct DeviceSpan {
  const TensorImpl* node = nullptr;  // null: a copy at the caller's wish
  std::string_view what;             // the kernel, or the copy
  Nanoseconds queued = 0, submitted = 0, begin = 0, end = 0;
  Bytes copied = 0;  // > 0: it moved bytes between host and device
  bool to_device = false;
};

// What tuning found on a device, or took without measuring.
struct TuningResult {
  std::string kernel;   // the program and its kernel, with build options
  std::string sizes;    // work items in each dimension, or a product's sizes
  std::string choice;   // the group size, or which way of computing
  std::string level;    // how hard it tried
  double seconds = -1;  // of what was chosen; negative: not measured
  int tried = 0;        // candidates
};

// What a backend has to say about a run; whoever takes the notes fills in run and time.
struct BackendNotes {
  std::vector<trace::TuningInfo> tunings;
  std::vector<trace::Problem> problems;
  std::optional<Nanoseconds> clock_error;  // how far the times of its spans may be off the host's, either way
};

// A block of a device's pool.
struct PoolBlock {
  uintptr_t address = 0;
  Bytes bytes = 0;
  Bytes requested = 0;  // of the one that holds it; 0: free
  int64_t uses = 0;     // how many requests it has served
};

class Backend;

// How to compute a node, found once for many runs: compute(*this, params) does what Backend::compute() does.
struct Launch {
  using Function = Status (*)(const Launch& self, const ComputeParams& params);
  Function compute = nullptr;
  Backend* backend = nullptr;
  const TensorImpl* node = nullptr;
  const void* detail = nullptr;  // the backend's own
};

class Backend : public Capabilities {
 public:
  virtual Device device() const = 0;
  virtual std::string description() const = 0;  // the device in words
  // Computes part params.ith of the node. All memory is bound. Errors: what the data makes impossible (an index
  // outside its table), or the device reports.
  virtual Status compute(const TensorImpl& node, const ComputeParams& params) = 0;

  // Device backends: gives the context the allocators of the backend's device.
  virtual Status register_memory(ExecutionContext& context);
  // Device backends: wait for everything queued, copy between host and device memory.
  virtual Status synchronize() { return {}; }
  virtual Status upload(const Storage& to, const std::byte* from, Bytes bytes);
  virtual Status download(std::byte* to, const Storage& from, Bytes bytes);
  // Called once before a graph runs, with the nodes in order and all weights bound: a place to pack weights.
  virtual Status prepare(std::span<TensorImpl* const> nodes, ExecutionContext& context);
  // Asked after prepare(), of backends on the host: whether computing the node in so many parts reads the bytes of its
  // constant source `source`. Not where a packed copy takes their place; they are still there for what it cannot do.
  virtual bool reads_weight(const TensorImpl& /*node*/, int /*source*/, int /*parts*/) const { return true; }
  // Measures the device against its own libraries; `quick` only shows that it works.
  virtual Result<std::vector<BenchRow>> bench(bool quick);

  // Which backend computes this node: another one than name() where a graph is shared out.
  virtual std::string_view name_for(const TensorImpl&) const { return name(); }
  // Memory for a packed tensor. Errors: no memory, no such tensors.
  virtual Result<Storage> allocate_packed(const TensorImpl& tensor, ExecutionContext& context);
  // An executor is about to compute all nodes of prepare() in order, up to synchronize(). `as_one`: nobody looks in
  // between, so that what is queued may be recorded the first time and replayed from then on.
  virtual Status begin_run(bool /*as_one*/) { return {}; }
  // Device backends: whether to keep the times of what they queue, and those kept since the last call. Waits for the
  // device; `now` is the host's clock.
  virtual void keep_spans(bool) {}
  virtual std::vector<DeviceSpan> take_spans(const std::function<Nanoseconds()>&) { return {}; }
  // What it decided since the last call and a user may want to know.
  virtual BackendNotes take_notes() { return {}; }
  // The tuning results that it keeps, of all levels, and the blocks of its pool for activations, by address. May be
  // called by any thread.
  virtual std::vector<TuningResult> tuning_results() const { return {}; }
  virtual std::vector<PoolBlock> pool_blocks() const { return {}; }
  // A shorter way to compute() for a node that is computed again and again, where there is one. Asked after prepare(),
  // with all memory bound; it holds until the next prepare().
  virtual Launch launch(const TensorImpl& node);
};

}  // namespace arenascope
