// SPDX-License-Identifier: MIT
// Prepared nodes: one object per node, which owns its packed weights and everything else that repeated computation needs.
// The executor owns these objects; the backend keeps no list of nodes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

namespace arenascope {

// One chunk of one node.
struct ComputeParams {
  int ith = 0;                // index of the chunk, 0 ≤ ith < nth
  int nth = 1;                // number of chunks of the node
  std::byte* work = nullptr;  // the plan's work buffer, 64-byte aligned, shared by the chunks
  Bytes work_bytes = 0;
};

// A node that is ready to be computed. It refers to the node, whose memory may move between runs.
class PreparedNode {
 public:
  virtual ~PreparedNode() = default;
  // Computes chunk params.ith. All memory must be bound. Errors: invalid data (such as an index outside its table), errors
  // that the device reports.
  virtual Status compute(const ComputeParams& params) = 0;
  // Host backends: true if computing the node in `parts` chunks reads the bytes of its constant input `source`; false if a
  // packed copy replaces them.
  virtual bool reads_weight(int /*source*/, int /*parts*/) const { return true; }
};

// Constant weights that a host backend keeps in the layouts of its kernels.
struct PackedWeights {
  Bytes bytes = 0;  // of all packed weights, each counted once
  // Convolutions that Winograd's transform makes faster: their number and the additional bytes of the transformed weights.
  // `winograd`: those that use it; `direct`: those that would exceed the memory limit.
  struct Widened {
    int64_t count = 0;
    Bytes more = 0;
  } winograd, direct;
  PackedWeights& operator+=(const PackedWeights& other) {
    bytes += other.bytes;
    winograd.count += other.winograd.count, winograd.more += other.winograd.more;
    direct.count += other.direct.count, direct.more += other.direct.more;
    return *this;
  }
};

// How the nodes of a run are submitted to a device.
enum class SubmitMode : uint8_t {
  PerNode,     // between nodes results may be inspected, or memory may be rebound
  Segmented,   // between nodes there are only copies and host nodes, the same in each run
  WholeGraph,  // nothing happens between nodes
};

// The prepared nodes of a graph in execution order. Backend and graph must outlive it.
class PreparedGraph {
 public:
  using Nodes = std::vector<std::unique_ptr<PreparedNode>>;
  explicit PreparedGraph(Nodes nodes = {}) : nodes_(std::move(nodes)) {}
  virtual ~PreparedGraph() = default;
  PreparedGraph(const PreparedGraph&) = delete;
  PreparedGraph& operator=(const PreparedGraph&) = delete;

  size_t size() const { return nodes_.size(); }
  PreparedNode& operator[](size_t i) { return *nodes_[i]; }
  // Called before all nodes are computed in order, up to DeviceMemory::synchronize(). Unless the mode is PerNode, the backend
  // may record the queued work in the first run and replay it in later runs. The mode and what was prepared decide the
  // launches; profiling does not.
  virtual Status begin_run(SubmitMode /*shape*/) { return {}; }
  // Number of nodes up to node `i`, itself included, that one launch computes together in a run of mode WholeGraph; 0: a
  // later node's launch computes it.
  virtual size_t nodes_of_launch(size_t /*i*/) const { return 1; }
  // False if the nodes of the current run do not take effect one by one, because they are launched together or replayed.
  // Such a run cannot be paused.
  virtual bool interruptible() const { return true; }
  // The current run ends before its last node: an incomplete recording must be discarded.
  virtual void abort_run() {}
  // Packs weights now instead of in the first run; called on each of `nth` threads for its share.
  virtual void warm_up(int /*ith*/, int /*nth*/) {}
  virtual PackedWeights packed_weights() const { return {}; }

 protected:
  Nodes nodes_;
};

}  // namespace arenascope
