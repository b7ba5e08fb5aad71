// SPDX-License-Identifier: MIT
// What a backend can compute and at what cost: all that transforms and plans ask of one. Nothing here computes or
// allocates; runtime/backend.h does.
#pragma once
#include <cstdint>
#include <string_view>

#include <arenascope/graph/graph.h>

namespace arenascope {

// Where a node's result lies: in the backend's memory as it is, or on the other side, which is the host's memory or a
// packed form.
enum class Side : uint8_t { Main, Other, Either };

// What a backend makes of a node whose images have their channels last in memory (tensor/shape.h).
struct ChannelsLast {
  bool computes = false;  // its result may lie so, together with the sources that `images` names
  bool reads = false;     // those sources may lie so although its result does not
  uint32_t images = 0;    // bit i: source i; the others are read as they lie
  int64_t gain = 0;       // nanoseconds that it is faster so, on one thread; negative: slower
};

class Capabilities {
 public:
  virtual ~Capabilities() = default;

  virtual std::string_view name() const = 0;  // "cpu", "opencl", "cuda"
  // Whether its nodes are computed by the executor's threads.
  virtual bool runs_on_host_threads() const = 0;

  // Whether it can compute the node; if not, the sentence says why (op, dtype, layout).
  virtual Status supports(const TensorImpl& node) const = 0;
  // Into how many parts a node is best split, 1 to `threads`.
  virtual int tasks(const TensorImpl& node, int threads) const = 0;
  // Scratch bytes that the node needs when split into `tasks` parts.
  virtual Bytes work_bytes(const TensorImpl& node, int tasks) const = 0;
  // At which multiples of bytes a tensor must lie in the backend's memory.
  virtual Bytes alignment() const { return 64; }
  // Whether it computes this node (source -1) on packed tensors, Placement::Packed, and whether it then wants that source
  // packed as well. The COPY nodes that lead from one way to the other are computed by it too. Main: as bytes.
  virtual Side packing(const TensorImpl&, int /*source*/) const { return Side::Main; }
  // Into how many parts it may be cut at no cost worth mentioning when `tasks` threads take part: more than that, where
  // it is long, let a thread that is done take over what another has not begun.
  virtual int parts(const TensorImpl&, int tasks) const { return tasks; }
  // Whether it computes `step`, an op element by element, in one FUSED node with `first` in front of it; without a
  // step: whether a fused node may begin with `first`.
  virtual bool fuses(const TensorImpl& /*first*/, const TensorImpl* /*step*/) const { return false; }
  // Whether it computes the node with its images' channels last, and what that is worth; as the node lies now is of no
  // account.
  virtual ChannelsLast channels_last(const TensorImpl&) const { return {}; }
};

}  // namespace arenascope
