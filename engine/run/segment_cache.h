// SPDX-License-Identifier: MIT
// Compiled deferred segments (deferred subgraphs or loop bodies) of a runner, by the inputs for which they were compiled:
// a run with the same types and shapes as an earlier one compiles nothing.
#pragma once
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <arenascope/models/model.h>

namespace arenascope {

class Runner;

struct Segment {
  struct Form {
    DType dtype;
    Dims sizes;
  };
  Segment(const models::GivenInputs& inputs, std::unique_ptr<Runner> compiled);

  std::map<std::string, Form> forms;  // of all inputs
  std::map<std::string, models::StringTable> strings;
  std::map<std::string, int64_t> sequence_lengths;
  std::set<std::string> complex;
  std::map<std::string, Tensor> fixed;  // the inputs whose values determined shapes
  int64_t iteration = 0;                // of a loop body: the first one for which it was compiled
  bool by_value = false;                // of a loop body: it is valid for these values of its states only
  std::unique_ptr<Runner> runner;
};

class SegmentCache {
 public:
  // The segment that computes these inputs; null: none. It was compiled for the same types, shapes and strings, and for
  // the same values if they determined shapes (Model::fixed_inputs).
  Segment* find(const models::GivenInputs& inputs, int64_t iteration);
  // The segment that was found or added last; null: none.
  Segment* last() { return segments_.empty() ? nullptr : &segments_.front(); }
  // Removes the segments whose last use is longest ago until another one as large as the last one fits within the limits.
  // Returns the last one if it had to be removed too, else null.
  std::unique_ptr<Runner> make_space();
  Segment& add(const models::GivenInputs& inputs, std::unique_ptr<Runner> compiled);
  void clear() { segments_.clear(); }

 private:
  std::list<Segment> segments_;  // the last one used first
};

}  // namespace arenascope
