// SPDX-License-Identifier: MIT
#include "engine/trace/import_iree.h"

#include <algorithm>
#include <map>
#include <new>

#include <arenascope/trace/event_sorter.h>
#include <arenascope/trace/json_records.h>
#include "engine/trace/import_builder.h"
#include "engine/trace/iree_pools.h"
#include "engine/trace/saturate.h"

namespace arenascope::trace {

namespace {

using IreeRecord = JsonRecord;

constexpr std::string_view kIreeFormat = "\"ireeperf-jsonl\"", kIreeBundle = "IRPF";
constexpr uint32_t kNoIreeCommand = UINT32_MAX;
constexpr size_t kMaxIreeGraphs = 1 << 16, kMaxAdditionalThreads = 15, kMaxIreeRuns = (size_t{1} << 24) - 2;

// A non-negative integer field of a record that fits in int64_t, if present.
std::optional<int64_t> whole_number(const IreeRecord& record, const char* key) {
  const JsonScalar& value = record[key];
  return value.type == JsonScalar::Type::Integer && value.integer >= 0 ? std::optional(value.integer) : std::nullopt;
}
std::string text_of(const IreeRecord& record, const char* key) {
  const JsonScalar& value = record[key];
  return value.type == JsonScalar::Type::Text ? value.text : std::string();
}
bool is_true(const IreeRecord& record, const char* key) {
  return record[key].type == JsonScalar::Type::Boolean && record[key].integer != 0;
}

class IreeRecords {
 public:
  int64_t records = 0, malformed = 0, device_timed = 0;  // `records`: non-empty lines
  std::string failure;                                   // failure of the profiled session

  void take(const IreeRecord& record) {
    const std::string type = text_of(record, "record_type");
    if (type == "command_operation") return operation(record);
    if (type == "host_execution_event") return execution(record);
    if (type == "memory_event") return memory(record);
    if (type == "dispatch_event" || type == "queue_device_event") ++device_timed;
    if (type == "session" && text_of(record, "event") == "end" && text_of(record, "session_status") != "OK")
      failure = text_of(record, "session_status");
    if (type.empty()) ++malformed;
  }
  bool empty() const { return stretches_.empty() && pools_.empty(); }

  void tell(const std::string& name, Sink& sink) {
    find_runs();
    put_on_tracks();
    if (!pools_.empty()) pools_.place(builder_, builder_.track("IREE's memory"));
    malformed += pools_.left_out();
    if (const int64_t unknown = pools_.pools_without_slabs(); unknown > 0)
      builder_.problem(name + ": " + std::to_string(unknown) + " of " + std::to_string(pools_.pools()) +
                       " memory pools recorded no statistics; their reserved memory is unknown.");
    if (malformed > 0) builder_.problem(name + ": " + std::to_string(malformed) + " invalid records were skipped.");
    if (device_timed > 0)
      builder_.problem(name + ": " + std::to_string(device_timed) +
                       " records with times of a device's own clock were skipped.");
    if (!failure.empty()) builder_.problem(name + ": the profiled session ended with " + failure + ".");
    builder_.describe(sink);
    for (const int64_t device : pools_.devices()) describe_device(device, sink);
    pools_.describe(sink);
    for (size_t g = 0; g < graphs_.size(); ++g) describe_graph(g, sink);
    tell_runs(sink);
    builder_.finish(sink);
  }

 private:
  struct Operation {
    std::string op, key;
  };
  // A named interval of IREE: one command, or one whole submission.
  struct Stretch {
    Nanoseconds begin = 0, end = 0;
    int64_t queue = 0, submission = 0, buffer = 0;
    uint32_t command = kNoIreeCommand;
    std::string what;
    bool is_execution = false;  // true for a whole command buffer
    size_t track = 0;
    int32_t run = -1, node = -1;
  };
  struct Graph {
    int64_t buffer = 0;
    std::map<uint32_t, Operation> operations;  // by index
    std::map<uint32_t, int32_t> node_of;
  };

  void operation(const IreeRecord& record) {
    const auto buffer = whole_number(record, "command_buffer_id"), index = whole_number(record, "command_index");
    const std::string op = text_of(record, "op");
    if (!buffer || !index || *index >= kNoIreeCommand || op.empty()) return void(++malformed);
    if (op == "barrier") return;  // only orders other commands
    const auto [at, is_new] = graph_of_.try_emplace(*buffer, graphs_.size());
    if (is_new && graphs_.size() == kMaxIreeGraphs) return void(graph_of_.erase(at));
    if (is_new) graphs_.push_back({*buffer, {}, {}});
    graphs_[at->second].operations.insert_or_assign(static_cast<uint32_t>(*index),
                                                    Operation{op, text_of(record, "key")});
  }

  void execution(const IreeRecord& record) {
    const auto begin = whole_number(record, "start_host_time_ns"), end = whole_number(record, "end_host_time_ns");
    const auto device = whole_number(record, "physical_device_ordinal"), queue = whole_number(record, "queue_ordinal");
    Stretch s;
    s.what = text_of(record, "key");
    const std::string op = text_of(record, "op");
    if (!begin || !end || !is_sensible_time(*end) || *begin > *end || op.empty()) return void(++malformed);
    if (!is_true(record, "valid")) return;
    s.begin = *begin;
    s.end = *end;
    s.queue = device.value_or(0) % 4096 << 12 | queue.value_or(0) % 4096;
    s.submission = whole_number(record, "submission_id").value_or(0);
    s.buffer = whole_number(record, "command_buffer_id").value_or(0);
    const int64_t command = whole_number(record, "command_index").value_or(kNoIreeCommand);
    s.command = command < kNoIreeCommand ? static_cast<uint32_t>(command) : kNoIreeCommand;
    s.is_execution = op == "execute";
    if (s.what.empty()) s.what = op;
    stretches_.push_back(std::move(s));
  }

  void memory(const IreeRecord& record) {
    IreePools::Change c;
    const auto time = whole_number(record, "host_time_ns"), bytes = whole_number(record, "length"),
               offset = whole_number(record, "offset");
    if (!time || !is_sensible_time(*time) || !bytes || !offset) return void(++malformed);
    c.time = *time;
    c.type = text_of(record, "event_type");
    c.bytes = *bytes;
    c.offset = *offset;
    c.allocation = whole_number(record, "allocation_id").value_or(0);
    c.pool = whole_number(record, "pool_id").value_or(0);
    c.backing = whole_number(record, "backing_id").value_or(0);
    c.device = whole_number(record, "physical_device_ordinal").value_or(0) % 4096;
    c.is_foreign = is_true(record, "externally_owned");
    if (is_true(record, "pool_stats_available")) c.committed = whole_number(record, "pool_bytes_committed");
    if (!pools_.add(std::move(c))) ++malformed;
  }

  // Executions of command buffers become runs, and the commands in them become work of nodes. A submission may execute a
  // command buffer several times, in sequence; of executions that overlap the first one counts.
  void find_runs() {
    using Runs = std::map<Nanoseconds, size_t>;           // by begin
    std::map<std::pair<int64_t, int64_t>, Runs> runs_of;  // by submission and command buffer
    for (size_t i = 0; i < stretches_.size(); ++i) {
      Stretch& s = stretches_[i];
      if (!s.is_execution || !graph_of_.contains(s.buffer) || runs_.size() == kMaxIreeRuns) continue;
      Runs& own = runs_of[{s.submission, s.buffer}];
      const auto next = own.lower_bound(s.begin);
      if (next != own.end() && (next->first < s.end || next->first == s.begin)) continue;
      if (next != own.begin() && stretches_[runs_[std::prev(next)->second]].end > s.begin) continue;
      s.run = static_cast<int32_t>(runs_.size());
      own[s.begin] = runs_.size();
      runs_.push_back(i);
    }
    for (Stretch& s : stretches_) {
      const auto own = runs_of.find({s.submission, s.buffer});
      if (s.is_execution || own == runs_of.end()) continue;
      if (!graphs_[graph_of_.at(s.buffer)].operations.contains(s.command)) continue;
      const auto later = own->second.upper_bound(s.begin);
      s.run = static_cast<int32_t>((later == own->second.begin() ? later : std::prev(later))->second);
    }
  }
  // Concurrent work of one queue is spread over several tracks. A run has no span of its own.
  void put_on_tracks() {
    for (size_t i = 0; i < stretches_.size(); ++i)
      if (stretches_[i].run < 0 || !stretches_[i].is_execution) drawn_.push_back(i);
    std::stable_sort(drawn_.begin(), drawn_.end(),
                     [&](size_t a, size_t b) { return stretches_[a].begin < stretches_[b].begin; });
    std::map<int64_t, std::vector<Nanoseconds>> ends;  // end of the last span on each track, by queue
    for (const size_t i : drawn_) {
      Stretch& s = stretches_[i];
      auto& tracks = ends[s.queue];
      size_t t = 0;
      while (t < tracks.size() && tracks[t] > s.begin) ++t;
      t = std::min(t, kMaxAdditionalThreads);
      if (t == tracks.size()) tracks.push_back(0);
      tracks[t] = s.end;
      s.track = track(s.queue, t);
      if (s.run < 0) builder_.span(s.track, s.begin, s.end, builder_.name(s.what));
    }
    for (const size_t i : runs_) stretches_[i].track = track(stretches_[i].queue, 0);
  }

  size_t track(int64_t queue, size_t number) {
    std::string name = "IREE device " + std::to_string(queue >> 12) + ", queue " + std::to_string(queue & 4095);
    if (number > 0) name += ", lane " + std::to_string(number);
    const size_t t = builder_.track(name);
    builder_.info(t).kind = TrackKind::Worker;
    return t;
  }

  static void describe_device(int64_t device, Sink& sink) {
    DeviceInfo info;
    info.id = DeviceId(static_cast<size_t>(device));
    info.name = "IREE device " + std::to_string(device);
    info.backend = "iree";
    sink.describe(info);
  }
  void describe_graph(size_t number, Sink& sink) {
    Graph& own = graphs_[number];
    auto graph = std::make_shared<GraphInfo>();
    graph->id = GraphId(number);
    graph->model = "IREE command buffer " + std::to_string(own.buffer);
    std::map<std::string, int> met;
    for (const auto& [index, operation] : own.operations) {
      own.node_of[index] = static_cast<int32_t>(graph->nodes.size());
      TensorInfo& node = graph->nodes.emplace_back();
      node.name = operation.key.empty() ? operation.op : operation.key;
      if (const int before = met[node.name]++; before > 0) node.name.append(" ").append(std::to_string(before + 1));
      node.op = operation.op;
      node.backend = "iree";
    }
    sink.describe(std::shared_ptr<const GraphInfo>(std::move(graph)));
  }

  void tell_runs(Sink& sink) {
    for (size_t r = 0; r < runs_.size(); ++r) {
      const Stretch& s = stretches_[runs_[r]];
      RunInfo run;
      run.id = RunId(r);
      run.graph = GraphId(graph_of_.at(s.buffer));
      run.begin = s.begin;
      run.threads = 1;
      run.backend = "iree";
      run.lead = TrackId(s.track);
      sink.describe(run);
    }
    std::vector<int32_t> steps(runs_.size());
    std::map<size_t, std::vector<Event>> events;  // by track
    std::vector<Nanoseconds> ends;
    for (const size_t i : runs_) ends.push_back(stretches_[i].end);
    for (const size_t i : drawn_) {
      const Stretch& s = stretches_[i];
      if (s.run < 0) continue;
      const auto r = static_cast<size_t>(s.run);
      const Graph& graph = graphs_[graph_of_.at(s.buffer)];
      const NodeId node(graph.node_of.at(s.command));
      events[s.track].push_back(step(RunId(r), s.begin, Step(steps[r]++), node));
      events[s.track].push_back(work(RunId(r), node, s.begin, s.end));
      ends[r] = std::max(ends[r], s.end);
    }
    EventSorter sorter;
    for (const auto& [t, list] : events) sorter.add(TrackId(t), list);
    for (size_t r = 0; r < runs_.size(); ++r) sorter.add(RunEnd{RunId(r), ends[r], RunStatus::Done});
    sorter.drain_all(sink);
  }

  ImportBuilder builder_;
  IreePools pools_;
  std::vector<Graph> graphs_;
  std::map<int64_t, size_t> graph_of_;  // by command buffer
  std::vector<Stretch> stretches_;
  std::vector<size_t> runs_, drawn_;
};

bool first_line_has(ByteSpan bytes, std::string_view what) {
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  std::string_view line(begin, std::min<size_t>(bytes.size(), 4096));
  line = line.substr(0, line.find('\n'));
  return line.find(what) != std::string_view::npos;
}

}  // namespace

bool is_iree_export(ByteSpan bytes) { return !bytes.empty() && bytes[0] == '{' && first_line_has(bytes, kIreeFormat); }
bool is_iree_bundle(ByteSpan bytes) {
  return bytes.size() >= kIreeBundle.size() && std::equal(kIreeBundle.begin(), kIreeBundle.end(), bytes.begin());
}

Result<OpenReport> import_iree_export(ByteSpan bytes, const std::string& name, Sink& sink) {
  try {
    IreeRecords profile;
    const auto* at = reinterpret_cast<const char*>(bytes.data());
    const char* const end = at + bytes.size();
    while (at < end) {
      const char* line_end = std::find(at, end, '\n');
      profile.records += at != line_end ? 1 : 0;
      const std::string_view line(at, static_cast<size_t>(line_end - at));
      if (IreeRecord record; !line.empty() && read_json_record(line, record))
        profile.take(record);
      else if (!line.empty())
        ++profile.malformed;
      at = line_end == end ? end : line_end + 1;
    }
    if (profile.empty()) return Error{name + ": the IREE profile contains neither executions nor memory events."};
    OpenReport report{TraceKind::IreeProfile, "IREE profile", ""};
    sink.describe(SourceInfo{report.format, profile.records});
    profile.tell(name, sink);
    if (profile.malformed > 0)
      report.problem = name + ": " + std::to_string(profile.malformed) + " invalid records were skipped.";
    return report;
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file."};
  }
}

}  // namespace arenascope::trace
