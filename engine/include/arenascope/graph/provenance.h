// SPDX-License-Identifier: MIT
// The provenance of a node created by a rewrite: the rule and the nodes of the original graph that it replaces. A fused
// node has the origins of all its ops. Stored by the node's pool.
#pragma once
#include <string>
#include <vector>

#include <arenascope/graph/op.h>
#include <arenascope/tensor/tensor.h>

namespace arenascope {

struct OriginPart {
  Op op{};
  std::string name;  // of the original node; may be empty
};

struct Origin {
  std::string rule;               // "layer norm", a name of rewrite_rules()
  std::vector<OriginPart> parts;  // in their original order
};

using Origins = std::vector<Origin>;

// Empty origins: the node is unchanged. The tensor must belong to a pool.
void set_origins(const Tensor& tensor, Origins origins);
const Origins& origins_of(const TensorImpl& tensor);

// "layer norm, from 11 nodes; gelu, from 5 nodes"; empty for an unchanged node.
std::string origin_text(const TensorImpl& tensor);
// The parts of all its origins; for an unchanged node the node itself.
std::vector<OriginPart> origin_parts(const TensorImpl& node);

}  // namespace arenascope
