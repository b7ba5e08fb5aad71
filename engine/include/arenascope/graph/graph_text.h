// SPDX-License-Identifier: MIT
// A graph as text, one tensor per line, each defined before it is read:
//
//   # a comment
//   x = input f32 [1,3,8,8]                      leaf tensor: input, weight, parameter, weight+parameter or leaf
//   w = weight f32 [4,3,3,3]
//   layer "encoder"                              the layer of the following lines
//   c = CONV x w pads_begin=[1,1] pads_end=[1,1] a node: op, inputs, parameters that differ from their defaults
//   s = SOFT_MAX c 1 -> f32 [1,4,8,8]            parameters in order; after the arrow the result, which is checked
//   f = FUSED x w r { CONV sources=2 ; ADD v0 s2 ; RELU v1 }   v0: the result of the first op; s2: the third input
//   output s f
//
// After the result: channels_last (layout of an image that is not a view); host, packed or given (placement of a node);
// name="…" if the name of the tensor is no identifier or not unique. A tensor without a name gets its identifier. Layers
// of leaf tensors, and the association of gradients with parameters, are not part of the text.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/graph/builder.h>
#include <arenascope/graph/graph.h>

namespace arenascope {

// Equal graphs have equal texts, and a text that is parsed and printed again stays the same.
std::string to_text(const Graph& graph);

struct ParsedGraph {
  Graph graph;
  std::map<std::string, Tensor, std::less<>> tensors;  // by the identifier in the text
};

// Builds the graph in `context`. Errors name the line: a name that is undefined or defined twice, an unknown op, an error
// of the op's shape rule, a result that differs from the one in the text.
Result<ParsedGraph> parse_graph(std::string_view text, Context context);

// The tokens of a line, separated by blanks and commas; strings in quotes and lists in brackets are not divided. Errors:
// a string without a closing quote.
Result<std::vector<std::string>> graph_tokens(std::string_view line);

// A line NAME = OP SOURCE … ARGUMENT …
struct NodeText {
  std::string name, op;
  std::vector<std::string> sources;    // leading tokens that are names
  std::vector<std::string> arguments;  // the others
};

// Errors: fewer tokens than a name, "=" and an op.
Result<NodeText> parse_node(std::span<const std::string> tokens, const std::function<bool(const std::string&)>& known);

// Adds the node to the builder's graph. SLICE x AXIS START END is a VIEW; RESHAPE of a view that is not contiguous
// is preceded by CONT. Errors: an unknown op or argument, an error of
// the op's shape rule.
Result<Tensor> add_node(GraphBuilder& builder, const NodeText& node, std::span<const Tensor> sources);

}  // namespace arenascope
