// SPDX-License-Identifier: MIT
// The passes of compile(). Each returns a description of what it changed, empty if it changed nothing.
#pragma once
#include <arenascope/run/compile.h>

namespace arenascope {

// The state of a compilation between two passes.
struct PassContext {
  Program& program;  // transforms replace program.transformed
  const CompileOptions& options;
  const models::Model* model = nullptr;  // null: a transformed program is planned again
  const Devices* devices = nullptr;      // null in the same case
  std::optional<MemoryPlan> memory;      // of graph(), once it is made
  // The graph after measures for the capacity; undefined without any.
  Graph reduced;
  std::vector<Tensor> reduced_outputs;
  std::vector<MemorySaving> savings;

  const Graph& graph() const { return reduced.defined() ? reduced : program.transformed; }
  const Backend& backend() const { return *program.backend; }
};

// Transforms (transforms.cpp, rewrite_program.cpp).
Result<std::string> import_model(PassContext& context);
Result<std::string> rewrite_program(PassContext& context);
Result<std::string> convert_to_fp16(PassContext& context);
Result<std::string> pack_images(PassContext& context);
Result<std::string> partition_program(PassContext& context);
Result<std::string> select_layout(PassContext& context);
// Planning (compile.cpp).
Result<std::string> make_memory_plan(PassContext& context);
Result<std::string> fit_capacity(PassContext& context);
Result<std::string> make_execution_plan(PassContext& context);

enum class PassStage : uint8_t { Transform, Plan };

// Runs the passes of a stage that apply, in order, and reports them to CompileOptions::after_pass. Errors: that of a pass.
Result<std::vector<PassReport>> run_passes(PassContext& context, PassStage stage);

// The memory plan of a graph of a program, with the order and planner of the options. Errors: those of plan_memory();
// cancelled by CompileOptions::stop.
Result<MemoryPlan> plan_graph(const Graph& graph, const Backend& backend, const CompileOptions& options);

// Replaces the program's graph by `graph`. `node_map`: the new tensor of each old node, by NodeId.
void replace_graph(Program& program, const Graph& graph, const std::vector<Tensor>& node_map);

}  // namespace arenascope
