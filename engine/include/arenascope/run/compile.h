// SPDX-License-Identifier: MIT
// From a model to a Program: its graph is transformed for the devices that it runs on (precision, packing, partition,
// fusion, layouts), ordered, and its memory planned. Weights are not needed for any of this.
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
#include <arenascope/runtime/executor.h>
#include <arenascope/schedule/what_if.h>
#include <arenascope/transform/precision.h>
#include <arenascope/transform/rewrite.h>

namespace arenascope {

// What counts more where a fusion or a layout of images makes the arena larger: of ways that are sooner the first is
// taken whose arena is at most so many times that of the graph without fusion and layouts.
enum class Prefer : uint8_t { Time, Memory };
const char* name(Prefer prefer);
std::optional<Prefer> parse_prefer(std::string_view name);
double most_arena_ratio(Prefer prefer);

struct CompileOptions {
  int threads = 0;  // of the host; 0: as many as there are processors
  std::string planner = "search";
  std::string order = "depth-first";
  double budget_seconds = 1.0;  // for planners and orders that search
  MemoryStrategy strategy = MemoryStrategy::Planned;
  Bytes alignment = 0;                 // of every tensor of the arena, at least; 0: the backend's
  bool in_place = false;               // an op may take over its input's bytes at their last use
  bool rewrite = false;                // by all of rewrite_rules(); else the graph as the model has it
  bool fuse = false;                   // chains of ops as one node where the backend can; host backends
  bool channels_last = true;           // if fused: images lie with their channels last where that is faster
  Prefer prefer = Prefer::Time;        // what fusion and layouts may cost in bytes
  std::optional<Precision> precision;  // none: the backend's usual one; Low: a device's values are float16
  std::function<bool(const TensorImpl& node)> watched;  // results that must stay to be seen: not inside of a fused node
  ExecutionPlanOptions execution;                       // which barriers there are
  // Of the arena: where the plan misses it, ops work in place, in another order or fused, then tensors are
  // rematerialised or offloaded (schedule/what_if.h).
  std::optional<Bytes> capacity;
  std::vector<Op> host_ops;  // with a device: ops that are to run on the host nevertheless
  std::stop_token stop;      // of replan(): asked to stop, it leaves everything as it was
  std::function<void(const std::string& phase)> progress;  // "opening", "planning", "loading weights", …
};

// A way to fuse a graph and to lay out its images that was weighed.
struct WeighedForm {
  const char* way;  // "fused, images with channels last"
  Bytes arena_bytes = 0;
  bool taken = false;
};

// What is run, with everything decided: whoever executes it chooses nothing any more.
struct Program {
  std::shared_ptr<Backend> backend;  // computes the steps
  std::shared_ptr<Backend> host;     // where the graph is partitioned: computes what `backend` does not; else null
  int threads = 1;                   // of the host, that take part
  MemoryStrategy strategy = MemoryStrategy::Planned;
  ExecutionPlan plan;                 // graph, order, memory plan, steps
  std::vector<Tensor> outputs;        // of plan.graph, in the model's order
  std::vector<MemorySaving> savings;  // what was done to meet the capacity; empty where nothing had to be

  std::vector<RuleUse> rewrites;          // rules that were used
  std::vector<WeighedForm> forms;         // as far as they were weighed: the last but one is taken, the last is without
  std::vector<models::Weight> constants;  // leafs that stand for branches of the model over weights alone

  // The graph before it was made to fit a capacity, with its outputs: what is planned anew.
  Graph transformed;
  std::vector<Tensor> transformed_outputs;
  std::optional<PrecisionGraph> precision;  // where values are stored in half the bits: what the weights become
  std::vector<TensorImpl*> device_leafs;    // where it is partitioned: what the device reads
};

// Errors: what the model lacks to be run, a node that no device computes, a planner or an order that does not exist, no
// plan that fits the capacity; one sentence.
Result<Program> compile(const models::Model& model, const Devices& devices, const CompileOptions& options = {});

// The same graph planned anew, with another planner, order, strategy or number of threads. Errors as above, and that it
// was stopped; the program then stays as it was.
Status replan(Program& program, const CompileOptions& options);

}  // namespace arenascope
