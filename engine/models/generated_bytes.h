// SPDX-License-Identifier: MIT
// Bytes that a function computes when they are read (engine/models/lazy_pages.h). The function may allocate and lock,
// which a signal handler must not, so a thread computes them while the handler waits.
#pragma once
#include <arenascope/base/mapped_range.h>
#include <arenascope/base/result.h>

#include <atomic>
#include <functional>
#include <mutex>

namespace arenascope::models {

class GeneratedBytes {
 public:
  // `write` must not read memory of such a mapping.
  explicit GeneratedBytes(std::function<Status(std::byte* out)> write) : write_(std::move(write)) {}

  // Errors: there is no function; errors of the function. Not thread-safe.
  Status write(std::byte* out) const;
  // Writes the bytes for a waiting reader. False: an error, kept for generation_status().
  bool map_lazily(std::byte* out) const noexcept;
  // True if some bytes could not be generated and were read as zeros.
  std::atomic<bool>& lost() const { return lost_; }
  // Error: some bytes could not be generated and were read as zeros.
  Status generation_status() const;

 private:
  std::function<Status(std::byte* out)> write_;
  mutable std::mutex writing_;
  mutable std::atomic<bool> lost_{false};
  mutable Status why_;
};

// Starts the thread unless it is running. False: the system refuses.
bool start_maker();

// Asks the thread to generate the mapping [begin, end) again after `address` was read, and waits. If that fails the
// mapping reads as zeros. Async-signal-safe. False: nothing has changed.
bool make_again(const detail::Drawing& drawing, uintptr_t begin, uintptr_t end, uintptr_t address);

}  // namespace arenascope::models
