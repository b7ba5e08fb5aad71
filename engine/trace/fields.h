// SPDX-License-Identifier: MIT
// The field number of each member of a description in a recording. Writing and reading share this list. The numbers are
// part of the format: add new ones, never reuse or renumber.
#pragma once
#include <arenascope/trace/info.h>

namespace arenascope::trace {

template <class A>
void fields(A& a, PartInfo& p) {
  a(1, p.op), a(2, p.op_number), a(3, p.name);
}
template <class A>
void fields(A& a, FileNodeInfo& n) {
  a(1, n.op), a(2, n.name);
}
template <class A>
void fields(A& a, TensorInfo& t) {
  a(1, t.name), a(2, t.op), a(3, t.layer), a(4, t.dtype), a(5, t.shape), a(6, t.strides), a(7, t.bytes), a(8, t.flops);
  a(9, t.sources), a(10, t.view_source), a(11, t.view_offset), a(12, t.backend), a(13, t.parameters), a(14, t.tasks);
  a(15, t.work_bytes), a(16, t.flags), a(17, t.op_number), a(18, t.axis), a(19, t.parts), a(20, t.gradient);
  a(21, t.accumulator), a(22, t.placement), a(23, t.uses), a(24, t.op_params), a(25, t.block), a(26, t.storage_offset);
  a(27, t.storage_bytes), a(28, t.states), a(29, t.file_nodes);
}
template <class A>
void fields(A& a, StorageBlock& b) {
  a(1, b.bytes), a(2, b.kind), a(3, b.address), a(4, b.references), a(5, b.borrowed);
}
template <class A>
void fields(A& a, GraphInfo& g) {
  a(1, g.id), a(2, g.model), a(3, g.nodes), a(4, g.leafs), a(5, g.edges), a(6, g.blocks), a(7, g.continuation_of),
      a(8, g.waits), a(9, g.of_file);
}
template <class A>
void fields(A& a, SliceInfo& s) {
  a(1, s.tensor), a(2, s.offset), a(3, s.size), a(4, s.first), a(5, s.last), a(6, s.block), a(7, s.level);
  a(8, s.in_place_of), a(9, s.part_of), a(10, s.placement), a(11, s.bound), a(12, s.bound_offset);
}
template <class A>
void fields(A& a, PlanInfo& p) {
  a(1, p.id), a(2, p.graph), a(3, p.planner), a(4, p.order_name), a(5, p.order), a(6, p.arena_bytes);
  a(7, p.lower_bound_bytes), a(8, p.capacity_bytes), a(9, p.alignment), a(10, p.seconds), a(11, p.slices);
  a(12, p.elsewhere), a(13, p.budget_seconds);
}
template <class A>
void fields(A& a, ObjectPart& p) {
  a(1, p.kind), a(2, p.offset), a(3, p.bytes), a(4, p.used);
}
template <class A>
void fields(A& a, ObjectInfo& o) {
  a(1, o.offset), a(2, o.size), a(3, o.header_offset), a(4, o.header_size), a(5, o.type), a(6, o.next), a(7, o.name);
  a(8, o.parts);
}
template <class A>
void fields(A& a, ContextInfo& c) {
  a(1, c.id), a(2, c.name), a(3, c.mem_size), a(4, c.used_mem), a(5, c.no_alloc), a(6, c.objects);
  a(7, c.scratch_bytes), a(8, c.scratch_used);
}
template <class A>
void fields(A& a, RunInfo& r) {
  a(1, r.id), a(2, r.graph), a(3, r.plan), a(4, r.begin), a(5, r.threads), a(6, r.backend), a(7, r.strategy);
  a(8, r.lead), a(9, r.steps_derived), a(10, r.stepped), a(11, r.threads_requested), a(12, r.processor),
      a(13, r.affinity);
  a(14, r.load), a(15, r.build);
}
template <class A>
void fields(A& a, RunEnd& r) {
  a(1, r.id), a(2, r.end), a(3, r.status), a(4, r.stepped);  // 5 is retired: threads
}
template <class A>
void fields(A& a, ThreadInfo& t) {
  a(1, t.id), a(2, t.name), a(3, t.kind), a(4, t.device), a(5, t.process), a(6, t.thread), a(7, t.program);
}
template <class A>
void fields(A& a, DeviceInfo& d) {
  a(1, d.id), a(2, d.name), a(3, d.backend), a(4, d.missing), a(5, d.memory_bytes), a(6, d.host);
}
template <class A>
void fields(A& a, AllocatorInfo& i) {
  a(1, i.id), a(2, i.name), a(3, i.kind), a(4, i.device);
}
template <class A>
void fields(A& a, CounterInfo& c) {
  a(1, c.id), a(2, c.name), a(3, c.unit), a(4, c.role);
}
template <class A>
void fields(A& a, NameInfo& n) {
  a(1, n.id), a(2, n.text);
}
template <class A>
void fields(A& a, Problem& p) {
  a(1, p.severity), a(2, p.sentence), a(3, p.time), a(4, p.run), a(5, p.node), a(6, p.kind);
}
template <class A>
void fields(A& a, Loss& l) {
  a(1, l.track), a(2, l.count), a(3, l.time);
}
template <class A>
void fields(A& a, TuningCandidate& c) {
  a(1, c.local[0]), a(2, c.local[1]), a(3, c.local[2]), a(4, c.way), a(5, c.seconds);
}
template <class A>
void fields(A& a, TuningInfo& t) {
  a(1, t.kernel), a(2, t.sizes), a(3, t.local[0]), a(4, t.local[1]), a(5, t.local[2]), a(6, t.way), a(7, t.level);
  a(8, t.tried), a(9, t.seconds), a(10, t.remembered), a(11, t.run), a(12, t.time), a(13, t.candidates),
      a(14, t.nearest);
}
template <class A>
void fields(A& a, ClockInfo& c) {
  a(1, c.device), a(2, c.error), a(3, c.time);
}
template <class A>
void fields(A& a, StreamState& s) {
  a(1, s.stream), a(2, s.free), a(3, s.deferred), a(4, s.pending);
}
template <class A>
void fields(A& a, AllocatorState& s) {
  a(1, s.allocator), a(2, s.cached), a(3, s.waste), a(4, s.largest_free), a(5, s.hits), a(6, s.misses);
  a(7, s.streams), a(8, s.time);
}
template <class A>
void fields(A& a, PoolBlockInfo& b) {
  a(1, b.address), a(2, b.bytes), a(3, b.requested), a(4, b.last), a(5, b.uses), a(6, b.storage), a(7, b.width);
  a(8, b.height);
}
template <class A>
void fields(A& a, PoolInfo& p) {
  a(1, p.device), a(2, p.blocks), a(3, p.run), a(4, p.time);
}
template <class A>
void fields(A& a, ReplayInfo& r) {
  a(1, r.device), a(2, r.state), a(3, r.segments), a(4, r.kernels), a(5, r.replays), a(6, r.run), a(7, r.time);
}
template <class A>
void fields(A& a, SourceInfo& s) {
  a(1, s.format), a(2, s.entries);
}
template <class A>
void fields(A& a, AnnotationInfo& annotations) {
  a(1, annotations.json);
}
template <class A>
void fields(A& a, StackFrame& f) {
  a(1, f.function), a(2, f.file), a(3, f.line);
}
template <class A>
void fields(A& a, StackInfo& s) {
  a(1, s.frames), a(2, s.allocations);
}

}  // namespace arenascope::trace
