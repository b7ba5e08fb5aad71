// SPDX-License-Identifier: MIT
// Device times on the host's clock: from activity records, or from timers around each piece of work. Neither changes what
// is launched: a captured graph is timed by the records of its kernels, or by a copy of it with timers between its kernels.
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

// The pieces of work of a captured graph, in its order.
struct CapturedPieces {
  struct Piece {
    const TensorImpl* node;
    size_t activities = 0;           // number of its kernels, copies and fills
    EventHandle begin = 0, end = 0;  // timers in the graph; 0: none
  };
  std::vector<Piece> pieces;
  std::vector<EventHandle> timers;  // owned
};

class Timeline {
 public:
  explicit Timeline(std::shared_ptr<Driver> driver) : driver_(std::move(driver)) {}
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  void keep(bool keep);
  bool keeps() const { return keeps_; }
  // A graph must contain timers for its nodes to be timed.
  bool needs_timers_in_graphs() const { return keeps_ && !activities_; }

  // Copies queued from now on belong to the node; null: to none.
  void attribute_copies(const TensorImpl* node) { copies_of_ = node; }
  // Queues a piece of work: the launches of a node or of a chain, for its last node, or a copy (null node). Errors: a timer
  // cannot be created. Without keep() only `queue` is called.
  Status around(const TensorImpl* node, StreamHandle stream, Bytes copied, bool to_device,
                const std::function<Status()>& queue);

  // Until the next call, around() adds to `pieces` what is captured, with timers if `timed`. Null: the capture has ended.
  void capture_into(CapturedPieces* pieces, bool timed);
  // Launches a graph with these pieces. A graph without timers is one span without a node where there are no records.
  Status launch(const CapturedPieces& pieces, StreamHandle stream, const std::function<Status()>& launch);
  // Spans of the graph that have not been taken are dropped, and its timers destroyed.
  void drop(CapturedPieces& pieces) noexcept;

  // All spans since the last call; the device must be idle. A graph that was launched several times has the spans of its
  // last launch. Strings stay valid until the next call.
  std::vector<DeviceSpan> take(StreamHandle idle, const std::function<Nanoseconds()>& now);
  // Maximum clock error of the last call's spans, either way; none if the driver converted the times itself.
  std::optional<Nanoseconds> clock_error() const { return clock_error_; }

 private:
  struct Piece {
    const TensorImpl* node = nullptr;
    Bytes copied = 0;
    bool to_device = false;
    const CapturedPieces* graph = nullptr;  // not null: of the launch of a graph
    EventHandle begin = 0, end = 0;         // timers
  };
  Result<EventHandle> record(StreamHandle stream);
  Result<EventHandle> record_in_graph(StreamHandle stream);
  Status capture(const TensorImpl* node, StreamHandle stream, const std::function<Status()>& queue);
  Status label_or_time(Piece piece, StreamHandle stream, const std::function<Status()>& queue);
  std::vector<DeviceSpan> from_activities(const std::function<Nanoseconds()>& now);
  std::vector<DeviceSpan> from_timers(StreamHandle idle, const std::function<Nanoseconds()>& now);
  void add_graph(const CapturedPieces& graph, std::vector<Activity>& activities, std::vector<DeviceSpan>& spans);
  DeviceSpan span_of(const TensorImpl* node, const Activity& activity);
  void forget();

  std::shared_ptr<Driver> driver_;
  bool keeps_ = false, activities_ = false;
  const TensorImpl* copies_of_ = nullptr;
  CapturedPieces* capturing_ = nullptr;
  bool capturing_timers_ = false;
  std::vector<EventHandle> timers_;
  size_t used_ = 0;
  std::optional<Nanoseconds> clock_error_;
  std::vector<Piece> pieces_;  // with activities: piece i has label i + 1
  std::set<std::string, std::less<>> texts_;
};

}  // namespace arenascope::cuda
