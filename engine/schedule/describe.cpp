// SPDX-License-Identifier: MIT
#include <arenascope/schedule/describe.h>
#include <arenascope/trace/bind_event.h>
#include <arenascope/trace/image.h>
#include <arenascope/trace/unknown_size.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <unordered_map>

#include <arenascope/graph/fused.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/graph/opaque.h>
#include <arenascope/graph/optimizer_state.h>
#include <arenascope/graph/provenance.h>
#include <arenascope/tensor/ggml_shape.h>
#include <fmt/format.h>

#include "engine/schedule/object_parts.h"
#include "engine/schedule/params_text.h"

namespace arenascope {

trace::MemoryKind trace_kind(MemoryKind kind) {
  static_assert(kMemoryKindCount == trace::kMemoryKinds);
  switch (kind) {
    case MemoryKind::Default: break;
    case MemoryKind::Persistent: return trace::MemoryKind::Persistent;
    case MemoryKind::Workspace: return trace::MemoryKind::Workspace;
    case MemoryKind::KVCache: return trace::MemoryKind::KVCache;
    case MemoryKind::HostPinned: return trace::MemoryKind::HostPinned;
    case MemoryKind::HostPageable: return trace::MemoryKind::HostPageable;
    case MemoryKind::Mapped: return trace::MemoryKind::Mapped;
  }
  return trace::MemoryKind::Default;
}
namespace {

// The axis of ops that work along one axis.
std::optional<int32_t> axis_of(const TensorImpl& node) {
  switch (node.op) {
    case Op::Concat:
    case Op::Gather:
    case Op::GatherElements: return node.params.get<AxisParams>().axis;
    case Op::SetRows: return node.params.get<SetRowsParams>().axis;
    case Op::SoftMax: return node.params.get<SoftMaxParams>().axis;
    default: return std::nullopt;
  }
}

std::vector<trace::PartInfo> parts_of(const TensorImpl& node) {
  std::vector<trace::PartInfo> out;
  if (node.op != Op::Fused) return out;
  const std::vector<Op> ops = held_ops(node);
  std::vector<std::string> names = held_names(node);
  names.resize(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) out.push_back({name(ops[i]), number(ops[i]), std::move(names[i])});
  return out;
}

// "axis=2 epsilon=1e-05; layer norm, from 11 nodes: …"
std::string parameters_of(const TensorImpl& tensor) {
  std::string out = params_text(tensor);
  for (const Origin& origin : arenascope::origins_of(tensor)) {
    out += fmt::format("{}{}, from {} nodes:", out.empty() ? "" : "; ", origin.rule, origin.parts.size());
    for (const OriginPart& part : origin.parts) out += fmt::format(" {} {},", name(part.op), part.name);
    out.pop_back();
  }
  return out;
}

trace::TensorRef ref_of(const Graph& graph, const TensorImpl& tensor) {
  if (const NodeId node = graph.find_node(tensor); node.valid()) return trace::TensorRef::node(node);
  if (const LeafId leaf = graph.find_leaf(tensor); leaf.valid()) return trace::TensorRef::leaf(leaf);
  return {};
}

trace::Placement placement_of(Placement placement) {
  switch (placement) {
    case Placement::Arena: return trace::Placement::Arena;
    case Placement::Host: return trace::Placement::Host;
    case Placement::Packed: return trace::Placement::Packed;
    case Placement::Given: break;
  }
  return trace::Placement::Given;
}

trace::TensorInfo describe_tensor(const Graph& graph, const TensorImpl& tensor) {
  trace::TensorInfo out;
  out.name = tensor.name;
  if (tensor.op != Op::None) {
    out.op = ops_text(tensor);
    out.op_number = number(tensor.op);
  }
  const auto layers = graph.context().layer_names();
  if (tensor.layer >= 0 && static_cast<size_t>(tensor.layer) < layers.size())
    out.layer = layers[static_cast<size_t>(tensor.layer)];
  if (has_unknown_size(tensor)) {
    out.flags |= trace::kUnknownSize;
  } else {
    out.dtype = name(tensor.dtype);
    out.shape.assign(tensor.sizes.begin(), tensor.sizes.end());
    const auto nb = ggml_shape(tensor).nb;
    for (int i = tensor.rank() - 1; i >= 0; --i) out.strides.push_back(nb[static_cast<size_t>(i)]);
  }
  out.bytes = tensor.byte_count();
  out.flops = flops(tensor);
  for (const TensorImpl* source : tensor.sources) out.sources.push_back(ref_of(graph, *source));
  if (tensor.view_source) {
    out.view_source = ref_of(graph, *tensor.view_source);
    out.view_offset = tensor.view_offset;
  }
  out.parameters = parameters_of(tensor);
  out.axis = axis_of(tensor);
  out.parts = parts_of(tensor);
  for (const auto& node : file_nodes_of(tensor)) out.file_nodes.push_back({node->op, node->name});
  if (tensor.channels_last()) out.flags |= trace::kChannelsLast;
  if (graph.has_grads()) {
    if (const TensorImpl* gradient = graph.grad(tensor)) out.gradient = ref_of(graph, *gradient);
    if (const TensorImpl* sum = graph.grad_accumulator(tensor)) out.accumulator = ref_of(graph, *sum);
  }
  if (tensor.has(kFlagInput)) out.flags |= trace::kInput;
  if (tensor.has(kFlagOutput)) out.flags |= trace::kOutput;
  if (tensor.has(kFlagParameter)) out.flags |= trace::kParameter;
  if (tensor.has(kFlagWeight)) out.flags |= trace::kWeight;
  if (is_optimizer_state(tensor.flags)) out.flags |= trace::kOptimizerState;
  if (tensor.is_view()) out.flags |= trace::kView;
  if (info(tensor.op).writes_source()) out.flags |= trace::kWritesSource;
  out.placement = placement_of(arenascope::placement_of(tensor));
  if (!has_work(tensor)) out.flags |= trace::kNoWork;
  out.uses = graph.use_count(tensor);
  const auto params = tensor.params.bytes();
  out.op_params.assign(reinterpret_cast<const char*>(params.data()), params.size());
  return out;
}

// The block that currently contains each tensor's bytes.
class Blocks {
 public:
  explicit Blocks(trace::GraphInfo& info) : info_(info) {}

  void add(const TensorImpl& tensor, trace::TensorInfo& to) {
    const BlockPtr& block = tensor.storage.block();
    if (!block) return;
    const auto [at, fresh] = numbers_.try_emplace(block.get(), static_cast<int32_t>(info_.blocks.size()));
    if (fresh)
      info_.blocks.push_back({block->bytes(), trace_kind(block->kind()), reinterpret_cast<uintptr_t>(block->data()),
                              static_cast<int32_t>(block->use_count()), block->is_borrowed()});
    to.block = at->second;
    to.storage_offset = tensor.storage.offset();
    to.storage_bytes = tensor.storage.bytes();
  }

 private:
  trace::GraphInfo& info_;
  std::unordered_map<const MemoryBlock*, int32_t> numbers_;
};

// Blocks that are freed after the recorder is gone report here too: the ring is shared. It may allocate, and is called
// where exceptions are not permitted: if an allocation fails, the event is lost and counted.
class RingAllocationRecorder final : public AllocationRecorder {
 public:
  RingAllocationRecorder(trace::Recorder& recorder, Device main_memory)
      : recorder_(recorder.input()),
        main_memory_(main_memory),
        ring_(recorder.register_thread("allocations", trace::TrackKind::Other)) {}

  void on_allocate(const AllocationEvent& event) override { write(trace::alloc, event); }
  void on_free(const AllocationEvent& event) override { write(trace::free, event); }
  void on_reserve(const AllocationEvent& event) override { write(trace::reserve, event); }
  void on_release(const AllocationEvent& event) override { write(trace::release, event); }
  void on_bind_tensor(const MemoryBlock& block, trace::GraphId graph, trace::TensorRef tensor, Bytes bytes) override {
    std::lock_guard lock(mutex_);
    try {
      ring_->record(trace::owner(ring_->now(), reinterpret_cast<uintptr_t>(block.data()), bytes,
                                 allocator_of(block.device(), block.kind()), graph, tensor));
    } catch (const std::bad_alloc&) {
      ring_->lose(1);
    }
  }
  // Records changes only; a planned run has none.
  void on_states(const ExecutionContext& context) override {
    for (const AllocatorReport& report : context.allocator_reports()) {
      std::lock_guard lock(mutex_);
      trace::AllocatorState state;
      state.allocator = allocator_of(report.device, report.kind);
      state.cached = report.stats.cached;
      state.waste = report.stats.waste();
      state.hits = report.stats.hits;
      state.misses = report.stats.misses;
      state.largest_free = report.free.largest;
      for (const StreamUse& use : report.free.streams)
        state.streams.push_back({static_cast<int32_t>(state.streams.size()), use.free, use.deferred, use.pending});
      trace::AllocatorState& last = states_[state.allocator];
      if (state == last) continue;
      last = state;
      state.time = ring_->now();
      recorder_->queue(std::move(state));
    }
  }

 private:
  using Make = trace::Event (*)(Nanoseconds, trace::MemoryKind, uint64_t, Bytes, uint32_t, uint32_t);
  void write(Make make, const AllocationEvent& event) {
    std::lock_guard lock(mutex_);  // a ring has one writer at a time
    try {
      ring_->record(make(ring_->now(), trace_kind(event.kind), event.address, event.bytes,
                         allocator_of(event.device, event.kind), trace::image_id(event.width, event.height)));
    } catch (const std::bad_alloc&) {
      ring_->lose(1);
    }
  }

  // There is one allocator per device and kind, described at its first event.
  uint32_t allocator_of(Device device, MemoryKind kind) {
    for (const Known& known : allocators_)
      if (known.device == device && known.kind == kind) return known.id;
    const bool host = device.is_cpu() || device == main_memory_;
    const auto described = recorder_->describe(trace::DeviceInfo{{}, to_string(device), {}, {}, 0, host});
    const uint32_t id = recorder_->describe(
        trace::AllocatorInfo{0, fmt::format("{} {}", to_string(device), name(kind)), trace_kind(kind), described});
    allocators_.push_back({device, kind, id});
    return id;
  }

  struct Known {
    Device device;
    MemoryKind kind;
    uint32_t id;  // in the trace
  };
  std::mutex mutex_;
  const std::shared_ptr<trace::RecorderInput> recorder_;
  const Device main_memory_;
  trace::ThreadRing* ring_;
  std::vector<Known> allocators_;
  std::unordered_map<uint32_t, trace::AllocatorState> states_;  // as last recorded, without the time
};

}  // namespace

namespace {

// Only the stored bytes of parameters are recorded.
void note_optimizer_states(const Graph& graph, trace::GraphInfo& info) {
  for (const TensorImpl* node : graph.nodes()) {
    if (node->op != Op::OptimizerStep) continue;
    const trace::TensorRef parameter = ref_of(graph, *node->sources[0]);
    if (!parameter.valid()) continue;
    auto& states = (parameter.is_node() ? info.nodes : info.leafs)[parameter.index()].states;
    for (int32_t i = 0; i < node->params.get<OptimizerStepParams>().states; ++i)
      states.push_back(ref_of(graph, *node->sources[static_cast<size_t>(4 + i)]));
  }
}

}  // namespace

trace::GraphInfo describe_graph(const Graph& graph) {
  trace::GraphInfo info;
  info.nodes.reserve(graph.nodes().size());
  for (const TensorImpl* node : graph.nodes()) {
    info.nodes.push_back(describe_tensor(graph, *node));
    info.edges += static_cast<int64_t>(node->sources.size());
  }
  for (const TensorImpl* leaf : graph.leafs()) info.leafs.push_back(describe_tensor(graph, *leaf));
  note_optimizer_states(graph, info);
  Blocks blocks(info);
  for (size_t i = 0; i < info.nodes.size(); ++i) blocks.add(*graph.nodes()[i], info.nodes[i]);
  for (size_t i = 0; i < info.leafs.size(); ++i) blocks.add(*graph.leafs()[i], info.leafs[i]);
  return info;
}

trace::GraphInfo describe_graph(const ExecutionPlan& plan) {
  trace::GraphInfo info = describe_graph(plan.graph);
  for (const PlannedStep& step : plan.steps) {
    info.nodes[step.node.index()].tasks = step.tasks;
    info.nodes[step.node.index()].work_bytes = step.work_bytes;
  }
  return info;
}

trace::PlanInfo describe_plan(const MemoryPlan& plan) {
  trace::PlanInfo info;
  info.planner = plan.planner;
  info.order_name = plan.order_name;
  info.order = plan.order;
  info.arena_bytes = plan.arena_bytes;
  info.lower_bound_bytes = plan.lower_bound;
  info.alignment = plan.alignment;
  info.seconds = plan.seconds;
  info.budget_seconds = plan.budget_seconds;
  for (const PlannedTensor& tensor : plan.tensors) {
    trace::SliceInfo slice;
    slice.tensor = trace::TensorRef::node(tensor.node);
    slice.offset = tensor.offset;
    slice.size = tensor.size;
    slice.first = tensor.first;
    slice.last = tensor.last;
    slice.block = tensor.block;
    slice.level = tensor.level;
    if (tensor.in_place_of.valid()) slice.in_place_of = trace::TensorRef::node(tensor.in_place_of);
    if (tensor.part_of.valid()) slice.part_of = trace::TensorRef::node(tensor.part_of);
    info.slices.push_back(slice);
  }
  for (const Lifetime& life : plan.elsewhere) {
    trace::SliceInfo slice;
    slice.tensor = trace::TensorRef::node(life.owner);
    slice.size = life.bytes;
    slice.first = life.first;
    slice.last = life.last;
    slice.placement = placement_of(life.placement);
    info.elsewhere.push_back(slice);
  }
  return info;
}

trace::ContextInfo describe_context(const Context& context) {
  trace::ContextInfo info;
  info.name = "graph context";
  const PoolUse use = context.use();
  info.mem_size = static_cast<Bytes>(use.pool_bytes);
  info.used_mem = static_cast<Bytes>(use.object_bytes);
  info.no_alloc = context.no_alloc();
  if (const Scratch& scratch = context.scratch(); scratch.storage.allocated())
    info.scratch_bytes = scratch.storage.bytes(), info.scratch_used = scratch.used;
  for (const ObjectHeader* object = context.first_object(); object; object = object->next) {
    trace::ObjectInfo out;
    out.offset = static_cast<Bytes>(object->offset);
    out.size = static_cast<Bytes>(object->size);
    out.header_size = sizeof(ObjectHeader);
    out.header_offset = out.offset - out.header_size;
    out.type = name(object->type);
    out.next = object->next ? static_cast<int32_t>(info.objects.size() + 1) : -1;
    if (const TensorImpl* tensor = context.tensor_of(*object)) out.name = tensor->name;
    out.parts = parts_of_object(context, *object);
    info.objects.push_back(std::move(out));
  }
  return info;
}

std::shared_ptr<AllocationRecorder> make_allocation_recorder(trace::Recorder& recorder, Device main_memory) {
  return std::make_shared<RingAllocationRecorder>(recorder, main_memory);
}

}  // namespace arenascope
