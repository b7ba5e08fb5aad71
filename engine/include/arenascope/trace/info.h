// SPDX-License-Identifier: MIT
// Descriptions: what is said once about a graph, a plan, a run or a thread, so that events can be short.
// They own their texts and refer to each other by id; none of them is on a hot path.
#pragma once
#include <arenascope/trace/events.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
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

// One of the nodes that a fused node computes as one.
struct PartInfo {
  std::string op;
  uint32_t op_number = 0;  // as in TensorInfo
  std::string name;        // of the node that it was, "" if that is not known
  bool operator==(const PartInfo&) const = default;
};

// Where a tensor's bytes lie while its graph runs. The numbers are part of the recording's format.
enum class Placement : uint8_t {
  Arena = 0,   // where a plan puts them
  Host = 1,    // in the host's memory, beside a device
  Packed = 2,  // as a backend packs them, in an image for instance
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
  std::string parameters;  // "kernel=3x3 stride=2": for people; what programs need has a field of its own
  int32_t tasks = 0;
  Bytes work_bytes = 0;
  uint32_t flags = 0;
  uint32_t op_number = 0;  // the engine's number of the op (graph/op.h), the same in all versions; 0: not one of them
  std::optional<int32_t> axis;  // along which the op works, counted from the outermost
  std::vector<PartInfo> parts;  // of a fused node, first to last
  TensorRef gradient;           // of a parameter: what training adds to it, and where it is summed up
  TensorRef accumulator;
  std::vector<TensorRef> states;           // of a parameter: what its optimiser keeps of it from step to step
  Placement placement = Placement::Arena;  // of the bytes, a view's source's too
  int32_t uses = 0;                        // how often it is a source
  std::string op_params;                   // the op's parameters as its node keeps them, byte by byte
  // Where its bytes lay when the graph was described: a slice of one of GraphInfo::blocks; none: nowhere yet.
  std::optional<int32_t> block;
  Bytes storage_offset = 0, storage_bytes = 0;
  bool operator==(const TensorInfo&) const = default;
};

// A block of memory that storages of a graph's tensors are slices of.
struct HeldBlock {
  Bytes bytes = 0;
  MemoryKind kind = MemoryKind::Default;
  uint64_t address = 0;
  int32_t references = 0;  // that hold it: storages, of these and of other tensors
  bool borrowed = false;   // it belongs to somebody else, and is never given back
  bool operator==(const HeldBlock&) const = default;
};

struct GraphInfo {
  GraphId id;
  std::string model;
  std::vector<TensorInfo> nodes;
  std::vector<TensorInfo> leafs;
  int64_t edges = 0;
  std::vector<HeldBlock> blocks;
  GraphId behind;     // opened when that one had run, from values that it made; none: whole, or the first part
  int64_t waits = 0;  // operators of the file that are opened behind it, from values that its run makes
  bool operator==(const GraphInfo&) const = default;
};

// Where a tensor lies in the arena, and when.
struct SliceInfo {
  TensorRef tensor;
  Bytes offset = 0;
  Bytes size = 0;
  Step first;  // half-open: [first, last)
  Step last;
  BlockId block;          // tensors of one block use it one after the other
  int32_t level = 0;      // 0 own place, 1 or 2: the level of reuse that put it there
  TensorRef in_place_of;  // none, or the tensor whose bytes it takes over
  TensorRef part_of;      // none, or the concatenation in whose bytes it lies
  Placement placement = Placement::Arena;
  bool bound = false;      // the tensor was bound, and its place read from it:
  Bytes bound_offset = 0;  // where in the arena its bytes lie
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
  Bytes capacity_bytes = 0;  // 0: none asked
  Bytes alignment = 0;
  double seconds = 0;         // what planning took
  double budget_seconds = 0;  // that the search might have taken; 0: the planner does not search, or it is not told
  std::vector<SliceInfo> slices;
  std::vector<SliceInfo> elsewhere;  // results that lie on the host or packed: when, but at no offset
  bool operator==(const PlanInfo&) const = default;
};

struct RunInfo {
  RunId id;
  GraphId graph;
  PlanId plan;  // may be none
  Nanoseconds begin = 0;
  int32_t threads = 0;  // that it runs on, all of which meet at each barrier
  std::string backend;
  std::string strategy;        // "planned", "eager", "none"
  TrackId lead;                // the thread that takes part in every step
  bool steps_derived = false;  // it writes no Step and Slice events: a session derives them from its spans and the plan
  bool stepped = false;        // stepped or stopped at breakpoints: other barriers than the plan's, in no statistics
  int32_t threads_asked = 0;   // 0: as `threads`; more where one thread alone was sooner beside other work
  std::string processor;       // as the system names it
  std::vector<int32_t> affinity;  // the processors that the threads may run on
  double load = 0;                // of the machine before the run: tasks that run or want to, over a minute
  std::string build;              // of the program that ran it
  bool operator==(const RunInfo&) const = default;
};

enum class RunStatus : uint8_t { Done, Aborted, Failed };

struct RunEnd {
  RunId id;
  Nanoseconds end = 0;
  RunStatus status = RunStatus::Done;
  bool stepped = false;  // as in RunInfo, where it became so on the way
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
  bool host = false;  // main memory: what the process's resident memory can be held against
  bool operator==(const DeviceInfo&) const = default;
};

struct AllocatorInfo {
  uint32_t id = 0;  // as in Alloc events; at most 2^16
  std::string name;
  MemoryKind kind = MemoryKind::Default;
  DeviceId device;
  bool operator==(const AllocatorInfo&) const = default;
};

// What the bytes of an object are. The numbers are part of the recording's format.
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
  Storage = 10,  // where the data lie
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
  std::vector<ObjectPart> parts;  // by offset, without gaps; none: not told
  bool operator==(const ObjectInfo&) const = default;
};

struct ContextInfo {
  ContextId id;
  std::string name;
  Bytes mem_size = 0;
  Bytes used_mem = 0;
  bool no_alloc = false;
  std::vector<ObjectInfo> objects;
  Bytes scratch_bytes = 0, scratch_used = 0;  // of the buffer beside the pool that takes data; 0: it is off
  bool operator==(const ContextInfo&) const = default;
};

// What a counter counts, where a program needs to know. The numbers are part of the recording's format.
enum class CounterRole : uint8_t {
  Other = 0,
  Resident = 1,     // bytes of main memory that the process has, whatever they are used for
  CacheFilled = 2,  // bytes of the caches of keys and values that hold a token's
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

// What a problem is about, for programs; its sentence is for people. The numbers are part of the recording's format.
enum class ProblemKind : uint8_t {
  Other = 0,
  NotFinite = 1,      // a result holds NaN or infinities
  LeftOut = 2,        // some of a file, or of the events, could not be used
  NotReplayed = 3,    // a device's run is queued node by node although it could be recorded and replayed
  NotPinned = 4,      // memory for copies that the device cannot read by itself
  Fragmentation = 5,  // how an allocator's memory is divided
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

// What tuning measured of one choice.
struct TuningCandidate {
  std::array<uint32_t, 3> local{1, 1, 1};
  std::optional<int32_t> way;
  double seconds = 0;  // below nought: it could not run
  bool operator==(const TuningCandidate&) const = default;
};

// What tuning decided for a kernel of a device.
struct TuningInfo {
  std::string kernel;                       // with its options
  std::string sizes;                        // the work items, or the shape, that it holds for: "512x64x1"
  std::array<uint32_t, 3> local{1, 1, 1};   // items of a work group
  std::optional<int32_t> way;               // which of several kernels; `local` then means nothing
  std::string level;                        // how hard it was looked for: "fast"
  int32_t tried = 0;                        // candidates measured; 0: chosen by rule
  double seconds = 0;                       // that the best one took
  bool remembered = false;                  // by an earlier run
  std::vector<TuningCandidate> candidates;  // as they were tried
  std::string nearest;                      // taken over from what was found for these sizes; empty: for its own
  RunId run;
  Nanoseconds time = 0;
  bool operator==(const TuningInfo&) const = default;
};
// "scale over 512x64x1: groups of 64x1x1, the fastest of 4 (0.12 ms), level normal, remembered": for people.
std::string sentence(const TuningInfo& tuning);

// Events a full ring could not take.
struct Loss {
  TrackId track;
  int64_t count = 0;  // since the last Loss of this track
  Nanoseconds time = 0;
  bool operator==(const Loss&) const = default;
};

// How far a device's clock, as its spans tell it, may be off the host's.
struct ClockInfo {
  DeviceId device;
  Nanoseconds error = 0;  // either way
  Nanoseconds time = 0;
  bool operator==(const ClockInfo&) const = default;
};

// What of an allocator's memory belongs to a stream.
struct StreamState {
  int32_t stream = 0;   // in the order in which the allocator met them
  Bytes free = 0;       // kept for its next requests
  Bytes deferred = 0;   // given back, and not through on the streams that use it
  int64_t pending = 0;  // pieces of that
  bool operator==(const StreamState&) const = default;
};

// How an allocator stands; told behind a run that changed it.
struct AllocatorState {
  uint32_t allocator = 0;  // as in Alloc events
  Bytes cached = 0, waste = 0, largest_free = 0;
  int64_t hits = 0, misses = 0;
  std::vector<StreamState> streams;  // none: it knows none
  Nanoseconds time = 0;
  // What of the free bytes is not in the largest free piece, 0 to 1.
  double fragmentation() const {
    return cached > 0 ? 1 - static_cast<double>(largest_free) / static_cast<double>(cached) : 0;
  }
  bool operator==(const AllocatorState&) const = default;
};

// For whom a block of a pool is: something that stays, anything that comes and goes, or one tensor alone. The numbers are
// part of the recording's format.
enum class StorageType : uint8_t { Dynamic = 0, Static = 1, Separate = 2 };

struct PoolBlockInfo {
  uint64_t address = 0;
  Bytes bytes = 0;
  Bytes requested = 0;  // by what holds it; 0: it is free
  Bytes last = 0;       // by what held it last
  int64_t uses = 0;
  StorageType storage = StorageType::Dynamic;
  uint32_t width = 0, height = 0;  // of an image, in texels; 0: a buffer
  bool operator==(const PoolBlockInfo&) const = default;
};

// The blocks of a device's pools behind a run.
struct PoolInfo {
  DeviceId device;
  std::vector<PoolBlockInfo> blocks;  // by address
  RunId run;
  Nanoseconds time = 0;
  bool operator==(const PoolInfo&) const = default;
};

// Whether a device's runs are queued node by node or as one. The numbers are part of the recording's format.
enum class ReplayState : uint8_t {
  Unavailable = 0,  // the device, or what runs, has no such thing
  Direct = 1,       // nothing was recorded yet
  Recorded = 2,     // the next run that nobody looks into is replayed
  Failed = 3,       // it was tried
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

// Where a program was when it took memory, by names that were described.
struct StackFrame {
  NameId function;
  NameId file;  // none where it is not told
  int32_t line = 0;
  bool operator==(const StackFrame&) const = default;
};
struct StackInfo {
  std::vector<StackFrame> frames;     // the innermost first
  std::vector<uint32_t> allocations;  // that were taken there, as in Alloc events; ascending
  bool operator==(const StackInfo&) const = default;
};

// The file of another tool that a session was made of: an importer may make several events of one entry, or none.
struct SourceInfo {
  std::string format;   // "Chrome trace"
  int64_t entries = 0;  // of the file: trace events, packets, what an allocator noted
  bool operator==(const SourceInfo&) const = default;
};

using Description =
    std::variant<std::shared_ptr<const GraphInfo>, std::shared_ptr<const PlanInfo>, std::shared_ptr<const ContextInfo>,
                 RunInfo, RunEnd, ThreadInfo, DeviceInfo, AllocatorInfo, CounterInfo, NameInfo, Problem, Loss,
                 TuningInfo, ClockInfo, StackInfo, AllocatorState, PoolInfo, ReplayInfo, SourceInfo>;

}  // namespace arenascope::trace
