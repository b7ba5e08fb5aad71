// SPDX-License-Identifier: MIT
// Imports ExecuTorch's two FlatBuffers files (schemas: executorch/schema/program.fbs and devtools/etdump). A program
// (.pte) defines which kernels run in which order on which tensors, and their planned offsets. A dump of the event
// tracer (.etdp) contains the times of the kernel calls.
#pragma once
#include <arenascope/trace/import.h>
#include <arenascope/trace/info.h>

#include <optional>

namespace arenascope::trace {

struct ExecuTorchProgram {
  std::shared_ptr<GraphInfo> graph;
  std::shared_ptr<PlanInfo> plan;  // null: none of its tensors has an offset
  std::vector<int32_t> node_of;    // by instruction; -1: no node
  static bool is_one(ByteSpan bytes);
  // Reads the first chain of the first method. Fails if the file is not an ExecuTorch program or has no nodes.
  static Result<ExecuTorchProgram> read(ByteSpan bytes, const std::string& name);
};

bool is_executorch_dump(ByteSpan bytes);
// `program`: the program that the dump belongs to, or null if unknown. Its instructions are the nodes.
Result<OpenReport> import_executorch_dump(ByteSpan bytes, const std::string& name, const ExecuTorchProgram* program,
                                          Sink& sink);
// Imports the graph and its memory plan, without a run.
Result<OpenReport> import_executorch_program(ByteSpan bytes, const std::string& name, Sink& sink);

}  // namespace arenascope::trace
