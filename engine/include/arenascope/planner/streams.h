// SPDX-License-Identifier: MIT
// Lifetimes over several streams: each stream has steps of its own, and two buffers may share bytes only where an
// ordering edge (an event that a stream waits for) puts all uses of one before all uses of the other.
#pragma once
#include <arenascope/planner/planner.h>

namespace arenascope::planner {

// A buffer's uses on one stream, at that stream's steps [lower, upper).
struct StreamUse {
  int32_t stream = 0;
  int64_t lower = 0, upper = 0;
};

struct StreamBuffer {
  Bytes size = 0;
  Bytes alignment = 0;  // 0: the problem's
  std::vector<StreamUse> uses;
};

// All steps of `from_stream` below `from_step` are done before `to_stream` begins its step `to_step`.
struct StreamEdge {
  int32_t from_stream = 0;
  int64_t from_step = 0;
  int32_t to_stream = 0;
  int64_t to_step = 0;
};

struct StreamProblem {
  int32_t streams = 1;
  Bytes alignment = 64;
  std::vector<StreamBuffer> buffers;
  std::vector<StreamEdge> edges;
};

// The transitive order of uses.
class StreamOrder {
 public:
  // Errors: a stream that does not exist, edges that wait for each other in a circle.
  static Result<StreamOrder> make(const StreamProblem& problem);

  // Steps of `stream` below the answer are done before `other` begins `step`.
  int64_t done(int32_t stream, int32_t other, int64_t step) const;
  // True if every use of a is done before any use of b begins.
  bool before(const StreamBuffer& a, const StreamBuffer& b) const;
  bool may_share(const StreamBuffer& a, const StreamBuffer& b) const { return before(a, b) || before(b, a); }

 private:
  struct Sync {
    int64_t step;
    std::vector<int64_t> done;  // for each stream, from this step on
  };
  std::vector<std::vector<Sync>> syncs_;  // of each stream, in order of steps
};

// Lays the buffers into one arena; tries several orders and improves them until the budget. The bound is the most that
// is live on any one stream. Errors: as StreamOrder::make; sizes, lifetimes and alignments that validate() would
// refuse.
Result<Plan> plan_streams(const StreamProblem& problem, const Options& options);

// Proves that no two buffers that are not ordered share a byte.
[[nodiscard]] Status check(const StreamProblem& problem, const Plan& plan);

}  // namespace arenascope::planner
