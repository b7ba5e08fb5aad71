// SPDX-License-Identifier: MIT
// The memory in which an attached program's rings lie, mapped here too: what it had written when it was killed, and not
// sent, is taken from there. Nothing in it is believed: every position is checked, and whatever is read is copied first.
#pragma once
#include <arenascope/base/mapped_range.h>
#include <arenascope/base/result.h>
#include "engine/attach/stream.h"

#include <memory>
#include <span>

namespace arenascope::attach {

// Takes what lies in `memory`, a program's shared rings, and has not come through `stream`. How many events that were.
// To be called once the program writes no more; one that still does sends nothing that is taken twice.
int64_t take_unsent(trace::ByteSpan memory, Stream& stream);

// A mapping of the memory file that a program has sent with its greeting; read only, and of a size that cannot change.
// Pages that there is no memory for read as zeros in programs that survive lost pages (arenascope/base/mapped_range.h).
class SharedRings {
 public:
  static Result<SharedRings> map(int file);  // closes it
  SharedRings(SharedRings&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), range_(std::move(other.range_)) {}
  SharedRings& operator=(SharedRings&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(range_, other.range_);
    return *this;
  }
  ~SharedRings();
  trace::ByteSpan bytes() const { return bytes_; }

 private:
  explicit SharedRings(trace::ByteSpan bytes)
      : bytes_(bytes), range_(std::make_unique<MappedRange>(bytes.data(), bytes.size())) {}
  trace::ByteSpan bytes_;
  std::unique_ptr<MappedRange> range_;
};

}  // namespace arenascope::attach
