// SPDX-License-Identifier: MIT
// Random networks with random sequences of transforms. After each transform every role, gradient, accumulator,
// layer and lifetime is kept, inputs come before users, a plan can be made, and outputs have the same bits
// if the transform guarantees that.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/graph/fused.h>
#include <arenascope/graph/lifetime.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>
#include <arenascope/transform/fusion.h>
#include <arenascope/transform/image_layout.h>
#include <arenascope/transform/partition.h>
#include <arenascope/transform/precision.h>
#include <arenascope/transform/rematerialisation.h>
#include "random_networks.h"

using namespace arenascope;

namespace {

// Fuses everything that can be fused and prefers channels-last wherever that is possible.
class Anything final : public Capabilities {
 public:
  std::string_view name() const override { return "anything"; }
  bool runs_on_host_threads() const override { return true; }
  Status supports(const TensorImpl&) const override { return {}; }
  int tasks(const TensorImpl&, int) const override { return 1; }
  Bytes work_bytes(const TensorImpl&, int) const override { return 0; }
  bool fuses(const TensorImpl& first, const TensorImpl* step) const override {
    const TensorImpl& node = step ? *step : first;
    const auto is_f32 = [](const TensorImpl* t) { return t->dtype == DType::F32; };
    return is_f32(&node) && std::all_of(node.sources.begin(), node.sources.end(), is_f32) &&
           (step || is_fused_step(node.op) || node.op == Op::Conv);
  }
  ChannelsLast channels_last(const TensorImpl& node) const override {
    if (node.op == Op::Conv) return {true, false, 1, 1 << 20};
    if (node.op == Op::Relu || node.op == Op::Tanh) return {true, true, 1, -100};
    return {};
  }
};

std::string_view layer_of(const Graph& graph, const TensorImpl& tensor) {
  const auto names = graph.context().layer_names();
  return tensor.layer < 0 ? std::string_view() : std::string_view(names[static_cast<size_t>(tensor.layer)]);
}

// A graph, what it was before the last transform, and what its nodes became.
struct Step {
  const Graph &before, &after;
  const std::vector<Tensor>& node_map;            // by node of `before`
  std::map<const TensorImpl*, Tensor> converted;  // given tensors in another type
  std::vector<Placement> placements;              // by node of `before`: the requested placement; empty: unchanged

  // The tensor of `after` that a tensor of `before` became; null: it vanished inside of a fused node.
  const TensorImpl* mapped(const TensorImpl& tensor) const {
    if (const NodeId id = before.find_node(tensor); id.valid()) return node_map[id.index()].impl();
    if (after.find_leaf(tensor).valid()) return &tensor;
    const auto found = converted.find(&tensor);
    return found == converted.end() ? &tensor : found->second.impl();
  }
};

// Inputs come before their users, and each tensor occurs once.
void check_topology(const Graph& graph) {
  std::set<const TensorImpl*> seen(graph.leafs().begin(), graph.leafs().end());
  CHECK(seen.size() == graph.leafs().size());
  for (const TensorImpl* leaf : graph.leafs()) CHECK((leaf->op == Op::None && !leaf->has(kFlagParameter)));
  for (const TensorImpl* node : graph.nodes()) {
    for (const TensorImpl* source : node->sources) CHECK(seen.contains(source));
    if (node->is_view()) CHECK(seen.contains(node->view_source));
    CHECK(seen.insert(node).second);
    CHECK((node->op != Op::None || node->has(kFlagParameter)));
  }
}

// Every node is mapped, except intermediate results that fusion hides.
void check_node_map(const Step& s) {
  REQUIRE(s.node_map.size() == s.before.nodes().size());
  std::set<const TensorImpl*> gradients;
  for (const auto& given : {s.before.leafs(), s.before.nodes()})
    for (const TensorImpl* tensor : given)
      if (tensor->op == Op::None) gradients.insert(s.before.grad(*tensor));
  std::multiset<std::string> held;
  for (const TensorImpl* node : s.after.nodes())
    if (node->op == Op::Fused)
      for (std::string& name : held_names(*node)) held.insert(std::move(name));
  for (const TensorImpl* node : s.before.nodes()) {
    const TensorImpl* mapped = s.mapped(*node);
    if (mapped) {
      CHECK(s.after.find_node(*mapped).valid());
      CHECK(mapped->sizes == node->sizes);
      continue;
    }
    CHECK(held.contains(node->name.str()));
    CHECK_FALSE(node->has(kFlagOutput));
    CHECK_FALSE(gradients.contains(node));
  }
}

void check_roles_and_layers(const Step& s) {
  std::set<const TensorImpl*> node_map;
  for (const TensorImpl* node : s.before.nodes()) {
    const TensorImpl* mapped = s.mapped(*node);
    if (!mapped) continue;
    node_map.insert(mapped);
    CAPTURE(node->name.str());
    CHECK(mapped->flags == node->flags);
    if (mapped != node) CHECK(layer_of(s.after, *mapped) == layer_of(s.before, *node));
  }
  for (const auto& [origin, tensor] : s.converted) {
    node_map.insert(tensor.impl());
    CHECK(tensor->flags == origin->flags);
  }
  for (const TensorImpl* leaf : s.before.leafs()) {
    const TensorImpl* mapped = s.mapped(*leaf);
    CHECK((s.after.find_leaf(*mapped).valid() || s.after.find_node(*mapped).valid()));
  }
  for (const TensorImpl* node : s.after.nodes())
    if (!node_map.contains(node) && node->op != Op::None) CHECK(node->flags == 0);
}

void check_gradients(const Step& s) {
  CHECK(s.after.has_grads() == s.before.has_grads());
  int carried = 0;
  for (const auto& list : {s.before.leafs(), s.before.nodes()})
    for (const TensorImpl* tensor : list) {
      const TensorImpl* mapped = s.mapped(*tensor);
      const auto check = [&](const TensorImpl* of, const TensorImpl* now) {
        if (!of) {
          CHECK_FALSE(now);
          return;
        }
        const TensorImpl* expected = s.mapped(*of);
        if (tensor->op == Op::None) REQUIRE(expected);
        CHECK(now == expected);
        ++carried;
      };
      if (!mapped) continue;
      check(s.before.grad(*tensor), s.after.grad(*mapped));
      check(s.before.grad_accumulator(*tensor), s.after.grad_accumulator(*mapped));
    }
  if (s.before.has_grads()) CHECK(carried > 0);
}

// The name of the tensor whose value a tensor carries: a transform names its copies "x (…)".
std::string root(std::string_view name) { return std::string(name.substr(0, name.find(" ("))); }

class Values {
 public:
  explicit Values(const Step& s) {
    const auto add = [&](const TensorImpl* tensor) {
      if (const TensorImpl* mapped = s.mapped(*tensor)) names_[mapped] = root(tensor->name);
    };
    for (const TensorImpl* leaf : s.before.leafs()) add(leaf);
    for (const TensorImpl* node : s.before.nodes()) add(node);
  }
  std::string of(const TensorImpl& tensor) const {
    const auto found = names_.find(&tensor);
    return found == names_.end() ? root(tensor.name) : found->second;
  }

 private:
  std::map<const TensorImpl*, std::string> names_;  // of twins
};

// Every consumer still reads the value or a copy of it, so that its lifetime does not shrink; bytes keep their owners.
void check_lifetimes(const Step& s) {
  const Values value(s);
  const auto before = find_owners(s.before), after = find_owners(s.after);
  for (size_t i = 0; i < before.size(); ++i) {
    const TensorImpl& node = *s.before.nodes()[i];
    const TensorImpl* mapped = s.mapped(node);
    if (!mapped || mapped->op == Op::Cast) continue;
    CAPTURE(node.name.str());
    if (mapped->op == node.op) {
      REQUIRE(mapped->sources.size() == node.sources.size());
      for (size_t k = 0; k < node.sources.size(); ++k)
        CHECK(value.of(*mapped->sources[k]) == root(node.sources[k]->name));
    }
    if (mapped->dtype != node.dtype) continue;
    const Lifetime& now = after[s.after.find_node(*mapped).index()];
    if (node.has(kFlagOutput)) CHECK(now.kept == before[i].kept);
    CHECK(now.bytes == before[i].bytes);
    REQUIRE(now.owner.valid() == before[i].owner.valid());
    if (now.owner.valid()) CHECK(value.of(s.after.node(now.owner)) == root(s.before.node(before[i].owner).name));
  }
}

std::vector<NodeId> as_collected(const Graph& graph) {
  std::vector<NodeId> order;
  for (size_t i = 0; i < graph.nodes().size(); ++i) order.push_back(NodeId(i));
  return order;
}

// In the new order too, bytes exist from the step that computes them to the last one that reads them: every consumer in
// `before` finds its input, or a live copy of it, and each lifetime ends with a consumer. Placements are as requested.
void check_spans(const Step& s) {
  const auto before = find_owners(s.before), after = find_lifetimes(s.after, as_collected(s.after));
  const auto owner_of = [&](const TensorImpl& tensor) {
    const NodeId id = s.after.find_node(tensor);
    return id.valid() ? after[id.index()].owner : NodeId::none();
  };
  for (size_t i = 0; i < before.size(); ++i) {
    const TensorImpl& node = *s.before.nodes()[i];
    const TensorImpl* mapped = s.mapped(node);
    if (!mapped || mapped->op == Op::None) continue;
    CAPTURE(node.name.str());
    const NodeId id = s.after.find_node(*mapped);
    for (const TensorImpl* source : mapped->sources)
      if (const NodeId read = owner_of(*source); read.valid()) {
        CHECK(after[read.index()].first.value < id.value);
        CHECK(after[read.index()].last.value > id.value);
      }
    const Lifetime& life = after[id.index()];
    if (life.owner != id) continue;  // a view, which was checked with its owner
    if (before[i].owner == NodeId(i))
      CHECK(life.placement == (s.placements.empty() ? before[i].placement : s.placements[i]));
    CHECK(life.first.value == id.value);
    if (life.kept) {
      CHECK(static_cast<size_t>(life.last.value) == after.size());
      continue;
    }
    const TensorImpl& end = *s.after.nodes()[static_cast<size_t>(life.last.value) - 1];
    const bool reads = std::any_of(end.sources.begin(), end.sources.end(),
                                   [&](const TensorImpl* source) { return owner_of(*source) == id; });
    CHECK((reads || &end == mapped));
  }
}

// A recording of the graph describes the same graph and gives the same plan: fused nodes stay fused, with the same steps.
void check_restored(const Graph& graph) {
  const trace::GraphInfo described = describe_graph(graph);
  const auto restored = restore_graph(described);
  REQUIRE(restored);
  const trace::GraphInfo again = describe_graph(*restored);
  REQUIRE(again.nodes.size() == described.nodes.size());
  for (size_t i = 0; i < again.nodes.size(); ++i) {
    const trace::TensorInfo &was = described.nodes[i], &now = again.nodes[i];
    CAPTURE(was.name);
    CHECK(now.op == was.op);
    CHECK(now.op_number == was.op_number);
    CHECK(now.parts == was.parts);
    CHECK(now.sources == was.sources);
    CHECK(now.placement == was.placement);
  }
  const auto order = as_collected(graph);
  CHECK(find_lifetimes(*restored, order, {true, true, true, 64}) ==
        find_lifetimes(graph, order, {true, true, true, 64}));
}

void check_came_along(const Step& s) {
  check_topology(s.after);
  check_node_map(s);
  check_roles_and_layers(s);
  check_gradients(s);
  check_lifetimes(s);
  check_spans(s);
  check_restored(s.after);
}

// Every node by the reference backend, each in memory of its own; the outputs' bytes in order of `outputs`.
std::vector<std::byte> values(const Graph& graph, const std::vector<Tensor>& outputs) {
  auto reference = reference::make_reference_backend();
  auto memory = make_cpu_context();
  for (const auto& list : {graph.leafs(), graph.nodes()})
    for (TensorImpl* tensor : list) {
      if (tensor->is_view()) {
        tensor->storage = tensor->view_source->storage;
        continue;
      }
      tensor->storage = *Storage::allocate(*memory, {}, MemoryKind::Default, tensor->byte_count());
      if (tensor->op == Op::None && tensor->dtype == DType::F32) {
        const auto data = test::RandomNetwork::values_of(*tensor);
        std::memcpy(tensor->data(), data.data(), data.size() * sizeof(float));
      }
      if (!has_work(*tensor)) continue;
      const Status done = compute_in_parts(*reference, *tensor, 1);
      REQUIRE_MESSAGE(done.ok(), done.error().message);
    }
  std::vector<std::byte> out;
  for (const Tensor& output : outputs) {
    REQUIRE(output->contiguous());
    out.insert(out.end(), output->data(), output->data() + output->byte_count());
  }
  for (const auto& list : {graph.leafs(), graph.nodes()})
    for (TensorImpl* tensor : list) tensor->storage = Storage();
  return out;
}

// A graph on its way.
class Journey {
 public:
  explicit Journey(uint32_t seed) : random_(seed), network_(seed), graph_(network_.graph) {
    for (TensorImpl* node : graph_.nodes())
      if (node->has(kFlagOutput)) outputs_.emplace_back(node);
    expected_ = values(graph_, outputs_);
  }

  void take_step() {
    switch (random_() % 6) {
      case 0: return fuse();
      case 1: return lay_out();
      case 2: return partition();
      case 3: return convert();
      case 4: return rewrite();
      default: return plan();
    }
  }
  int steps_of(int kind) const { return taken_[kind]; }
  int changes = 0;  // steps that changed something

 private:
  void arrive(int kind, const Graph& graph, const std::vector<Tensor>& node_map, bool changed,
              std::map<const TensorImpl*, Tensor> converted = {}, std::vector<Placement> placements = {}) {
    ++taken_[kind];
    changes += changed;
    CAPTURE(kind);
    check_came_along({graph_, graph, node_map, std::move(converted), std::move(placements)});
    std::vector<Tensor> outputs;
    for (const Tensor& output : outputs_) outputs.push_back(node_map[graph_.find_node(*output).index()]);
    graph_ = graph;
    outputs_ = std::move(outputs);
    if (exact_) CHECK(values(graph_, outputs_) == expected_);
  }

  void fuse() {
    auto fused = fuse_graph(graph_, Anything());
    REQUIRE(fused);
    exact_ = exact_ && fused->fused.empty();  // the reference computes no fused nodes
    arrive(0, fused->graph, fused->node_map, !fused->fused.empty());
  }
  void lay_out() {
    auto laid_out = lay_out_images(graph_, Anything());
    REQUIRE(laid_out);
    arrive(1, laid_out->graph, laid_out->node_map, laid_out->channels_last > 0);
  }
  void partition() {
    const bool packs = random_() % 2 == 0;
    PartitionOptions options;
    if (packs)
      options = {Placement::Packed, " (packed)", " (plain)", [](const TensorImpl&, int k) { return k == 0; }, true};
    const uint32_t salt = random_();
    const auto sides = choose_sides(
        graph_,
        [&](const TensorImpl& node) {
          if (node.is_view() || node.has(kFlagOutput) || node.placement != Placement::Arena)
            return packs ? PartitionSide::Main : PartitionSide::Either;
          const uint32_t roll =
              (static_cast<uint32_t>(node.name.size()) * 7 + static_cast<uint32_t>(node.op) + salt) % 5;
          return roll == 0 ? PartitionSide::Other : roll == 1 ? PartitionSide::Main : PartitionSide::Either;
        },
        options);
    auto split = partition_graph(graph_, sides, options);
    REQUIRE(split);
    std::vector<Placement> placements;
    for (size_t i = 0; i < graph_.nodes().size(); ++i)
      placements.push_back(sides[i] ? options.other : graph_.nodes()[i]->placement);
    arrive(2, split->graph, split->node_map, split->copies > 0, {}, std::move(placements));
  }
  void convert() {
    if (random_() % 3 != 0) return;  // what follows has other bits
    auto half = convert_precision(graph_, random_() % 2 == 0);
    REQUIRE(half);
    exact_ = false;
    std::map<const TensorImpl*, Tensor> converted;
    for (const PrecisionGraph::Weight& weight : half->weights) converted[weight.single.impl()] = weight.half;
    arrive(3, half->graph, half->node_map, true, std::move(converted));
  }
  void rewrite() {
    const auto order = as_collected(graph_);
    Rematerialisation rewrite(graph_, order, true, false);
    int changed = 0;
    for (int tries = 0; tries < 12; ++tries) changed += rewrite_once(rewrite);
    std::vector<Tensor> node_map;
    auto rewritten = rewrite.make_graph(node_map);
    REQUIRE(rewritten);
    CHECK(rewritten->nodes().size() >= graph_.nodes().size());
    arrive(4, *rewritten, node_map, changed > 0);
  }
  bool rewrite_once(Rematerialisation& rewrite) {
    const Rematerialisation::Profile now = rewrite.profile();
    const auto id = static_cast<int32_t>(random_() % now.life.size());
    const auto uses = now.life[static_cast<size_t>(id)].first < 0 ? std::vector<int32_t>() : rewrite.uses(id, now);
    if (uses.size() < 2 || rewrite.value(id).action == Rematerialisation::Action::Offload) return false;
    const size_t k = random_() % (uses.size() - 1);
    Rematerialisation::Change change;
    const bool done = random_() % 2 == 0 ? rewrite.rematerialise(id, uses[k + 1], now, change)
                                         : rewrite.offload(id, uses[k], uses[k + 1], now, change);
    if (!done || random_() % 4 != 0) return done;
    rewrite.undo();
    return false;
  }
  void plan() {
    const auto orders = all_orders();
    OrderOptions budget;
    budget.budget_seconds = 0.01;
    auto planned = plan_memory(graph_, random_() % 2 ? "two-level" : "greedy-by-size",
                               orders[random_() % orders.size()].name, {}, budget);
    REQUIRE_MESSAGE(planned.ok(), planned.error().message);  // checked for overlaps in there
    CHECK(planned->order.size() == graph_.nodes().size());
    for (const PlannedTensor& tensor : planned->tensors) CHECK(graph_.node(tensor.node).op != Op::None);
    ++taken_[5];
  }

  std::mt19937 random_;
  test::RandomNetwork network_;
  Graph graph_;
  std::vector<Tensor> outputs_;
  std::vector<std::byte> expected_;
  bool exact_ = true;
  int taken_[6] = {};
};

}  // namespace

TEST_CASE("every transform keeps roles, gradients, layers and lifetimes") {
  int taken[6] = {}, changes = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    Journey journey(seed);
    for (int i = 0; i < 6; ++i) journey.take_step();
    for (int kind = 0; kind < 6; ++kind) taken[kind] += journey.steps_of(kind);
    changes += journey.changes;
  }
  for (const int count : taken) CHECK(count > 30);
  CHECK(changes > 300);
}
