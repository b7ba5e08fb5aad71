// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/trace/bind_event.h>
#include <views/common/memory_class.h>

#include <QCoreApplication>

namespace arenascope::views {

namespace {
struct ClassTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::MemoryClasses)
};
}  // namespace

QString class_name(MemoryClass c) {
  switch (c) {
    case MemoryClass::Weights: return ClassTexts::tr("weights");
    case MemoryClass::Cache: return ClassTexts::tr("KV cache");
    case MemoryClass::Gradients: return ClassTexts::tr("gradients");
    case MemoryClass::Optimizer: return ClassTexts::tr("optimiser");
    case MemoryClass::Activations: return ClassTexts::tr("activations");
    case MemoryClass::Workspace: return ClassTexts::tr("workspace");
    case MemoryClass::Other: return ClassTexts::tr("other");
  }
  return {};
}

MemoryClasses::MemoryClasses(const trace::Snapshot& snapshot) : snapshot_(snapshot) {
  for (const auto& graph : snapshot.graphs) {
    if (!graph) continue;
    for (const auto* list : {&graph->nodes, &graph->leafs})
      for (const trace::TensorInfo& tensor : *list)
        for (const trace::TensorRef ref : {tensor.gradient, tensor.accumulator})
          if (ref.valid()) gradients_.emplace(graph->id, ref);
  }
}

MemoryClass MemoryClasses::of_tensor(trace::GraphId graph, trace::TensorRef ref,
                                     const trace::TensorInfo& tensor) const {
  if (gradients_.contains({graph, ref})) return MemoryClass::Gradients;
  if ((tensor.flags & trace::kOptimizerState) != 0) return MemoryClass::Optimizer;
  return (tensor.flags & (trace::kWeight | trace::kParameter)) != 0 ? MemoryClass::Weights : MemoryClass::Activations;
}

MemoryClass MemoryClasses::of(const trace::SpaceAllocation& slice) const {
  if (slice.kind == trace::MemoryKind::KVCache) return MemoryClass::Cache;
  if (const trace::TensorInfo* tensor = snapshot_.tensor(slice.graph, slice.tensor))
    return of_tensor(slice.graph, slice.tensor, *tensor);
  if (slice.kind == trace::MemoryKind::Persistent || slice.kind == trace::MemoryKind::Mapped)
    return MemoryClass::Weights;
  return slice.kind == trace::MemoryKind::Workspace ? MemoryClass::Workspace : MemoryClass::Other;
}

MemoryClass MemoryClasses::of(const trace::ArenaAllocation& slice) const {
  const trace::GraphInfo* graph = snapshot_.graph_of(slice.run);
  const trace::TensorInfo* tensor = graph ? snapshot_.tensor(graph->id, slice.tensor) : nullptr;
  return tensor ? of_tensor(graph->id, slice.tensor, *tensor) : MemoryClass::Activations;
}

}  // namespace arenascope::views
