// SPDX-License-Identifier: MIT
// MNN's memory of an OpenCL device: the free lists of its buffer pools, the buffers that a network acquires when it is
// resized, and the objects that own context, queue and pools.
#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/device_size.h"
#include "engine/lesson/lens.h"
#include "engine/lesson/program_context.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr Bytes kMaxBuffer = Bytes{1} << 24;
constexpr size_t kMaxDeviceSteps = 64;

// Returns its buffer to the pool when it is destroyed, like MNN's CLMemReleaseBuffer.
class PooledBuffer {
 public:
  PooledBuffer(FirstLargerPool& pool, void* pointer, Bytes bytes) : pool_(&pool), pointer_(pointer), bytes_(bytes) {}
  PooledBuffer(const PooledBuffer&) = delete;
  PooledBuffer& operator=(const PooledBuffer&) = delete;
  ~PooledBuffer() { pool_->deallocate(pointer_, bytes_); }
  const FirstLargerPool& pool() const { return *pool_; }
  const void* pointer() const { return pointer_; }
  Bytes bytes() const { return bytes_; }

 private:
  FirstLargerPool* pool_;
  void* pointer_;
  Bytes bytes_;
};

// A pool with its buffers in the order of their creation.
struct ShownPool {
  const char* title;
  const char* list_title;
  FirstLargerPool pool{};
  std::vector<void*> buffers{};
};

class DevicePools {
 public:
  DevicePools() { push(LensEvent::Start, {}, nullptr); }

  // `storage`: dynamic, separate or static.
  Status acquire(const std::string& name, Bytes bytes, const std::string& storage) {
    ShownPool& shown = storage == "static" ? static_ : dynamic_;
    const int64_t hits = shown.pool.stats().hits;
    auto pointer =
        storage == "separate" ? shown.pool.allocate_separate(bytes) : shown.pool.allocate(bytes, kDefaultAlignment);
    if (!pointer) return pointer.error();
    const bool reused = shown.pool.stats().hits > hits;
    if (!reused) shown.buffers.push_back(*pointer);
    tensors_[name] = std::make_unique<PooledBuffer>(shown.pool, *pointer, bytes);
    std::vector<std::string> arguments{name, std::to_string(bytes), storage};
    if (reused) arguments.push_back(std::to_string(shown.pool.buffers().at(*pointer)));
    requested_ += &shown == &dynamic_ ? bytes : 0;
    push(reused ? LensEvent::FoundBuffer : LensEvent::NewBuffer, std::move(arguments), *pointer);
    frames.back().values["buffer"] = static_cast<double>(shown.pool.buffers().at(*pointer));
    frames.back().values["request"] = static_cast<double>(bytes);
    return {};
  }

  void drop(const std::string& name) {
    const auto at = tensors_.find(name);
    const void* pointer = at->second->pointer();
    const Bytes bytes = at->second->pool().buffers().at(const_cast<void*>(pointer));
    tensors_.erase(at);
    push(LensEvent::Recycled, {name, std::to_string(bytes)}, pointer);
    frames.back().values["buffer"] = static_cast<double>(bytes);
  }

  void release() {
    Bytes released = 0;
    for (ShownPool* shown : {&dynamic_, &static_}) {
      released += shown->pool.release_cached();
      std::erase_if(shown->buffers, [&](void* p) { return !shown->pool.buffers().contains(p); });
    }
    push(LensEvent::Emptied, {std::to_string(released)}, nullptr);
  }

  bool has(const std::string& name) const { return tensors_.contains(name); }
  Bytes dynamic_bytes() const { return dynamic_.pool.stats().reserved; }

  void push(LensEvent event, std::vector<std::string> arguments, const void* current) {
    LensFrame frame{event, std::move(arguments), {}, {}};
    for (const ShownPool* shown : {&dynamic_, &static_}) {
      add_free_list(*shown, current, frame);
      add_buffers(*shown, current, frame);
    }
    const MemoryStats dynamic = dynamic_.pool.stats(), statics = static_.pool.stats();
    frame.values["reserved"] = static_cast<double>(dynamic.reserved + statics.reserved);
    frame.values["dynamic"] = static_cast<double>(dynamic.reserved);
    frame.values["static"] = static_cast<double>(statics.reserved);
    frame.values["requested"] = static_cast<double>(requested_);
    frame.values["active"] = static_cast<double>(dynamic.active + statics.active);
    frame.values["free"] = static_cast<double>(dynamic_.pool.free_list().size() + static_.pool.free_list().size());
    frames.push_back(std::move(frame));
  }

  std::vector<LensFrame> frames;

 private:
  static void add_free_list(const ShownPool& shown, const void* current, LensFrame& frame) {
    LensStrip list{shown.list_title, LensUnit::Slots, static_cast<int64_t>(shown.pool.free_list().size()), {}};
    for (const auto& [bytes, pointer] : shown.pool.free_list())
      list.cells.push_back(
          {static_cast<int64_t>(list.cells.size()), 1, CellKind::Table, std::to_string(bytes), pointer == current, -1});
    frame.strips.push_back(std::move(list));
  }

  void add_buffers(const ShownPool& shown, const void* current, LensFrame& frame) const {
    LensStrip strip{shown.title, LensUnit::Bytes, 0, {}};
    for (void* pointer : shown.buffers) {
      const Bytes size = shown.pool.buffers().at(pointer);
      const auto holder = std::ranges::find_if(tensors_, [&](const auto& t) { return t.second->pointer() == pointer; });
      const bool marked = pointer == current, held = holder != tensors_.end();
      const Bytes used = held ? holder->second->bytes() : size;
      strip.cells.push_back(
          {strip.length, used, held ? CellKind::Data : CellKind::Free, held ? holder->first : "", marked, -1});
      if (used < size) strip.cells.push_back({strip.length + used, size - used, CellKind::Padding, "", marked, -1});
      strip.length += size;
    }
    frame.strips.push_back(std::move(strip));
  }

  ShownPool dynamic_{"dynamic buffers", "free list"}, static_{"static buffers", "static free list"};
  std::map<std::string, std::unique_ptr<PooledBuffer>> tensors_;  // destroyed before the pools
  Bytes requested_ = 0;                                           // from the dynamic pool
};

Status perform(LensRun& run, DevicePools& pools, const std::string& step) {
  const std::vector<std::string> tokens = split(step, " ");
  const std::string verb = tokens.empty() ? "" : tokens[0];
  if (verb == "release" && tokens.size() == 1) return pools.release(), Status();
  if (verb == "drop" && tokens.size() == 2 && pools.has(tokens[1])) return pools.drop(tokens[1]), Status();
  if (verb == "acquire" && (tokens.size() == 3 || tokens.size() == 4) && !pools.has(tokens[1])) {
    const auto bytes = parse_integer(tokens[2]);
    const std::string storage = tokens.size() == 4 ? tokens[3] : "dynamic";
    if (bytes && *bytes > 0 && *bytes <= kMaxBuffer &&
        (storage == "dynamic" || storage == "separate" || storage == "static"))
      return pools.acquire(tokens[1], *bytes, storage);
  }
  return lens_expected(run, "operations", "acquire NAME BYTES [dynamic|separate|static]; drop NAME; release", step);
}

Result<std::vector<std::string>> steps_of(LensRun& run) {
  std::vector<std::string> steps = split(lens_value(run, "operations"), ";");
  if (steps.size() > kMaxDeviceSteps) return lens_count(run, "operations", 0, kMaxDeviceSteps, steps.size());
  return steps;
}

LensFrames free_list(LensRun& run) {
  auto steps = steps_of(run);
  if (!steps) return steps.error();
  DevicePools pools;
  for (const std::string& step : *steps)
    if (auto done = perform(run, pools, trimmed(step)); !done) return done.error();
  return std::move(pools.frames);
}

// --- images

// A free image serves a request if it is as wide and as high; among these the smallest is taken, as in MNN's ImagePool.
class ImageLens {
 public:
  ImageLens() { push(LensEvent::Start, {}); }

  Status perform(LensRun& run, const std::string& step) {
    const std::vector<std::string> tokens = split(step, " ");
    const std::string verb = tokens.empty() ? "" : tokens[0], name = tokens.size() > 1 ? tokens[1] : "";
    const auto holder = std::ranges::find(images_, name, &Image::tensor);
    if (verb == "acquire" && tokens.size() == 4 && holder == images_.end()) {
      const auto width = parse_integer(tokens[2]), height = parse_integer(tokens[3]);
      if (width && height && *width > 0 && *height > 0 && *width <= kMaxExtent && *height <= kMaxExtent)
        return acquire(name, *width, *height), Status();
    }
    if (verb == "drop" && tokens.size() == 2 && holder != images_.end()) {
      current_ = holder - images_.begin();
      holder->tensor.clear();
      push(LensEvent::ImageFreed, {name});
      return {};
    }
    return lens_expected(run, "operations", "acquire NAME WIDTH HEIGHT; drop NAME", step);
  }

  std::vector<LensFrame> frames;

 private:
  static constexpr int64_t kMaxExtent = 1024;
  struct Image {
    int64_t width, height;
    std::string tensor;  // empty: free
    int64_t used = 0;    // texels
    int64_t texels() const { return width * height; }
  };

  void acquire(const std::string& name, int64_t width, int64_t height) {
    auto best = images_.end();
    for (auto image = images_.begin(); image != images_.end(); ++image) {
      const bool fits = image->tensor.empty() && image->width >= width && image->height >= height;
      if (fits && (best == images_.end() || image->texels() < best->texels())) best = image;
    }
    const bool reused = best != images_.end();
    if (!reused) best = images_.insert(images_.end(), {width, height, {}, 0});
    best->tensor = name;
    best->used = width * height;
    current_ = best - images_.begin();
    std::vector<std::string> arguments{name, std::to_string(width), std::to_string(height)};
    if (reused) arguments.insert(arguments.end(), {std::to_string(best->width), std::to_string(best->height)});
    push(reused ? LensEvent::FoundImage : LensEvent::NewImage, std::move(arguments));
  }

  void push(LensEvent event, std::vector<std::string> arguments) {
    LensFrame frame{event, std::move(arguments), {}, {}};
    int64_t reserved = 0, wasted = 0, free = 0;
    for (const Image& image : images_) {
      const bool marked = &image - images_.data() == current_, held = !image.tensor.empty();
      LensStrip strip{fmt::format("{} × {}", image.width, image.height), LensUnit::Slots, image.texels(), {}};
      const int64_t used = held ? image.used : image.texels();
      strip.cells.push_back({0, used, held ? CellKind::Data : CellKind::Free, image.tensor, marked, -1});
      if (used < image.texels())
        strip.cells.push_back({used, image.texels() - used, CellKind::Padding, "", marked, -1});
      reserved += image.texels();
      wasted += held ? image.texels() - used : 0;
      free += held ? 0 : 1;
      frame.strips.push_back(std::move(strip));
    }
    frame.values = {{"images", static_cast<double>(images_.size())},
                    {"texels", static_cast<double>(reserved)},
                    {"wasted", static_cast<double>(wasted)},
                    {"free", static_cast<double>(free)}};
    frames.push_back(std::move(frame));
  }

  std::vector<Image> images_;
  std::ptrdiff_t current_ = -1;
};

LensFrames image_pool(LensRun& run) {
  auto steps = steps_of(run);
  if (!steps) return steps.error();
  ImageLens lens;
  for (const std::string& step : *steps)
    if (auto done = lens.perform(run, trimmed(step)); !done) return done.error();
  return std::move(lens.frames);
}

// --- resize

// An image of four dimensions is padded at its edge, anything else is rounded up to four elements.
Bytes acquired_bytes(const TensorImpl& tensor) {
  const Bytes element = info(tensor.dtype).block_bytes;
  const auto sizes = tensor.sizes.span();
  if (sizes.size() == 4) return device_size(sizes[0], sizes[2], sizes[3], sizes[1]).elements * element;
  return round_up(tensor.element_count(), 4) * element;
}

// Nothing is computed: the buffers of all nodes are acquired in the order in which the nodes will run, and a buffer
// returns to the pool after its last reader.
LensFrames resize(LensRun& run) {
  auto model = small_lens_model(lens_value(run, "graph"));
  if (!model) return model.error();
  const Graph& graph = model->graph;
  DevicePools pools;
  std::map<const TensorImpl*, int32_t> uses;
  for (const TensorImpl* leaf : graph.leafs())
    if (auto done =
            pools.acquire(tensor_name(*leaf), acquired_bytes(*leaf), leaf->has(kFlagWeight) ? "static" : "separate");
        !done)
      return done.error();
  pools.push(LensEvent::ResizeBegin, {std::to_string(graph.nodes().size())}, nullptr);
  for (const TensorImpl* node : graph.nodes()) {
    uses[node] = graph.use_count(*node);
    const char* storage = node->has(kFlagOutput) ? "separate" : "dynamic";
    if (auto done = pools.acquire(tensor_name(*node), acquired_bytes(*node), storage); !done) return done.error();
    for (const TensorImpl* source : node->sources)
      if (uses.contains(source) && !source->has(kFlagOutput) && --uses[source] == 0) pools.drop(tensor_name(*source));
  }
  pools.push(LensEvent::ResizeEnd, {std::to_string(pools.dynamic_bytes())}, nullptr);
  return std::move(pools.frames);
}

// --- owners

struct ClContext {};
struct ClQueue {
  std::shared_ptr<ClContext> context;
};
// Wraps the device.
struct OpenClRuntime {
  std::shared_ptr<ClContext> context = std::make_shared<ClContext>();
  std::shared_ptr<ClQueue> queue = std::make_shared<ClQueue>(ClQueue{context});
  std::vector<std::string> kernels;  // programs that were built, once for all backends
};
// Shared by the backends of a process; it owns the static pools.
struct ClRuntime {
  std::shared_ptr<OpenClRuntime> runtime = std::make_shared<OpenClRuntime>();
  std::shared_ptr<FirstLargerPool> static_buffers = std::make_shared<FirstLargerPool>();
  std::shared_ptr<FirstLargerPool> static_images = std::make_shared<FirstLargerPool>();
};
// Runs the ops of one session; it owns the dynamic pools.
struct Backend {
  std::shared_ptr<ClRuntime> runtime;
  std::shared_ptr<OpenClRuntime> device;
  std::shared_ptr<FirstLargerPool> buffers = std::make_shared<FirstLargerPool>();
  std::shared_ptr<FirstLargerPool> images = std::make_shared<FirstLargerPool>();
};

class Owners {
 public:
  Owners() { push(LensEvent::Start, {}); }

  Status perform(LensRun& run, const std::string& step) {
    const std::vector<std::string> tokens = split(step, " ");
    const std::string verb = tokens.empty() ? "" : tokens[0], name = tokens.size() == 2 ? tokens[1] : "";
    const bool one = tokens.size() == 1;
    if (verb == "runtime" && one && !session_) return create_runtime();
    if (verb == "backend" && !name.empty() && session_ && !backends_.contains(name)) return create_backend(name);
    if (verb == "kernel" && !name.empty() && session_) return build(name);
    if (verb == "drop" && backends_.contains(name)) return drop_backend(name);
    if (verb == "drop" && name == "runtime" && session_) return drop_runtime();
    return lens_expected(run, "operations", "runtime; backend NAME; kernel NAME; drop NAME", step);
  }

  std::vector<LensFrame> frames;

 private:
  Status create_runtime() {
    session_ = std::make_shared<ClRuntime>();
    device_ = session_->runtime;
    runtime_ = session_;
    push(LensEvent::Created, {"CLRuntime", "OpenCLRuntime, BufferPool (static), ImagePool (static)"});
    return {};
  }
  Status create_backend(const std::string& name) {
    backends_[name] = std::make_unique<Backend>(Backend{session_, session_->runtime});
    push(LensEvent::Created, {"OpenCLBackend " + name, "BufferPool (dynamic), ImagePool (dynamic)"});
    return {};
  }
  Status build(const std::string& name) {
    std::vector<std::string>& kernels = session_->runtime->kernels;
    if (std::ranges::find(kernels, name) != kernels.end()) {
      push(LensEvent::Cached, {name});
      return {};
    }
    kernels.push_back(name);
    push(LensEvent::Created, {name, "cl::Program, cl::Kernel"});
    return {};
  }
  Status drop_backend(const std::string& name) {
    backends_.erase(name);
    push(LensEvent::Destroyed, {"OpenCLBackend " + name, "BufferPool (dynamic), ImagePool (dynamic)"});
    return destroyed_runtime();
  }
  Status drop_runtime() {
    session_.reset();
    if (const auto left = runtime_.use_count(); left > 0) push(LensEvent::Kept, {"CLRuntime", std::to_string(left)});
    return destroyed_runtime();
  }
  Status destroyed_runtime() {
    if (runtime_.expired() && std::exchange(alive_, false))
      push(LensEvent::Destroyed, {"CLRuntime", "OpenCLRuntime, cl::Context, cl::CommandQueue"});
    return {};
  }

  static LensStrip list_of(std::string title, const std::vector<std::string>& entries) {
    // A destroyed object leaves an empty slot.
    LensStrip strip{std::move(title), LensUnit::Slots, std::max<int64_t>(1, std::ssize(entries)), {}};
    for (const std::string& entry : entries)
      strip.cells.push_back({static_cast<int64_t>(strip.cells.size()), 1, CellKind::Table, entry, false, -1});
    return strip;
  }

  void push(LensEvent event, std::vector<std::string> arguments) {
    LensFrame frame{event, std::move(arguments), {}, {}};
    const auto device = device_.lock();
    alive_ = alive_ || device != nullptr;
    std::vector<std::string> owned;
    if (device) {
      // Without the reference of this function.
      owned = {fmt::format("cl::Context: {}", device->context.use_count()),
               fmt::format("cl::CommandQueue: {}", device->queue.use_count())};
      for (const std::string& kernel : device->kernels) owned.push_back("cl::Kernel " + kernel);
    }
    frame.values["runtime"] = static_cast<double>(runtime_.use_count());
    frame.values["device"] = static_cast<double>(device ? device.use_count() - 1 : 0);
    frame.values["backends"] = static_cast<double>(backends_.size());
    frame.values["kernels"] = static_cast<double>(device ? device->kernels.size() : 0);
    frame.strips.push_back(list_of("OpenCLRuntime", owned));
    frame.strips.push_back(
        list_of("CLRuntime", runtime_.expired()
                                 ? std::vector<std::string>()
                                 : std::vector<std::string>{fmt::format("OpenCLRuntime: {}", frame.values["device"]),
                                                            "BufferPool (static)", "ImagePool (static)"}));
    for (const auto& [name, backend] : backends_)
      frame.strips.push_back(
          list_of("OpenCLBackend " + name, {fmt::format("CLRuntime: {}", frame.values["runtime"]), "OpenCLRuntime",
                                            "BufferPool (dynamic)", "ImagePool (dynamic)"}));
    frames.push_back(std::move(frame));
  }

  std::shared_ptr<ClRuntime> session_;  // held by the session
  std::weak_ptr<ClRuntime> runtime_;
  std::weak_ptr<OpenClRuntime> device_;
  std::map<std::string, std::unique_ptr<Backend>> backends_;
  bool alive_ = false;
};

LensFrames owners(LensRun& run) {
  auto steps = steps_of(run);
  if (!steps) return steps.error();
  Owners lens;
  for (const std::string& step : *steps)
    if (auto done = lens.perform(run, trimmed(step)); !done) return done.error();
  return std::move(lens.frames);
}

constexpr LensParameter kFreeListSteps[] = {
    {"operations",
     "acquire a 4096; acquire b 1024; acquire c 2048; drop a; drop b; drop c; acquire d 1500; acquire e 900 separate; "
     "acquire w 512 static; drop w; release"}};
constexpr LensParameter kImageSteps[] = {
    {"operations", "acquire a 15 5; acquire b 5 20; drop a; drop b; acquire c 10 5; acquire d 10 6"}};
constexpr LensParameter kResizeGraph[] = {
    {"graph", "x = input f32 8 16; w = weight f32 8 16; h = MUL_MAT w x; r = RELU h; s = ADD r r; o = RELU s"}};
constexpr LensParameter kOwnerSteps[] = {
    {"operations", "runtime; backend a; kernel conv; backend b; kernel conv; drop a; drop runtime; drop b"}};

constexpr LensExperiment kDeviceLenses[] = {
    {"owners", "the objects of MNN's OpenCL runtime, and the references that keep them alive", kOwnerSteps, owners},
    {"freelist", "the free lists of a device's static and dynamic buffer pools", kFreeListSteps, free_list},
    {"imagepool", "images that are reused if width and height suffice", kImageSteps, image_pool},
    {"resize", "the buffers that the nodes of a graph acquire when it is resized", kResizeGraph, resize},
};

}  // namespace

std::span<const LensExperiment> device_lenses() { return kDeviceLenses; }

}  // namespace arenascope::lesson
