// SPDX-License-Identifier: MIT
// Layers for the window to collapse: prefixes that names in the file have in common, or the sections between points
// where one tensor alone is live.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>

namespace arenascope::models {
namespace {

// A node's name, or that of its first output.
std::string_view given_name(const ir::Node& node) {
  if (!node.name.empty()) return node.name;
  return node.outputs.empty() ? std::string_view() : std::string_view(node.outputs[0]);
}

bool separates(char c) { return c == '/' || c == '.' || c == '_' || c == ':'; }

// The first `depth` parts of a name; the last part of a name is its own and belongs to no prefix.
std::string_view prefix(std::string_view name, size_t skip, int depth) {
  size_t end = std::string_view::npos;
  for (size_t i = skip; i < name.size(); ++i) {
    if (!separates(name[i]) || i == skip) continue;
    end = i;
    if (--depth == 0) break;
  }
  return end == std::string_view::npos ? std::string_view() : name.substr(skip, end - skip);
}

// Per node: true if a result depends on the model's inputs.
std::vector<bool> alive(const ir::Graph& graph) {
  std::unordered_set<std::string_view> moving;
  for (const ir::ValueType& input : graph.inputs) moving.insert(input.name);
  std::vector<bool> out(graph.nodes.size(), false);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const std::string& input : graph.nodes[n].inputs) out[n] = out[n] || moving.count(input) != 0;
    if (out[n]) moving.insert(graph.nodes[n].outputs.begin(), graph.nodes[n].outputs.end());
  }
  return out;
}

// Conv_12 and p2o.Conv.12: the name contains the op type only, not a module path.
bool names_its_op(std::string_view group, std::string_view op) {
  while (!group.empty() && separates(group.back())) group.remove_suffix(1);
  return group.size() == op.size() && std::equal(group.begin(), group.end(), op.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         });
}

std::vector<std::string> by_name(const ir::Graph& graph, const std::vector<bool>& moving) {
  std::vector<std::string_view> names;
  size_t counted = 0;
  for (const ir::Node& node : graph.nodes) names.push_back(given_name(node));
  std::string_view common;
  for (size_t n = 0; n < names.size(); ++n) {
    if (!moving[n]) continue;
    if (counted++ == 0) common = names[n];
    size_t same = 0;
    while (same < common.size() && same < names[n].size() && common[same] == names[n][same]) ++same;
    common = common.substr(0, same);
  }
  size_t skip = common.size();
  while (skip > 0 && !separates(common[skip - 1])) --skip;
  int coarse = 0;  // the deepest prefix that makes a few large groups
  const auto layers_at = [&](int depth) {
    std::vector<std::string> layers(names.size());
    for (size_t n = 0; n < names.size(); ++n)
      if (moving[n] && names[n].size() >= skip) layers[n] = std::string(prefix(names[n], skip, depth));
    return layers;
  };
  for (int depth = 1; depth <= 4; ++depth) {
    std::unordered_set<std::string_view> groups;
    size_t grouped = 0, ops = 0;
    for (size_t n = 0; n < names.size(); ++n) {
      if (!moving[n] || names[n].size() < skip) continue;
      const auto group = prefix(names[n], skip, depth);
      if (!group.empty()) ++grouped, groups.insert(group);
      if (names_its_op(group, graph.nodes[n].op)) ++ops;
    }
    if (ops * 2 > grouped) return {};
    if (grouped * 3 < counted * 2 || groups.size() < 4) continue;  // most nodes are in groups
    if (groups.size() * 3 > counted * 2) break;                    // almost one group per node
    if (groups.size() >= counted / 20) return layers_at(depth);
    coarse = depth;
  }
  return coarse > 0 ? layers_at(coarse) : std::vector<std::string>();
}

// Cuts where only one tensor is still live, at least four nodes apart. A layer is named after its first and its last
// node.
std::vector<std::string> by_width(const ir::Graph& graph, const std::vector<bool>& moving) {
  std::unordered_map<std::string_view, size_t> last_use;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (moving[n])
      for (const std::string& input : graph.nodes[n].inputs) last_use[input] = n;
  std::vector<int64_t> change(graph.nodes.size() + 1, 0);  // tensors that begin and end to be awaited
  std::vector<std::string> layers(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!moving[n]) continue;
    for (const std::string& output : graph.nodes[n].outputs) {
      const auto found = last_use.find(output);
      if (output.empty() || found == last_use.end() || found->second <= n) continue;
      ++change[n];
      --change[found->second];
    }
  }
  std::vector<std::vector<size_t>> blocks(1);
  int64_t open = 0;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    open += change[n];
    if (!moving[n]) continue;
    blocks.back().push_back(n);
    if (open <= 1 && blocks.back().size() >= 4) blocks.emplace_back();
  }
  if (blocks.back().empty()) blocks.pop_back();
  if (blocks.size() < 2) return layers;
  for (const std::vector<size_t>& block : blocks) {
    const std::string_view first = given_name(graph.nodes[block.front()]), last = given_name(graph.nodes[block.back()]);
    const std::string name = block.size() == 1 ? std::string(first) : fmt::format("{} … {}", first, last);
    for (const size_t n : block) layers[n] = name;
  }
  return layers;
}

}  // namespace

std::vector<std::string> name_layers(const ir::Graph& graph) {
  const auto moving = alive(graph);
  auto layers = by_name(graph, moving);
  return layers.empty() ? by_width(graph, moving) : layers;
}

}  // namespace arenascope::models
