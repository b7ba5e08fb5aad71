// SPDX-License-Identifier: MIT
// IREE's profile as its tool exports it: one JSON record per line. Command buffers are graphs, their executions are runs,
// pools and buffers are spaces. The profile has no addresses, so positions within a pool are not audited.
#include <arenascope/trace/json_records.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/audit/imported_trace.h"

namespace arenascope::audit {

namespace {

using trace::JsonRecord;
using trace::JsonScalar;

constexpr int64_t kNoCommand = UINT32_MAX;
constexpr Bytes kMaxBytes = Bytes{1} << 44;
constexpr Nanoseconds kMaxTime = Nanoseconds{1} << 61;

std::string iree_text(const JsonRecord& r, const char* key) {
  return r[key].type == JsonScalar::Type::Text ? r[key].text : std::string();
}
// -1: absent or negative.
int64_t iree_number(const JsonRecord& r, const char* key) {
  return r[key].type == JsonScalar::Type::Integer ? std::max<int64_t>(r[key].integer, -1) : -1;
}
bool iree_flag(const JsonRecord& r, const char* key) {
  return r[key].type == JsonScalar::Type::Boolean && r[key].integer != 0;
}

// Bytes of pools and buffers, by the order of the records' times.
class IreeMemory {
 public:
  IreeMemory(Raw& raw, Tables& tables) : raw_(raw), tables_(tables) {}

  void take(const JsonRecord& r) {
    const Change c{iree_number(r, "host_time_ns"),
                   iree_text(r, "event_type"),
                   iree_number(r, "length"),
                   iree_flag(r, "pool_stats_available") ? iree_number(r, "pool_bytes_committed") : -1,
                   std::max<int64_t>(iree_number(r, "allocation_id"), 0),
                   std::max<int64_t>(iree_number(r, "backing_id"), 0),
                   std::max<int64_t>(iree_number(r, "pool_id"), 0),
                   std::max<int64_t>(iree_number(r, "physical_device_ordinal"), 0) % 4096,
                   iree_flag(r, "externally_owned")};
    const int64_t offset = iree_number(r, "offset");
    const bool valid = c.time >= 0 && c.time < kMaxTime && c.bytes >= 0 && offset >= 0 && !c.type.empty();
    if (valid && c.bytes <= kMaxBytes && offset <= kMaxBytes && c.committed <= kMaxBytes) changes_.push_back(c);
  }

  bool empty() const { return changes_.empty(); }
  void write() {
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.time < b.time; });
    for (const Change& c : changes_) c.type.starts_with("buffer_") ? buffer(c) : pool(c);
  }

 private:
  struct Change {
    Nanoseconds time = 0;
    std::string type;
    Bytes bytes = 0, committed = -1;  // committed: -1 if not recorded
    int64_t allocation = 0, backing = 0, pool = 0, device = 0;
    bool foreign = false;
  };
  struct Held {
    int32_t space = 0;
    Bytes bytes = 0;
    bool by_queue = false;
  };
  using Key = std::tuple<std::string, int64_t, int64_t>;  // kind, pool and allocation

  int32_t space(const std::string& name, const Change& c) {
    const std::string device = fmt::format("IREE device {}", c.device);
    return tables_.space(fmt::format("{} on device {}", name, c.device), "Default", device);
  }
  void put(const Change& c, int32_t space, MemoryAction action, Bytes bytes) {
    raw_.memory.push_back({c.time, action, space, 0, bytes});
    raw_.cover(c.time, c.time);
  }
  void allocate(const Change& c, int32_t space, Key key, bool by_queue) {
    if (c.bytes == 0 || !held_.try_emplace(std::move(key), Held{space, c.bytes, by_queue}).second) return;
    put(c, space, MemoryAction::Alloc, c.bytes);
  }
  void free(const Change& c, const Key& key, bool by_queue) {
    const auto known = held_.find(key);
    if (known == held_.end() || known->second.by_queue != by_queue) return;
    put(c, known->second.space, MemoryAction::Free, known->second.bytes);
    held_.erase(known);
  }

  void buffer(const Change& c) {
    const Key key{c.foreign ? "imported" : "own", 0, c.allocation != 0 ? c.allocation : c.backing};
    if (c.type == "buffer_allocate" || c.type == "buffer_import")
      allocate(c, space(c.foreign ? "IREE, imported buffers" : "IREE, buffers", c), key, false);
    if (c.type == "buffer_free" || c.type == "buffer_unimport") free(c, key, false);
  }

  void pool(const Change& c) {
    const bool by_queue = c.type == "queue_alloca" || c.type == "queue_dealloca";
    const bool allocates = c.type == "pool_reserve" || c.type == "queue_alloca";
    if (!allocates && c.type != "pool_release" && c.type != "queue_dealloca") return;
    const size_t number = pools_.try_emplace(c.pool, pools_.size() + 1).first->second;
    const int32_t own = space(fmt::format("IREE, pool {}", number), c);
    if (c.committed >= 0) commit(c, own);
    const Key key{"pool", c.pool, c.allocation};
    if (!allocates) return free(c, key, by_queue);
    if (!by_queue || !held_.contains(key)) allocate(c, own, key, by_queue);
  }

  // A pool reserves memory slab by slab, and releases whole slabs, the newest first.
  void commit(const Change& c, int32_t space) {
    constexpr size_t kMaxSlabs = 64;
    std::vector<Bytes>& slabs = slabs_[space];
    Bytes sum = 0;
    for (const Bytes bytes : slabs) sum += bytes;
    if (c.committed > sum) {
      if (slabs.size() < kMaxSlabs) slabs.push_back(0);
      slabs.back() += c.committed - sum;
      put(c, space, MemoryAction::Reserve, c.committed - sum);
    }
    for (; !slabs.empty() && sum - slabs.back() >= c.committed; slabs.pop_back()) {
      put(c, space, MemoryAction::Release, slabs.back());
      sum -= slabs.back();
    }
  }

  Raw& raw_;
  Tables& tables_;
  std::vector<Change> changes_;
  std::map<Key, Held> held_;
  std::map<int64_t, size_t> pools_;              // numbers, by id
  std::map<int32_t, std::vector<Bytes>> slabs_;  // by space
};

class IreeReader {
 public:
  explicit IreeReader(Raw& raw) : raw_(raw), tables_(raw), memory_(raw, tables_) {}

  void take(const JsonRecord& r) {
    const std::string type = iree_text(r, "record_type");
    if (type == "command_operation") operation(r);
    if (type == "host_execution_event") execution(r);
    if (type == "memory_event") memory_.take(r);
  }
  bool empty() const { return spans_.empty() && memory_.empty(); }

  void finish() {
    number_nodes();
    find_runs();
    write_spans();
    if (!memory_.empty()) tables_.track("IREE's memory", "IREE's memory");
    memory_.write();
    set_depths(raw_);
  }

 private:
  struct Span {
    Nanoseconds begin = 0, end = 0;
    int64_t device = 0, queue = 0, submission = 0, buffer = 0, command = kNoCommand;
    std::string name;
    bool execution = false;  // true for a whole command buffer
    int32_t run = -1;
  };
  struct CommandBuffer {
    std::map<int64_t, std::pair<std::string, std::string>> operations;  // op and key, by index
    std::map<int64_t, int32_t> nodes;                                   // by index
    int32_t graph = 0;
  };

  void operation(const JsonRecord& r) {
    const int64_t buffer = iree_number(r, "command_buffer_id"), index = iree_number(r, "command_index");
    const std::string op = iree_text(r, "op");
    if (buffer < 0 || index < 0 || index >= kNoCommand || op.empty() || op == "barrier") return;
    const auto [known, fresh] = buffers_.try_emplace(buffer);
    if (fresh) known->second.graph = static_cast<int32_t>(buffers_.size() - 1);
    known->second.operations[index] = {op, iree_text(r, "key")};
  }
  void execution(const JsonRecord& r) {
    Span s{iree_number(r, "start_host_time_ns"), iree_number(r, "end_host_time_ns")};
    const std::string op = iree_text(r, "op");
    if (s.begin < 0 || s.end < s.begin || s.end >= kMaxTime || op.empty() || !iree_flag(r, "valid")) return;
    s.device = std::max<int64_t>(iree_number(r, "physical_device_ordinal"), 0) % 4096;
    s.queue = std::max<int64_t>(iree_number(r, "queue_ordinal"), 0) % 4096;
    s.submission = std::max<int64_t>(iree_number(r, "submission_id"), 0);
    s.buffer = std::max<int64_t>(iree_number(r, "command_buffer_id"), 0);
    const int64_t command = iree_number(r, "command_index");
    s.command = command < 0 || command >= kNoCommand ? kNoCommand : command;
    s.name = iree_text(r, "key").empty() ? op : iree_text(r, "key");
    s.execution = op == "execute";
    spans_.push_back(std::move(s));
  }

  // The operations of a command buffer in the order of their indices; equal names are numbered.
  void number_nodes() {
    for (auto& [id, buffer] : buffers_) {
      trace::GraphInfo& graph = raw_.graphs[buffer.graph];
      graph.id = trace::GraphId(buffer.graph);
      graph.model = fmt::format("IREE command buffer {}", id);
      std::map<std::string, int> names;
      for (const auto& [index, operation] : buffer.operations) {
        buffer.nodes[index] = static_cast<int32_t>(graph.nodes.size());
        trace::TensorInfo& node = graph.nodes.emplace_back();
        node.op = operation.first;
        node.name = operation.second.empty() ? node.op : operation.second;
        if (const int number = ++names[node.name]; number > 1) node.name += fmt::format(" {}", number);
      }
    }
  }

  // The first of overlapping executions of one command buffer in one submission is a run; the others are spans.
  void find_runs() {
    std::map<std::pair<int64_t, int64_t>, std::map<Nanoseconds, const Span*>> runs;  // by begin
    for (Span& s : spans_) {
      const auto buffer = buffers_.find(s.buffer);
      if (!s.execution || buffer == buffers_.end()) continue;
      auto& own = runs[{s.submission, s.buffer}];
      const auto after = own.lower_bound(s.begin);
      const bool overlaps_next = after != own.end() && (after->first < s.end || after->first == s.begin);
      const bool overlaps_previous = after != own.begin() && std::prev(after)->second->end > s.begin;
      if (overlaps_next || overlaps_previous) continue;
      s.run = static_cast<int32_t>(raw_.runs.size());
      add_run(raw_, raw_.runs.size(), buffer->second.graph, {s.begin, s.end});
      own[s.begin] = &s;
    }
    for (Span& s : spans_) {
      const auto own = runs.find({s.submission, s.buffer});
      if (s.execution || own == runs.end() || !buffers_.at(s.buffer).nodes.contains(s.command)) continue;
      const Span* run = own->second.begin()->second;  // the last that began before it, or else the first
      for (const auto& [begin, one] : own->second)
        if (begin <= s.begin) run = one;
      s.run = run->run;
    }
  }

  // Spans of one queue that overlap are on several tracks, at most 16.
  void write_spans() {
    std::vector<const Span*> sorted, executions;
    for (const Span& s : spans_) (s.execution && s.run >= 0 ? executions : sorted).push_back(&s);
    std::stable_sort(sorted.begin(), sorted.end(), [](const Span* a, const Span* b) { return a->begin < b->begin; });
    std::map<std::pair<int64_t, int64_t>, std::vector<Nanoseconds>> busy_until;  // by device and queue, of each track
    std::map<int32_t, int32_t> steps;                                            // by run
    for (const Span* s : sorted) {
      constexpr size_t kMaxTracks = 16;
      std::vector<Nanoseconds>& until = busy_until[{s->device, s->queue}];
      size_t lane = 0;
      while (lane + 1 < kMaxTracks && lane < until.size() && until[lane] > s->begin) ++lane;
      if (lane >= until.size()) until.resize(lane + 1);
      until[lane] = s->end;
      const int32_t row = track(*s, lane);
      if (s->run < 0) {
        tables_.span(row, s->name, s->begin, s->end, -1);
        continue;
      }
      const int32_t node = buffers_.at(s->buffer).nodes.at(s->command);
      add_work(raw_, row, s->run, node, {s->begin, s->end}, steps[s->run]++);
      RawRun& run = raw_.runs.at(s->run);
      run.end.end = std::max(run.end.end, s->end);
    }
    for (const Span* s : executions) raw_.runs.at(s->run).info.lead = trace::TrackId(track(*s, 0));
  }
  int32_t track(const Span& s, size_t lane) {
    std::string name = fmt::format("IREE device {}, queue {}", s.device, s.queue);
    if (lane > 0) name += fmt::format(", lane {}", lane);
    const int32_t row = tables_.track(name, name);
    raw_.tracks[row].kind = trace::TrackKind::Worker;
    return row;
  }

  Raw& raw_;
  Tables tables_;
  IreeMemory memory_;
  std::map<int64_t, CommandBuffer> buffers_;
  std::vector<Span> spans_;
};

}  // namespace

Result<Raw> read_iree(ByteSpan bytes, const std::string& name) {
  Raw raw;
  raw.format = "IREE profile";
  IreeReader reader(raw);
  int64_t invalid = 0;
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) continue;
    ++raw.entries;
    JsonRecord record;
    if (trace::read_json_record(line, record))
      reader.take(record);
    else
      ++invalid;
  }
  if (reader.empty()) return Error{name + ": the IREE profile contains neither executions nor memory events."};
  reader.finish();
  if (invalid > 0) raw.problem = fmt::format("{}: {} lines are not JSON objects and were skipped. ", name, invalid);
  if (!raw.memory.empty()) raw.problem += name + ": the profile has no addresses; positions in pools are not audited.";
  return raw;
}

}  // namespace arenascope::audit
