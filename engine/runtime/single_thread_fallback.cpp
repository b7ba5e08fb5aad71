// SPDX-License-Identifier: MIT
#include "engine/runtime/single_thread_fallback.h"

namespace arenascope {

bool SingleThreadFallback::choose_single() {
  constexpr int kRetryInterval = 64;
  if (!oversubscribed_) return false;
  if (single_ == 0) return true;
  return (single_ < together_) != (++runs_ % kRetryInterval == 0);
}

void SingleThreadFallback::note(bool single, Nanoseconds took, const ThreadPool& pool) {
  constexpr Nanoseconds kCheckInterval = 10'000'000;  // run time between two readings of the queue time
  Nanoseconds& last = single ? single_ : together_;
  last = last == 0 ? took : last + (took - last) / 4;
  watched_ += took;
  if (watched_ < kCheckInterval) return;
  const Nanoseconds queued = pool.queued();
  oversubscribed_ = queued_ >= 0 && queued - queued_ > watched_ / 8;
  queued_ = queued;
  watched_ = 0;
  if (!oversubscribed_) single_ = together_ = 0;
}

}  // namespace arenascope
