// SPDX-License-Identifier: MIT
// The best plan that a search holds, and how low a plan could still be.
#pragma once
#include <arenascope/planner/clock.h>
#include "engine/planner/placement.h"

namespace arenascope::planner {

class Incumbent {
 public:
  Incumbent(const Items& items, Bytes lower_bound, std::optional<Bytes> capacity, const Deadline& deadline,
            const std::function<void(const Progress&)>& on_progress)
      : items_(items), bound_(lower_bound), capacity_(capacity), deadline_(deadline), on_progress_(on_progress) {}

  // The same for offsets whose arena is known.
  bool offer(std::vector<Bytes> offsets, Bytes arena) {
    if (!offsets_.empty() && arena >= arena_) return false;
    offsets_ = std::move(offsets);
    arena_ = arena;
    report();
    return true;
  }
  // Keeps the offsets (in bytes, of items) if they are better than what there is.
  bool offer(std::vector<Bytes> offsets) {
    const Bytes arena = arena_of(items_, offsets);
    return offer(std::move(offsets), arena);
  }
  // No plan is smaller than this.
  void raise_bound(Bytes bound) {
    if (bound <= bound_) return;
    bound_ = bound;
    report();
  }

  Bytes arena() const { return arena_; }
  Bytes bound() const { return bound_; }
  // None if it is known that no plan meets it.
  std::optional<Bytes> capacity() const { return capacity_ && bound_ <= *capacity_ ? capacity_ : std::nullopt; }
  const std::vector<Bytes>& offsets() const { return offsets_; }
  const Deadline& deadline() const { return deadline_; }
  bool optimal() const { return !offsets_.empty() && arena_ <= bound_; }
  // Finished: proven optimal, or within the capacity. A capacity that no plan meets has no effect.
  bool settled() const { return optimal() || (!offsets_.empty() && capacity_ && arena_ <= *capacity_); }
  bool done() const { return settled() || deadline_.over(); }

 private:
  void report() const {
    if (on_progress_ && !offsets_.empty()) on_progress_({deadline_.measured_seconds(), arena_, bound_});
  }

  const Items& items_;
  std::vector<Bytes> offsets_;
  Bytes arena_ = 0;
  Bytes bound_;
  std::optional<Bytes> capacity_;
  Deadline deadline_;
  const std::function<void(const Progress&)>& on_progress_;
};

}  // namespace arenascope::planner
