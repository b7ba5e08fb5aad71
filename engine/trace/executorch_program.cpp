// SPDX-License-Identifier: MIT
#include "engine/trace/flat_buffer.h"
#include "engine/trace/import_executorch.h"

#include <algorithm>

namespace arenascope::trace {

namespace {

// Union tags of values and instructions, and the numbers of the element types.
enum : uint8_t { kTensorValue = 5, kTensorList = 10, kOptionalTensorList = 11 };
enum : uint8_t { kKernelCall = 1, kDelegateCall = 2 };
struct ElementType {
  int8_t number;
  const char* name;
  int64_t bytes;
};
constexpr ElementType kElementTypes[] = {
    {0, "u8", 1},    {1, "i8", 1},      {2, "i16", 2},       {3, "i32", 4},  {4, "i64", 8},  {5, "f16", 2},
    {6, "f32", 4},   {7, "f64", 8},     {11, "bool", 1},     {12, "qi8", 1}, {13, "qu8", 1}, {14, "qi32", 4},
    {15, "bf16", 2}, {23, "f8e5m2", 1}, {24, "f8e4m3fn", 1}, {27, "u16", 2}, {28, "u32", 4}, {29, "u64", 8}};
constexpr size_t kMaxMethods = 4096, kMaxNodes = size_t{1} << 20;
constexpr Bytes kMaxBytes = Bytes{1} << 46;

// A tensor value of the method, and the node that computes it.
struct Value {
  FlatTable tensor;
  TensorRef ref;  // once a node uses or computes it
  Step first, last;
  bool from_begin = false, to_end = false;  // given before the method runs; kept after it
};

class Reader {
 public:
  // `graph`, `plan`: the numbers that the method's graph and plan get.
  Reader(const FlatTable& method, GraphId graph, PlanId plan) : method_(method), plan_id_(plan) {
    out_.graph = std::make_shared<GraphInfo>();
    out_.graph->id = graph;
    out_.graph->model = std::string(method.text(0));
  }

  ExecuTorchMethod read() {
    read_values();
    const FlatVector inputs = method_.vector(3, 4);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (Value* v = value(inputs.number<int32_t>(i))) {
        v->from_begin = true;
        add_leaf(*v, kInput, "input " + std::to_string(i));
      }
    read_instructions();
    const FlatVector outputs = method_.vector(4, 4);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (Value* v = value(outputs.number<int32_t>(i)); v != nullptr && v->ref.valid()) {
        v->last = Step(static_cast<int32_t>(out_.graph->nodes.size()));
        tensor_of(v->ref).flags |= kOutput;
      }
    plan();
    return std::move(out_);
  }

 private:
  // The chains of a method are executed in sequence.
  void read_instructions() {
    const FlatVector chains = method_.vector(5, 4);
    size_t read = 0;
    for (size_t c = 0; c < chains.size() && read < kMaxNodes; ++c) {
      const FlatVector instructions = chains.table(c).vector(2, 4);
      out_.node_of.emplace_back();
      for (size_t i = 0; i < instructions.size() && read < kMaxNodes; ++i, ++read) add(instructions.table(i));
    }
  }
  void read_values() {
    const FlatVector values = method_.vector(2, 4);
    values_.resize(std::min(values.size(), kMaxNodes));
    for (size_t i = 0; i < values_.size(); ++i) {
      const FlatTable v = values.table(i);
      if (v.number<uint8_t>(0) == kTensorValue) values_[i].tensor = v.table(1);
    }
  }
  Value* value(int64_t index) {
    if (index < 0 || static_cast<size_t>(index) >= values_.size()) return nullptr;
    Value& v = values_[static_cast<size_t>(index)];
    return v.tensor ? &v : nullptr;
  }
  TensorInfo& tensor_of(TensorRef ref) {
    return ref.is_leaf() ? out_.graph->leafs[ref.index()] : out_.graph->nodes[ref.index()];
  }

  static void describe_tensor(const FlatTable& tensor, TensorInfo& out) {
    const FlatVector sizes = tensor.vector(2, 4);
    const auto type = tensor.number<int8_t>(0);
    const auto* known = std::find_if(std::begin(kElementTypes), std::end(kElementTypes),
                                     [type](const ElementType& t) { return t.number == type; });
    out.dtype = known != std::end(kElementTypes) ? known->name : "type " + std::to_string(type);
    out.bytes = known != std::end(kElementTypes) ? known->bytes : 0;
    for (size_t i = 0; i < std::min<size_t>(sizes.size(), 64); ++i) {
      const int64_t n = std::max(sizes.number<int32_t>(i), 0);
      out.shape.push_back(n);
      out.bytes = n > 0 && out.bytes > kMaxBytes / n ? 0 : out.bytes * n;  // 0: the size is implausible
    }
  }
  void add_leaf(Value& v, uint32_t flags, std::string name) {
    if (v.ref.valid()) return;
    TensorInfo leaf;
    describe_tensor(v.tensor, leaf);
    leaf.name = std::move(name);
    leaf.flags = flags;
    v.ref = TensorRef::leaf(LeafId(static_cast<int32_t>(out_.graph->leafs.size())));
    v.first = Step(std::max(static_cast<int32_t>(out_.graph->nodes.size()) - (flags == 0 ? 1 : 0), 0));
    v.last = Step(v.first.value + 1);
    out_.graph->leafs.push_back(std::move(leaf));
  }

  // A tensor whose contents come with the program, or with a data file under its qualified name. Planned memory makes
  // it mutable.
  void add_initialised(Value& v) {
    const FlatTable more = v.tensor.table(9);
    const auto data = v.tensor.number<uint32_t>(5);
    if (data == 0 && more.text(1).empty()) return;
    const bool is_mutable = static_cast<bool>(v.tensor.table(6)), trained = v.tensor.number<uint8_t>(4) != 0;
    v.from_begin = true;
    v.to_end = is_mutable;
    const std::string name = more.text(1).empty() ? "constant " + std::to_string(data) : std::string(more.text(1));
    add_leaf(v, !is_mutable || !trained ? kWeight : kParameter, name);
  }

  // The tensors that an instruction's arguments refer to, with lists flattened: the inputs, followed by the outputs.
  std::vector<Value*> tensors_of(const FlatVector& arguments) {
    const FlatVector values = method_.vector(2, 4);
    std::vector<Value*> out;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const auto index = arguments.number<int32_t>(i);
      if (Value* v = value(index)) {
        out.push_back(v);
        continue;
      }
      if (index < 0) continue;
      const FlatTable v = values.table(static_cast<size_t>(index));
      const auto type = v.number<uint8_t>(0);
      if (type != kTensorList && type != kOptionalTensorList) continue;
      const FlatVector items = v.table(1).vector(0, 4);
      for (size_t k = 0; k < std::min(items.size(), kMaxNodes); ++k)
        if (Value* item = value(items.number<int32_t>(k))) out.push_back(item);
    }
    return out;
  }
  std::string name_of(uint8_t type, const FlatTable& call) const {
    const auto index = static_cast<size_t>(std::max(call.number<int32_t>(0), 0));
    if (type == kDelegateCall) return std::string(method_.vector(7, 4).table(index).text(0));
    std::string name(method_.vector(6, 4).table(index).text(0));
    const size_t space = name.rfind("::");
    return space == std::string::npos ? name : name.substr(space + 2);
  }

  // An instruction's outputs are the tensors that are neither computed by an earlier instruction, nor given, nor
  // constant. A kernel call computes at least its last tensor.
  void add(const FlatTable& instruction) {
    const auto type = instruction.number<uint8_t>(0);
    const FlatTable call = instruction.table(1);
    out_.node_of.back().push_back(-1);
    if ((type != kKernelCall && type != kDelegateCall) || !call) return;
    std::vector<Value*> tensors = tensors_of(call.vector(1, 4));
    if (tensors.empty()) return;
    const auto number = static_cast<int32_t>(out_.graph->nodes.size());
    TensorInfo node;
    node.op = name_of(type, call);
    node.backend = type == kDelegateCall ? node.op : "portable";
    if (type == kDelegateCall &&
        std::find(out_.delegates.begin(), out_.delegates.end(), node.op) == out_.delegates.end())
      out_.delegates.push_back(node.op);
    Value* made = tensors.back();
    std::vector<Value*> more;
    for (Value* v : tensors) {
      if (v == made) continue;
      if (!v->ref.valid()) add_initialised(*v);
      if (!v->ref.valid()) {
        more.push_back(v);
        continue;
      }
      v->last = Step(number + 1);
      if (std::find(node.sources.begin(), node.sources.end(), v->ref) == node.sources.end())
        node.sources.push_back(v->ref);
    }
    describe_tensor(made->tensor, node);
    node.name = node.op + " " + std::to_string(number);
    if (made->ref.valid())  // written again by a later instruction
      made->last = Step(number + 1);
    else
      made->ref = TensorRef::node(NodeId(number)), made->first = Step(number), made->last = Step(number + 1);
    out_.node_of.back().back() = number;
    out_.graph->nodes.push_back(std::move(node));
    for (size_t i = 0; i < more.size(); ++i)
      add_leaf(*more[i], 0, out_.graph->nodes.back().name + ", result " + std::to_string(i + 2));
  }

  // The buffers that the caller must allocate for the method are placed consecutively. The first one is reserved.
  void plan() {
    const FlatVector sizes = method_.vector(8, 8);
    std::vector<Bytes> begins;
    Bytes arena = 0;
    for (size_t i = 0; i < std::min<size_t>(sizes.size(), 4096); ++i) {
      begins.push_back(arena);
      arena += std::clamp<Bytes>(sizes.number<int64_t>(i), 0, kMaxBytes / 4096);
    }
    auto plan = std::make_shared<PlanInfo>();
    plan->id = plan_id_;
    plan->graph = out_.graph->id;
    plan->planner = "executorch";
    plan->order_name = "program";
    plan->arena_bytes = arena;
    const auto steps = static_cast<int32_t>(out_.graph->nodes.size());
    for (int32_t i = 0; i < steps; ++i) plan->order.emplace_back(i);
    for (const Value& v : values_) {
      const FlatTable place = v.tensor ? v.tensor.table(6) : FlatTable();
      const auto buffer = place.number<uint32_t>(0);
      if (!place || !v.ref.valid() || buffer >= begins.size()) continue;
      const auto within = static_cast<Bytes>(place.number<uint32_t>(1)) | static_cast<Bytes>(place.number<uint32_t>(2))
                                                                              << 32;
      const Bytes bytes = tensor_of(v.ref).bytes;
      if (within < 0 || within > arena - begins[buffer] || bytes > arena - begins[buffer] - within) continue;
      SliceInfo slice;
      slice.tensor = v.ref;
      slice.offset = begins[buffer] + within;
      slice.size = bytes;
      slice.first = v.from_begin ? Step(0) : v.first;
      slice.last = v.to_end ? Step(steps) : Step(std::clamp(v.last.value, slice.first.value, steps));
      if (slice.size > 0 && slice.first < slice.last) plan->slices.push_back(slice);
    }
    plan->lower_bound_bytes = peak_live_bytes(plan->slices, steps);
    plan->alignment = alignment_of(plan->slices);
    if (arena > 0) out_.plan = std::move(plan);
  }
  // The program does not contain it: the largest power of two, up to 64, of which all offsets are multiples.
  static Bytes alignment_of(const std::vector<SliceInfo>& slices) {
    Bytes alignment = 64;
    for (const SliceInfo& s : slices)
      while (s.offset % alignment != 0) alignment /= 2;
    return alignment;
  }
  static Bytes peak_live_bytes(const std::vector<SliceInfo>& slices, int32_t steps) {
    std::vector<Bytes> change(static_cast<size_t>(steps) + 1);
    for (const SliceInfo& s : slices) change[s.first.index()] += s.size, change[s.last.index()] -= s.size;
    Bytes live = 0, most = 0;
    for (const Bytes c : change) most = std::max(most, live += c);
    return most;
  }

  FlatTable method_;
  PlanId plan_id_;
  std::vector<Value> values_;
  ExecuTorchMethod out_;
};

}  // namespace

int32_t ExecuTorchMethod::node(int64_t chain, int64_t instruction) const {
  if (chain < 0 || static_cast<size_t>(chain) >= node_of.size()) return -1;
  const auto& nodes = node_of[static_cast<size_t>(chain)];
  return instruction < 0 || static_cast<size_t>(instruction) >= nodes.size() ? -1
                                                                             : nodes[static_cast<size_t>(instruction)];
}

bool ExecuTorchProgram::is_one(ByteSpan bytes) { return FlatTable::is_of(bytes, "ET12"); }

Result<ExecuTorchProgram> ExecuTorchProgram::read(ByteSpan bytes, const std::string& name) {
  const FlatVector methods = FlatTable::root(bytes, "ET12").vector(1, 4);
  ExecuTorchProgram program;
  size_t plans = 0, nodes = 0;
  for (size_t i = 0; i < std::min(methods.size(), kMaxMethods) && nodes < kMaxNodes; ++i) {
    const FlatTable method = methods.table(i);
    if (!method) continue;
    program.methods.push_back(Reader(method, GraphId(program.methods.size()), PlanId(plans)).read());
    plans += program.methods.back().plan ? 1 : 0;
    nodes += program.methods.back().graph->nodes.size() + 1;
  }
  if (program.methods.empty()) return Error{name + ": the ExecuTorch program has no method."};
  return program;
}

void ExecuTorchProgram::describe(const std::string& name, Sink& sink) const {
  for (const ExecuTorchMethod& method : methods) {
    sink.describe(std::shared_ptr<const GraphInfo>(method.graph));
    if (method.plan) sink.describe(std::shared_ptr<const PlanInfo>(method.plan));
    for (const std::string& delegate : method.delegates) {
      Problem problem;
      problem.severity = Severity::Note;
      problem.kind = ProblemKind::LeftOut;
      problem.sentence = name + ": the memory plan of '" + method.graph->model +
                         "' does not contain the memory that the delegate '" + delegate + "' allocates.";
      sink.describe(problem);
    }
  }
}

Result<OpenReport> import_executorch_program(ByteSpan bytes, const std::string& name, Sink& sink) {
  const auto program = ExecuTorchProgram::read(bytes, name);
  if (!program) return program.error();
  OpenReport report{TraceKind::ExecuTorchProgram, "ExecuTorch program", ""};
  sink.describe(SourceInfo{report.format, static_cast<int64_t>(program->methods.size())});
  program->describe(name, sink);
  sink.flush();
  return report;
}

}  // namespace arenascope::trace
