// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/file_tensors.h"

#include <algorithm>

namespace arenascope::app {

std::string layer_of_tensor(std::string_view name) {
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (!part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos)
      return std::string(name.substr(0, end));
    begin = end + 1;
  }
  return {};
}

trace::GraphInfo graph_of_file_tensors(const models::Model& model) {
  trace::GraphInfo graph;
  graph.model = model.name;
  for (const models::FileTensor& tensor : model.file_tensors) {
    trace::TensorInfo node;
    node.name = tensor.name;
    node.op = "TENSOR";
    node.layer = layer_of_tensor(tensor.name);
    node.dtype = tensor.type;
    node.shape.assign(tensor.sizes.begin(), tensor.sizes.end());
    node.bytes = tensor.bytes;
    node.flags = trace::kNoWork;
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

}  // namespace arenascope::app
