// SPDX-License-Identifier: MIT
#include "engine/trace/import_executorch.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/trace/flat_buffer.h"
#include "engine/trace/import_builder.h"

namespace arenascope::trace {

namespace {

constexpr size_t kMaxEvents = size_t{1} << 26, kMaxRuns = (size_t{1} << 24) - 2;
constexpr std::string_view kExecute = "Method::execute", kOperator = "OPERATOR_CALL", kDelegate = "DELEGATE_CALL";
constexpr std::string_view kNative = "native_call_";

// A named interval of the runtime. Times are in nanoseconds, as on its POSIX platform.
struct Named {
  std::string name;
  Nanoseconds begin = 0, end = 0;
  int32_t chain = -1, instruction = -1;
};

// Events inside a delegate have its identifier, a string or a number, in place of a name.
std::string name_of(const FlatTable& profile) {
  if (const std::string_view name = profile.text(0); !name.empty()) return std::string(name);
  if (const std::string_view identifier = profile.text(4); !identifier.empty()) return std::string(identifier);
  const auto number = profile.number<int32_t>(3, -1);
  return number < 0 ? "" : "delegate event " + std::to_string(number);
}

std::optional<Named> named(const FlatTable& event) {
  const FlatTable profile = event.table(0);
  if (!profile) return std::nullopt;
  Named out;
  out.name = name_of(profile);
  out.chain = profile.number<int32_t>(1, 0);
  out.instruction = profile.number<int32_t>(2, -1);
  const auto begin = profile.number<uint64_t>(6), end = profile.number<uint64_t>(7);
  if (out.name.empty() || begin > INT64_MAX / 2 || end > INT64_MAX / 2 || end < begin) return std::nullopt;
  out.begin = static_cast<Nanoseconds>(begin);
  out.end = static_cast<Nanoseconds>(end);
  return out;
}

class Dump {
 public:
  Dump(const ExecuTorchProgram* program, Sink& sink) : program_(program), sink_(sink) {}

  static constexpr const char* kFormat = "ExecuTorch event dump";

  // Returns false if the dump is empty.
  bool take(const FlatVector& blocks, const std::string& name) {
    main_ = builder_.track("executorch");
    builder_.info(main_).kind = TrackKind::Worker;
    for (size_t i = 0; i < blocks.size() && events_ < kMaxEvents; ++i) take_block(blocks.table(i));
    if (events_ == 0) return false;
    if (skipped_ > 0) builder_.problem(name + ": " + std::to_string(skipped_) + " invalid events were skipped.");
    if (program_ != nullptr && strangers_ > 0)
      builder_.problem(name + ": " + std::to_string(strangers_) +
                       " calls do not match any instruction of the program.");
    pass(name);
    return true;
  }

 private:
  struct Call {
    Nanoseconds begin, end;
    int32_t node;
  };
  struct Run {
    Nanoseconds begin, end;
    size_t method = 0;  // method of the program
    std::vector<Call> calls{};
  };

  void take_block(const FlatTable& block) {
    const FlatVector events = block.vector(3, 4);
    entries_ += static_cast<int64_t>(events.size());
    std::vector<Named> list;
    std::map<uint64_t, double> bytes;  // by allocator
    for (size_t i = 0; i < events.size() && events_ < kMaxEvents; ++i) {
      const FlatTable event = events.table(i);
      if (const FlatTable allocation = event.table(1)) {
        bytes[static_cast<uint64_t>(allocation.number<int32_t>(0))] +=
            static_cast<double>(allocation.number<uint64_t>(1));
        continue;
      }
      if (event.table(2)) continue;  // tensor contents, which are not shown
      if (auto one = named(event))
        list.push_back(*one), ++events_;
      else
        ++skipped_;
    }
    const Kernels kernels = kernels_of(list);
    const auto run = std::find_if(list.begin(), list.end(), [](const Named& n) { return n.name == kExecute; });
    if (run != list.end() && runs_.size() < kMaxRuns) runs_.push_back({run->begin, run->end, method_of(list, kernels)});
    for (const Named& n : list) {
      if (is_call(n) && run != list.end())
        add_call(n, kernels);
      else
        builder_.span(main_, n.begin, n.end, builder_.name(n.name));
    }
    const FlatVector allocators = block.vector(2, 4);
    const Nanoseconds time = list.empty() ? 0 : list.front().begin;
    for (const auto& [id, sum] : bytes) {
      const std::string_view who = allocators.table(id).text(0);
      const CounterId by =
          builder_.counter("allocated by " + (who.empty() ? std::to_string(id) : std::string(who)), "bytes");
      builder_.point(main_, counter(time, by, sum));
    }
  }

  static bool is_call(const Named& n) { return n.name == kOperator || n.name == kDelegate; }
  // The events of kernels in a block by chain and instruction, each list by begin.
  using Kernels = std::map<std::pair<int32_t, int32_t>, std::vector<const Named*>>;
  static Kernels kernels_of(const std::vector<Named>& list) {
    Kernels kernels;
    for (const Named& n : list)
      if (n.name.starts_with(kNative)) kernels[{n.chain, n.instruction}].push_back(&n);
    for (auto& [instruction, events] : kernels)
      std::stable_sort(events.begin(), events.end(), [](auto* a, auto* b) { return a->begin < b->begin; });
    return kernels;
  }
  // The operator that a call executed, by the event of its kernel; "" if it has none.
  static std::string op_of(const Named& call, const Kernels& kernels) {
    const auto own = kernels.find({call.chain, call.instruction});
    if (own == kernels.end()) return "";
    const auto kernel = std::lower_bound(own->second.begin(), own->second.end(), call.begin,
                                         [](const Named* n, Nanoseconds begin) { return n->begin < begin; });
    if (kernel == own->second.end() || (*kernel)->end > call.end) return "";
    const std::string op = (*kernel)->name.substr(kNative.size());
    return op.substr(0, op.rfind('.'));  // without the overload
  }

  // A dump does not name the method that it executed: the one that has most of the calls, with the same operators.
  size_t method_of(const std::vector<Named>& list, const Kernels& kernels) const {
    if (program_ == nullptr || program_->methods.size() == 1) return 0;
    size_t best = 0, most = 0;
    std::vector<std::pair<const Named*, std::string>> calls;
    for (const Named& n : list)
      if (is_call(n)) calls.emplace_back(&n, op_of(n, kernels));
    for (size_t m = 0; m < program_->methods.size(); ++m) {
      const ExecuTorchMethod& method = program_->methods[m];
      size_t same = 0;
      for (const auto& [call, op] : calls) {
        const int32_t node = method.node(call->chain, call->instruction);
        same += node >= 0 && (op.empty() || method.graph->nodes[static_cast<size_t>(node)].op == op) ? 1 : 0;
      }
      if (same > most) best = m, most = same;
    }
    return best;
  }

  void add_call(const Named& call, const Kernels& kernels) {
    int32_t node = -1;
    if (program_ != nullptr) {
      node = program_->methods[runs_.back().method].node(call.chain, call.instruction);
      if (node < 0) ++strangers_;
    } else {
      node = node_of(call, kernels);
    }
    if (node >= 0) runs_.back().calls.push_back({call.begin, call.end, node});
  }
  // Without the program each instruction becomes a node, named after the operator called in it. Methods number their
  // instructions independently, so that different operators of one number are different nodes.
  int32_t node_of(const Named& call, const Kernels& kernels) {
    TensorInfo node;
    node.op = op_of(call, kernels);
    if (node.op.empty()) node.op = call.name == kDelegate ? "delegate" : "operator";
    const auto [at, is_new] =
        nodes_.try_emplace({call.chain, call.instruction, node.op}, static_cast<int32_t>(infos_.size()));
    if (!is_new) return at->second;
    node.name = node.op + " " + std::to_string(call.instruction);
    if (call.chain > 0) node.name += " of chain " + std::to_string(call.chain);
    infos_.push_back(std::move(node));
    return at->second;
  }

  void pass(const std::string& name) {
    builder_.describe(sink_);
    if (program_ != nullptr) {
      program_->describe(name, sink_);
    } else {
      auto graph = std::make_shared<GraphInfo>();
      graph->id = GraphId(0);
      graph->model = "ExecuTorch";
      graph->nodes = std::move(infos_);
      sink_.describe(std::shared_ptr<const GraphInfo>(std::move(graph)));
    }
    std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
    for (size_t r = 0; r < runs_.size(); ++r) pass_run(RunId(static_cast<int32_t>(r)), runs_[r]);
    sink_.describe(SourceInfo{kFormat, entries_});
    builder_.finish(sink_);
    sink_.flush();
  }
  void pass_run(RunId id, Run& run) {
    const ExecuTorchMethod* method = program_ != nullptr ? &program_->methods[run.method] : nullptr;
    const PlanId plan = method != nullptr && method->plan ? method->plan->id : PlanId();
    RunInfo info;
    info.id = id;
    info.graph = method != nullptr ? method->graph->id : GraphId(0);
    info.plan = plan;
    info.begin = run.begin;
    info.threads = 1;
    info.backend = "executorch";
    info.lead = TrackId(static_cast<int32_t>(main_));
    info.steps_derived = plan.valid();
    sink_.describe(info);
    std::stable_sort(run.calls.begin(), run.calls.end(),
                     [](const Call& a, const Call& b) { return a.begin < b.begin; });
    std::vector<Event> events;
    for (size_t i = 0; i < run.calls.size(); ++i) {
      const Call& c = run.calls[i];
      if (!plan.valid()) events.push_back(step(id, c.begin, Step(static_cast<int32_t>(i)), NodeId(c.node)));
      events.push_back(work(id, NodeId(c.node), c.begin, c.end));
    }
    if (!events.empty()) sink_.events(info.lead, events);
    sink_.describe(RunEnd{id, run.end, RunStatus::Done});
  }

  const ExecuTorchProgram* program_;
  Sink& sink_;
  ImportBuilder builder_;
  size_t main_ = 0;
  std::vector<Run> runs_;
  std::map<std::tuple<int32_t, int32_t, std::string>, int32_t> nodes_;  // by chain, instruction and operator
  std::vector<TensorInfo> infos_;
  size_t events_ = 0;
  int64_t entries_ = 0, skipped_ = 0, strangers_ = 0;
};

}  // namespace

bool is_executorch_dump(ByteSpan bytes) { return FlatTable::is_of(bytes, "ED00"); }

Result<OpenReport> import_executorch_dump(ByteSpan bytes, const std::string& name, const ExecuTorchProgram* program,
                                          Sink& sink) {
  const FlatTable dump = FlatTable::root(bytes, "ED00");
  if (!dump || !Dump(program, sink).take(dump.vector(1, 4), name))
    return Error{name + ": the ExecuTorch event dump has no events."};
  return OpenReport{TraceKind::ExecuTorchDump, Dump::kFormat, ""};
}

}  // namespace arenascope::trace
