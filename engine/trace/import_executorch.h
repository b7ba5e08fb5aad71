// SPDX-License-Identifier: MIT
// Imports ExecuTorch's two FlatBuffers files (schemas: executorch/schema/program.fbs and devtools/etdump). A program
// (.pte) defines for each of its methods which kernels run in which order on which tensors, and their planned offsets. A dump of the event
// tracer (.etdp) contains the times of the kernel calls.
#pragma once
#include <arenascope/trace/import.h>
#include <arenascope/trace/info.h>

#include <optional>

namespace arenascope::trace {

// A method of a program: an execution plan with its own values, instructions and planned memory.
struct ExecuTorchMethod {
  std::shared_ptr<GraphInfo> graph;           // without nodes if the method only returns constants
  std::shared_ptr<PlanInfo> plan;             // null: it has no planned memory
  std::vector<std::vector<int32_t>> node_of;  // by chain and instruction; -1: no node
  std::vector<std::string> delegates;         // that it calls; the memory that they allocate is not planned
  int32_t node(int64_t chain, int64_t instruction) const;  // -1: none
};

struct ExecuTorchProgram {
  std::vector<ExecuTorchMethod> methods;  // their graphs are numbered in the order of the file
  static bool is_one(ByteSpan bytes);
  // Fails if the file is not an ExecuTorch program or has no methods.
  static Result<ExecuTorchProgram> read(ByteSpan bytes, const std::string& name);
  // Passes all graphs and plans to the sink, and notes about memory that the plans leave out.
  void describe(const std::string& name, Sink& sink) const;
};

bool is_executorch_dump(ByteSpan bytes);
// `program`: the program that the dump belongs to, or null if unknown. Its instructions are the nodes.
Result<OpenReport> import_executorch_dump(ByteSpan bytes, const std::string& name, const ExecuTorchProgram* program,
                                          Sink& sink);
// Imports the graphs and memory plans of all methods, without a run.
Result<OpenReport> import_executorch_program(ByteSpan bytes, const std::string& name, Sink& sink);

}  // namespace arenascope::trace
