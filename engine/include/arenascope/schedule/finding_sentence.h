// SPDX-License-Identifier: MIT
// A finding as a sentence: a text with placeholders and the typed values that fill them. The window translates the text,
// reports print it in English; both name tensors and format sizes in their own way.
#pragma once
#include <arenascope/schedule/findings.h>

#include <string>
#include <vector>

namespace arenascope {

struct FindingValue {
  enum class Kind : uint8_t {
    Size,     // number: bytes
    Time,     // number: nanoseconds
    Count,    // number
    Share,    // share, 0 to 1
    Planner,  // name
    Order,    // name
    Track,    // track
    Names,    // tensors or slices, and number: how many more there are
  };
  Kind kind{};
  int64_t number = 0;
  double share = 0;
  std::string name;
  trace::TrackId track;
  std::vector<trace::TensorRef> tensors;
  std::vector<trace::SpaceAllocation> slices;
  std::vector<Bytes> bytes;  // of each tensor or slice, or empty
};

struct FindingSentence {
  const char* text = "";  // %1, %2, … are the values; %n is the count, which "(s)" makes plural
  int64_t count = -1;     // -1: the text has no %n
  std::vector<FindingValue> values;
};

FindingSentence finding_sentence(const Finding& finding, const FindingsInput& about);
// "at-peak", "in-place"; for files and queries.
const char* name(Finding::Kind kind);

// Texts of the values, translated like the sentences.
extern const char* const kFindingSeparator;      // between two names
extern const char* const kFindingMore;           // after the names, with %n
extern const char* const kFindingUnnamedThread;  // %1: its number

}  // namespace arenascope
