// SPDX-License-Identifier: MIT
// ExecuTorch's event dumps: the times of the calls of each execution of a method, after the schema
// executorch/devtools/etdump/etdump_schema_flatcc.fbs. The program contains the instructions; without it each call that
// differs by its number or operator is a node.
#include <fmt/format.h>

#include <algorithm>

#include "engine/audit/executorch_nodes.h"
#include "engine/audit/flat_file.h"
#include "engine/audit/imported_trace.h"

namespace arenascope::audit {

namespace {

constexpr std::string_view kKernelEvent = "native_call_";

struct DumpEvent {
  std::string name;
  int64_t chain = -1, instruction = -1;
  Nanoseconds begin = 0, end = 0;
  bool is_call() const { return name == "OPERATOR_CALL" || name == "DELEGATE_CALL"; }
};

class DumpReader {
 public:
  DumpReader(Raw& raw, ByteSpan bytes, ByteSpan program) : raw_(raw), tables_(raw), flat_(bytes) {
    if (!program.empty()) nodes_ = read_methods(program, raw_), has_program_ = !raw_.graphs.empty();
    track_ = tables_.track("executorch", "executorch");
    raw_.tracks[track_].kind = trace::TrackKind::Worker;
    if (!has_program_) raw_.graphs[0].id = trace::GraphId(0);
  }

  void read() {
    const size_t blocks = flat_.child(flat_.root(), 1);
    for (size_t i = 0; i < flat_.length(blocks, 4); ++i) read_block(flat_.item(blocks, i));
    std::stable_sort(runs_.begin(), runs_.end(),
                     [](const Execution& a, const Execution& b) { return a.whole.begin < b.whole.begin; });
    for (size_t r = 0; r < runs_.size(); ++r) write(runs_[r], r);
    derive_steps(raw_);
    set_depths(raw_);
  }
  bool empty() const { return named_ == 0; }

 private:
  struct Execution {
    DumpEvent whole;
    size_t method = 0;
    std::vector<std::pair<DumpEvent, int32_t>> calls;  // with their nodes
  };

  void read_block(size_t block) {
    const size_t list = flat_.child(block, 3), count = flat_.length(list, 4);
    raw_.entries += static_cast<int64_t>(count);
    std::vector<DumpEvent> events;
    std::map<uint64_t, double> allocated;  // by allocator
    for (size_t i = 0; i < count; ++i) {
      const size_t event = flat_.item(list, i);
      if (const size_t allocation = flat_.child(event, 1); allocation != 0)
        allocated[flat_.number(allocation, 0, 4)] += static_cast<double>(flat_.number(allocation, 1, 8));
      else if (flat_.child(event, 2) == 0)
        read_named(flat_.child(event, 0), events);
    }
    named_ += events.size();
    take_execution(events);
    const size_t names = flat_.child(block, 2);
    const Nanoseconds time = events.empty() ? 0 : events.front().begin;
    for (const auto& [allocator, bytes] : allocated) {
      std::string name = allocator < flat_.length(names, 4) ? flat_.text(flat_.item(names, allocator), 0) : "";
      if (name.empty()) name = std::to_string(allocator);
      raw_.samples.push_back({tables_.counter("allocated by " + name), time, bytes});
      raw_.cover(time, time);
    }
  }
  void read_named(size_t profile, std::vector<DumpEvent>& events) const {
    if (profile == 0) return;
    const auto number = [&](size_t field, int64_t otherwise) {
      return flat_.field(profile, field) == 0 ? otherwise
                                              : int64_t{static_cast<int32_t>(flat_.number(profile, field, 4))};
    };
    const uint64_t begin = flat_.number(profile, 6, 8), end = flat_.number(profile, 7, 8);
    DumpEvent event{flat_.text(profile, 0), number(1, 0), number(2, -1), 0, 0};
    if (event.name.empty()) event.name = flat_.text(profile, 4);  // the identifier of an event inside a delegate
    if (const int64_t id = number(3, -1); event.name.empty() && id >= 0)
      event.name = fmt::format("delegate event {}", id);
    if (event.name.empty() || end > INT64_MAX / 2 || begin > end) return;
    event.begin = static_cast<Nanoseconds>(begin);
    event.end = static_cast<Nanoseconds>(end);
    events.push_back(std::move(event));
  }

  // The calls of a block belong to its execution of a method; all others are named spans.
  void take_execution(const std::vector<DumpEvent>& events) {
    const auto whole =
        std::find_if(events.begin(), events.end(), [](const DumpEvent& e) { return e.name == "Method::execute"; });
    Execution* run = nullptr;
    if (whole != events.end()) {
      run = &runs_.emplace_back();
      run->whole = *whole;
      run->method = method_of(events);
    }
    for (const DumpEvent& e : events) {
      if (run == nullptr || !e.is_call())
        tables_.span(track_, e.name, e.begin, e.end, -1);
      else if (const int32_t node = node_of(e, events, run->method); node >= 0)
        run->calls.emplace_back(e, node);
    }
  }

  // The operator of a call: its first kernel event that is within it, without the overload. "": it has none.
  static std::string op_of(const DumpEvent& call, const std::vector<DumpEvent>& events) {
    const DumpEvent* first = nullptr;
    for (const DumpEvent& e : events)
      if (e.name.starts_with(kKernelEvent) && e.chain == call.chain && e.instruction == call.instruction &&
          e.begin >= call.begin && (first == nullptr || e.begin < first->begin))
        first = &e;
    if (first == nullptr || first->end > call.end) return "";
    const std::string op = first->name.substr(kKernelEvent.size());
    return op.substr(0, op.rfind('.'));
  }

  // The first of the program's methods with the most of the calls.
  size_t method_of(const std::vector<DumpEvent>& events) const {
    if (raw_.graphs.size() <= 1) return 0;
    std::vector<int64_t> same(raw_.graphs.size());
    for (const DumpEvent& e : events) {
      if (!e.is_call()) continue;
      const std::string op = op_of(e, events);
      for (size_t m = 0; m < same.size(); ++m)
        if (const auto node = nodes_.find({m, e.chain, e.instruction}); node != nodes_.end())
          same[m] += op.empty() || node_info(m, node->second).op == op ? 1 : 0;
    }
    return static_cast<size_t>(std::max_element(same.begin(), same.end()) - same.begin());
  }
  const trace::TensorInfo& node_info(size_t graph, int32_t node) const {
    return raw_.graphs.at(static_cast<int32_t>(graph)).nodes[static_cast<size_t>(node)];
  }

  // -1: the program has no such instruction.
  int32_t node_of(const DumpEvent& call, const std::vector<DumpEvent>& events, size_t method) {
    if (has_program_) {
      const auto known = nodes_.find({method, call.chain, call.instruction});
      return known == nodes_.end() ? -1 : known->second;
    }
    std::string op = op_of(call, events);
    if (op.empty()) op = call.name == "DELEGATE_CALL" ? "delegate" : "operator";
    std::vector<trace::TensorInfo>& nodes = raw_.graphs[0].nodes;
    const auto [known, fresh] =
        calls_.try_emplace({call.chain, call.instruction, op}, static_cast<int32_t>(nodes.size()));
    if (fresh) {
      trace::TensorInfo& node = nodes.emplace_back();
      node.op = op;
      node.name = op + " " + std::to_string(call.instruction);
      if (call.chain > 0) node.name += " of chain " + std::to_string(call.chain);
    }
    return known->second;
  }

  void write(Execution& run, size_t number) {
    const auto graph = static_cast<int32_t>(run.method);
    RawRun& written = add_run(raw_, number, graph, {run.whole.begin, run.whole.end});
    written.info.lead = trace::TrackId(track_);
    for (const auto& [id, plan] : raw_.plans)
      if (has_program_ && plan.graph.value == graph) written.info.plan = plan.id, written.info.steps_derived = true;
    std::stable_sort(run.calls.begin(), run.calls.end(),
                     [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
    for (size_t i = 0; i < run.calls.size(); ++i) {
      const auto& [call, node] = run.calls[i];
      add_work(raw_, track_, static_cast<int32_t>(number), node, {call.begin, call.end},
               written.info.steps_derived ? -1 : static_cast<int32_t>(i));
    }
  }

  Raw& raw_;
  Tables tables_;
  Flat flat_;
  NodesOfInstructions nodes_;
  std::map<std::tuple<int64_t, int64_t, std::string>, int32_t> calls_;  // nodes by chain, instruction and operator
  std::vector<Execution> runs_;
  int32_t track_ = 0;
  size_t named_ = 0;
  bool has_program_ = false;
};

}  // namespace

Result<Raw> read_executorch_dump(ByteSpan bytes, ByteSpan program, const std::string& name) {
  Raw raw;
  raw.format = "ExecuTorch event dump";
  DumpReader reader(raw, bytes, program);
  reader.read();
  if (reader.empty()) return Error{name + ": the ExecuTorch event dump has no events."};
  return raw;
}

}  // namespace arenascope::audit
