// SPDX-License-Identifier: MIT
// Pairs the begins and ends of spans. A file may store them in any order, so they are matched by time once all are known.
#pragma once
#include "engine/trace/import_builder.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace arenascope::trace {

class SpanMatcher {
 public:
  enum class Phase : uint8_t {
    Begin,
    End,       // end of the innermost open span, of its name if it has one
    StepFrom,  // begins a step that lasts to the next step or to the end of the innermost open span
    StepTo,    // ends a step that began at the previous step or at the begin of that span
  };

  // Spans of one key nest: those of a thread, or of one asynchronous operation. `track` and `name` are those of a begin;
  // a step has a name, too, and an end may have one.
  void add(const std::string& key, Phase phase, Nanoseconds time, size_t track, NameId name = {});
  // Passes all spans to the builder, in the order of their begins. A span without an end lasts until `end`.
  void finish(Nanoseconds end, ImportBuilder& builder);

  int64_t open_spans = 0;  // without an end
  int64_t unmatched = 0;   // ends and steps without a begin

 private:
  struct Mark {
    Nanoseconds time;
    uint32_t key, track;
    NameId name;
    Phase phase;
  };
  struct Span {
    Nanoseconds begin, end;
    uint32_t track;
    NameId name;
    bool open = false;
  };
  struct AsyncStep {
    Nanoseconds time;
    NameId name;
    Phase phase;
  };
  using Stack = std::vector<size_t>;  // spans by begin; some may have been closed through another stack
  void take(const Mark& mark);
  std::optional<size_t> innermost(Stack& stack) const;
  Stack& of_name(uint32_t key, NameId name) { return named_[uint64_t{key} << 32 | static_cast<uint32_t>(name.value)]; }
  void close(size_t span, Nanoseconds end);

  std::unordered_map<std::string, uint32_t> keys_;
  std::vector<Mark> marks_;
  std::vector<Span> spans_;
  std::vector<Stack> stacks_;                                 // by key
  std::unordered_map<uint64_t, Stack> named_;                 // by key and name
  std::unordered_map<size_t, std::vector<AsyncStep>> steps_;  // of open spans
};

}  // namespace arenascope::trace
