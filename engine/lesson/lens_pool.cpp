// SPDX-License-Identifier: MIT
// The object pool while it fills, the hash set and use counts of a graph while it is collected, and the counts while
// the graph runs.
#include <arenascope/schedule/describe.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/lesson/lens.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

CellKind kind_of(trace::ObjectPartKind part) {
  using Part = trace::ObjectPartKind;
  switch (part) {
    case Part::Data: return CellKind::Data;
    case Part::Padding: return CellKind::Padding;
    case Part::Nodes:
    case Part::Leafs:
    case Part::Gradients:
    case Part::Accumulators:
    case Part::UseCounts:
    case Part::HashSet: return CellKind::Table;
    default: return CellKind::Description;
  }
}

// Adjacent parts of a kind are one cell.
void add_object(const trace::ObjectInfo& object, bool current, std::vector<LensCell>& cells) {
  const std::string label = object.name.empty() ? object.type : object.name;
  cells.push_back({object.header_offset, object.header_size, CellKind::Header, "", current, -1});
  std::vector<trace::ObjectPart> parts = object.parts;
  if (parts.empty()) parts.push_back({trace::ObjectPartKind::Other, 0, object.size, 0});
  bool first = true;
  for (const trace::ObjectPart& part : parts) {
    const CellKind kind =
        part.kind == trace::ObjectPartKind::Other && object.type == "work buffer" ? CellKind::Data : kind_of(part.kind);
    if (!first && cells.back().kind == kind) {
      cells.back().length += part.bytes;
      continue;
    }
    cells.push_back({object.offset + part.offset, part.bytes, kind, first ? label : "", current, -1});
    first = false;
  }
}

}  // namespace

LensFrame pool_frame(const Context& context) {
  const trace::ContextInfo pool = describe_context(context);
  LensStrip strip{"pool", LensUnit::Bytes, pool.mem_size, {}};
  std::vector<int32_t> headers;
  for (size_t i = 0; i < pool.objects.size(); ++i) {
    headers.push_back(static_cast<int32_t>(strip.cells.size()));
    add_object(pool.objects[i], i + 1 == pool.objects.size(), strip.cells);
  }
  for (size_t i = 0; i + 1 < headers.size(); ++i) strip.cells[static_cast<size_t>(headers[i])].next = headers[i + 1];
  LensFrame frame;
  frame.strips.push_back(std::move(strip));
  frame.values = {{"used", static_cast<double>(pool.used_mem)}, {"objects", static_cast<double>(pool.objects.size())}};
  if (pool.objects.empty()) return frame;
  const trace::ObjectInfo& last = pool.objects.back();
  frame.event = LensEvent::Object;
  frame.arguments = {last.type, last.name, std::to_string(last.offset), std::to_string(last.size)};
  frame.values["offset"] = static_cast<double>(last.offset);
  frame.values["size"] = static_cast<double>(last.size);
  frame.values["header"] = static_cast<double>(last.header_size);
  return frame;
}

namespace {

// Tensors, a graph for them and a work buffer, until the pool is full.
LensFrames pool(LensRun& run) {
  auto bytes = lens_integer(run, "pool", 64, 1 << 20);
  auto work = lens_integer(run, "work buffer", 0, 1 << 20);
  if (!bytes || !work) return bytes ? work.error() : bytes.error();
  const std::string& data = lens_value(run, "no alloc");
  if (data != "yes" && data != "no") return lens_expected(run, "no alloc", "yes, no", data);
  auto context = Context::create({.mem_size = static_cast<size_t>(*bytes), .no_alloc = data == "yes"});
  if (!context) return context.error();
  std::vector<LensFrame> frames{pool_frame(*context)};
  const auto step = [&](const Status& done) {
    frames.push_back(pool_frame(*context));
    if (done) return true;
    frames.back().event = LensEvent::Full;
    frames.back().arguments = {done.error().message};
    return false;
  };
  const auto status = [](const auto& result) { return result ? Status() : Status(result.error()); };
  const std::vector<std::string> shapes = split(lens_value(run, "tensors"), ";");
  if (shapes.size() > kMaxLensTensors) return lens_count(run, "tensors", 0, kMaxLensTensors, shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    auto sizes = lens_integers(run, shapes[i], "tensors", kMaxDims, 1, 4096);
    if (!sizes) return sizes.error();
    const std::string name = i < 26 ? std::string(1, static_cast<char>('a' + i)) : fmt::format("t{}", i);
    if (!step(status(context->new_tensor(DType::F32, Dims(std::span<const int64_t>(*sizes)), name)))) return frames;
  }
  if (!step(status(context->new_graph(std::max<size_t>(shapes.size(), 1))))) return frames;
  if (*work > 0) step(status(context->new_work_buffer(*work)));
  return frames;
}

// --- graphs

template <class T>
std::vector<T> copied(const Graph::Array& array) {
  std::vector<T> out(array.bytes / sizeof(T));
  std::memcpy(out.data(), array.begin, array.bytes);
  return out;
}

std::vector<uint32_t> hash_slots(const Graph& graph) {
  const ObjectHeader* last = nullptr;
  for (const ObjectHeader* object = graph.context().first_object(); object; object = object->next)
    if (object->type == ObjectType::Graph) last = object;
  for (const Graph::Array& array : Graph::arrays_of(*last))
    if (array.of == Graph::Array::Of::HashSet) return copied<uint32_t>(array);
  return {};
}

LensStrip list_strip(const char* title, std::span<TensorImpl* const> tensors, size_t capacity,
                     const TensorImpl* current) {
  LensStrip strip{title, LensUnit::Slots, static_cast<int64_t>(capacity), {}};
  for (size_t i = 0; i < tensors.size(); ++i)
    strip.cells.push_back(
        {static_cast<int64_t>(i), 1, CellKind::Data, tensor_name(*tensors[i]), tensors[i] == current, -1});
  return strip;
}

LensStrip count_strip(const Graph& graph, const std::vector<const TensorImpl*>& shown,
                      const std::map<const TensorImpl*, int32_t>* remaining) {
  LensStrip strip{"use counts", LensUnit::Slots, static_cast<int64_t>(shown.size()), {}};
  for (const TensorImpl* tensor : shown) {
    const int32_t count = remaining ? remaining->at(tensor) : graph.use_count(*tensor);
    const auto at = static_cast<int64_t>(strip.cells.size());
    strip.cells.push_back({at, 1, remaining && count <= 0 ? CellKind::Free : CellKind::Data,
                           fmt::format("{}: {}", tensor_name(*tensor), count), false, -1});
  }
  return strip;
}

// Collects a graph one tensor at a time, in the order of the depth-first walk.
class Walk {
 public:
  explicit Walk(Graph graph) : graph_(std::move(graph)), owners_(hash_slots(graph_).size()) {
    frames.push_back(frame(nullptr));
  }

  Status visit(TensorImpl* tensor) {
    if (graph_.find_node(*tensor).valid() || graph_.find_leaf(*tensor).valid()) return {};
    for (TensorImpl* source : tensor->sources)
      if (auto done = visit(source); !done) return done;
    const std::vector<uint32_t> before = hash_slots(graph_);
    if (auto done = graph_.expand(Tensor(tensor)); !done) return done;
    const std::vector<uint32_t> now = hash_slots(graph_);
    size_t slot = 0;
    while (slot < now.size() && now[slot] == before[slot]) ++slot;
    if (slot == now.size()) return Error{fmt::format("'{}' has no slot in the hash set", tensor_name(*tensor))};
    owners_[slot] = tensor;
    visited_.push_back(tensor);
    LensFrame next = frame(tensor);
    next.event = LensEvent::Visited;
    next.arguments = {tensor_name(*tensor), std::to_string(slot)};
    next.values["slot"] = static_cast<double>(slot);
    frames.push_back(std::move(next));
    return {};
  }

  std::vector<LensFrame> frames;

 private:
  LensFrame frame(const TensorImpl* current) const {
    LensFrame out;
    out.strips.push_back(list_strip("nodes", graph_.nodes(), graph_.capacity(), current));
    out.strips.push_back(list_strip("leaf tensors", graph_.leafs(), graph_.capacity(), current));
    LensStrip hash{"hash set", LensUnit::Slots, static_cast<int64_t>(owners_.size()), {}};
    for (size_t slot = 0; slot < owners_.size(); ++slot)
      if (const TensorImpl* tensor = owners_[slot])
        hash.cells.push_back(
            {static_cast<int64_t>(slot), 1, CellKind::Table, tensor_name(*tensor), tensor == current, -1});
    out.values = {{"visited", static_cast<double>(visited_.size())}, {"slots", static_cast<double>(owners_.size())}};
    out.strips.push_back(std::move(hash));
    out.strips.push_back(count_strip(graph_, visited_, nullptr));
    return out;
  }

  Graph graph_;
  std::vector<const TensorImpl*> owners_, visited_;
};

LensFrames walk(LensRun& run) {
  auto model = small_lens_model(lens_value(run, "graph"));
  if (!model) return model.error();
  auto graph = model->context.new_graph(std::max(model->graph.nodes().size(), model->graph.leafs().size()));
  if (!graph) return graph.error();
  Walk walk(std::move(*graph));
  for (const models::ValueInfo& output : model->outputs)
    if (auto done = walk.visit(output.tensor.impl()); !done) return done.error();
  return std::move(walk.frames);
}

// An allocator that counts uses down frees a tensor at zero.
LensFrames uses(LensRun& run) {
  auto model = small_lens_model(lens_value(run, "graph"));
  if (!model) return model.error();
  const Graph& graph = model->graph;
  std::vector<const TensorImpl*> shown;
  std::map<const TensorImpl*, int32_t> remaining;
  for (const auto& list : {graph.leafs(), graph.nodes()})
    for (const TensorImpl* tensor : list) {
      shown.push_back(tensor);
      remaining[tensor] = graph.use_count(*tensor);
    }
  std::vector<LensFrame> frames;
  frames.push_back({LensEvent::Start, {}, {count_strip(graph, shown, &remaining)}, {}});
  for (const TensorImpl* node : graph.nodes()) {
    std::vector<std::string> freed;
    for (const TensorImpl* source : node->sources)
      if (--remaining[source] == 0) freed.push_back(tensor_name(*source));
    LensFrame frame{
        LensEvent::Computed, {tensor_name(*node), join(freed, ", ")}, {count_strip(graph, shown, &remaining)}, {}};
    for (size_t i = 0; i < shown.size(); ++i)
      frame.strips[0].cells[i].current =
          shown[i] == node || std::ranges::find(node->sources, shown[i]) != node->sources.end();
    frame.values["freed"] = static_cast<double>(freed.size());
    frames.push_back(std::move(frame));
  }
  return frames;
}

constexpr const char* kGraph = "x = input f32 4; y = RELU x; z = ADD y y; o = ADD z x";
constexpr LensParameter kPool[] = {
    {"pool", "2048"}, {"tensors", "4 2; 3 2"}, {"no alloc", "no"}, {"work buffer", "256"}};
constexpr LensParameter kWalk[] = {{"graph", kGraph}};

constexpr LensExperiment kPoolLenses[] = {
    {"pool", "objects in a pool: headers, descriptions, data and padding", kPool, pool},
    {"walk", "the arrays, the hash set and the use counts of a graph while it is collected", kWalk, walk},
    {"uses", "use counts while the nodes are computed: at zero a tensor is freed", kWalk, uses},
};

}  // namespace

std::span<const LensExperiment> pool_lenses() { return kPoolLenses; }

}  // namespace arenascope::lesson
