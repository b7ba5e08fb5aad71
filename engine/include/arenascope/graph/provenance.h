// SPDX-License-Identifier: MIT
// The provenance of a node: the nodes of the model's file that it was lowered from, and for a node created by a rewrite
// the rule and the nodes of the original graph that it replaces. A fused node has the provenance of all its ops. Stored
// by the node's pool.
#pragma once
#include <memory>
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

// A node of the model's file, shared by all nodes of the graph that were lowered from it.
struct FileNode {
  std::string op;    // as in the file: "Conv", "com.microsoft::Gelu"
  std::string name;  // "" if the file gives it none
  bool operator==(const FileNode&) const = default;
};

using FileNodes = std::vector<std::shared_ptr<const FileNode>>;

// No file nodes: the graph was not read from a file with nodes. The tensor must belong to a pool.
void set_file_nodes(const Tensor& tensor, FileNodes nodes);
const FileNodes& file_nodes_of(const TensorImpl& tensor);
// Adds those that are not yet in `all`.
void append_file_nodes(const FileNodes& nodes, FileNodes& all);

}  // namespace arenascope
