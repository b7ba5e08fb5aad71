// SPDX-License-Identifier: MIT
// Maps the memory that contains an attached program's rings, so that events which a killed program had written but not
// sent can still be read. The contents are untrusted: every position is checked, and data is copied before it is used.
#pragma once
#include <arenascope/base/mapped_range.h>
#include <arenascope/base/result.h>
#include "engine/attach/stream.h"

#include <memory>
#include <span>

namespace arenascope::attach {

// Reads the events in `memory`, a program's shared rings, that have not come through `stream`. Returns their number.
// Call it once the program has stopped writing; if it still writes, no event is read twice.
int64_t take_unsent(trace::ByteSpan memory, Stream& stream);

// A read-only mapping of the memory file that a program sends with its greeting; its size cannot change. Missing pages
// read as zeros in programs that handle lost pages (arenascope/base/mapped_range.h).
class SharedRings {
 public:
  static Result<SharedRings> map(int file);  // takes ownership of `file`
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
