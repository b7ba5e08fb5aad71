// SPDX-License-Identifier: MIT
#include <arenascope/graph/provenance.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/graph/context_pool.h"

namespace arenascope {

void set_origins(const Tensor& tensor, Origins origins) {
  if (auto* pool = dynamic_cast<ContextPool*>(tensor->owner); pool && !origins.empty())
    pool->origins()[tensor.impl()] = std::move(origins);
}

const Origins& origins_of(const TensorImpl& tensor) {
  static const Origins none;
  auto* pool = dynamic_cast<ContextPool*>(tensor.owner);
  if (!pool) return none;
  const auto found = pool->origins().find(&tensor);
  return found == pool->origins().end() ? none : found->second;
}

std::string origin_text(const TensorImpl& tensor) {
  std::string out;
  for (const Origin& origin : origins_of(tensor))
    out += fmt::format("{}{}, from {} {}", out.empty() ? "" : "; ", origin.rule, origin.parts.size(),
                       origin.parts.size() == 1 ? "node" : "nodes");
  return out;
}

void set_file_nodes(const Tensor& tensor, FileNodes nodes) {
  if (auto* pool = dynamic_cast<ContextPool*>(tensor->owner); pool && !nodes.empty())
    pool->file_nodes()[tensor.impl()] = std::move(nodes);
}

const FileNodes& file_nodes_of(const TensorImpl& tensor) {
  static const FileNodes none;
  auto* pool = dynamic_cast<ContextPool*>(tensor.owner);
  if (!pool) return none;
  const auto found = pool->file_nodes().find(&tensor);
  return found == pool->file_nodes().end() ? none : found->second;
}

void append_file_nodes(const FileNodes& nodes, FileNodes& all) {
  for (const auto& node : nodes)
    if (std::none_of(all.begin(), all.end(), [&](const auto& known) { return *known == *node; })) all.push_back(node);
}

std::vector<OriginPart> origin_parts(const TensorImpl& node) {
  std::vector<OriginPart> out;
  const Origins& origins = origins_of(node);
  for (const Origin& origin : origins) out.insert(out.end(), origin.parts.begin(), origin.parts.end());
  if (origins.empty()) out.push_back({node.op, std::string(node.name)});
  return out;
}

}  // namespace arenascope
