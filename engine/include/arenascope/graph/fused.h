// SPDX-License-Identifier: MIT
// FUSED: several ops computed as one node, so that intermediate results need neither memory nor a pass of their own. An
// optional anchor (a matmul, a convolution, a normalisation) is followed by pointwise steps:
//
//   sources   x  w  bias │ residual          anchor CONV, which reads the first three sources
//   values    v0 = CONV(x, w, bias)
//   steps     v1 = ADD(v0, residual)         v2 = RELU(v1): the result
//
// All values are f32, except the anchor's sources and the result of a CAST, which may be the last step of a node
// without an anchor. All operands have the sizes of the result or are broadcast to them. The parameters describe the
// node completely, so that it can be rebuilt over other sources like any other node.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <arenascope/graph/op.h>

namespace arenascope {

// A pointwise step. An operand index >= 0 is a source of the node; -1 - k is the value v_k.
struct FusedStep {
  uint16_t op = 0;               // an Op that is_fused_step()
  int8_t left = -1, right = -1;  // unary ops have no right operand; that of BATCH_NORM is the first of four sources
  float p = 0,
        q = 0;  // the op's parameters in their order, if any; for CAST the DType
};

struct FusedParams {
  static constexpr int kMaxSteps = 7;
  static constexpr int kMaxOperands = 4;  // different sources that steps read
  // The first member, so that code that reads the anchor's parameters from a node finds them.
  static constexpr int kAnchorBytes = 72;
  alignas(8) std::byte anchor_params[kAnchorBytes] = {};
  uint16_t anchor = 0;  // an Op; NONE: the first step reads sources only, and v0 does not exist
  uint8_t anchor_sources = 0;
  uint8_t steps = 0;
  FusedStep step[kMaxSteps] = {};
  // Lengths of the names of the fused ops, which are concatenated in the node's name (join_names()).
  uint16_t name_size[1 + kMaxSteps] = {};

  Op anchor_op() const { return static_cast<Op>(anchor); }
  static Op op(const FusedStep& step) { return static_cast<Op>(step.op); }
};

// True if the op can be a step: pointwise with f32 input and output, or CAST.
bool is_fused_step(Op op);
// 1 or 2; BATCH_NORM counts as 2.
int step_operands(Op op);
// A step that computes the node's op; the caller sets its operands.
FusedStep make_fused_step(const TensorImpl& node);

bool ends_with_cast(const FusedParams& params);

// The op whose kernel computes the node: the anchor of a FUSED node, FUSED if it has no anchor, else the node's own op.
Op anchor_of(const TensorImpl& node);
// Number of sources that the anchor reads; all sources of a node that is not FUSED.
size_t anchor_sources(const TensorImpl& node);

// The ops of a FUSED node in order; for any other node its own op.
std::vector<Op> held_ops(const TensorImpl& node);
// "CONV+ADD+RELU"; for a node that is not FUSED the op's name.
std::string ops_text(const TensorImpl& node);
// The names of the fused ops, as joined by join_names(); the node's own name if it is not FUSED; empty if the node has
// been renamed since.
std::vector<std::string> held_names(const TensorImpl& node);
// The name of a FUSED node from the names of at most 1 + kMaxSteps ops; stores their lengths in `params`.
std::string join_names(const std::vector<std::string>& names, FusedParams& params);
// "CONV conv1, ADD add1, RELU relu1"; empty for a node that is not FUSED.
std::string held_text(const TensorImpl& node);

}  // namespace arenascope
