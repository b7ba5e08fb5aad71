// SPDX-License-Identifier: MIT
// Helpers that build the nodes of a subgraph.
#pragma once
#include "engine/models/onnx/onnx_ir.h"

#include <map>
#include <string>
#include <vector>

namespace arenascope::models::ir::subgraph {

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
                  Attributes attributes = {});
  std::string number(int64_t value, const std::string& result);
  std::string numbers(std::vector<int64_t> values, const std::string& result);
  std::string real(float value, const std::string& result);
  std::string cast(const std::string& x, int32_t type, const std::string& result);
  std::string unsqueezed(const std::string& x, int64_t axis, const std::string& result);
  std::vector<Node>& all() { return to_; }
  // The last node writes this name.
  void rename(const std::string& result) { to_.back().outputs[0] = result; }

 private:
  std::string prefix_;
  std::vector<Node>& to_;
};

}  // namespace arenascope::models::ir::subgraph
