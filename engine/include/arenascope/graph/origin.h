// SPDX-License-Identifier: MIT
// What a node stands for that a rewrite made: by which rule, and of which nodes of the graph as it was written. A fused
// node has the origins of all its parts. Kept by the pool in which the node lies.
#pragma once
#include <string>
#include <vector>

#include <arenascope/graph/op.h>
#include <arenascope/tensor/tensor.h>

namespace arenascope {

struct OriginPart {
  Op op{};
  std::string name;  // of the node that it was, "" if it had none
};

struct Origin {
  std::string rule;               // "layer norm", as rewrite_rules() has it
  std::vector<OriginPart> parts;  // in the order in which they stood
};

using Origins = std::vector<Origin>;

// Empty: it is as it was written. The tensor lies in a pool.
void set_origins(const Tensor& tensor, Origins origins);
const Origins& origins_of(const TensorImpl& tensor);

// "layer norm, from 11 nodes; gelu, from 5 nodes"; empty where it is as it was written.
std::string origin_text(const TensorImpl& tensor);
// The parts of all its origins; of a node that is as it was written the node itself.
std::vector<OriginPart> origin_parts(const TensorImpl& node);

}  // namespace arenascope
