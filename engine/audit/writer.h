// SPDX-License-Identifier: MIT
// Puts figures into a report under their ids, and notes what contradicts itself.
#pragma once
#include <arenascope/audit/audit.h>

#include "engine/audit/raw_events.h"

namespace arenascope::audit {

class Writer {
 public:
  explicit Writer(Report& report) : report_(report) {}

  void bytes(std::string id, Bytes v) { put(std::move(id), static_cast<double>(v), Unit::Bytes); }
  void time(std::string id, Nanoseconds v) { put(std::move(id), static_cast<double>(v), Unit::Nanoseconds); }
  void count(std::string id, int64_t v) { put(std::move(id), static_cast<double>(v), Unit::Count); }
  void step(std::string id, int64_t v) { put(std::move(id), static_cast<double>(v), Unit::Step); }
  void share(std::string id, double v) { put(std::move(id), v, Unit::Share); }
  void put(std::string id, double v, Unit unit) { report_.figures.push_back({std::move(id), v, unit}); }

  void contradiction(std::string sentence) {
    if (++report_.contradictions_seen <= static_cast<int64_t>(kMaxContradictions))
      report_.contradictions.push_back(std::move(sentence));
  }
  Report& report() { return report_; }

 private:
  Report& report_;
};

// The length of the interval without the parts covered by `pauses`.
Nanoseconds without(Interval interval, const std::vector<Interval>& pauses);
// How long at least one of them lasts.
Nanoseconds length_of_union(std::vector<Interval> intervals);
// Name of a node or tensor in a message.
std::string node_name(const Raw& raw, int32_t graph, int32_t node);

// Each adds its figures. `find_*` adds contradictions only.
void audit_runs(const Raw& raw, Writer& out);
void audit_memory(const Raw& raw, Writer& out);
void audit_allocators(const Raw& raw, Writer& out);
void audit_spaces(const Raw& raw, Writer& out);
void audit_resident(const Raw& raw, Writer& out);
void audit_arenas(const Raw& raw, Writer& out);
void audit_plans(const Raw& raw, Writer& out);
void audit_nodes(const Raw& raw, Writer& out);
void audit_barriers(const Raw& raw, Writer& out);
void audit_threads(const Raw& raw, Writer& out);
void audit_graphs(const Raw& raw, Writer& out);
void audit_requests(const Raw& raw, Writer& out);
void audit_contexts(const Raw& raw, Writer& out);
void audit_copies(const Raw& raw, Writer& out);
void audit_kernels(const Raw& raw, Writer& out);
void audit_samples(const Raw& raw, Writer& out);
void find_impossible_spans(const Raw& raw, Writer& out);
void find_impossible_memory(const Raw& raw, Writer& out);

}  // namespace arenascope::audit
