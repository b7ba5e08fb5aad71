// SPDX-License-Identifier: MIT
// Helpers that build the nodes of a search: a list of nodes, and the inputs of the search.
#pragma once
#include "engine/models/onnx/onnx_ir.h"
#include "engine/models/onnx/search_nodes.h"

#include <map>
#include <string>
#include <vector>

namespace arenascope::models::ir::search {

inline constexpr int32_t kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9;  // the file's codes

using Attributes = std::map<std::string, Attribute>;

Attribute whole(int64_t value);
Attribute of_graph(std::shared_ptr<Graph> graph);
Attributes along(int64_t axis);
ValueType value(const std::string& name, int32_t type);

// A list of nodes under construction, each named by its result.
class Nodes {
 public:
  Nodes(std::string prefix, std::vector<Node>& to) : prefix_(std::move(prefix)), to_(to) {}

  std::string name(const std::string& part) const { return prefix_ + "/" + part; }
  std::string add(const char* op, std::vector<std::string> sources, const std::string& result,
                  Attributes attributes = {}, const char* domain = "");
  std::string number(int64_t value, const std::string& result);
  std::string numbers(std::vector<int64_t> values, const std::string& result);
  std::string real(float value, const std::string& result);
  std::string cast(const std::string& x, int32_t type, const std::string& result);
  // One size of a tensor, alone.
  std::string size(const std::string& x, int64_t axis, const std::string& result);
  // 0, 1, …, `count` elements.
  std::string range(const std::string& count, const std::string& result);
  std::string slice(const std::string& x, const std::string& begin, const std::string& end, int64_t axis,
                    const std::string& result);
  std::string unsqueezed(const std::string& x, int64_t axis, const std::string& result);
  // The best elements along the last axis, in order, and their indices as RESULT_at.
  std::string top(const std::string& x, const std::string& count, bool largest, const std::string& result);
  // Inserts a graph as a layer; its results get these names.
  void graph(std::shared_ptr<Graph> graph, const std::string& title, std::vector<std::string> results);
  // The last node writes this name.
  void rename(const std::string& result) { to_.back().outputs[0] = result; }
  std::vector<Node>& all() { return to_; }

 private:
  Node& make(const char* op);
  std::string prefix_;
  std::vector<Node>& to_;
};

// Names of a graph's inputs and the outer values bound to them, by nodes before all others.
using Bound = std::vector<std::pair<std::string, std::string>>;
void bind_names(Graph& graph, const Bound& bound);

inline constexpr size_t kNone = static_cast<size_t>(-1);

// Which input is which.
struct Sources {
  size_t ids = 0, most = 1, least = 2, penalty = 3, vocabulary = 4, first_vocabulary = 5, mask = 6;
  size_t presence = kNone, temperature = kNone;
};

// The search's own node.
struct Call {
  const Node& node;
  const Known& known;
  std::string prefix;
  Sources sources;
  bool times = false;  // timestamp tokens are constrained as in Whisper

  bool has(size_t source) const { return source < node.inputs.size() && !node.inputs[source].empty(); }
  const std::string& source(size_t source) const { return node.inputs[source]; }
  bool has_output(size_t result) const { return result < node.outputs.size() && !node.outputs[result].empty(); }
  int64_t attribute(const char* name, int64_t fallback) const;
  float real(const char* name, float fallback) const;
  const Graph* graph(const char* name) const;
  int64_t pad() const { return attribute("pad_token_id", 0); }
  int64_t eos() const { return attribute("eos_token_id", 0); }
  // Names of values that all bodies may read, and of the inputs of an iteration.
  std::string outer(const char* part) const { return prefix + "/" + part; }
  std::string now(const char* part) const { return prefix + "/now/" + part; }
};

enum class Iteration { First, Later, Any };

// Adds penalties and masks to the scores of each next token; `x` is [rows, tokens]. `beams` rows belong to one text.
std::string weigh(Nodes& n, const Call& call, Iteration iteration, int64_t beams, std::string x);
std::string weigh_times(Nodes& n, const Call& call, std::string x);

}  // namespace arenascope::models::ir::search
