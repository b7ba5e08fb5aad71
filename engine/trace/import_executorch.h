// SPDX-License-Identifier: MIT
// ExecuTorch's two files, both FlatBuffers (schemas: executorch/schema/program.fbs and devtools/etdump): a program (.pte) says
// which kernels run in which order on which tensors, and where the planner has put these; a dump of its event tracer
// (.etdp) says when each ran.
#pragma once
#include <arenascope/trace/import.h>
#include <arenascope/trace/info.h>

#include <optional>

namespace arenascope::trace {

struct ExecuTorchProgram {
  std::shared_ptr<GraphInfo> graph;
  std::shared_ptr<PlanInfo> plan;  // null: none of its tensors has a place
  std::vector<int32_t> node_of;    // by instruction; -1: it computes nothing
  static bool is_one(ByteSpan bytes);
  // Of its first method, the first chain of it. An error: it is none, or holds nothing that is computed.
  static Result<ExecuTorchProgram> read(ByteSpan bytes, const std::string& name);
};

bool is_executorch_dump(ByteSpan bytes);
// `program`: whose dump it is, where that is known; its instructions are the nodes.
Result<OpenReport> import_executorch_dump(ByteSpan bytes, const std::string& name, const ExecuTorchProgram* program,
                                          Sink& sink);
// The graph and where its tensors are planned to lie, without a run.
Result<OpenReport> import_executorch_program(ByteSpan bytes, const std::string& name, Sink& sink);

}  // namespace arenascope::trace
