// SPDX-License-Identifier: MIT
// Metrics that depend on a selection (an instant, a span, a range) and therefore cannot be listed in advance. Each is
// recomputed from the raw events on request.
#pragma once
#include <arenascope/audit/audit.h>

#include <unordered_map>

#include "engine/audit/residencies.h"

namespace arenascope::audit {

struct AuditContext {
  Raw raw;
  std::vector<Residency> residencies;
  Report report;
  std::unordered_map<std::string, size_t> listed;  // index in report.figures
};

// An id's reader, one after the other.
class FigureIdReader {
 public:
  explicit FigureIdReader(std::string_view id) : rest_(id) {}
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
std::optional<trace::TensorRef> read_tensor(FigureIdReader& reader);
const trace::TensorInfo* tensor_of(const Raw& raw, int32_t graph, trace::TensorRef ref);
// Bytes that several hold count once.
Bytes union_of(const std::vector<ArenaRect>& rects);
// Begin of each step of a run; after the last one, the end of the run.
std::map<int32_t, Nanoseconds> steps_of(const Raw& raw, int32_t run);
// Memory that is allocated at a time, by device and address.
std::vector<const RawMemory*> handed_out(const Raw& raw, Nanoseconds time);
struct PieceThere {
  Bytes bytes = 0;
  uint32_t id = 0;
};
// The piece of memory that begins at an address; none: there is none.
std::optional<PieceThere> piece_there(const Raw& raw, const std::string& device, uint64_t address, Nanoseconds time);

// Each reads the remaining parts of an id.
Answered query_instant(const AuditContext& context, int32_t run, Nanoseconds time,
                       FigureIdReader reader);  // "run.R.at.T.", "recording.at.T."
Answered query_step(const AuditContext& context, int32_t run, int32_t step, FigureIdReader reader);  // "run.R.step.S."
Answered query_node(const AuditContext& context, int32_t run, FigureIdReader reader);                // "run.R.node."
Answered query_counter(const AuditContext& context, FigureIdReader reader);                          // "counter.C.at.T"
Answered query_block(const AuditContext& context, FigureIdReader reader);
Answered query_space(const AuditContext& context, FigureIdReader reader);
Answered query_plan(const AuditContext& context, FigureIdReader reader);
Answered query_graph(const AuditContext& context, FigureIdReader reader);
Answered query_histogram(const AuditContext& context, int32_t graph, FigureIdReader reader);  // "graph.G.node."
Answered query_span(const AuditContext& context, FigureIdReader reader);
Answered query_spans(const AuditContext& context, FigureIdReader reader);
Answered query_time(const AuditContext& context, FigureIdReader reader);
// Sums over some nodes of a graph.
Answered query_nodes(const AuditContext& context, int32_t graph, const std::vector<int32_t>& nodes,
                     FigureIdReader reader);

}  // namespace arenascope::audit
