// SPDX-License-Identifier: MIT
#include "engine/trace/import_executorch.h"

#include <algorithm>
#include <map>

#include "engine/trace/flat_buffer.h"
#include "engine/trace/import_builder.h"

namespace arenascope::trace {

namespace {

constexpr size_t kMaxEvents = size_t{1} << 26, kMaxRuns = (size_t{1} << 24) - 2;
constexpr std::string_view kExecute = "Method::execute", kOperator = "OPERATOR_CALL", kDelegate = "DELEGATE_CALL";
constexpr std::string_view kNative = "native_call_";

// A named interval of the runtime. Times are in nanoseconds, as on its POSIX platform.
struct Named {
  std::string_view name;
  Nanoseconds begin = 0, end = 0;
  int32_t instruction = -1;  // index in the chain that is read
};

std::optional<Named> named(const FlatTable& event) {
  const FlatTable profile = event.table(0);
  if (!profile) return std::nullopt;
  Named out;
  out.name = profile.text(0);
  out.instruction = profile.number<int32_t>(1, 0) == 0 ? profile.number<int32_t>(2, -1) : -1;
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
    tell();
    return true;
  }

 private:
  struct Call {
    Nanoseconds begin, end;
    int32_t node;
  };
  struct Run {
    Nanoseconds begin, end;
    std::vector<Call> calls;
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
    const auto run = std::find_if(list.begin(), list.end(), [](const Named& n) { return n.name == kExecute; });
    if (run != list.end() && runs_.size() < kMaxRuns) runs_.push_back({run->begin, run->end, {}});
    for (const Named& n : list) {
      const bool call = n.name == kOperator || n.name == kDelegate;
      if (call && run != list.end())
        add_call(n, list);
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

  void add_call(const Named& call, const std::vector<Named>& list) {
    int32_t node = -1;
    if (program_ != nullptr) {
      const auto i = static_cast<size_t>(call.instruction);
      if (call.instruction >= 0 && i < program_->node_of.size()) node = program_->node_of[i];
      if (node < 0) ++strangers_;
    } else {
      node = node_of(call, list);
    }
    if (node >= 0) runs_.back().calls.push_back({call.begin, call.end, node});
  }
  // Without the program each instruction becomes a node, named after the kernel called in it.
  int32_t node_of(const Named& call, const std::vector<Named>& list) {
    const auto [at, is_new] = nodes_.try_emplace(call.instruction, static_cast<int32_t>(infos_.size()));
    if (!is_new) return at->second;
    TensorInfo node;
    for (const Named& n : list)
      if (n.instruction == call.instruction && n.begin >= call.begin && n.end <= call.end &&
          n.name.starts_with(kNative))
        node.op = std::string(n.name.substr(kNative.size()));
    if (node.op.ends_with(".out")) node.op.resize(node.op.size() - 4);
    if (node.op.empty()) node.op = call.name == kDelegate ? "delegate" : "operator";
    node.name = node.op + " " + std::to_string(call.instruction);
    infos_.push_back(std::move(node));
    return at->second;
  }

  void tell() {
    builder_.describe(sink_);
    PlanId plan;
    if (program_ != nullptr) {
      sink_.describe(std::shared_ptr<const GraphInfo>(program_->graph));
      if (program_->plan) sink_.describe(std::shared_ptr<const PlanInfo>(program_->plan)), plan = program_->plan->id;
    } else {
      auto graph = std::make_shared<GraphInfo>();
      graph->id = GraphId(0);
      graph->model = "ExecuTorch";
      graph->nodes = std::move(infos_);
      sink_.describe(std::shared_ptr<const GraphInfo>(std::move(graph)));
    }
    std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
    for (size_t r = 0; r < runs_.size(); ++r) tell_run(RunId(static_cast<int32_t>(r)), plan, runs_[r]);
    sink_.describe(SourceInfo{kFormat, entries_});
    builder_.finish(sink_);
    sink_.flush();
  }
  void tell_run(RunId id, PlanId plan, Run& run) {
    RunInfo info;
    info.id = id;
    info.graph = GraphId(0);
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
  std::map<int32_t, int32_t> nodes_;  // by instruction
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
