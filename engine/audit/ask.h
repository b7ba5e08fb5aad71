// SPDX-License-Identifier: MIT
// Figures that nobody can list beforehand: of a moment, a span, a range that somebody chose. Each is recomputed from the
// raw events when it is asked for.
#pragma once
#include <arenascope/audit/audit.h>

#include <unordered_map>

#include "engine/audit/stays.h"

namespace arenascope::audit {

struct Book {
  Raw raw;
  std::vector<Stay> stays;
  Report report;
  std::unordered_map<std::string, size_t> listed;  // of report.figures
};

// An id's words, one after the other.
class Words {
 public:
  explicit Words(std::string_view id) : rest_(id) {}
  std::string_view next() {
    const size_t dot = rest_.find('.');
    const std::string_view word = rest_.substr(0, dot);
    rest_ = dot == rest_.npos ? std::string_view() : rest_.substr(dot + 1);
    return word;
  }
  std::optional<int64_t> number();
  std::string_view rest() const { return rest_; }  // a name may hold dots: it comes last

 private:
  std::string_view rest_;
};

struct Answer {
  double value = 0;
  Unit unit = Unit::Count;
};
using Answered = std::optional<Answer>;

inline Answer in_bytes(Bytes v) { return {static_cast<double>(v), Unit::Bytes}; }
inline Answer in_time(Nanoseconds v) { return {static_cast<double>(v), Unit::Nanoseconds}; }
inline Answer in_count(int64_t v) { return {static_cast<double>(v), Unit::Count}; }
inline Answer in_steps(int64_t v) { return {static_cast<double>(v), Unit::Step}; }

// "node.12" or "leaf.3".
std::optional<trace::TensorRef> read_tensor(Words& words);
const trace::TensorInfo* tensor_of(const Raw& raw, int32_t graph, trace::TensorRef ref);
// Bytes that several hold count once.
Bytes union_of(const std::vector<Place>& places);
// When a run's steps began, by step; behind the last one, when the run ended.
std::map<int32_t, Nanoseconds> steps_of(const Raw& raw, int32_t run);
// What is handed out at a time, by device and address.
std::vector<const RawMemory*> handed_out(const Raw& raw, Nanoseconds time);
struct PieceThere {
  Bytes bytes = 0;
  uint32_t id = 0;
};
// The piece of memory that begins at an address; none: there is none.
std::optional<PieceThere> piece_there(const Raw& raw, const std::string& device, uint64_t address, Nanoseconds time);

// Each reads what is left of an id behind its first word.
Answered ask_moment(const Book& book, int32_t run, Nanoseconds time, Words words);  // "run.R.at.T.", "recording.at.T."
Answered ask_step(const Book& book, int32_t run, int32_t step, Words words);        // "run.R.step.S."
Answered ask_node(const Book& book, int32_t run, Words words);                      // "run.R.node."
Answered ask_block(const Book& book, Words words);
Answered ask_space(const Book& book, Words words);
Answered ask_plan(const Book& book, Words words);
Answered ask_graph(const Book& book, Words words);
Answered ask_histogram(const Book& book, int32_t graph, Words words);  // "graph.G.node."
Answered ask_span(const Book& book, Words words);
Answered ask_spans(const Book& book, Words words);
Answered ask_time(const Book& book, Words words);
// What some nodes of a graph come to together.
Answered ask_nodes(const Book& book, int32_t graph, const std::vector<int32_t>& nodes, Words words);

}  // namespace arenascope::audit
