// SPDX-License-Identifier: MIT
// Device times on the host's clock: from activity records, or from timers around each piece of work.
#pragma once
#include <arenascope/runtime/backend.h>
#include <arenascope/tensor/tensor_impl.h>
#include "engine/backends/cuda/execution/driver.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::cuda {

class Timeline {
 public:
  explicit Timeline(std::shared_ptr<Driver> driver) : driver_(std::move(driver)) {}
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  void keep(bool keep);
  bool keeps() const { return keeps_; }

  // Copies queued from now on belong to the node; null: to none.
  void attribute_copies(const TensorImpl* node) { copies_of_ = node; }
  // Queues a piece of work: a node's launches, or a copy (null node). Errors: a timer cannot be created. Without keep()
  // only `queue` is called.
  Status around(const TensorImpl* node, StreamHandle stream, Bytes copied, bool to_device,
                const std::function<Status()>& queue);

  // All spans since the last call; the device must be idle. Strings stay valid until the next call.
  std::vector<DeviceSpan> take(StreamHandle idle, const std::function<Nanoseconds()>& now);
  // Maximum clock error of the last call's spans, either way; none if the driver converted the times itself.
  std::optional<Nanoseconds> clock_error() const { return clock_error_; }

 private:
  struct Piece {
    const TensorImpl* node;
    Bytes copied;
    bool to_device;
    size_t begin, end;  // timers
    Nanoseconds queued;
  };
  Result<size_t> record(StreamHandle stream);
  std::vector<DeviceSpan> from_activities(const std::function<Nanoseconds()>& now);
  void forget();

  std::shared_ptr<Driver> driver_;
  bool keeps_ = false, activities_ = false;
  const TensorImpl* copies_of_ = nullptr;
  std::vector<EventHandle> timers_;
  size_t used_ = 0;
  std::optional<Nanoseconds> clock_error_;
  std::vector<Piece> pieces_;  // with activities: piece i has label i + 1
  std::set<std::string, std::less<>> texts_;
};

}  // namespace arenascope::cuda
