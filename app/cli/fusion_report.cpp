// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fusion_report.h"

#include <arenascope/transform/image_layout.h>

#include <arenascope/run/backends.h>
#include <arenascope/run/transform_model.h>

#include "app/common/format.h"

namespace arenascope::cli {

Json fused_ops(const TensorImpl& node) {
  Json out = Json::array();
  const auto ops = held_ops(node);
  const auto names = held_names(node);
  for (size_t i = 0; i < ops.size(); ++i) {
    out.push_back({{"op", name(ops[i])}});
    if (names.size() == ops.size()) out.back()["name"] = names[i];
  }
  return out;
}

Result<FusedGraph> fuse_for(const Graph& graph, const std::string& backend) {
  auto opened = open_backend(backend);
  if (!opened) return opened.error();
  auto fused = fuse_graph(graph, **opened);
  if (!fused) return fused;
  auto laid_out = lay_out_images(fused->graph, **opened);
  if (!laid_out) return laid_out.error();
  const auto moved = [&](Tensor& tensor) {
    if (tensor) tensor = laid_out->node_map[fused->graph.find_node(*tensor).index()];
  };
  for (Tensor& mapped : fused->node_map) moved(mapped);
  for (FusedGraph::Fused& f : fused->fused) moved(f.node);
  fused->graph = laid_out->graph;
  return fused;
}

Json graph_json(const Program& program, const std::string& backend) {
  return {{"backend", backend}, {"form", graph_form(program)}, {"nodes", program.transformed.nodes().size()}};
}

std::string graph_text(const Program& program, const std::string& backend) {
  return fmt::format("graph for {}: {}; {}", backend, graph_form(program),
                     app::counted(std::ssize(program.transformed.nodes()), "node"));
}

Bytes activation_bytes(const Graph& graph) {
  Bytes out = 0;
  for (const TensorImpl* node : graph.nodes())
    if (!node->is_view() && node->op != Op::None) out += node->byte_count();
  return out;
}

}  // namespace arenascope::cli
