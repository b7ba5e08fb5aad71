// SPDX-License-Identifier: MIT
// Prints a snapshot completely as plain text, for comparing recordings in tests.
#include "engine/trace/text_print.h"

namespace arenascope::trace {

namespace {

class SnapshotText {
 public:
  SnapshotText(const Snapshot& snapshot, TextOut& out) : s_(snapshot), out_(out) {}

  void write() const {
    line("{} events, {} lost, {} to {} ns", s_.event_count, s_.lost, s_.time.begin, s_.time.end);
    devices();
    for (const auto& g : s_.graphs) graph(*g);
    for (const auto& p : s_.plans) plan(*p);
    for (const auto& c : s_.contexts) context(*c);
    runs();
    for (const TrackView& t : s_.tracks) track(t);
    barriers();
    statistics();
    memory();
    slices();
    notes();
  }

 private:
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... args) const {
    print(out_, format, std::forward<T>(args)...);
    out_.put("\n");
  }

  void devices() const {
    for (const DeviceInfo& d : s_.devices)
      line("device {}: {} {} {} {}", d.id.value, d.backend, d.name, d.memory_bytes, d.missing);
    for (const AllocatorInfo& a : s_.allocators) line("allocator {}: {} {}", a.id, a.name, static_cast<int>(a.kind));
    for (const CounterInfo& c : s_.counters) line("counter {}: {} {}", c.id.value, c.name, c.unit);
  }

  void graph(const GraphInfo& g) const {
    line("graph {}: {}, {} nodes, {} leafs, {} edges", g.id.value, g.model, g.nodes.size(), g.leafs.size(), g.edges);
    for (size_t i = 0; i < g.nodes.size(); ++i) tensor("node", i, g.nodes[i]);
    for (size_t i = 0; i < g.leafs.size(); ++i) tensor("leaf", i, g.leafs[i]);
  }

  void tensor(const char* what, size_t i, const TensorInfo& t) const {
    std::string sources;
    for (TensorRef r : t.sources) sources += fmt::format(" {}{}", r.is_leaf() ? "leaf " : "node ", r.index());
    line("  {} {}: {} {} {} [{}] {} bytes, {} flops, flags {}, from{}", what, i, t.op, t.name, t.dtype,
         fmt::join(t.shape, " "), t.bytes, t.flops, t.flags, sources);
  }

  void plan(const PlanInfo& p) const {
    line("plan {} of graph {}: {} {}, arena {}, bound {}", p.id.value, p.graph.value, p.planner, p.order_name,
         p.arena_bytes, p.lower_bound_bytes);
    for (const SliceInfo& x : p.slices) {
      line("  tensor {} at {} + {} in steps {} to {}, block {}, level {}", x.tensor.value, x.offset, x.size,
           x.first.value, x.last.value, x.block.value, x.level);
    }
  }

  void context(const ContextInfo& c) const {
    line("context {}: {} {} of {}", c.id.value, c.name, c.used_mem, c.mem_size);
    for (const ObjectInfo& o : c.objects) line("  {} {} at {} + {} next {}", o.type, o.name, o.offset, o.size, o.next);
  }

  void runs() const {
    for (size_t i = s_.forgotten_runs; i < s_.runs.size(); ++i) {
      const Run& r = s_.runs[i];
      line("run {}: graph {} plan {} {} {} threads {} {} to {} {} {} steps {}", r.info.id.value, r.info.graph.value,
           r.info.plan.value, r.info.backend, r.info.strategy, r.info.threads, r.info.begin, r.end, r.finished,
           static_cast<int>(r.status), r.marks);
    }
  }

  void track(const TrackView& t) const {
    line("track {}: {} kind {} device {} lost {}", t.info.id.value, t.info.name, static_cast<int>(t.info.kind),
         t.info.device.value, t.lost);
    for (const LaneView& lane : t.lanes) events(lane.rows);
    events(t.points);
  }
  void events(const ColumnView<Event>& rows) const {
    for (size_t i = 0; i < rows.size(); ++i) {
      const Event& e = rows[i];
      line("  {} {} {} {} {} {}", kind_name(e.kind()), e.time, e.a, e.b, e.id, e.extra());
    }
  }

  void barriers() const {
    for (size_t i = 0; i < s_.barriers.size(); ++i) {
      const Barrier& b = s_.barriers[i];
      line("barrier {} run {} node {}: {} to {} left {} waited {} last {} of {} nodes {}", b.generation, b.run.value,
           b.node.value, b.first_arrival, b.last_arrival, b.last_leave, b.wait_sum, b.last_arriver.value, b.threads,
           b.nodes);
    }
  }

  void statistics() const {
    for (size_t g = 0; g < s_.graphs.size(); ++g) {
      const std::vector<NodeStats> stats = s_.stats(GraphId(g));
      for (size_t n = 0; n < stats.size(); ++n) {
        const NodeStats& x = stats[n];
        line("stats {} {}: {} runs {} {} {} {} {} busy {} parts {} barriers {} wait {} last {} usually {}", g, n,
             x.runs, x.shortest, x.quartile1, x.median, x.quartile3, x.longest, x.busy, x.parts, x.barriers, x.wait,
             x.last_arriver.value, x.most_frequent_last.value);
      }
    }
  }

  void memory() const {
    for (size_t k = 0; k < kMemoryKinds; ++k) {
      for (const MemoryCount c : {MemoryCount::Active, MemoryCount::Reserved}) {
        const auto& samples = s_.series(static_cast<MemoryKind>(k), c).samples;
        for (size_t i = 0; i < samples.size(); ++i) {
          line("{} {} {} {}", kMemoryKindNames[k], c == MemoryCount::Active ? "active" : "reserved", samples[i].time,
               samples[i].value);
        }
      }
    }
  }

  void slices() const {
    for (size_t i = 0; i < s_.slices.size(); ++i) slice(s_.slices[i]);
    for (const ArenaAllocation& r : s_.open_slices) slice(r);
    for (size_t i = 0; i < s_.seen.size(); ++i) {
      const AccessRect& r = s_.seen[i];
      line("seen {} tensor {} run {} at {} + {} step {} time {}", r.write ? "write" : "read", r.tensor.value,
           r.run.value, r.offset, r.bytes, r.step.value, r.time);
    }
  }
  void slice(const ArenaAllocation& r) const {
    line("slice tensor {} run {} at {} + {} steps {} to {} time {} to {}{}", r.tensor.value, r.run.value, r.offset,
         r.bytes, r.first.value, r.last.value, r.begin, r.end, r.open ? " open" : "");
  }

  void notes() const {
    for (size_t i = 0; i < s_.problems.size(); ++i) line("problem: {}", s_.problems[i].sentence);
    for (size_t i = 0; i < s_.tunings.size(); ++i) line("tuning: {}", sentence(s_.tunings[i]));
  }

  const Snapshot& s_;
  TextOut& out_;
};

}  // namespace

void to_text(const Snapshot& snapshot, TextOut& out) { SnapshotText(snapshot, out).write(); }

}  // namespace arenascope::trace
