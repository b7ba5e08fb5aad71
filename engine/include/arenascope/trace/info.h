// SPDX-License-Identifier: MIT
// Descriptions: what is said once about a graph, a plan, a run or a thread, so that events can be short.
// They own their texts and refer to each other by id; none of them is on a hot path.
#pragma once
#include <arenascope/trace/events.h>

#include <memory>
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
};

// A node or a leaf of a graph.
struct TensorInfo {
  std::string name;
  std::string op;     // "" for a leaf
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
  std::string parameters;  // "kernel=3x3 stride=2"
  int32_t tasks = 0;
  Bytes work_bytes = 0;
  uint32_t flags = 0;
  bool operator==(const TensorInfo&) const = default;
};

struct GraphInfo {
  GraphId id;
  std::string model;
  std::vector<TensorInfo> nodes;
  std::vector<TensorInfo> leafs;
  int64_t edges = 0;
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
  double seconds = 0;  // what planning took
  std::vector<SliceInfo> slices;
  bool operator==(const PlanInfo&) const = default;
};

struct RunInfo {
  RunId id;
  GraphId graph;
  PlanId plan;  // may be none
  Nanoseconds begin = 0;
  int32_t threads = 0;  // how many meet at each barrier
  std::string backend;
  std::string strategy;  // "planned", "eager", "none"
  bool operator==(const RunInfo&) const = default;
};

enum class RunStatus : uint8_t { Done, Aborted, Failed };

struct RunEnd {
  RunId id;
  Nanoseconds end = 0;
  RunStatus status = RunStatus::Done;
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
  bool operator==(const ThreadInfo&) const = default;
};

struct DeviceInfo {
  DeviceId id;
  std::string name;
  std::string backend;
  std::string missing;  // "" if it is there, else why not
  Bytes memory_bytes = 0;
  bool operator==(const DeviceInfo&) const = default;
};

struct AllocatorInfo {
  uint32_t id = 0;  // as in Alloc events; at most 2^16
  std::string name;
  MemoryKind kind = MemoryKind::Default;
  DeviceId device;
  bool operator==(const AllocatorInfo&) const = default;
};

struct ObjectInfo {
  Bytes offset = 0;  // of the object's payload in the pool
  Bytes size = 0;
  Bytes header_offset = 0;
  Bytes header_size = 0;
  std::string type;   // "tensor", "graph", "work buffer"
  int32_t next = -1;  // index of the next object, -1 for the last
  std::string name;
  bool operator==(const ObjectInfo&) const = default;
};

struct ContextInfo {
  ContextId id;
  std::string name;
  Bytes mem_size = 0;
  Bytes used_mem = 0;
  bool no_alloc = false;
  std::vector<ObjectInfo> objects;
  bool operator==(const ContextInfo&) const = default;
};

struct CounterInfo {
  CounterId id;
  std::string name;
  std::string unit;  // "bytes", "count", "%"
  bool operator==(const CounterInfo&) const = default;
};

struct NameInfo {
  NameId id;
  std::string text;
  bool operator==(const NameInfo&) const = default;
};

enum class Severity : uint8_t { Note, Warning, Error };

struct Problem {
  Severity severity = Severity::Warning;
  std::string sentence;
  Nanoseconds time = 0;
  RunId run;
  NodeId node;
  bool operator==(const Problem&) const = default;
};

// Events a full ring could not take.
struct Loss {
  TrackId track;
  int64_t count = 0;  // since the last Loss of this track
  Nanoseconds time = 0;
  bool operator==(const Loss&) const = default;
};

using Description =
    std::variant<std::shared_ptr<const GraphInfo>, std::shared_ptr<const PlanInfo>, std::shared_ptr<const ContextInfo>,
                 RunInfo, RunEnd, ThreadInfo, DeviceInfo, AllocatorInfo, CounterInfo, NameInfo, Problem, Loss>;

}  // namespace arenascope::trace
