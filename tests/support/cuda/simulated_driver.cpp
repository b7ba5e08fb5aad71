// SPDX-License-Identifier: MIT
#include "support/cuda/simulated_driver.h"
#include <arenascope/trace/clock.h>
#include <fmt/format.h>
#include "support/cuda/host_libraries.h"
#include "support/cuda/kernel_table.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace arenascope::cuda::emulated {
namespace {

// The libraries' work is queued like a kernel's.
class SimulatedQueue final : public Queue, private Libraries {
 public:
  SimulatedQueue(SimulatedDriver& driver, StreamHandle stream, bool libraries)
      : driver_(driver), stream_(stream), host_(std::make_shared<HostLibraries>(libraries)) {}

  Status launch(KernelId id, const Grid& grid, const void* params, size_t bytes) override {
    const HostKernel& kernel = host_kernel(id);
    if (bytes != kernel.params_bytes)
      return Error{fmt::format("{} takes {} bytes of parameters, not {}", name(id), kernel.params_bytes, bytes)};
    const auto* first = static_cast<const std::byte*>(params);
    // Aligned as the kernel's parameters are.
    auto kept = std::make_shared<std::vector<std::max_align_t>>(bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(kept->data(), first, bytes);
    const auto work = [id, grid, kept, &kernel]() -> Status {
      const std::string said = run(kernel.run, kept->data(), grid, kernel.meets, Order::Forward);
      return said.empty() ? Status() : Error{fmt::format("{}: {}", name(id), said)};
    };
    return driver_.push(stream_, name(id), work, 0, false,
                        fmt::format(" {}x{} shared {}:{}", grid.blocks, grid.threads, grid.shared_bytes,
                                    driver_.addresses_in(kept->data(), bytes)));
  }
  Libraries& libraries() override { return *this; }
  int multiprocessors() const override { return driver_.facts().multiprocessors; }

 private:
  bool takes(const LibraryMatmul& p) override { return host_->takes(p); }
  bool takes(const LibraryConvolution& c) override { return host_->takes(c); }
  bool takes(const LibraryPool& p) override { return host_->takes(p); }
  Bytes scratch(const LibraryMatmul& p) override { return host_->scratch(p); }
  Bytes scratch(const LibraryConvolution& c) override { return host_->scratch(c); }
  Status run(const LibraryMatmul& p, void* scratch, Bytes bytes) override {
    const void* used[] = {p.out, p.a, p.b, p.bias};
    return driver_.push(
        stream_, "library product", [h = host_, p, scratch, bytes] { return h->run(p, scratch, bytes); }, 0, false,
        driver_.addresses_in(used, sizeof used));
  }
  Status run(const LibraryConvolution& c, void* scratch, Bytes bytes) override {
    const void* used[] = {c.out, c.x, c.w, c.bias, c.added};
    return driver_.push(
        stream_, "library convolution", [h = host_, c, scratch, bytes] { return h->run(c, scratch, bytes); }, 0, false,
        driver_.addresses_in(used, sizeof used));
  }
  Status run(const LibraryPool& p) override {
    const void* used[] = {p.out, p.x};
    return driver_.push(
        stream_, "library pool", [h = host_, p] { return h->run(p); }, 0, false,
        driver_.addresses_in(used, sizeof used));
  }
  static std::string run(void (*kernel)(const void*), const void* params, const Grid& grid, bool meets, Order order) {
    return emulated::run(kernel, params, grid, meets, order);
  }

  SimulatedDriver& driver_;
  const StreamHandle stream_;
  const std::shared_ptr<HostLibraries> host_;  // what is queued may outlive the queue
};

constexpr size_t kAlignment = 4096;
size_t rounded(Bytes bytes) { return (static_cast<size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

SimulatedDriver::SimulatedDriver(const SimulatedOptions& options)
    : options_(options), facts_{"a simulated device", 2, options.memory}, random_(options.seed) {}

SimulatedDriver::~SimulatedDriver() {
  for (const auto& [pointer, bytes] : memory_) std::free(pointer);
  for (void* page : pinned_) std::free(page);
}

void SimulatedDriver::complain(std::string sentence) {
  if (complaint_.empty()) complaint_ = std::move(sentence);
}

Status SimulatedDriver::call(const char* what) {
  if (!alive_ && !lost_) complain(fmt::format("the driver has gone and was asked to {}", what));
  if (calls_++ == lose_at_) {
    lost_ = true;
    alive_ = false;
  }
  if (lost_) return Error{fmt::format("cuda:0 could not {}: it is lost", what)};
  if (fail_at_ < 0 || fail_at_-- > 0) return {};
  if (--fail_times_ > 0) fail_at_ = 0;
  return Error{fmt::format("cuda:0 could not {}: simulated failure", what)};
}

void SimulatedDriver::fail_after(int calls, int times) {
  fail_at_ = calls;
  fail_times_ = times;
}

Result<void*> SimulatedDriver::take_memory(Bytes bytes) {
  if (auto ok = call("allocate"); !ok) return ok.error();
  if (held_ + bytes > options_.memory) return Error{fmt::format("cuda:0 could not allocate {} bytes: full", bytes)};
  void* memory = std::aligned_alloc(kAlignment, rounded(bytes));
  if (!memory) return Error{"out of memory"};
  std::memset(memory, 0x5b, rounded(bytes));  // memory is not zeroed
  memory_[memory] = {bytes, allocations_++};
  held_ += bytes;
  return memory;
}

void SimulatedDriver::give_memory(void* pointer, Bytes bytes) noexcept {
  if (!alive_) return complain("the driver has gone and was given memory back");
  const auto found = memory_.find(pointer);
  if (found == memory_.end() || found->second.bytes != bytes)
    return complain("memory was freed that was never allocated");
  for (auto& [handle, stream] : streams_)
    while (!stream.pieces.empty()) {  // freeing memory waits for the device
      if (!can_go(stream)) break;
      run_one(stream);
    }
  held_ -= bytes;
  memory_.erase(found);
  std::free(pointer);
}

PinnedMemory::Pages SimulatedDriver::pages() {
  const auto pin = [](void* context, Bytes bytes) -> void* {
    auto* self = static_cast<SimulatedDriver*>(context);
    if (!self->options_.pins || !self->call("pin pages")) return nullptr;
    ++self->pages_;
    void* page = std::aligned_alloc(kAlignment, rounded(bytes));
    if (page) self->pinned_.insert(page);
    return page;
  };
  const auto unpin = [](void* context, void* pointer) {
    auto* self = static_cast<SimulatedDriver*>(context);
    if (!self->alive_) return;
    --self->pages_;
    self->pinned_.erase(pointer);
    std::free(pointer);
  };
  return {pin, unpin, this};
}

Result<EventHandle> SimulatedDriver::create_event() {
  if (auto ok = call("create an event"); !ok) return ok.error();
  events_[next_];
  return next_++;
}

Result<EventHandle> SimulatedDriver::create_timer() {
  auto event = create_event();
  if (event) events_[*event].timer = true;
  return event;
}

void SimulatedDriver::destroy_event(EventHandle event) noexcept {
  if (!alive_) return complain("the driver has gone and was given an event back");
  if (events_.erase(event) == 0) complain("an event was destroyed that there is not");
}

Status SimulatedDriver::record_event(EventHandle event, Stream stream) {
  if (auto ok = call("record an event"); !ok) return ok;
  const auto found = events_.find(event);
  if (found == events_.end()) return complain("an event was recorded that there is not"), Status();
  Piece piece;
  piece.event = event;
  piece.count = 0;
  if (Stream_& captures = streams_[stream.handle]; captures.captures) {
    if (!options_.graph_timers) return Error{"cuda:0 could not record an event in a graph"};
    if (!found->second.timer) complain("an event that is no timer was recorded on a stream that captures");
    captures.captured.push_back(std::move(piece));
    return {};
  }
  found->second.stream = stream.handle;
  ++found->second.recorded;
  streams_[stream.handle].pieces.push_back(std::move(piece));
  return {};
}

bool SimulatedDriver::can_go(const Stream_& stream) const {
  if (stream.pieces.empty()) return false;
  const Piece& piece = stream.pieces.front();
  if (!piece.event || piece.count == 0) return true;
  const auto event = events_.find(piece.event);
  return event == events_.end() || event->second.passed >= piece.count;
}

void SimulatedDriver::run_one(Stream_& stream) {
  Piece piece = std::move(stream.pieces.front());
  stream.pieces.pop_front();
  if (piece.event) {
    const auto event = events_.find(piece.event);
    if (event == events_.end() || piece.count > 0) return;
    ++event->second.passed;
    event->second.time = trace::Clock::monotonic();
    return;
  }
  if (logs_) launches_.push_back(piece.what + piece.details);
  const Nanoseconds begin = trace::Clock::monotonic();
  if (Status s = piece.work(); !s && failed_work_.ok()) failed_work_ = s;
  if (keeps_ && piece.label > 0)
    activities_.push_back(
        {piece.label, piece.what, begin, begin, trace::Clock::monotonic(), piece.copied, piece.to_device});
}

// Runs queued work of any stream until done(). The first caller that waits receives an error of the device.
template <class Done>
Status SimulatedDriver::run_until(Done done) {
  while (!done()) {
    std::vector<Stream_*> able;
    for (auto& [handle, stream] : streams_)
      if (can_go(stream)) able.push_back(&stream);
    if (able.empty()) {
      complain("streams wait for each other");
      return Error{"cuda:0 hangs"};
    }
    run_one(*able[random_() % able.size()]);
  }
  return std::exchange(failed_work_, Status());
}

Result<bool> SimulatedDriver::query_event(EventHandle event) {
  if (auto ok = call("ask for an event"); !ok) return ok.error();
  const auto found = events_.find(event);
  if (found == events_.end()) return Error{"there is no such event"};
  return found->second.passed >= found->second.recorded;
}

Status SimulatedDriver::wait_event(EventHandle event) {
  if (auto ok = call("wait for an event"); !ok) return ok;
  const auto found = events_.find(event);
  if (found == events_.end()) return complain("an event was waited for that there is not"), Status();
  return run_until([&] { return found->second.passed >= found->second.recorded; });
}

Result<Nanoseconds> SimulatedDriver::between(EventHandle first, EventHandle second) {
  if (auto ok = call("tell the time"); !ok) return ok.error();
  const auto a = events_.find(first), b = events_.find(second);
  if (a == events_.end() || b == events_.end()) return Error{"there is no such event"};
  if (a->second.passed < a->second.recorded || b->second.passed < b->second.recorded)
    return Error{"the event has not passed"};
  return b->second.time - a->second.time;
}

Status SimulatedDriver::synchronize() {
  if (auto ok = call("finish its work"); !ok) return ok;
  return run_until([&] {
    return std::all_of(streams_.begin(), streams_.end(), [](const auto& s) { return s.second.pieces.empty(); });
  });
}

Result<StreamHandle> SimulatedDriver::create_stream() {
  if (auto ok = call("create a stream"); !ok) return ok.error();
  streams_[next_];
  return next_++;
}

Status SimulatedDriver::synchronize_stream(StreamHandle stream) {
  if (auto ok = call("finish its work"); !ok) return ok;
  Stream_& one = streams_[stream];
  if (one.captures) complain("a stream that captures was waited for");
  return run_until([&] { return one.pieces.empty(); });
}

Status SimulatedDriver::stream_waits(StreamHandle stream, EventHandle event) {
  if (auto ok = call("order its streams"); !ok) return ok;
  const auto found = events_.find(event);
  if (found == events_.end()) return complain("an event was waited for that there is not"), Status();
  Piece piece;
  piece.event = event;
  piece.count = found->second.recorded;
  if (piece.count > 0) streams_[stream].pieces.push_back(std::move(piece));
  return {};
}

std::string SimulatedDriver::addresses_in(const void* params, size_t bytes) const {
  std::string out;
  for (size_t at = 0; logs_ && at + sizeof(void*) <= bytes; at += sizeof(void*)) {
    char* value = nullptr;
    std::memcpy(&value, static_cast<const char*>(params) + at, sizeof value);
    auto after = memory_.upper_bound(value);
    if (after == memory_.begin()) continue;
    const auto& [begin, block] = *--after;
    const Bytes offset = value - static_cast<char*>(begin);
    if (offset >= 0 && offset < block.bytes) out += fmt::format(" {}+{}", block.number, offset);
  }
  return out;
}

Status SimulatedDriver::push(StreamHandle stream, std::string what, Work work, Bytes copied, bool to_device,
                             std::string details) {
  if (auto ok = call("queue work"); !ok) return ok;
  if (on_queue) on_queue();
  Piece piece;
  piece.work = std::move(work);
  piece.what = std::move(what);
  piece.details = std::move(details);
  piece.label = label_;
  piece.copied = copied;
  piece.to_device = to_device;
  Stream_& s = streams_[stream];
  if (s.captures) {
    s.captured.push_back(std::move(piece));
    return {};
  }
  ++queued_;
  kernels_ += copied == 0;
  s.pieces.push_back(std::move(piece));
  return {};
}

Status SimulatedDriver::copy(StreamHandle stream, void* to, const void* from, Bytes bytes, Direction direction) {
  const bool in = direction == Direction::ToDevice;
  return push(
      stream, in ? "copy to the device" : "copy from the device",
      [=]() -> Status {
        std::memcpy(to, from, static_cast<size_t>(bytes));
        return {};
      },
      bytes, in);
}

Status SimulatedDriver::clear(StreamHandle stream, void* at, Bytes bytes) {
  return push(stream, "clear memory", [=]() -> Status {
    std::memset(at, 0, static_cast<size_t>(bytes));
    return {};
  });
}

Status SimulatedDriver::begin_capture(StreamHandle stream) {
  if (auto ok = call("begin a capture"); !ok) return ok;
  if (!options_.captures) return Error{"cuda:0 could not begin a capture: simulated failure"};
  streams_[stream].captures = true;
  return {};
}

Result<GraphHandle> SimulatedDriver::end_capture(StreamHandle stream) {
  Stream_& s = streams_[stream];
  if (!s.captures) complain("a capture ended that never began");
  s.captures = false;
  std::vector<Piece> captured = std::move(s.captured);
  s.captured.clear();
  if (auto ok = call("capture a graph"); !ok) return ok.error();
  graphs_[next_] = std::move(captured);
  return next_++;
}

Result<size_t> SimulatedDriver::captured(StreamHandle stream) {
  if (auto ok = call("count what it captured"); !ok) return ok.error();
  const Stream_& s = streams_[stream];
  if (!s.captures) complain("captured work was counted outside of a capture");
  return s.captured.size();
}

Status SimulatedDriver::launch_graph(GraphHandle graph, StreamHandle stream) {
  if (auto ok = call("replay a graph"); !ok) return ok;
  const auto found = graphs_.find(graph);
  if (found == graphs_.end()) return complain("a graph was launched that there is not"), Status();
  ++queued_;
  for (const Piece& captured : found->second) {
    Piece& piece = streams_[stream].pieces.emplace_back(captured);
    piece.label = label_;
    if (!piece.event)
      ++kernels_;
    else if (const auto event = events_.find(piece.event); event != events_.end())
      ++event->second.recorded;
    else
      complain("a graph records an event that was destroyed");
  }
  return {};
}

void SimulatedDriver::destroy_graph(GraphHandle graph) noexcept {
  if (!alive_) return complain("the driver has gone and was given a graph back");
  if (graphs_.erase(graph) == 0) complain("a graph was destroyed that there is not");
}

Result<std::unique_ptr<Queue>> SimulatedDriver::make_queue(StreamHandle stream, const QueueOptions& options) {
  return std::unique_ptr<Queue>(std::make_unique<SimulatedQueue>(*this, stream, options.libraries));
}

bool SimulatedDriver::keep_activities(bool keep) {
  if (!options_.activities) return false;
  keeps_ = keep;
  activities_.clear();
  return true;
}

std::vector<Activity> SimulatedDriver::take_activities(const std::function<Nanoseconds()>& now) {
  const Nanoseconds shift = now() - trace::Clock::monotonic();
  if (!options_.all_records && !activities_.empty()) activities_.pop_back();
  for (Activity& a : activities_) {
    a.queued += shift;
    a.begin += shift;
    a.end += shift;
  }
  return std::exchange(activities_, {});
}

}  // namespace arenascope::cuda::emulated
