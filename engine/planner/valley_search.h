// SPDX-License-Identifier: MIT
// Depth-first search for a plan within a capacity. Arenascope's own: it fills the skyline's valleys (see skyline.h),
// always the valley with the fewest candidates, from either end. It prunes where a section's floor plus what is still
// to come exceeds the capacity, solves parts that no remaining item connects apart from each other, and jumps back
// over decisions that had no part in a failure.
#pragma once
#include "engine/planner/skyline.h"

#include <cstdint>
#include <functional>

namespace arenascope::planner {

enum class Verdict { found, impossible, stopped };

// Order of the candidates; `seed` 0 is without noise.
struct Strategy {
  enum Key { area, size, length, plain_size } key = area;
  uint64_t seed = 0;
};

class ValleySearch {
 public:
  explicit ValleySearch(const Sections& problem, const StopCheck& stop_check = {});

  // Searches offsets (in units) with no item ending above `capacity`, for at most so many decisions. `stop` is polled
  // regularly.
  Verdict run(Bytes capacity, const Strategy& strategy, int64_t max_nodes, const std::function<bool()>& stop);

  const std::vector<Bytes>& offsets() const { return sky_.offsets(); }
  int64_t nodes() const { return nodes_; }
  // The fullest state that a failed run came to: offsets, or -1 for items that were not placed.
  const std::vector<Bytes>& fullest() const { return fullest_; }

 private:
  struct Choice {
    int32_t item;  // or -1: nothing goes there
    float score;
  };
  struct Part {  // sections [from, to), and what else is open
    int32_t from, to, next;
  };
  struct Frame {
    Valley valley;
    size_t choices, next, end;  // in choices_
    size_t mark;                // mark of the skyline before the current choice
    size_t parts;               // size of parts_ before the current choice
    int32_t open;               // the part that it works on, and those after it
  };

  Verdict descend();
  bool enter(const Valley& v, int32_t open);
  bool try_next(Frame& f);
  void keep_fullest();
  bool jump_back();
  int32_t open_after(const Frame& f, int32_t lower, int32_t upper);
  void rank(size_t first, const Valley& v);
  void blame(int32_t from, int32_t to);
  bool blamed(int32_t from, int32_t to) const;

  const Sections& p_;
  Skyline sky_;
  std::vector<float> weight_;  // weight per item, by the strategy
  std::vector<Bytes> fullest_;
  size_t frames_kept_ = 0;  // depth of that state
  std::vector<Frame> frames_;
  std::vector<Choice> choices_;
  std::vector<Part> parts_;
  // Why the last failure happened: the sections whose state led to it, one bit for 2^shift_ of them; and the same
  // gathered over the failed choices of each frame.
  std::vector<uint64_t> reason_, reasons_;
  int shift_ = 0;
  Strategy strategy_;
  uint64_t random_ = 0;
  int64_t nodes_ = 0, max_nodes_ = 0;
  const std::function<bool()>* stop_ = nullptr;
};

}  // namespace arenascope::planner
