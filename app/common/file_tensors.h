// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors of a model file that has no graph, or whose graph is not supported, for inspection.
#pragma once
#include <arenascope/models/model.h>
#include <arenascope/trace/info.h>

#include <string>
#include <string_view>

namespace arenascope::app {

// The name up to its first number: "blk.0" of "blk.0.attn_q.weight"; empty if there is none.
std::string layer_of_tensor(std::string_view name);

// A graph whose nodes are the tensors, without edges. Types are named as in Model::file_tensors.
trace::GraphInfo graph_of_file_tensors(const models::Model& model);

}  // namespace arenascope::app
