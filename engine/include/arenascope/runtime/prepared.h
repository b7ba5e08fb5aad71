// SPDX-License-Identifier: MIT
// What a backend makes of nodes before they are computed again and again: for each node an object that owns its packed
// weights and all else that computing it needs. Whoever runs the nodes holds it; the backend keeps no list of nodes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

namespace arenascope {

// One thread's part in computing one node.
struct ComputeParams {
  int ith = 0;                // this thread's part, 0 ≤ ith < nth
  int nth = 1;                // parts of the node (its tasks)
  std::byte* work = nullptr;  // the plan's work buffer, 64-byte aligned, shared by the parts
  Bytes work_bytes = 0;
};

// A node that is ready to be computed. It refers to the node, whose memory may move between runs.
class PreparedNode {
 public:
  virtual ~PreparedNode() = default;
  // Computes part params.ith. All memory is bound. Errors: what the data makes impossible (an index outside its table),
  // or the device reports.
  virtual Status compute(const ComputeParams& params) = 0;
  // Of backends on the host: whether computing the node in so many parts reads the bytes of its constant source `source`.
  // Not where a packed copy takes their place; they are still there for what it cannot do.
  virtual bool reads_weight(int /*source*/, int /*parts*/) const { return true; }
};

// What a backend on the host keeps of constant weights in the forms that its kernels read, and which of them it widened.
struct PackedWeights {
  Bytes bytes = 0;  // of all of them, each once
  // Weights of convolutions that Winograd's transform makes sooner, and what its form takes more than theirs: of those that have
  // it, and of those that would have gone beyond what may be taken.
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

// What may be between two nodes of a run.
enum class RunShape : uint8_t {
  Watched,   // somebody who looks, or something that changes its place
  InPieces,  // nothing but copies to and from the device, and what the host computes; the same in each run
  AsOne,     // nothing
};

// The nodes of a graph, prepared in the order in which they are computed. It outlives neither the backend that made it nor
// the graph.
class PreparedRun {
 public:
  using Nodes = std::vector<std::unique_ptr<PreparedNode>>;
  explicit PreparedRun(Nodes nodes = {}) : nodes_(std::move(nodes)) {}
  virtual ~PreparedRun() = default;
  PreparedRun(const PreparedRun&) = delete;
  PreparedRun& operator=(const PreparedRun&) = delete;

  size_t size() const { return nodes_.size(); }
  PreparedNode& operator[](size_t i) { return *nodes_[i]; }
  // All nodes are about to be computed in order, up to DeviceMemory::synchronize(). Unless it is watched, what is queued may
  // be recorded the first time and replayed from then on.
  virtual Status begin_run(RunShape /*shape*/) { return {}; }
  // The run that began ends before its last node: what was recorded of it is no whole run.
  virtual void break_off() {}
  // One thread's share of what would otherwise be left to the first run: weights are packed.
  virtual void make_ready(int /*ith*/, int /*nth*/) {}
  virtual PackedWeights packed_weights() const { return {}; }

 protected:
  Nodes nodes_;
};

}  // namespace arenascope
