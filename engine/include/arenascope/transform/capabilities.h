// SPDX-License-Identifier: MIT
// The part of a backend that transforms and planners query: which nodes it can compute, and at what cost. It neither
// computes nor allocates; that is runtime/backend.h.
#pragma once
#include <cstdint>
#include <string_view>

#include <arenascope/graph/graph.h>

namespace arenascope {

// Side of a partition on which a node's result is stored: the backend's own memory (Main), or the host's memory or an
// image (Other).
enum class PartitionSide : uint8_t { Main, Other, Either };

// Support of a backend for a node whose images are stored channels-last (tensor/shape.h).
struct ChannelsLast {
  bool computes = false;  // the result may be channels-last, together with the sources in `images`
  bool reads = false;     // those sources may be channels-last although the result is not
  uint32_t images = 0;    // bit i: source i; all other sources keep their layout
  int64_t gain = 0;       // nanoseconds saved on one thread; negative: slower
};

class Capabilities {
 public:
  virtual ~Capabilities() = default;

  virtual std::string_view name() const = 0;  // "cpu", "opencl", "cuda"
  // True if the executor's threads compute its nodes.
  virtual bool runs_on_host_threads() const = 0;

  // Errors: the node cannot be computed; the message names the reason (op, dtype, layout).
  virtual Status supports(const TensorImpl& node) const = 0;
  // Best number of chunks to split a node into, 1 to `threads`.
  virtual int tasks(const TensorImpl& node, int threads) const = 0;
  // Scratch bytes that the node needs when split into `tasks` chunks.
  virtual Bytes work_bytes(const TensorImpl& node, int tasks) const = 0;
  // Required alignment of a tensor in the backend's memory, in bytes.
  virtual Bytes alignment() const { return 64; }
  // Storage of the node's result (source -1) or of one source: Main for plain bytes, Other for an image, Either if both
  // work. The backend also computes the COPY nodes that convert between the two.
  virtual PartitionSide packing(const TensorImpl&, int /*source*/) const { return PartitionSide::Main; }
  // Number of chunks that costs nothing noticeable when `tasks` threads take part. More chunks than threads let a
  // thread that is done steal chunks that another has not begun.
  virtual int parts(const TensorImpl&, int tasks) const { return tasks; }
  // True if the backend computes the pointwise op `step` in one FUSED node after `first`; with a null step: if a fused
  // node may begin with `first`.
  virtual bool fuses(const TensorImpl& /*first*/, const TensorImpl* /*step*/) const { return false; }
  // True if MUL_MAT and ATTENTION are faster with float16 operands than with float32 ones.
  virtual bool multiplies_halves() const { return false; }
  // Support for the node with channels-last images and the time that this saves. The node's current layout does not
  // matter.
  virtual ChannelsLast channels_last(const TensorImpl&) const { return {}; }
};

}  // namespace arenascope
