// SPDX-License-Identifier: MIT
// ExecuTorch's programs: the methods, their instructions, and where the planner placed their tensors. After the schema
// executorch/schema/program.fbs and https://flatbuffers.dev/internals.
#include <fmt/format.h>

#include <algorithm>

#include "engine/audit/executorch_nodes.h"
#include "engine/audit/flat_file.h"

namespace arenascope::audit {

namespace {

constexpr uint64_t kTensor = 5, kTensors = 10, kOptionalTensors = 11, kKernel = 1, kDelegate = 2;
constexpr size_t kMaxItems = size_t{1} << 20;

Bytes element_bytes(int64_t type) {
  switch (type) {
    case 0:
    case 1:
    case 11:
    case 12:
    case 13:
    case 23:
    case 24: return 1;
    case 2:
    case 5:
    case 15:
    case 27: return 2;
    case 3:
    case 6:
    case 14:
    case 28: return 4;
    case 4:
    case 7:
    case 29: return 8;
    default: return 0;
  }
}

// One method: values in use, by their number, with the steps in which they are needed.
class Method {
 public:
  Method(const Flat& flat, size_t table) : flat_(flat), table_(table), values_(flat.child(table, 2)) {}

  void read(Raw& raw, size_t number, NodesOfInstructions& nodes) {
    graph_.id = trace::GraphId(number);
    graph_.model = flat_.text(table_, 0);
    const size_t inputs = flat_.child(table_, 3), outputs = flat_.child(table_, 4), chains = flat_.child(table_, 5);
    for (size_t i = 0; i < flat_.length(inputs, 4); ++i) {
      const auto value = static_cast<uint32_t>(flat_.element(inputs, i, 4));
      if (tensor(value) != 0) add_leaf(value, fmt::format("input {}", i), trace::kInput, true);
    }
    for (size_t c = 0; c < flat_.length(chains, 4); ++c) {
      const size_t list = flat_.child(flat_.item(chains, c), 2);
      for (size_t i = 0; i < flat_.length(list, 4) && ++instructions_ < kMaxItems; ++i) {
        const size_t before = graph_.nodes.size();
        instruction(flat_.item(list, i));
        if (graph_.nodes.size() > before)
          nodes[{number, static_cast<int64_t>(c), static_cast<int64_t>(i)}] = static_cast<int32_t>(before);
      }
    }
    const auto steps = static_cast<int32_t>(graph_.nodes.size());
    for (const uint32_t value : mutable_) uses_.at(value).last = steps;
    for (size_t i = 0; i < flat_.length(outputs, 4); ++i)
      if (const auto used = uses_.find(static_cast<uint32_t>(flat_.element(outputs, i, 4))); used != uses_.end())
        used->second.last = steps;
    place(raw);
    raw.graphs[static_cast<int32_t>(number)] = std::move(graph_);
  }

 private:
  struct Use {
    trace::TensorRef ref;
    int32_t first = 0, last = 0;
    Bytes bytes = 0;
  };

  size_t tensor(uint32_t value) const {
    if (value >= flat_.length(values_, 4) || value >= kMaxItems) return 0;
    const size_t at = flat_.item(values_, value);
    return flat_.number(at, 0, 1) == kTensor ? flat_.child(at, 1) : 0;
  }
  trace::TensorInfo described(uint32_t value) const {
    trace::TensorInfo info;
    const size_t at = tensor(value), sizes = flat_.child(at, 2);
    info.bytes = element_bytes(static_cast<int8_t>(flat_.number(at, 0, 1)));
    for (size_t i = 0; i < std::min<size_t>(flat_.length(sizes, 4), 64); ++i) {
      info.shape.push_back(std::max(static_cast<int32_t>(flat_.element(sizes, i, 4)), 0));
      const int64_t n = info.shape.back();
      info.bytes = n > 0 && info.bytes > (Bytes{1} << 46) / n ? 0 : info.bytes * n;
    }
    return info;
  }
  void add_leaf(uint32_t value, std::string name, uint32_t flags, bool always) {
    if (uses_.contains(value)) return;
    trace::TensorInfo leaf = described(value);
    leaf.name = std::move(name);
    leaf.flags = flags;
    const auto now = static_cast<int32_t>(graph_.nodes.size());
    uses_[value] = {trace::TensorRef::leaf(LeafId(graph_.leafs.size())), always ? 0 : now - 1, now + (always ? 1 : 0),
                    leaf.bytes};
    graph_.leafs.push_back(std::move(leaf));
  }
  // Contents that come with the program, or with a data file under a name.
  void add_initialised(uint32_t value) {
    const size_t at = tensor(value);
    const uint64_t data = flat_.number(at, 5, 4);
    const std::string name = flat_.text(flat_.child(at, 9), 1);
    if (data == 0 && name.empty()) return;
    const bool is_mutable = flat_.child(at, 6) != 0, trained = is_mutable && flat_.number(at, 4, 1) != 0;
    add_leaf(value, name.empty() ? fmt::format("constant {}", data) : name,
             trained ? trace::kParameter : trace::kWeight, true);
    if (is_mutable) mutable_.push_back(value);
  }

  // The tensors among the arguments, those of lists too.
  std::vector<uint32_t> tensors_of(size_t arguments) const {
    std::vector<uint32_t> out;
    for (size_t i = 0; i < flat_.length(arguments, 4); ++i) {
      const auto value = static_cast<uint32_t>(flat_.element(arguments, i, 4));
      if (tensor(value) != 0) {
        out.push_back(value);
        continue;
      }
      if (value >= flat_.length(values_, 4)) continue;
      const size_t at = flat_.item(values_, value);
      if (const uint64_t type = flat_.number(at, 0, 1); type != kTensors && type != kOptionalTensors) continue;
      const size_t items = flat_.child(flat_.child(at, 1), 0);
      for (size_t k = 0; k < flat_.length(items, 4); ++k)
        if (const auto item = static_cast<uint32_t>(flat_.element(items, k, 4)); tensor(item) != 0) out.push_back(item);
    }
    return out;
  }

  // The last tensor is computed; so is every other one that nothing has computed or given before.
  void instruction(size_t at) {
    const uint64_t type = flat_.number(at, 0, 1);
    const size_t call = flat_.child(at, 1);
    if (type != kKernel && type != kDelegate) return;
    const std::vector<uint32_t> tensors = tensors_of(flat_.child(call, 1));
    if (tensors.empty()) return;
    const auto number = static_cast<int32_t>(graph_.nodes.size());
    trace::TensorInfo node = described(tensors.back());
    const auto index = static_cast<size_t>(flat_.number(call, 0, 4));
    const size_t names = flat_.child(table_, type == kKernel ? 6 : 7);
    node.op = index < flat_.length(names, 4) ? flat_.text(flat_.item(names, index), 0) : "";
    if (const size_t colons = node.op.rfind("::"); type == kKernel && colons != std::string::npos)
      node.op = node.op.substr(colons + 2);
    node.name = fmt::format("{} {}", node.op, number);
    std::vector<uint32_t> results;
    for (const uint32_t value : tensors) {
      if (value == tensors.back()) continue;
      if (!uses_.contains(value)) add_initialised(value);
      const auto used = uses_.find(value);
      if (used == uses_.end()) {
        results.push_back(value);
        continue;
      }
      used->second.last = number + 1;
      if (std::find(node.sources.begin(), node.sources.end(), used->second.ref) == node.sources.end())
        node.sources.push_back(used->second.ref);
    }
    const auto [made, fresh] =
        uses_.try_emplace(tensors.back(), Use{trace::TensorRef::node(NodeId(number)), number, number + 1, node.bytes});
    made->second.last = number + 1;
    graph_.nodes.push_back(node);
    for (size_t i = 0; i < results.size(); ++i)
      add_leaf(results[i], fmt::format("{}, result {}", node.name, i + 2), 0, false);
  }

  // The buffers of planned memory, in sequence; the first is reserved.
  void place(Raw& raw) {
    const size_t sizes = flat_.child(table_, 8);
    std::vector<Bytes> begins;
    trace::PlanInfo plan;
    for (size_t i = 0; i < std::min<size_t>(flat_.length(sizes, 8), 4096); ++i) {
      begins.push_back(plan.arena_bytes);
      plan.arena_bytes += std::clamp<Bytes>(static_cast<Bytes>(flat_.element(sizes, i, 8)), 0, (Bytes{1} << 46) / 4096);
    }
    if (plan.arena_bytes == 0) return;
    const auto steps = static_cast<int32_t>(graph_.nodes.size());
    for (int32_t i = 0; i < steps; ++i) plan.order.emplace_back(i);
    std::vector<Bytes> live(static_cast<size_t>(steps));
    for (const auto& [value, use] : uses_) {
      const size_t at = flat_.child(tensor(value), 6);
      const uint64_t buffer = flat_.number(at, 0, 4);
      if (at == 0 || buffer >= begins.size() || use.bytes == 0) continue;
      const auto within = static_cast<Bytes>(flat_.number(at, 1, 4) | flat_.number(at, 2, 4) << 32);
      const Bytes space = plan.arena_bytes - begins[buffer];
      if (within < 0 || within > space || use.bytes > space - within) continue;
      trace::SliceInfo slice;
      slice.tensor = use.ref;
      slice.offset = begins[buffer] + within;
      slice.size = use.bytes;
      slice.first = Step(use.first);
      slice.last = Step(std::min(use.last, steps));
      for (int32_t s = use.first; s < slice.last.value; ++s) live[static_cast<size_t>(s)] += use.bytes;
      if (slice.first < slice.last) plan.slices.push_back(slice);
    }
    for (const Bytes bytes : live) plan.lower_bound_bytes = std::max(plan.lower_bound_bytes, bytes);
    plan.alignment = 64;  // or less: all offsets are multiples of it
    for (const trace::SliceInfo& slice : plan.slices)
      while (slice.offset % plan.alignment != 0) plan.alignment /= 2;
    plan.id = trace::PlanId(raw.plans.size());
    plan.graph = graph_.id;
    raw.plans[plan.id.value] = std::move(plan);
  }

  const Flat& flat_;
  size_t table_, values_, instructions_ = 0;
  std::map<uint32_t, Use> uses_;   // by value
  std::vector<uint32_t> mutable_;  // values that outlive the method
  trace::GraphInfo graph_;
};

}  // namespace

NodesOfInstructions read_methods(ByteSpan program, Raw& raw) {
  const Flat flat(program);
  const size_t methods = flat.child(flat.root(), 1);
  NodesOfInstructions nodes;
  for (size_t i = 0; i < std::min<size_t>(flat.length(methods, 4), 4096); ++i)
    if (const size_t table = flat.item(methods, i); table != 0) Method(flat, table).read(raw, raw.graphs.size(), nodes);
  return nodes;
}

Result<Raw> read_executorch(ByteSpan bytes, const std::string& name) {
  Raw raw;
  raw.format = "ExecuTorch program";
  read_methods(bytes, raw);
  raw.entries = static_cast<int64_t>(raw.graphs.size());
  if (raw.graphs.empty()) return Error{name + ": the ExecuTorch program has no method."};
  return raw;
}

}  // namespace arenascope::audit
