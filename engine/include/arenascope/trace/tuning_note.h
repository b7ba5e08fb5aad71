// SPDX-License-Identifier: MIT
// What tuning decided, as the sentence that a note in the trace says it with, and back: so a recording can be read by
// people and by tables alike.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace arenascope::trace {

struct TuningNote {
  std::string kernel;                    // with its options
  std::string sizes;                     // the work items, or the shape, that it holds for: "512x64x1"
  std::array<size_t, 3> local{1, 1, 1};  // items of a work group
  int way = -1;                          // which of several kernels; `local` then means nothing. -1: there is but one
  std::string level;                     // how hard it was looked for: "fast"; one word
  int tried = 0;                         // candidates measured; 0: chosen by rule
  double seconds = 0;                    // that the best one took
  bool remembered = false;               // by an earlier run
  bool operator==(const TuningNote&) const = default;
};

// "scale over 512x64x1: groups of 64x1x1, the fastest of 4 (0.12 ms), level normal, remembered".
std::string sentence(const TuningNote& note);
// None for any other sentence.
std::optional<TuningNote> tuning_note(std::string_view sentence);

}  // namespace arenascope::trace
