// SPDX-License-Identifier: MIT
// One chunk of a problem that was cut in time; see chunks.h.
#pragma once
#include <arenascope/planner/clock.h>
#include "engine/planner/fit_allocator.h"
#include "engine/planner/items.h"
#include "engine/planner/loads.h"

#include <functional>
#include <memory>
#include <span>

namespace arenascope::planner {

class Chunk {
 public:
  // Items to place (`inner`) and items that are placed already (`crossing`).
  void set(std::vector<int32_t> inner, std::vector<int32_t> crossing);

  // Another attempt, within `goal` bytes if possible; the best one is kept. Each call does more than the previous one. False
  // when the time is up (earlier results are kept). `offsets` of the crossing items; `bound`: no plan of the whole
  // problem is smaller.
  bool improve(const Items& items, const std::vector<Bytes>& offsets, Bytes goal, Bytes bound,
               const Deadline& deadline);

  Bytes end() const { return end_; }
  int tries() const { return tries_; }
  bool exhausted() const { return tries_ > 400; }
  void write(std::vector<Bytes>& offsets) const;

 private:
  void gather(const Items& items, const std::vector<Bytes>& offsets);
  bool lay(const std::vector<int32_t>& order, const Deadline& deadline);
  bool lay_first(Bytes bound, const Deadline& deadline);
  bool lay_band(std::span<const int32_t> some, Bytes bound);
  void keep();
  bool core_first(Bytes goal, const Deadline& deadline);
  void prepare();

  Items part_;                             // the inner items, then the crossing ones
  std::vector<int32_t> index_, crossing_;  // in the problem
  std::vector<Bytes> fixed_;               // offsets of the crossing ones
  std::vector<Bytes> laid_, best_;
  std::vector<Bytes> core_;  // offsets of the core, or -1
  Bytes end_ = 0, fixed_end_ = 0, laid_end_ = 0;
  int tries_ = 0;
  uint64_t random_ = 1;
  // From the second try on.
  std::unique_ptr<Loads> loads_;
  std::vector<double> share_;   // the most that is live with an item, over the chunk's peak
  std::vector<char> stubborn_;  // items that do not fit next to a core: they become part of it
  std::vector<double> rank_;    // small goes first
  std::vector<double> kept_rank_;
  Bytes kept_end_ = 0;
};

}  // namespace arenascope::planner
