// SPDX-License-Identifier: MIT
// Gathers what an importer finds, in any order, and hands it to a sink in the order a sink wants: tracks, names and
// counters first, then each track's spans by begin and as deep as they nest.
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

  // The track with this key; made on first use.
  size_t track(const std::string& key);
  ThreadInfo& info(size_t track) { return tracks_[track].info; }
  NameId name(std::string_view text);
  CounterId counter(const std::string& name, const std::string& unit = "");

  void span(size_t track, Nanoseconds begin, Nanoseconds end, NameId name) {
    tracks_[track].spans.push_back({begin, end, name});
  }
  void point(size_t track, const Event& event) { points_.push_back({track, event}); }
  void problem(std::string sentence) { problems_.push_back(std::move(sentence)); }
  size_t size() const;

  // Tracks, names and counters; call once, before events of one's own.
  void describe(Sink& sink);
  // Spans of all tracks, then points in the order of their time whatever their tracks (what one thread took another
  // may give back), then the problems.
  void finish(Sink& sink);

 private:
  struct Track {
    ThreadInfo info;
    std::vector<Span> spans;
  };
  struct Point {
    size_t track;
    Event event;
  };
  std::vector<Track> tracks_;
  std::vector<Point> points_;
  std::unordered_map<std::string, size_t> track_of_;
  std::unordered_map<std::string, NameId> name_of_;
  std::vector<const std::string*> names_;
  std::unordered_map<std::string, CounterId> counter_of_;
  std::vector<CounterInfo> counters_;
  std::vector<std::string> problems_;
};

}  // namespace arenascope::trace
