// SPDX-License-Identifier: MIT
// FUSED: several ops computed as one node, so that what lies between them needs no memory and no pass of its own. An
// anchor (a matmul, a convolution, a normalisation), or none, is followed by steps, each element by element:
//
//   sources   x  w  bias │ residual          anchor CONV, which takes the first three sources
//   values    v0 = CONV(x, w, bias)
//   steps     v1 = ADD(v0, residual)         v2 = RELU(v1): the result
//
// Everything is f32 but an anchor's sources and what a CAST makes, which may be the last step where there is no anchor; and of
// the result's sizes but what is broadcast to them. The parameters
// say all of it, so that such a node can be made again over other sources as any other can.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <arenascope/graph/op.h>

namespace arenascope {

// What a step works on: a source of the node (from 0 on), or a value: -1 - k is v_k.
struct FusedStep {
  uint16_t op = 0;               // an Op that is_fused_step()
  int8_t left = -1, right = -1;  // ops of one operand have no right one; BATCH_NORM's is the first of four sources
  float p = 0,
        q = 0;  // the op's parameters in their order, where it has any; POW and the like have none; CAST's: its DType
};

struct FusedParams {
  static constexpr int kMostSteps = 7;
  static constexpr int kMostOperands = 4;  // different sources that steps read
  // First, so that code which looks for the anchor's parameters in a node finds them.
  static constexpr int kAnchorBytes = 72;
  alignas(8) std::byte anchor_params[kAnchorBytes] = {};
  uint16_t anchor = 0;  // an Op; NONE: the first step works on sources alone, and v0 does not exist
  uint8_t anchor_sources = 0;
  uint8_t steps = 0;
  FusedStep step[kMostSteps] = {};
  // How long the names of its parts are, which stand one behind the other in the node's own (join_names()).
  uint16_t name_size[1 + kMostSteps] = {};

  Op anchor_op() const { return static_cast<Op>(anchor); }
  static Op op(const FusedStep& step) { return static_cast<Op>(step.op); }
};

// Whether the op can be a step: element by element, f32 in, f32 out; and CAST.
bool is_fused_step(Op op);
// 1 or 2; BATCH_NORM counts as 2.
int step_operands(Op op);
// The step that does what the node does; its operands are to be filled in.
FusedStep make_fused_step(const TensorImpl& node);

bool ends_with_cast(const FusedParams& params);

// The op whose kernel computes the node: its own, or the anchor's; FUSED where it has steps alone.
Op anchor_of(const TensorImpl& node);
// How many of its sources are the anchor's; all where it is not FUSED.
size_t anchor_sources(const TensorImpl& node);

// What a FUSED node holds, first to last; of any other its op alone.
std::vector<Op> held_ops(const TensorImpl& node);
// "CONV+ADD+RELU"; of a node that is not FUSED the op's name.
std::string ops_text(const TensorImpl& node);
// The names of its parts, as join_names() joined them into its own; its own name where it is not FUSED; none where it
// got another name since.
std::vector<std::string> held_names(const TensorImpl& node);
// A FUSED node's name, of which the parameters keep where each part's name stands. For 1 + kMostSteps parts at most.
std::string join_names(const std::vector<std::string>& names, FusedParams& params);
// "CONV conv1, ADD add1, RELU relu1"; empty where the node is not FUSED.
std::string held_text(const TensorImpl& node);

}  // namespace arenascope
