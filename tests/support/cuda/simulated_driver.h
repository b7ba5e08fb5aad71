// SPDX-License-Identifier: MIT
// A device whose kernels the emulator runs on the host: Driver for tests. Queued work runs only when the program waits, in
// a random order among the streams that may proceed, so that a missing event shows as a wrong result. It counts held
// memory, can run out of memory, can fail any call, and can be lost, on request.
#pragma once
#include "engine/backends/cuda/execution/driver.h"
#include "support/cuda/emulator.h"

#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <utility>

namespace arenascope::cuda::emulated {

struct SimulatedOptions {
  Bytes memory = Bytes{1} << 30;
  bool pins = true;          // pages can be pinned
  bool captures = true;      // a capture works
  bool activities = false;   // activity records are to be had
  bool all_records = true;   // none of them is lost
  bool graph_timers = true;  // timers can be captured
  uint64_t seed = 1;
};

class SimulatedDriver final : public Driver {
 public:
  explicit SimulatedDriver(const SimulatedOptions& options = {});
  ~SimulatedDriver() override;

  Device device() const override { return {DeviceType::Cuda, 0}; }
  const DeviceFacts& facts() const override { return facts_; }
  bool alive() const noexcept override { return alive_; }

  Result<void*> take_memory(Bytes bytes) override;
  void give_memory(void* pointer, Bytes bytes) noexcept override;
  PinnedMemory::Pages pages() override;
  Result<EventHandle> create_event() override;
  Result<EventHandle> create_timer() override;
  void destroy_event(EventHandle event) noexcept override;
  Status record_event(EventHandle event, Stream stream) override;
  Result<bool> query_event(EventHandle event) override;
  Status wait_event(EventHandle event) override;
  Result<Nanoseconds> between(EventHandle first, EventHandle second) override;
  Status synchronize() override;

  Result<StreamHandle> create_stream() override;
  Status synchronize_stream(StreamHandle stream) override;
  Status stream_waits(StreamHandle stream, EventHandle event) override;
  Status copy(StreamHandle stream, void* to, const void* from, Bytes bytes, Direction direction) override;
  Status clear(StreamHandle stream, void* at, Bytes bytes) override;
  Status begin_capture(StreamHandle stream) override;
  Result<GraphHandle> end_capture(StreamHandle stream) override;
  Result<size_t> captured(StreamHandle stream) override;
  Status launch_graph(GraphHandle graph, StreamHandle stream) override;
  void destroy_graph(GraphHandle graph) noexcept override;
  Result<std::unique_ptr<Queue>> make_queue(StreamHandle stream, const QueueOptions& options) override;
  bool keep_activities(bool keep) override;
  void label(uint64_t label) override { label_ = label; }
  std::vector<Activity> take_activities(const std::function<Nanoseconds()>& now) override;

  // After `calls` more calls, `times` calls fail; negative: none.
  void fail_after(int calls, int times = 1);
  // Calls so far that could have failed.
  int calls() const { return calls_; }
  // After `calls` more calls the device is lost: queued work does not run, every call fails, and the driver is
  // no longer alive, so that nothing has to be freed.
  void lose_after(int calls) { lose_at_ = calls_ + calls; }
  bool lost() const { return lost_; }
  // Unloads the driver: no call is allowed after it.
  void kill() { alive_ = false; }
  // The first violation that would fault on a device, or empty.
  const std::string& complaint() const { return complaint_; }
  Bytes held_memory() const { return held_; }
  size_t held_events() const { return events_.size(); }
  size_t held_graphs() const { return graphs_.size(); }
  int held_pages() const { return pages_; }
  int kernels() const { return kernels_; }     // launched, in graphs as well
  int queue_calls() const { return queued_; }  // pieces of work that the host queued one by one
  // Called for each piece of work that the host queues.
  std::function<void()> on_queue;
  // Logs what the device executes. Its memory is named by the number of the allocation and the offset in it.
  void log_launches(bool on) { logs_ = on; }
  // The log since the last call: kernels, library calls and copies, in the order in which they began.
  std::vector<std::string> take_launches() { return std::exchange(launches_, {}); }
  // The addresses of this device's memory among the parameters of a kernel.
  std::string addresses_in(const void* params, size_t bytes) const;

  // For its queues.
  using Work = std::function<Status()>;
  Status push(StreamHandle stream, std::string what, Work work, Bytes copied = 0, bool to_device = false,
              std::string details = {});
  Status call(const char* what);

 private:
  struct Piece {
    Work work;
    EventHandle event = 0;      // recorded here, or waited for
    uint64_t count = 0;         // waited for: its so-manieth recording; 0: this is the recording
    std::string what, details;  // `details`: for the log
    uint64_t label = 0;
    Bytes copied = 0;
    bool to_device = false;
  };
  struct Event {
    uint64_t recorded = 0, passed = 0;
    StreamHandle stream = 0;
    Nanoseconds time = 0;
    bool timer = false;
  };
  struct Stream_ {
    std::deque<Piece> pieces;
    bool captures = false;
    std::vector<Piece> captured;
  };
  bool can_go(const Stream_& stream) const;
  void run_one(Stream_& stream);
  template <class Done>
  Status run_until(Done done);
  void complain(std::string sentence);

  const SimulatedOptions options_;
  const DeviceFacts facts_;
  std::mt19937_64 random_;
  std::map<StreamHandle, Stream_> streams_;
  std::map<EventHandle, Event> events_;
  std::map<GraphHandle, std::vector<Piece>> graphs_;
  struct Allocation {
    Bytes bytes = 0;
    int number = 0;
  };
  std::map<void*, Allocation> memory_;
  int allocations_ = 0;
  bool logs_ = false;
  std::vector<std::string> launches_;
  uintptr_t next_ = 1;
  Bytes held_ = 0;
  int pages_ = 0, calls_ = 0, fail_at_ = -1, fail_times_ = 0, lose_at_ = -1, kernels_ = 0, queued_ = 0;
  bool alive_ = true, lost_ = false, keeps_ = false;
  std::set<void*> pinned_;
  uint64_t label_ = 0;
  std::vector<Activity> activities_;
  Status failed_work_;
  std::string complaint_;
};

}  // namespace arenascope::cuda::emulated
