// SPDX-License-Identifier: MIT
// Memory whose bytes a function can write again, such as a weight that is also stored packed. It takes memory only while
// it is pinned: the first pin writes the bytes, the last unpin releases them to the system. The address stays the same.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/kind_ledger.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace arenascope {

// Thread-safe.
class RestorableMemory {
 public:
  using Writer = std::function<Status(std::byte* out)>;

  // Reserves addresses; no memory is used yet. `ledger` counts the bytes while they are resident; may be null. `write`
  // writes all bytes, the same ones each time. Errors: the system refuses the addresses.
  static Result<std::shared_ptr<RestorableMemory>> reserve(Bytes bytes, Writer write,
                                                           std::shared_ptr<KindLedger> ledger);
  ~RestorableMemory();
  RestorableMemory(const RestorableMemory&) = delete;
  RestorableMemory& operator=(const RestorableMemory&) = delete;

  // Read-only, and only while pinned: any other access is a segmentation fault.
  std::byte* data() const { return data_; }
  Bytes bytes() const { return bytes_; }
  bool resident() const;

  // Makes the bytes readable until unpin(). Errors: those of `write`, out of memory; nothing is pinned then.
  Status pin();
  void unpin() noexcept;
  // Releases the pages completely inside [offset, offset + bytes) if the caller's pin is the only one. The next pin
  // writes them again.
  void drop(Bytes offset, Bytes bytes) noexcept;

 private:
  struct Range {
    std::byte* begin;
    size_t bytes;
  };
  RestorableMemory(Bytes bytes, Writer write, std::shared_ptr<KindLedger> ledger)
      : bytes_(bytes), write_(std::move(write)), ledger_(std::move(ledger)) {}
  size_t mapped_bytes() const;
  Status restore_all();
  Status restore_dropped();
  void release(const Range& range) const noexcept;

  const Bytes bytes_;
  const Writer write_;
  const std::shared_ptr<KindLedger> ledger_;
  std::byte *reserved_ = nullptr, *data_ = nullptr;
  size_t reserved_bytes_ = 0;
  mutable std::mutex mutex_;
  int pins_ = 0;
  std::vector<Range> dropped_;  // parts that were released while pinned
};

}  // namespace arenascope
