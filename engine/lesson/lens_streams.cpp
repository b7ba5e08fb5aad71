// SPDX-License-Identifier: MIT
// A device's caching allocator with two streams: blocks that are freed while a stream still uses them are deferred.
#include <arenascope/memory/device_caching_allocator.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/lens.h"
#include "engine/lesson/queue_device.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr const char* kStreams[] = {"compute", "copies"};

class StreamLens {
 public:
  StreamLens() {
    for (const char* name : kStreams) streams_.push_back(device_->add_stream(name));
    DeviceCachingOptions options;
    options.small_segment = kSegment;
    allocator_ = std::make_unique<DeviceCachingAllocator>(device_, options);
    push(LensEvent::Start, {}, 0);
  }

  Status perform(LensRun& run, const std::vector<std::string>& tokens) {
    const std::string verb = tokens.empty() ? "" : tokens[0], name = tokens.size() > 1 ? tokens[1] : "";
    const auto tensor = tensors_.find(name);
    const auto stream = std::ranges::find(kStreams, tokens.empty() ? "" : tokens.back());
    const bool on_stream = stream != std::end(kStreams);
    const auto at = static_cast<size_t>(stream - std::begin(kStreams));
    if (verb == "allocate" && tokens.size() == 3 && tensor == tensors_.end()) return allocate(run, name, tokens[2]);
    if (verb == "use" && tokens.size() == 3 && tensor != tensors_.end() && on_stream) return use(name, at);
    if (verb == "free" && tokens.size() == 2 && tensor != tensors_.end()) return free(name);
    if (verb == "run" && tokens.size() == 2 && on_stream) return run_stream(at);
    return lens_expected(run, "operations",
                         "allocate NAME BYTES; use NAME STREAM; free NAME; run STREAM (STREAM: compute, copies)",
                         join(tokens, " "));
  }

  std::vector<LensFrame> frames;

 private:
  static constexpr Bytes kSegment = 16384;
  struct Allocation {
    void* pointer;
    Bytes bytes;
    std::vector<Stream> others;  // that use it besides the first stream
  };

  Status allocate(LensRun& run, const std::string& name, const std::string& size) {
    const auto bytes = parse_integer(size);
    if (!bytes || *bytes < 1 || *bytes > kSegment)
      return lens_expected(run, "operations", fmt::format("allocate NAME BYTES (1 ≤ BYTES ≤ {})", kSegment), size);
    auto pointer = allocator_->allocate_on(streams_[0], *bytes);
    if (!pointer) return pointer.error();
    const auto address = reinterpret_cast<uintptr_t>(*pointer);
    const bool reused = std::ranges::find(names_, address, &std::pair<std::string, uintptr_t>::second) != names_.end();
    std::erase_if(names_, [&](const auto& known) { return known.second == address; });
    names_.emplace_back(name, address);
    tensors_[name] = {*pointer, *bytes, {}};
    push(reused ? LensEvent::Reused : LensEvent::Allocated, {name, size, std::to_string(offset_of(address))}, address);
    frames.back().values["offset"] = static_cast<double>(offset_of(address));
    return {};
  }

  Status use(const std::string& name, size_t stream) {
    device_->launch(streams_[stream], name, [] {});
    queued_[stream].push_back(name);
    if (stream > 0) tensors_[name].others.push_back(streams_[stream]);
    push(LensEvent::Queued, {name, kStreams[stream]}, reinterpret_cast<uintptr_t>(tensors_[name].pointer));
    return {};
  }

  Status free(const std::string& name) {
    const Allocation allocation = tensors_[name];
    tensors_.erase(name);
    if (allocation.others.empty())
      allocator_->deallocate(allocation.pointer, allocation.bytes);
    else
      allocator_->deallocate_after(allocation.pointer, allocation.bytes, allocation.others);
    const bool deferred = allocator_->fragmentation().deferred > 0 && !allocation.others.empty();
    push(deferred ? LensEvent::DeferredFree : LensEvent::Freed, {name, kStreams[1]},
         reinterpret_cast<uintptr_t>(allocation.pointer));
    return {};
  }

  Status run_stream(size_t stream) {
    device_->run_next(streams_[stream]);
    if (!queued_[stream].empty()) queued_[stream].erase(queued_[stream].begin());
    push(LensEvent::Completed, {kStreams[stream]}, 0);
    return {};
  }

  // In the strip of push(): segments are at arbitrary addresses.
  Bytes offset_of(uintptr_t address) const {
    Bytes offset = 0;
    for (const BlockSnapshot& block : allocator_->snapshot()) {
      if (block.address == address) break;
      offset += block.bytes;
    }
    return offset;
  }

  // All blocks, segment after segment.
  void push(LensEvent event, std::vector<std::string> arguments, uintptr_t current) {
    LensFrame frame{event, std::move(arguments), {}, {}};
    LensStrip memory{"segment", LensUnit::Bytes, 0, {}};
    for (const BlockSnapshot& block : allocator_->snapshot()) {
      const auto name = std::ranges::find(names_, block.address, &std::pair<std::string, uintptr_t>::second);
      const bool free = block.state == BlockSnapshot::State::Free;
      memory.cells.push_back({memory.length, block.bytes,
                              free                                            ? CellKind::Free
                              : block.state == BlockSnapshot::State::Deferred ? CellKind::Deferred
                                                                              : CellKind::Data,
                              free || name == names_.end() ? "" : name->first, block.address == current, -1});
      memory.length += block.bytes;
    }
    frame.strips.push_back(std::move(memory));
    for (size_t i = 0; i < std::size(kStreams); ++i) {
      const auto count = static_cast<int64_t>(queued_[i].size());
      LensStrip queue{kStreams[i], LensUnit::Slots, std::max<int64_t>(count, 1), {}};
      for (int64_t k = 0; k < count; ++k)
        queue.cells.push_back({k, 1, CellKind::Table, queued_[i][static_cast<size_t>(k)], false, -1});
      frame.strips.push_back(std::move(queue));
    }
    const FragmentationStats stats = allocator_->fragmentation();
    frame.values = {{"deferred", static_cast<double>(stats.deferred)}, {"free", static_cast<double>(stats.free)}};
    frames.push_back(std::move(frame));
  }

  trace::Recorder recorder_;
  std::shared_ptr<QueueDevice> device_ = std::make_shared<QueueDevice>(recorder_);
  std::unique_ptr<DeviceCachingAllocator> allocator_;
  std::vector<Stream> streams_;
  std::vector<std::string> queued_[std::size(kStreams)];
  std::map<std::string, Allocation> tensors_;
  std::vector<std::pair<std::string, uintptr_t>> names_;  // the last tensor at each address
};

LensFrames streams(LensRun& run) {
  const std::vector<std::string> steps = split(lens_value(run, "operations"), ";");
  if (steps.size() > 64) return lens_count(run, "operations", 0, 64, steps.size());
  StreamLens lens;
  for (const std::string& step : steps)
    if (auto done = lens.perform(run, split(step, " ")); !done) return done.error();
  return std::move(lens.frames);
}

constexpr LensParameter kSteps[] = {
    {"operations",
     "allocate x 4096; use x compute; run compute; use x copies; free x; allocate y 4096; run copies; "
     "allocate z 4096"}};
constexpr LensExperiment kStreamLenses[] = {
    {"streams", "blocks of a device that are freed while a stream still uses them", kSteps, streams},
};

}  // namespace

std::span<const LensExperiment> stream_lenses() { return kStreamLenses; }

}  // namespace arenascope::lesson
