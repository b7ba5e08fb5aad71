// SPDX-License-Identifier: MIT
// Copies between pageable host memory and the device through two alternating pinned buffers: while one is copied, the
// other is filled or emptied. The device never accesses the caller's memory, so a failed copy cannot either.
#pragma once
#include <arenascope/memory/execution_context.h>
#include <arenascope/memory/memory_block.h>
#include "engine/backends/cuda/execution/timeline.h"

namespace arenascope::cuda {

class Staging {
 public:
  static constexpr Bytes kBytes = Bytes{8} << 20;  // size of each buffer

  Staging(std::shared_ptr<Driver> driver, std::shared_ptr<Allocator> pinned)
      : driver_(std::move(driver)), pinned_(std::move(pinned)) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Allocates both buffers in the context, which accounts for them; later calls keep the existing ones.
  Status allocate(ExecutionContext& context);
  // Queues copies on the stream; `from` may be freed when this returns.
  Status upload(StreamHandle stream, std::byte* to, const std::byte* from, Bytes bytes, Timeline& timeline);
  // Runs after all work queued on the stream; waits for completion.
  Status download(StreamHandle stream, std::byte* to, const std::byte* from, Bytes bytes, Timeline& timeline);

 private:
  struct Buffer {
    BlockPtr block;
    EventHandle copied = 0;  // its last copy has finished
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
