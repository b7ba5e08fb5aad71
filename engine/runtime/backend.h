// SPDX-License-Identifier: MIT
// What the runtime asks of a backend. A host backend (the CPU) is called by all threads for each node; a device
// backend is called by one thread and queues the work.
#pragma once
#include <cstddef>
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
};

}  // namespace arenascope
