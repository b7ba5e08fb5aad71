// SPDX-License-Identifier: MIT
// Descriptions of graphs, plans, runs and threads, recorded once so that events can be short.
// They own their strings and refer to each other by id; none of them is on a hot path.
#pragma once
#include <arenascope/trace/events.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace arenascope::trace {

enum TensorFlags : uint32_t {
  kInput = 1,
  kOutput = 2,
  kParameter = 4,  // trained
  kWeight = 8,     // given, constant
  kView = 16,      // shares its source's bytes
  kNoWork = 32,    // the executor skips it
  kChannelsLast = 64,
  kSavedForBackward = 1024,  // kept until a backward pass has used it
};

// One of the ops of a fused node.
struct PartInfo {
  std::string op;
  uint32_t op_number = 0;  // as in TensorInfo
  std::string name;        // of the node that it was, "" if that is not known
  bool operator==(const PartInfo&) const = default;
};

// A node of the model's file.
struct FileNodeInfo {
  std::string op;    // "Conv", "com.microsoft::Gelu"
  std::string name;  // "" if the file gives it none
  bool operator==(const FileNodeInfo&) const = default;
};

// Where a tensor's bytes are stored while its graph runs. The numbers are part of the recording's format.
enum class Placement : uint8_t {
  Arena = 0,   // at the offset that the plan assigns
  Host = 1,    // in host memory, for a tensor of a graph on a device
  Packed = 2,  // in a backend's own format, e.g. an image
  Given = 3,   // bound by the caller
};

// A node or a leaf of a graph.
struct TensorInfo {
  std::string name;
  std::string op;     // "" for a leaf; of a fused node all of them, "CONV+ADD"
  std::string layer;  // the group the graph view folds it into
  std::string dtype;
  std::vector<int64_t> shape;    // outermost first
  std::vector<int64_t> strides;  // bytes, as `shape`
  Bytes bytes = 0;
  int64_t flops = 0;
  std::vector<TensorRef> sources;
  TensorRef view_source;
  Bytes view_offset = 0;
  std::string backend;
  std::string parameters;  // "kernel=3x3 stride=2": for display; values that programs need have their own fields
  int32_t tasks = 0;
  Bytes work_bytes = 0;
  uint32_t flags = 0;
  uint32_t op_number = 0;  // the engine's number of the op (graph/op.h), the same in all versions; 0: not one of them
  std::optional<int32_t> axis;  // along which the op works, counted from the outermost
  std::vector<PartInfo> parts;  // of a fused node, first to last
  TensorRef gradient;           // of a parameter: its gradient and the tensor that accumulates it
  TensorRef accumulator;
  std::vector<TensorRef> states;           // of a parameter: its optimiser state
  Placement placement = Placement::Arena;  // of the bytes, a view's source's too
  int32_t uses = 0;                        // how often it is a source
  std::string op_params;                   // the op's parameters as its node keeps them, byte by byte
  // Its storage when the graph was described: a slice of one of GraphInfo::blocks; none: not allocated yet.
  std::optional<int32_t> block;
  Bytes storage_offset = 0, storage_bytes = 0;
  std::vector<FileNodeInfo> file_nodes;  // the nodes of the model's file that it was lowered from
  bool operator==(const TensorInfo&) const = default;

  // True if it, one of its parts or one of its file nodes has that name.
  bool is_named(std::string_view text) const {
    return name == text || std::ranges::find(parts, text, &PartInfo::name) != parts.end() ||
           std::ranges::find(file_nodes, text, &FileNodeInfo::name) != file_nodes.end();
  }
};

// A block of memory that storages of a graph's tensors are slices of.
struct StorageBlock {
  Bytes bytes = 0;
  MemoryKind kind = MemoryKind::Default;
  uint64_t address = 0;
  int32_t references = 0;  // number of storages that hold it, of these and of other tensors
  bool borrowed = false;   // owned by the caller, never freed here
  bool operator==(const StorageBlock&) const = default;
};

struct GraphInfo {
  GraphId id;
  std::string model;
  std::vector<TensorInfo> nodes;
  std::vector<TensorInfo> leafs;
  int64_t edges = 0;
  std::vector<StorageBlock> blocks;
  GraphId continuation_of;  // deferred subgraph: compiled after a run of this graph; none: the first or only one
  int64_t waits = 0;        // operators of the file that are deferred until this graph has run
  bool of_file = false;     // the nodes of the model's file, with those of bodies and functions; it is never run
  bool operator==(const GraphInfo&) const = default;

  // The node with that name, or else the first one for which TensorInfo::is_named() is true; none if there is neither.
  NodeId find_named(std::string_view name) const {
    auto found = std::ranges::find(nodes, name, &TensorInfo::name);
    if (found == nodes.end())
      found = std::ranges::find_if(nodes, [&](const TensorInfo& node) { return node.is_named(name); });
    return found == nodes.end() ? NodeId::none() : NodeId(static_cast<size_t>(found - nodes.begin()));
  }
};

// The offset and lifetime of a tensor in the arena.
struct SliceInfo {
  TensorRef tensor;
  Bytes offset = 0;
  Bytes size = 0;
  Step first;  // half-open: [first, last)
  Step last;
  BlockId block;          // tensors of one block use it one after the other
  int32_t level = 0;      // 0: not reused, 1 or 2: the reuse level that placed it
  TensorRef in_place_of;  // the tensor that it overwrites in place, or none
  TensorRef part_of;      // the concatenation that it is written into, or none
  Placement placement = Placement::Arena;
  bool bound = false;      // the tensor was bound, and bound_offset was read from it
  Bytes bound_offset = 0;  // offset of its bytes in the arena
  bool operator==(const SliceInfo&) const = default;
};

struct PlanInfo {
  PlanId id;
  GraphId graph;
  std::string planner;
  std::string order_name;
  std::vector<NodeId> order;  // the node of each step
  Bytes arena_bytes = 0;
  Bytes lower_bound_bytes = 0;
  Bytes capacity_bytes = 0;  // 0: unlimited
  Bytes alignment = 0;
  double seconds = 0;         // what planning took
  double budget_seconds = 0;  // time limit of the search; 0: the planner does not search, or the limit is unknown
  std::vector<SliceInfo> slices;
  std::vector<SliceInfo> elsewhere;  // results outside the arena (on the host or packed): lifetime without offset
  bool operator==(const PlanInfo&) const = default;
};

struct RunInfo {
  RunId id;
  GraphId graph;
  PlanId plan;  // may be none
  Nanoseconds begin = 0;
  int32_t threads = 0;  // that take part in each barrier
  std::string backend;
  std::string strategy;           // "planned", "eager", "none"
  TrackId lead;                   // the thread that takes part in every step
  bool steps_derived = false;     // no Step and slice events: a session derives them from the spans and the plan
  bool stepped = false;           // stepped or stopped at breakpoints: excluded from statistics
  int32_t threads_requested = 0;  // requested by the caller; 0: as `threads`; larger if the run fell back to one thread
  std::string processor;          // as the system names it
  std::vector<int32_t> affinity;  // the cores that the threads may run on
  double load = 0;                // of the machine before the run: one-minute load average
  std::string build;              // of the program that ran it
  bool operator==(const RunInfo&) const = default;
};

enum class RunStatus : uint8_t { Done, Aborted, Failed };

struct RunEnd {
  RunId id;
  Nanoseconds end = 0;
  RunStatus status = RunStatus::Done;
  bool stepped = false;  // as in RunInfo, if it became stepped during the run
  bool operator==(const RunEnd&) const = default;
};

enum class TrackKind : uint8_t { Worker, DeviceQueue, CopyEngine, Other };

struct ThreadInfo {
  TrackId id;
  std::string name;
  TrackKind kind = TrackKind::Worker;
  DeviceId device;
  int64_t process = 0;  // of the traced program; 0: ours
  int64_t thread = 0;
  std::string program{};  // the process by its name and rank, of several that are recorded together; "" of ours
  bool operator==(const ThreadInfo&) const = default;
};

struct DeviceInfo {
  DeviceId id;
  std::string name;
  std::string backend;
  std::string missing;  // "" if it is there, else why not
  Bytes memory_bytes = 0;
  bool host = false;  // main memory: comparable with the process's resident memory
  bool operator==(const DeviceInfo&) const = default;
};

struct AllocatorInfo {
  uint32_t id = 0;  // as in Alloc events; at most 2^16
  std::string name;
  MemoryKind kind = MemoryKind::Default;
  DeviceId device;
  bool operator==(const AllocatorInfo&) const = default;
};

// The kind of a field of an object. The numbers are part of the recording's format.
enum class ObjectPartKind : uint8_t {
  Other = 0,
  Type = 1,
  Op = 2,
  Flags = 3,
  Sizes = 4,
  Strides = 5,
  OpParams = 6,
  Sources = 7,
  Name = 8,
  View = 9,
  Storage = 10,  // address of the data
  References = 11,
  Data = 12,
  Padding = 13,
  Nodes = 14,  // of a graph: what its arrays are for
  Leafs = 15,
  Gradients = 16,
  Accumulators = 17,
  UseCounts = 18,
  HashSet = 19,
  Counts = 20,
};
inline constexpr uint8_t kLastObjectPartKind = 20;

struct ObjectPart {
  ObjectPartKind kind = ObjectPartKind::Other;
  Bytes offset = 0;  // from the object's first byte
  Bytes bytes = 0;
  Bytes used = 0;  // of a graph's arrays: what holds something
  bool operator==(const ObjectPart&) const = default;
};

struct ObjectInfo {
  Bytes offset = 0;  // of the object's payload in the pool
  Bytes size = 0;
  Bytes header_offset = 0;
  Bytes header_size = 0;
  std::string type;   // "tensor", "graph", "work buffer"
  int32_t next = -1;  // index of the next object, -1 for the last
  std::string name;
  std::vector<ObjectPart> parts;  // by offset, without gaps; empty: unknown
  bool operator==(const ObjectInfo&) const = default;
};

struct ContextInfo {
  ContextId id;
  std::string name;
  Bytes mem_size = 0;
  Bytes used_mem = 0;
  bool no_alloc = false;
  std::vector<ObjectInfo> objects;
  Bytes scratch_bytes = 0, scratch_used = 0;  // of the scratch buffer for data; 0: none
  bool operator==(const ContextInfo&) const = default;
};

// The meaning of a counter, if a program needs to know it. The numbers are part of the recording's format.
enum class CounterRole : uint8_t {
  Other = 0,
  Resident = 1,     // resident memory of the process in bytes
  CacheFilled = 2,  // bytes of the KV caches that hold tokens
};
inline constexpr uint8_t kLastCounterRole = 2;

struct CounterInfo {
  CounterId id;
  std::string name;
  std::string unit;  // "bytes", "count", "%"
  CounterRole role = CounterRole::Other;
  bool operator==(const CounterInfo&) const = default;
};

struct NameInfo {
  NameId id;
  std::string text;
  bool operator==(const NameInfo&) const = default;
};

enum class Severity : uint8_t { Note, Warning, Error };

// Category of a problem for programs; the message is for display. The numbers are part of the recording's format.
enum class ProblemKind : uint8_t {
  Other = 0,
  NotFinite = 1,      // a result holds NaN or infinities
  LeftOut = 2,        // part of a file or of the events could not be used
  NotReplayed = 3,    // a device's run is queued node by node although it could be recorded and replayed
  NotPinned = 4,      // memory for copies that the device cannot read by itself
  Fragmentation = 5,  // fragmentation of an allocator's memory
};
inline constexpr uint8_t kLastProblemKind = 5;

struct Problem {
  Severity severity = Severity::Warning;
  std::string sentence;
  Nanoseconds time = 0;
  RunId run;
  NodeId node;
  ProblemKind kind = ProblemKind::Other;
  bool operator==(const Problem&) const = default;
};

// One measured candidate of tuning.
struct TuningCandidate {
  std::array<uint32_t, 3> local{1, 1, 1};
  std::optional<int32_t> way;
  double seconds = 0;  // negative: it could not run
  bool operator==(const TuningCandidate&) const = default;
};

// The result of tuning one kernel of a device.
struct TuningInfo {
  std::string kernel;                       // with its options
  std::string sizes;                        // the work items, or the shape, that it holds for: "512x64x1"
  std::array<uint32_t, 3> local{1, 1, 1};   // items of a work group
  std::optional<int32_t> way;               // index of the chosen kernel; `local` is then unused
  std::string level;                        // tuning level: "fast"
  int32_t tried = 0;                        // candidates measured; 0: chosen by rule
  double seconds = 0;                       // of the best candidate
  bool remembered = false;                  // taken from the tuning cache
  std::vector<TuningCandidate> candidates;  // in the order of measurement
  std::string nearest;                      // the sizes whose result was reused; empty: its own
  RunId run;
  Nanoseconds time = 0;
  bool operator==(const TuningInfo&) const = default;
};
// "scale over 512x64x1: groups of 64x1x1, the fastest of 4 (0.12 ms), level normal, remembered": for display.
std::string sentence(const TuningInfo& tuning);

// Events a full ring could not take.
struct Loss {
  TrackId track;
  int64_t count = 0;  // since the last Loss of this track
  Nanoseconds time = 0;
  bool operator==(const Loss&) const = default;
};

// Uncertainty of a device's clock relative to the host's.
struct ClockInfo {
  DeviceId device;
  Nanoseconds error = 0;  // maximum absolute error
  Nanoseconds time = 0;
  bool operator==(const ClockInfo&) const = default;
};

// The memory of an allocator that belongs to one stream.
struct StreamState {
  int32_t stream = 0;   // numbered by first use
  Bytes free = 0;       // cached for reuse
  Bytes deferred = 0;   // freed, but still used by queued work
  int64_t pending = 0;  // number of deferred blocks
  bool operator==(const StreamState&) const = default;
};

// State of an allocator; reported after each run that changed it.
struct AllocatorState {
  uint32_t allocator = 0;  // as in Alloc events
  Bytes cached = 0, waste = 0, largest_free = 0;
  int64_t hits = 0, misses = 0;
  std::vector<StreamState> streams;  // empty: the allocator has no streams
  Nanoseconds time = 0;
  // Share of the free bytes outside the largest free block, 0 to 1.
  double fragmentation() const {
    return cached > 0 ? 1 - static_cast<double>(largest_free) / static_cast<double>(cached) : 0;
  }
  bool operator==(const AllocatorState&) const = default;
};

// Use of a pool block: reusable, permanent, or for one tensor only. The numbers are
// part of the recording's format.
enum class StorageType : uint8_t { Dynamic = 0, Static = 1, Separate = 2 };

struct PoolBlockInfo {
  uint64_t address = 0;
  Bytes bytes = 0;
  Bytes requested = 0;  // by the current tensor; 0: the block is free
  Bytes last = 0;       // by the previous tensor
  int64_t uses = 0;
  StorageType storage = StorageType::Dynamic;
  uint32_t width = 0, height = 0;  // of an image, in texels; 0: a buffer
  bool operator==(const PoolBlockInfo&) const = default;
};

// The blocks of a device's pools after a run.
struct PoolInfo {
  DeviceId device;
  std::vector<PoolBlockInfo> blocks;  // by address
  RunId run;
  Nanoseconds time = 0;
  bool operator==(const PoolInfo&) const = default;
};

// How a device's runs are queued: node by node, or replayed as a recorded graph. The numbers are part of the recording's format.
enum class ReplayState : uint8_t {
  Unavailable = 0,  // not supported by the device or the graph
  Direct = 1,       // not recorded yet
  Recorded = 2,     // the next uninstrumented run is replayed
  Failed = 3,       // recording failed
};
struct ReplayInfo {
  DeviceId device;
  ReplayState state = ReplayState::Unavailable;
  int64_t segments = 0, kernels = 0;  // that were recorded
  int64_t replays = 0;                // of all runs before this one
  RunId run;
  Nanoseconds time = 0;
  bool operator==(const ReplayInfo&) const = default;
};

// One frame of an allocation's call stack.
struct StackFrame {
  NameId function;
  NameId file;  // none: unknown
  int32_t line = 0;
  bool operator==(const StackFrame&) const = default;
};
struct StackInfo {
  std::vector<StackFrame> frames;     // the innermost first
  std::vector<uint32_t> allocations;  // made at this stack, numbered as in Alloc events; ascending
  bool operator==(const StackInfo&) const = default;
};

// The imported file of a session. One entry of the file may give several events, or none.
struct SourceInfo {
  std::string format;   // "Chrome trace"
  int64_t entries = 0;  // of the file: trace events, packets or allocator records
  bool operator==(const SourceInfo&) const = default;
};

// Notes and the state of the views, stored in a recording by the program that shows it; the newest replaces the others.
struct AnnotationInfo {
  std::string json;  // empty: none
  bool operator==(const AnnotationInfo&) const = default;
};

using Description =
    std::variant<std::shared_ptr<const GraphInfo>, std::shared_ptr<const PlanInfo>, std::shared_ptr<const ContextInfo>,
                 RunInfo, RunEnd, ThreadInfo, DeviceInfo, AllocatorInfo, CounterInfo, NameInfo, Problem, Loss,
                 TuningInfo, ClockInfo, StackInfo, AllocatorState, PoolInfo, ReplayInfo, SourceInfo, AnnotationInfo>;

}  // namespace arenascope::trace
