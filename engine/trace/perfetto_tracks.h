// SPDX-License-Identifier: MIT
// The rows and counters of a Perfetto trace. A row is a track of the trace, or several of one name and parent that do
// not overlap, as Perfetto shows them.
#pragma once
#include "engine/trace/import_builder.h"
#include "engine/trace/perfetto_slices.h"

#include <arenascope/trace/wire.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace arenascope::trace {

enum class PerfettoUse : uint8_t { Begin, End, Instant };

class PerfettoTracks {
 public:
  struct Thread {
    int64_t process = 0, thread = 0;
    auto operator<=>(const Thread&) const = default;
  };
  struct RowInfo {
    std::string name;      // "": that of the thread or process
    std::string fallback;  // if there is no name at all
    Thread owner;
    bool own_track = false;  // the track of the process or thread: shown by its name
    uint64_t uuid = 0;       // of the trace's track; 0: none
  };
  struct Row {
    RowInfo info;
    size_t track = SIZE_MAX;  // in the builder; a row without events has none
    PerfettoSlices slices;
  };

  // Reads a TrackDescriptor. Returns the thread that it describes, if any.
  std::optional<Thread> describe(ByteSpan message);
  // Read the messages of these names; return what they describe.
  std::optional<Thread> thread_descriptor(ByteSpan message);
  void process_descriptor(ByteSpan message);
  void process_tree(ByteSpan message);
  void name_process(int64_t process, std::string_view name);
  void name_thread(Thread thread, std::string_view name);
  // Shows the tracks of processes with this name by another one.
  void rename(const std::string& from, std::string to) { renamed_[from] = std::move(to); }

  // The row of an event. `event_name` names tracks without a name.
  Row& row(uint64_t uuid, PerfettoUse use, std::string_view event_name);
  Row& row(Thread thread);
  // The row of an asynchronous event of the older format; events of one `id` share a row.
  Row& row(const std::string& scope, int64_t process, uint64_t id, PerfettoUse use, std::string_view event_name);

  // The value of a counter: scaled, and summed up if the trace has increments. `sums` is of the sequence.
  double counter_value(uint64_t uuid, double value, std::unordered_map<uint64_t, double>& sums) const;
  // The process and thread of a track; those that are not known are 0.
  Thread owner(uint64_t uuid) const;
  // The track of a counter of the thread that no descriptor describes.
  uint64_t thread_counter(Thread thread, const char* name, const char* unit);
  // The counter and its row.
  std::pair<CounterId, size_t> counter(uint64_t uuid, ImportBuilder& builder);

  // Adds the row to the builder on first use.
  size_t add(Row& row, ImportBuilder& builder) const;
  // Names all rows in the builder.
  void name_rows(ImportBuilder& builder) const;
  std::vector<Row>& rows() { return rows_; }

 private:
  enum class Merge : uint8_t { ByName, ByKey, None };
  struct Track {
    std::string name, merge_key, unit;
    std::string owner_name;  // of the thread or process that it describes
    uint64_t parent = 0;
    std::optional<Thread> thread;
    std::optional<int64_t> process;
    Merge merge = Merge::ByName;
    bool counter = false, incremental = false;
    int64_t multiplier = 0;
    size_t row = SIZE_MAX;                // of its own
    size_t row_set = SIZE_MAX;            // or one of these rows
    std::optional<CounterId> counter_id;  // once it has a value
  };
  // Rows of one name. A begin occupies a row for its id until the matching end.
  struct RowSet {
    struct Lane {
      uint64_t id = 0;
      int64_t open = 0;
      size_t row = 0;
    };
    RowInfo model;
    std::vector<Lane> lanes;
    std::unordered_map<uint64_t, size_t> lane_of;  // by id
    std::set<size_t> free;                         // lanes without an open slice
  };
  struct ThreadRow {
    size_t row = 0;
    bool described = false;  // by a track
  };

  static void read_counter(ByteSpan message, Track& track);
  size_t add_row(RowInfo info);
  size_t row_set(const std::string& key, const RowInfo& model);
  size_t row_in(RowSet& set, uint64_t id, PerfettoUse use);
  void assign_row(uint64_t uuid, Track& track, std::string_view event_name);
  std::string process_name(int64_t process) const;
  std::string thread_name(Thread thread) const;
  std::string_view owner_name(uint64_t uuid, bool process) const;
  std::string name_of(const RowInfo& row) const;

  std::unordered_map<uint64_t, Track> tracks_;
  std::vector<Row> rows_;
  std::map<Thread, ThreadRow> thread_rows_;
  std::vector<RowSet> row_sets_;
  std::unordered_map<std::string, size_t> row_set_of_;  // by key
  std::map<std::pair<int64_t, uint64_t>, std::string> async_names_;
  std::map<int64_t, std::string> process_names_;
  std::map<Thread, std::string> thread_names_;
  std::map<std::string, uint64_t> counter_names_;
  std::map<std::pair<Thread, std::string>, uint64_t> thread_counters_;
  std::unordered_map<std::string, std::string> renamed_;  // tracks of processes
};

}  // namespace arenascope::trace
