// SPDX-License-Identifier: MIT
// Maps the ids of an attached program to ids of a document that several programs write to. Each program numbers its
// graphs, runs, threads, … from 0.
#pragma once
#include <arenascope/trace/sink.h>

#include <array>
#include <map>
#include <vector>

namespace arenascope::attach {

// Kinds of remapped ids.
enum class IdKind : uint8_t { Graph, Plan, Context, Run, Track, Device, Allocator, Counter, Name };
inline constexpr size_t kIdKinds = 9;

// The next free id of each kind in one document. Shared by all its remappers.
struct IdCounters {
  std::array<int32_t, kIdKinds> next{};
  int programs = 0;
};

class IdRemapper : public trace::Sink {
 public:
  using TrackId = trace::TrackId;
  // `process`: the peer's process id as the kernel reports it; 0: trust the program's own.
  IdRemapper(trace::Sink& out, IdCounters& numbers, int64_t process)
      : out_(out), counters_(numbers), process_(process) {}

  // Sets the program's name and its rank in a job (or -1); call before any description. Devices, allocators and graphs
  // of a ranked program, and of any but the document's first program, get the program's name as a prefix.
  void call(const std::string& program, int64_t rank);

  void describe(const trace::Description& description) override;
  using Sink::events;
  void events(std::span<const trace::TrackEvent> events) override;

  // Indexed by the program's own track ids.
  int64_t taken(TrackId track) const { return count_of(taken_, track); }
  int64_t reported_lost(TrackId track) const { return count_of(lost_, track); }
  int64_t events_taken() const { return events_; }
  int64_t events_lost() const { return events_lost_; }
  int64_t ends_taken() const { return ends_; }
  int64_t refused() const { return refused_; }    // records with undefined references
  Nanoseconds latest() const { return latest_; }  // latest event or begin of a run, by the program's clock
  // Ends unfinished runs after the program has disconnected.
  void finish(Nanoseconds time);

 private:
  using Counts = std::map<int32_t, int64_t>;
  static int64_t count_of(const Counts& counts, TrackId track) {
    const auto it = counts.find(track.value);
    return it == counts.end() ? 0 : it->second;
  }
  // The document's id for a program's id; -1: none. `define`: allow a new id.
  int32_t number(IdKind what, int32_t theirs, bool define = false);
  template <class I>
  bool define(IdKind what, I& id);
  template <class I>
  bool refer(IdKind what, I& id);
  bool translate(trace::Event& event);
  bool translate_memory(trace::Event& event);
  bool translate_owner(trace::Event& event);
  std::string named(const std::string& name) const { return whose_.empty() ? name : whose_ + ": " + name; }
  void take(std::shared_ptr<const trace::GraphInfo> graph);
  void take(std::shared_ptr<const trace::PlanInfo> plan);
  void take(std::shared_ptr<const trace::ContextInfo> context);
  void take(trace::RunInfo run);
  void take(trace::RunEnd end);
  void take(trace::ThreadInfo thread);
  void take(trace::DeviceInfo device);
  void take(trace::AllocatorInfo allocator);
  void take(trace::CounterInfo counter);
  void take(trace::NameInfo name);
  void take(trace::Problem problem);
  void take(trace::Loss loss);
  void take(trace::TuningInfo tuning);
  void take(trace::ClockInfo clock);
  void take(trace::AllocatorState state);
  void take(trace::PoolInfo pool);
  void take(trace::ReplayInfo replay);
  void take(const trace::SourceInfo&) {}  // only used for files
  void take(const trace::AnnotationInfo&) {}
  void take(trace::StackInfo stack);

  trace::Sink& out_;
  IdCounters& counters_;
  const int64_t process_;
  std::string program_, whose_;
  std::array<std::vector<int32_t>, kIdKinds> ours_;  // document ids by program ids
  std::vector<bool> running_;                        // by the program's run id
  Counts taken_, lost_;
  Nanoseconds latest_ = 0;
  int64_t events_ = 0, events_lost_ = 0, ends_ = 0, refused_ = 0;
  std::vector<trace::TrackEvent> translated_;  // reused between calls
};

}  // namespace arenascope::attach
