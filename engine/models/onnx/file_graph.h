// SPDX-License-Identifier: MIT
// The nodes of an ONNX file as a graph, before constant folding, unrolling and lowering.
#pragma once
#include <arenascope/trace/info.h>
#include "engine/models/onnx/onnx_ir.h"

#include <memory>

namespace arenascope::models::ir {

// Nodes of the file, those of each body and of each local function once.
int64_t count_nodes(const File& file);
// Bytes of all parameters as stored in the file, including those of bodies and functions.
Bytes parameter_bytes(const File& file);

// Each body of a node (If, Loop, Scan, …) is a layer within the node's layer; each local function is a layer too. Shapes
// are those that the file declares; -1: not known. `of_file` is set. Null if the file has neither bodies nor functions,
// since its graph would have the same structure as the lowered one.
std::shared_ptr<const trace::GraphInfo> describe_file(const File& file);

}  // namespace arenascope::models::ir
