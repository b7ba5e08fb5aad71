// SPDX-License-Identifier: MIT
// Bytes that a function makes whenever somebody reads them (engine/models/drawn_pages.h). It may want memory and locks, which a
// signal handler must not, so that a thread of the process makes them while the handler waits for it.
#pragma once
#include <arenascope/base/mapped_range.h>
#include <arenascope/base/result.h>

#include <atomic>
#include <functional>
#include <mutex>

namespace arenascope::models {

class MadeBytes {
 public:
  // `write` reads nothing that lies in such a mapping itself.
  explicit MadeBytes(std::function<Status(std::byte* out)> write) : write_(std::move(write)) {}

  // Errors: there is no function; its own. One thread at a time.
  Status write(std::byte* out) const;
  // Writes them where a reader waits for them; an error is kept for lent_well().
  Status lend(std::byte* out) const noexcept;
  // Error: those of a mapping could not be made, and somebody read zeros.
  Status lent_well() const;

 private:
  std::function<Status(std::byte* out)> write_;
  mutable std::mutex writing_;
  mutable std::atomic<bool> lost_{false};
  mutable Status why_;
};

// Starts the thread, if there is none. False: the system refuses.
bool start_maker();

// Lets it make the mapping [begin, end) again, of whose pages `address` was read, and waits. Where its bytes cannot be made it reads as
// zeros from then on. Only what is safe in a signal handler. False: all is as it was.
bool make_again(const detail::Drawing& drawing, uintptr_t begin, uintptr_t end, uintptr_t address);

}  // namespace arenascope::models
