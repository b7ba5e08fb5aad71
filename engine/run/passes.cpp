// SPDX-License-Identifier: MIT
#include <arenascope/run/passes.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

#include "engine/run/pass.h"

namespace arenascope {
namespace {

bool always(const PassContext&) { return true; }
bool on_host(const PassContext& c) { return c.devices->main->runs_on_host_threads(); }
bool on_device(const PassContext& c) { return !on_host(c); }

struct Pass {
  PassInfo info;
  PassStage stage;
  bool (*applies)(const PassContext&);
  Result<std::string> (*run)(PassContext&);
};

constexpr Pass kPasses[] = {
    {{"import", "Uses the graph of the model as it was read."}, PassStage::Transform, always, import_model},
    {{"rewrite",
      "Replaces groups of nodes that exporters emit for one op by that op, and folds branches over weights."},
     PassStage::Transform,
     [](const PassContext& c) { return c.options.rewrite; },
     rewrite_program},
    {{"fp16", "Stores float32 tensors of a device as float16, with casts at inputs and outputs."},
     PassStage::Transform,
     [](const PassContext& c) { return on_device(c) && c.options.precision == Precision::Low; },
     convert_to_fp16},
    {{"images", "Places tensors in images where the device prefers them, with copies for other readers."},
     PassStage::Transform,
     on_device,
     pack_images},
    {{"partition", "Assigns nodes that the device cannot compute to the host, with copies between both."},
     PassStage::Transform,
     [](const PassContext& c) { return on_device(c) && c.devices->host != nullptr; },
     partition_program},
    {{"fuse",
      "Fuses chains of ops and stores images channels-last: the fastest of several candidates whose arena is within "
      "the limit."},
     PassStage::Transform,
     [](const PassContext& c) { return on_host(c) && c.options.fuse; },
     select_layout},
    {{"plan", "Orders the nodes and assigns each tensor an offset in the arena and a lifetime."},
     PassStage::Plan,
     always,
     make_memory_plan},
    {{"fit",
      "Reduces an arena that exceeds the capacity: another order or fusion, in-place ops, rematerialised or "
      "offloaded tensors."},
     PassStage::Plan,
     [](const PassContext& c) { return c.options.capacity && c.memory->arena_bytes > *c.options.capacity; },
     fit_capacity},
    {{"schedule", "Divides the nodes into tasks and chunks, and decides after which steps the threads wait."},
     PassStage::Plan,
     always,
     make_execution_plan},
};

constexpr auto kInfos = [] {
  std::array<PassInfo, std::size(kPasses)> out{};
  for (size_t i = 0; i < out.size(); ++i) out[i] = kPasses[i].info;
  return out;
}();

int64_t node_count(const PassContext& context) {
  return context.graph().defined() ? static_cast<int64_t>(context.graph().nodes().size()) : 0;
}

}  // namespace

std::span<const PassInfo> compile_passes() { return kInfos; }

const PassInfo* find_pass(std::string_view name) {
  const auto found =
      std::find_if(kInfos.begin(), kInfos.end(), [&](const PassInfo& pass) { return pass.name == name; });
  return found == kInfos.end() ? nullptr : &*found;
}

Result<std::vector<PassReport>> run_passes(PassContext& context, PassStage stage) {
  std::vector<PassReport> reports;
  for (const Pass& pass : kPasses) {
    if (pass.stage != stage || !pass.applies(context)) continue;
    PassReport report{find_pass(pass.info.name), node_count(context), 0, "", 0};
    const auto start = std::chrono::steady_clock::now();
    auto change = pass.run(context);
    if (!change) return change.error();
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.nodes_after = node_count(context);
    report.change = std::move(*change);
    if (context.options.after_pass) context.options.after_pass(*report.pass, context.graph());
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace arenascope
