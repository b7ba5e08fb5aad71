// SPDX-License-Identifier: MIT
// Compiles a model to a Program by the passes of passes.h: transforms its graph for the devices, chooses the execution order
// and plans memory. No weights are loaded.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/models/model.h>
#include <arenascope/run/backends.h>
#include <arenascope/run/passes.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/schedule/what_if.h>
#include <arenascope/transform/precision.h>
#include <arenascope/transform/rewrite.h>

namespace arenascope {

// Preference where fusion or image layouts enlarge the arena. Candidates are tried from the fastest; the first one is chosen
// whose arena is at most max_arena_ratio() times the arena without fusion and layouts.
enum class Prefer : uint8_t { Time, Memory };
const char* name(Prefer prefer);
std::optional<Prefer> parse_prefer(std::string_view name);
double max_arena_ratio(Prefer prefer);

struct CompileOptions {
  int threads = 0;  // host threads; 0: one per usable processor
  std::string planner = "search";
  std::string order = "depth-first";
  double budget_seconds = 1.0;  // for planners and orders that search
  int64_t budget_steps = 0;     // if > 0: the budget in search steps instead, the same on every machine
  MemoryStrategy strategy = MemoryStrategy::Planned;
  Bytes alignment = 0;                 // minimum alignment of the tensors in the arena; 0: the backend's
  bool in_place = false;               // ops may compute in place at the last use of an input
  bool rewrite = false;                // apply all of rewrite_rules()
  bool fuse = false;                   // fuse chains of ops; host backends only
  bool channels_last = true;           // with `fuse`: channels-last layouts (NHWC) where they are faster
  Prefer prefer = Prefer::Time;        // limits the memory cost of fusion and layouts
  std::optional<Precision> precision;  // none: default of the backend; Low: float16 on a device
  std::function<bool(const TensorImpl& node)> watched;  // results that must remain visible: not fused into another node
  ExecutionPlanOptions execution;                       // barriers and work stealing
  // Limit of the arena. A larger plan is reduced by in-place ops, another order or fusion, then by rematerialising or
  // offloading tensors (schedule/what_if.h).
  std::optional<Bytes> capacity;
  std::vector<Op> host_ops;                                // with a device: ops that run on the host nevertheless
  std::stop_token stop;                                    // cancels replan(), which then changes nothing
  std::function<void(const std::string& phase)> progress;  // "opening", "planning", "loading weights", …
  // Called after each pass with the resulting graph (graph/graph_text.h prints it).
  std::function<void(const PassInfo& pass, const Graph& graph)> after_pass;
};

// A combination of fusion and image layouts that was evaluated.
struct LayoutCandidate {
  const char* name;  // "fused, channels-last images"
  Bytes arena_bytes = 0;
  bool chosen = false;
};

// The result of compilation. Execution makes no further decisions.
struct Program {
  std::shared_ptr<Backend> backend;  // computes the steps
  std::shared_ptr<Backend> host;     // partitioned graph: computes the remaining nodes; else null
  int threads = 1;                   // host threads
  MemoryStrategy strategy = MemoryStrategy::Planned;
  ExecutionPlan plan;                 // graph, order, memory plan, steps
  std::vector<Tensor> outputs;        // of plan.graph, in the model's order
  std::vector<MemorySaving> savings;  // measures taken to meet the capacity

  std::vector<PassReport> passes;                  // the ones that ran, in order
  std::vector<RuleUse> rewrites;                   // rewrite rules that were applied
  std::vector<LayoutCandidate> layout_candidates;  // the evaluated ones; the last is the unchanged graph
  std::vector<models::Weight> constants;           // leaf tensors for folded branches that depend on weights only

  // The graph before measures for the capacity, with its outputs: the input of replan().
  Graph transformed;
  std::vector<Tensor> transformed_outputs;
  std::optional<PrecisionGraph> precision;  // low precision: the converted weights
  std::vector<TensorImpl*> device_leafs;    // partitioned graph: leaf tensors that the device reads
};

// Errors: the model is not runnable (unsupported operators), no device computes a node, unknown planner or order, no plan fits
// the capacity.
Result<Program> compile(const models::Model& model, const Devices& devices, const CompileOptions& options = {});

// Plans memory of the same graph again with another planner, order, strategy or number of threads. Errors: those of compile();
// cancelled by `stop`. On error the program is unchanged.
Status replan(Program& program, const CompileOptions& options);

}  // namespace arenascope
