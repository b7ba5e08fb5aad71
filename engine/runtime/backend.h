// SPDX-License-Identifier: MIT
// What the runtime asks of a backend. A host backend (the CPU) is called by all threads for each node; a device
// backend is called by one thread and queues the work.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/base/bench_row.h>
#include <arenascope/graph/graph.h>
#include <arenascope/memory/execution_context.h>

namespace arenascope {

// One thread's part in computing one node.
struct ComputeParams {
  int ith = 0;                  // this thread's part, 0 ≤ ith < nth
  int nth = 1;                  // parts of the node (its tasks)
  std::byte* work = nullptr;    // the plan's work buffer, 64-byte aligned, shared by the parts
  Bytes work_bytes = 0;
};

// What a device did for a node, in nanoseconds of the clock that take_spans() was given.
struct DeviceSpan {
  const TensorImpl* node = nullptr;  // null: a copy at the caller's wish
  std::string_view what;             // the kernel, or the copy
  Nanoseconds queued = 0, submitted = 0, begin = 0, end = 0;
  Bytes copied = 0;                  // > 0: it moved bytes between host and device
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

// A block of a device's pool.
struct PoolBlock {
  uintptr_t address = 0;
  Bytes bytes = 0;
  Bytes requested = 0;  // of the one that holds it; 0: free
  int64_t uses = 0;     // how many requests it has served
};

// Where a node's result lies: in the backend's memory as it is, or on the other side, which is the host's memory or a
// packed form.
enum class Side : uint8_t { Main, Other, Either };

// What a backend makes of a node whose images have their channels last in memory (tensor/shape.h).
struct ChannelsLast {
  bool computes = false;   // its result may lie so, together with the sources that `images` names
  bool reads = false;      // those sources may lie so although its result does not
  uint32_t images = 0;     // bit i: source i; the others are read as they lie
  int64_t gain = 0;        // nanoseconds that it is faster so, on one thread; negative: slower
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

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;  // "cpu", "opencl", "cuda"
  virtual Device device() const = 0;
  virtual std::string description() const = 0;  // the device in words
  // Whether its nodes are computed by the executor's threads.
  virtual bool runs_on_host_threads() const = 0;

  // Whether it can compute the node; if not, the sentence says why (op, dtype, layout).
  virtual Status supports(const TensorImpl& node) const = 0;
  // Into how many parts a node is best split, 1 to `threads`.
  virtual int tasks(const TensorImpl& node, int threads) const = 0;
  // Scratch bytes that the node needs when split into `tasks` parts.
  virtual Bytes work_bytes(const TensorImpl& node, int tasks) const = 0;
  // Computes part params.ith of the node. All memory is bound. Errors: what the data makes impossible (an index
  // outside its table), or the device reports.
  virtual Status compute(const TensorImpl& node, const ComputeParams& params) = 0;

  // At which multiples of bytes a tensor must lie in the backend's memory.
  virtual Bytes alignment() const { return 64; }
  // Device backends: gives the context the allocators of the backend's device.
  virtual Status register_memory(ExecutionContext& context);
  // Device backends: wait for everything queued, copy between host and device memory.
  virtual Status synchronize() { return {}; }
  virtual Status upload(const Storage& to, const std::byte* from, Bytes bytes);
  virtual Status download(std::byte* to, const Storage& from, Bytes bytes);
  // Called once before a graph runs, with the nodes in order and all weights bound: a place to pack weights.
  virtual Status prepare(std::span<TensorImpl* const> nodes, ExecutionContext& context);
  // Measures the device against its own libraries; `quick` only shows that it works.
  virtual Result<std::vector<BenchRow>> bench(bool quick);

  // Which backend computes this node: another one than name() where a graph is shared out.
  virtual std::string_view name_for(const TensorImpl&) const { return name(); }
  // Whether COPY nodes may lead to host memory (kFlagSpilled) and back.
  virtual bool copies_to_host() const { return runs_on_host_threads(); }
  // Whether it computes this node (source -1) on packed tensors, kFlagPacked, and whether it then wants that source
  // packed as well. The COPY nodes that lead from one way to the other are compute()'s too. Main: as bytes.
  virtual Side packing(const TensorImpl&, int /*source*/) const { return Side::Main; }
  // Memory for a packed tensor. Errors: no memory, no such tensors.
  virtual Result<Storage> allocate_packed(const TensorImpl& tensor, ExecutionContext& context);
  // An executor is about to compute all nodes of prepare() in order, up to synchronize(). `as_one`: nobody looks in
  // between, so that what is queued may be recorded the first time and replayed from then on.
  virtual Status begin_run(bool /*as_one*/) { return {}; }
  // Device backends: whether to keep the times of what they queue, and those kept since the last call. Waits for the
  // device; `now` is the host's clock.
  virtual void keep_spans(bool) {}
  virtual std::vector<DeviceSpan> take_spans(const std::function<Nanoseconds()>&) { return {}; }
  // What it decided since the last call and a user may want to know, one sentence each: sizes found by tuning, say.
  virtual std::vector<std::string> take_notes() { return {}; }
  // The tuning results that it keeps, of all levels, and the blocks of its pool for activations, by address. May be
  // called by any thread.
  virtual std::vector<TuningResult> tuning_results() const { return {}; }
  virtual std::vector<PoolBlock> pool_blocks() const { return {}; }
  // Into how many parts it may be cut at no cost worth mentioning when `tasks` threads take part: more than that, where
  // it is long, let a thread that is done take over what another has not begun.
  virtual int parts(const TensorImpl& node, int tasks) const;
  // A shorter way to compute() for a node that is computed again and again, where there is one. Asked after prepare(),
  // with all memory bound; it holds until the next prepare().
  virtual Launch launch(const TensorImpl& node);
  // Whether it computes `step`, an op element by element, in one FUSED node with `first` in front of it; without a step:
  // whether a fused node may begin with `first`.
  virtual bool fuses(const TensorImpl& first, const TensorImpl* step) const;
  // Whether it computes the node with its images' channels last, and what that is worth; as the node lies now is of no
  // account.
  virtual ChannelsLast channels_last(const TensorImpl&) const { return {}; }
};

}  // namespace arenascope
