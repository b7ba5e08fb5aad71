// SPDX-License-Identifier: MIT
// Copies between pageable host memory and the device through two pinned buffers in turn: while one is being copied, the
// other is filled or emptied. No copy ever touches the caller's memory, so that one which failed half way cannot
// either.
#pragma once
#include <arenascope/memory/execution_context.h>
#include <arenascope/memory/memory_block.h>
#include "engine/backends/cuda/execution/timeline.h"

namespace arenascope::cuda {

class Staging {
 public:
  static constexpr Bytes kBytes = Bytes{8} << 20;  // of each buffer

  Staging(std::shared_ptr<Driver> driver, std::shared_ptr<Allocator> pinned)
      : driver_(std::move(driver)), pinned_(std::move(pinned)) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Takes both buffers from the context, whose memory they are counted as; later calls keep the first ones.
  Status allocate(ExecutionContext& context);
  // Queues copies on the stream; `from` may go as soon as this returns.
  Status upload(StreamHandle stream, std::byte* to, const std::byte* from, Bytes bytes, Timeline& timeline);
  // Behind what is queued on the stream; waits until all is there.
  Status download(StreamHandle stream, std::byte* to, const std::byte* from, Bytes bytes, Timeline& timeline);

 private:
  struct Buffer {
    BlockPtr block;
    EventHandle copied = 0;  // its last copy is through
    bool used = false;
  };
  Status adopt(Buffer& buffer, BlockPtr block);
  Status prepare(Buffer& buffer);
  Status copy(StreamHandle stream, Buffer& buffer, std::byte* device, Bytes bytes, Direction direction,
              Timeline& timeline);

  std::shared_ptr<Driver> driver_;
  std::shared_ptr<Allocator> pinned_;
  Buffer buffers_[2];
  size_t turn_ = 0;
};

}  // namespace arenascope::cuda
