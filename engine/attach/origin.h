// SPDX-License-Identifier: MIT
// What one attached program describes and records, on its way into a document that others write to as well: each program
// numbers its graphs, runs, threads, … from 0; here they get numbers of the document's own.
#pragma once
#include <arenascope/trace/sink.h>

#include <array>
#include <map>
#include <vector>

namespace arenascope::attach {

// What is numbered.
enum class Numbered : uint8_t { Graph, Plan, Context, Run, Track, Device, Allocator, Counter, Name };
inline constexpr size_t kNumbered = 9;

// The next free number of each, of one document. All its origins share one.
struct Numbers {
  std::array<int32_t, kNumbered> next{};
  int programs = 0;
};

class Origin : public trace::Sink {
 public:
  using TrackId = trace::TrackId;
  // `process`: whose it is, by the system's word and not by its own; 0: as it says.
  Origin(trace::Sink& out, Numbers& numbers, int64_t process) : out_(out), numbers_(numbers), process_(process) {}

  // What the program is called, and its rank in a job, or -1; before anything is described. Devices, allocators and graphs
  // of a ranked program, and of one that is not the document's first, say in their names whose they are.
  void call(const std::string& program, int64_t rank);

  void describe(const trace::Description& description) override;
  void events(TrackId track, std::span<const trace::Event> events) override;

  // By the program's own numbers of its tracks.
  int64_t taken(TrackId track) const { return count_of(taken_, track); }
  int64_t told_lost(TrackId track) const { return count_of(lost_, track); }
  int64_t events_taken() const { return events_; }
  int64_t events_lost() const { return events_lost_; }
  int64_t ends_taken() const { return ends_; }
  int64_t refused() const { return refused_; }    // what referred to something that was never described
  Nanoseconds latest() const { return latest_; }  // time of an event or a run's begin, by the program's clock
  // Ends what still ran: the program is gone.
  void finish(Nanoseconds time);

 private:
  using Counts = std::map<int32_t, int64_t>;
  static int64_t count_of(const Counts& counts, TrackId track) {
    const auto it = counts.find(track.value);
    return it == counts.end() ? 0 : it->second;
  }
  // Ours of a number of the program's; -1: none. `define`: it may be the next one.
  int32_t number(Numbered what, int32_t theirs, bool define = false);
  template <class I>
  bool define(Numbered what, I& id);
  template <class I>
  bool refer(Numbered what, I& id);
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
  void take(const trace::SourceInfo&) {}  // of files alone
  void take(trace::StackInfo stack);

  trace::Sink& out_;
  Numbers& numbers_;
  const int64_t process_;
  std::string program_, whose_;
  std::array<std::vector<int32_t>, kNumbered> ours_;  // by theirs
  std::vector<bool> running_;                         // by their number of the run
  Counts taken_, lost_;
  Nanoseconds latest_ = 0;
  int64_t events_ = 0, events_lost_ = 0, ends_ = 0, refused_ = 0;
  std::vector<trace::Event> translated_;  // reused
};

}  // namespace arenascope::attach
