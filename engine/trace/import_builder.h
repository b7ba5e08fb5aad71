// SPDX-License-Identifier: MIT
// Collects an importer's tracks, spans and counters in any order and passes them to a sink in the required order:
// tracks, names and counters first, then the spans of each track by begin and nesting depth.
#pragma once
#include <arenascope/trace/sink.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace arenascope::trace {

class ImportBuilder {
 public:
  struct Span {
    Nanoseconds begin, end;
    NameId name;
  };

  // Index of the track with this key; creates it on first use.
  size_t track(const std::string& key);
  ThreadInfo& info(size_t track) { return tracks_[track].info; }
  NameId name(std::string_view text);
  std::string_view text(NameId name) const { return *names_[name.index()]; }
  CounterId counter(const std::string& name, const std::string& unit = "");

  void span(size_t track, Nanoseconds begin, Nanoseconds end, NameId name) {
    tracks_[track].spans.push_back({begin, end, name});
  }
  void point(size_t track, const Event& event) { points_.push_back({TrackId(track), event}); }
  void problem(std::string sentence, Severity severity = Severity::Warning) {
    problems_.push_back({std::move(sentence), severity});
  }
  // Shows names as others: from name to name.
  void rename(const std::unordered_map<std::string, std::string>& names);
  size_t size() const;

  // Passes tracks, names and counters to the sink. Call once, before any events.
  void describe(Sink& sink);
  // Passes the spans of all tracks, then all points sorted by time across tracks (one thread may free what another
  // allocated), then the problems.
  void finish(Sink& sink);

 private:
  struct Track {
    ThreadInfo info;
    std::vector<Span> spans;
  };
  std::vector<Track> tracks_;
  std::vector<TrackEvent> points_;
  std::unordered_map<std::string, size_t> track_of_;
  std::unordered_map<std::string, NameId> name_of_;
  std::vector<const std::string*> names_;
  std::unordered_map<std::string, CounterId> counter_of_;
  std::vector<CounterInfo> counters_;
  struct LeftOutPart {
    std::string sentence;
    Severity severity;
  };
  std::vector<LeftOutPart> problems_;
};

}  // namespace arenascope::trace
