// SPDX-License-Identifier: GPL-3.0-or-later
// The content of a document. The panels, the layout and the toolbar items that are shown follow from it, and not from
// the name of a file.
#pragma once
#include <arenascope/trace/snapshot.h>

namespace arenascope::app {

// Properties of a document that its snapshot does not contain.
struct DocumentRole {
  bool runnable = false;    // a model that this program can run
  bool attached = false;    // another program that is being recorded
  bool compared = false;    // a second document is compared with it
  bool replayable = false;  // its allocator requests can be replayed with other settings
  bool lesson = false;      // opened by a lesson, which decides what is shown
  bool operator==(const DocumentRole&) const = default;
};

struct DocumentContent {
  DocumentRole role;
  bool open = false;       // false: an empty document
  bool graph = false;      // ops and their dependencies; the entries of a list of buffers are not a graph
  bool plannable = false;  // tensors with lifetimes that can be planned again
  bool plan = false;       // offsets in an arena
  bool steps = false;      // nodes in an order, to step through
  bool memory = false;     // allocated bytes
  bool history = false;    // memory events at several times
  bool addresses = false;  // allocations at known addresses
  bool segments = false;   // memory that an allocator reserved at known addresses
  bool spans = false;
  bool mostly_memory = false;  // far more memory events than spans
  bool stacks = false;
  bool frames = false;  // call stacks, spans or weights of nodes, for a flame graph
  bool barriers = false;
  bool operations = false;  // the numbers of operations of nodes
  bool counters = false;
  bool objects = false;
  bool pools = false;
  bool tunings = false;
  bool problems = false;
  bool operator==(const DocumentContent&) const = default;
};

// `graph` and `plan`: the shown ones; null: none. Costs in the order of the tracks and nodes, not of the events.
DocumentContent content_of(const trace::Snapshot& snapshot, const trace::GraphInfo* graph, const trace::PlanInfo* plan,
                           const DocumentRole& role);

}  // namespace arenascope::app
