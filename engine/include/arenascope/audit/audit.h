// SPDX-License-Identifier: MIT
// Every value that a view of a recording or trace can show, recomputed from the raw events. It is deliberately slow and
// shares only the packet decoder with Session, snapshots, importers and views, so that an error in either of the two
// implementations shows as a difference.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace arenascope::audit {

enum class Unit : uint8_t { Bytes, Nanoseconds, Count, Share, Step, PerNanosecond };
const char* name(Unit unit);  // "bytes", "ns", "count", "share", "step", "per ns"

// One number with the id under which a view shows it: "run.0.wall", "node.0.12.median_wall", "plan.1.holes".
// Times of the day are counted from the first event or run, as the views count them.
struct Figure {
  std::string id;
  double value = 0;
  Unit unit = Unit::Count;
};

struct RunFigures {
  int32_t run = 0, threads = 0;
  bool ended = false, done = false;  // `done`: it was neither aborted nor did it fail
  Nanoseconds wall = 0, paused = 0;
};

// Anything that has addresses: an arena, an allocator's memory of one kind, a device of another program.
struct SpaceFigures {
  std::string name, kind, device;
  Bytes peak = 0, end = 0;
  Nanoseconds peak_at = 0;  // since the first event; the first time that the peak is reached
  int64_t slices = 0;       // allocations, or residencies in an arena
};

// A node over all runs of its graph. The first run of a plan is cold; it is separate if there are others, and so do
// runs that were aborted, stepped through, or lost events.
struct NodeFigures {
  int32_t graph = 0, node = 0;
  std::string name;
  int64_t runs = 0;      // with work of it, all of them
  int64_t counted = 0;   // that the times below but `cold` are of
  int64_t parts = 0;     // spans of work in all of these
  int64_t left_out = 0;  // runs of its graph that were aborted, stepped through or lost events, where others are whole
  // Wall time of a run: from the beginning of its first part to the end of its last, without pauses.
  Nanoseconds cold = 0, median = 0, lower_quartile = 0, upper_quartile = 0, shortest = 0, longest = 0;
  Nanoseconds percentile90 = 0, percentile99 = 0;
  double mean = 0;
  double busy = 0;         // mean a run, over the threads
  double wait = 0;         // mean per run over the threads, at the barrier after it, without pauses
  double parts_a_run = 0;  // mean
  double queueing = 0;     // of a device's node: mean wall time a run on the host
};

struct ThreadFigures {
  std::string name;
  Nanoseconds busy = 0, wait = 0, of = 0;  // `of`: wall time, without pauses, of the runs that it took part in
  double busy_share() const { return of > 0 ? static_cast<double>(busy) / static_cast<double>(of) : 0; }
  double wait_share() const { return of > 0 ? static_cast<double>(wait) / static_cast<double>(of) : 0; }
};

struct Report {
  std::string format;   // "Arenascope recording"
  std::string problem;  // "", or an error message about what could not be read
  std::vector<RunFigures> runs;
  std::vector<SpaceFigures> spaces;
  std::vector<NodeFigures> nodes;
  std::vector<ThreadFigures> threads;
  std::optional<Bytes> peak;  // of all memory together; none: the file has no memory events
  Nanoseconds peak_at = 0;
  int64_t events = 0, lost = 0;
  std::vector<Figure> figures;  // all values, by id
  // Contradictions in the events: a free without an allocation, a chunk outside of its run, a thread that left a barrier
  // before the last one arrived. One message each; at most kMaxContradictions are kept, the others are counted.
  std::vector<std::string> contradictions;
  int64_t contradictions_seen = 0;

  const Figure* find(std::string_view id) const;
};

inline constexpr size_t kMaxContradictions = 100;

// Opens an Arenascope recording, a Chrome trace, PyTorch's profile or memory snapshot, an ONNX Runtime profile, an
// ExecuTorch program or a Perfetto trace, gzip or not; the format is detected from the content. An error names the file
// and what is wrong with it.
Result<Report> audit_file(const std::filesystem::path& path);
Result<Report> audit_bytes(std::span<const uint8_t> bytes, const std::string& name);

struct AuditContext;

// Also metrics that cannot be enumerated: those of a time, step, span, tensor or range that the caller chooses. The id
// names it: times T, A, B are counted from the first event, D is the name of a device.
//   tensor.G.node.N.{bytes,flops,tasks,work_bytes,view_offset,parts,elements,uses,dim.K,stride.K}   `leaf` as `node`
//   plan.P.slice.node.N.{bytes,offset,end,first,last,last_use,steps,block,level}
//   plan.P.{alignment,placed,placed_blocks,level.L,step_of.N}, run.R.node.N.{wall,wait,parts,taken_over}
//   plan.P.block.B.{end,used}, plan.P.step.S.hole.LOW.{bytes,end}, plan.P.addresses.A.B.tensors
//   plan.P.steps.A.B.{max_live,max_live_step} and sums over their nodes: {nodes,mean,mean_share,wait,results,bytes,
//   weights,largest_work,flops}, {op,layer}.{count,mean,share}.NAME; the same of graph.G.layer.N., the layer of node N,
//   and of graph.G.nodes.0-5+8. Times of all nodes of a node's op: graph.G.node.N.{times,bin.B.from,bin.B.to,bin.B.nodes}
//   plan.P.{layer.N,nodes.0-5+8}.{first,end,last_use,kept,kept_tensors}, run.R.steps.A.B.lasts
//   run.R.step.S. and run.R.at.T. or recording.at.T.: {live,unused} of the arena, hole.LOW.{bytes,end}, reserved, kind.K,
//   kind.KVCache.{filled,unfilled}; at a time also step, allocator.A, device.D, class.C, blocks, block_bytes
//   run.R.residency.node.N.T.{bytes,offset,end,lived}     in the arena since T
//   block.ADDRESS.T.{bytes,end,asked,waste,from,until,lived}.D   allocated at T; space.ADDRESS.T.{bytes,width,…}.D
//   span.TRACK.A.B.NODE.{lasts,from,part,bytes,speed}, spans.TRACK.DEPTH.A.B.{count,lasts,work,wait,longest}
//   time.A.B.{most_allocated,taken,taken_bytes,given,given_bytes}, time.A.B.{track,name}.{count,time,share}.NAME
class Auditor {
 public:
  static Result<Auditor> open(const std::filesystem::path& path);
  static Result<Auditor> of(std::span<const uint8_t> bytes, const std::string& name);
  const Report& report() const;
  // None: the id is unknown.
  std::optional<Figure> ask(std::string_view id) const;

 private:
  explicit Auditor(std::shared_ptr<const AuditContext> context) : context_(std::move(context)) {}
  std::shared_ptr<const AuditContext> context_;
};

}  // namespace arenascope::audit
