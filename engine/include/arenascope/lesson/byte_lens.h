// SPDX-License-Identifier: MIT
// The byte lens: small experiments whose memory is shown cell by cell after each operation. An experiment gets its
// sizes, shapes and requests as text, runs the engine's own code on them, and returns one frame per operation.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::lesson {

enum class CellKind : uint8_t {
  Free,
  Unvisited,    // an element that no operation has read
  Data,         // of a tensor or block
  Header,       // of an object
  Description,  // of a tensor: sizes, strides, inputs
  Table,        // arrays of a graph
  Padding,      // up to the alignment, or rounded up
  Deferred,     // freed, but a stream still uses it
  Scale,        // of a quantised block
  Value,        // an integer of a quantised block
  LowerBound,   // of the arena: no plan is smaller
  TwoLevel,     // of the arena: bytes that this planner needs beyond the next smaller mark
  MaxBlock,
  BinaryBlock,
  NoReuse,
  WeightCopy,  // live bytes by role
  Gradient,
  Output,
  Activation,
  SetBit,
  ClearBit,
};

struct LensCell {
  int64_t begin = 0, length = 0;  // in units of the strip
  CellKind kind = CellKind::Free;
  std::string label;
  bool current = false;  // the operation of this frame concerns it
  int32_t next = -1;     // the cell to which it points, by index; -1: none
};

enum class LensUnit : uint8_t { Bytes, Bits, Slots, Steps };  // Steps: of an execution order, one slot per step
constexpr bool has_slots(LensUnit unit) { return unit == LensUnit::Slots || unit == LensUnit::Steps; }

// A range of memory, an array or a queue.
struct LensStrip {
  std::string title;  // "storage", "hash set"; views translate it
  LensUnit unit = LensUnit::Bytes;
  int64_t length = 0;
  std::vector<LensCell> cells;  // ascending, disjoint; the gaps are free
};

// The operation before a frame; `arguments` of the frame complete it.
enum class LensEvent : uint8_t {
  Start,
  Element,    // index, byte
  Scale,      // byte, bits, content
  Quantised,  // element, integer, restored value, original value
  Object,     // type, name, offset, bytes
  Full,       // error message
  Visited,    // tensor, slot of the hash set
  Computed,   // node, tensors freed
  Placed,     // buffer, offset, padding
  Bumped,     // bytes, offset
  Reset,
  Allocated,     // name, bytes, offset or bucket
  Reused,        // the same, from a free list
  Freed,         // name
  DeferredFree,  // name, stream
  Sliced,        // name, of, offset, bytes
  Borrowed,      // name, bytes, block
  NoBytes,       // name
  Dropped,       // name
  BlockFreed,    // name
  Queued,        // name, stream
  Completed,     // stream
  Arrived,       // thread, arrived, threads
  Released,      // generation
  Share,         // ith, nth, first row, end
  Created,       // object, what it owns
  Kept,          // object, number of references that remain
  Cached,        // kernel
  Destroyed,     // object, what it owned
  NewBuffer,     // tensor, bytes, storage type
  FoundBuffer,   // tensor, bytes, storage type, bytes of the buffer
  Recycled,      // tensor, bytes of the buffer
  Emptied,       // bytes
  NewImage,      // tensor, width, height
  FoundImage,    // tensor, width, height, width and height of the image
  ImageFreed,    // tensor
  ResizeBegin,   // nodes
  ResizeEnd,     // bytes of all dynamic buffers
  Rounded,       // formula, bytes
  Texels,        // first channel, last channel, first texel, last texel
  Formula,       // expression, value
  Counted,       // sizes, elements
  Refused,       // error message
  Range,         // block sizes
  Opened,        // tensor, block, bytes
  Joined,        // tensor, block, bytes
  Shrunk,        // block, bytes before, bytes after, its largest tensor
  Stacked,       // bytes, alignment
  StepDone,      // step, node, live bytes
  Network,       // name, lower bound, two-level, ratio
  OrderPeak,     // order, bytes
  ScratchSet,    // bytes
  ScratchSaved,
  ScratchLoaded,
  ScratchUnset,
  InScratch,  // tensor, bytes, offset
  Summand,    // expression, bytes, sum
  Field,      // name, offset, bytes, content
};

struct LensFrame {
  LensEvent event = LensEvent::Start;
  std::vector<std::string> arguments;
  std::vector<LensStrip> strips;
  std::map<std::string, double, std::less<>> values;  // for the fact lens(NAME)
};

struct LensParameter {
  const char* name;
  const char* value;  // default
};

using LensInput = std::map<std::string, std::string, std::less<>>;  // parameters that differ from their defaults

// The reason why an experiment refuses its input. Views translate all kinds but Other.
struct LensProblem {
  enum class Kind : uint8_t {
    Other,     // message
    Integer,   // least, most, found
    Count,     // least, most, found: the number of entries
    Expected,  // syntax, found
  };
  Kind kind = Kind::Other;
  std::string parameter;
  std::vector<std::string> arguments;
  std::string message;  // in English
};

struct LensRun {
  LensInput input;      // has all parameters
  LensProblem problem;  // set together with the error
};

struct LensExperiment {
  const char* name;
  const char* description;
  std::span<const LensParameter> parameters;
  Result<std::vector<LensFrame>> (*run)(LensRun& run);
};
std::span<const LensExperiment> lens_experiments();

// Errors: an unknown experiment or parameter, or what the engine reports for these values.
Result<std::vector<LensFrame>> run_lens(std::string_view experiment, LensInput input, LensProblem* problem = nullptr);

// The arguments of `! lens EXPERIMENT NAME=VALUE …`, in which _ in a name and + in a value stand for spaces.
// Errors: not NAME=VALUE.
struct LensRequest {
  std::string experiment;
  LensInput input;
};
Result<LensRequest> parse_lens_request(const std::vector<std::string>& arguments);

}  // namespace arenascope::lesson
