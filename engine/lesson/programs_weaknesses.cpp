// SPDX-License-Identifier: MIT
// What libtensor's own analysis calls its weaknesses, each provoked by a small program and mended by a second one: a plan
// whose tensors each have a block of their own, a view that nobody checks, a block that outlives its allocator, memory
// that is given out again while a stream still reads it. (A kind of memory that is forgotten: programs_allocators.cpp.)
#include <arenascope/memory/device_caching_allocator.h>
#include <arenascope/planner/planner.h>
#include <arenascope/tensor/storage.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/lesson/program_kit.h"
#include "engine/lesson/queue_device.h"

namespace arenascope::lesson {
namespace {

constexpr Bytes kTensor = 64 * KiB;

void fill(std::byte* data, Bytes bytes, int with) { std::memset(data, with, static_cast<size_t>(bytes)); }
Bytes other_than(int value, const std::byte* data, Bytes bytes) {
  return bytes - std::count(data, data + bytes, static_cast<std::byte>(value));
}

// --- a plan: twenty tensors of four layers, of which two live at once

struct Planned {
  Bytes bytes = 0;
  int first = 0, last = 0;  // steps, half-open
};
std::vector<Planned> four_layers() {
  static constexpr Bytes kSizes[] = {20 * KiB, 36 * KiB, 20 * KiB, 68 * KiB, 10 * KiB};
  std::vector<Planned> out;
  for (int i = 0; i < 20; ++i) out.push_back({kSizes[i % 5], i, i % 5 == 4 ? i + 1 : i + 2});
  return out;
}

// As a plan is prepared that declares its buffers and then asks for each of them: all are there at once.
Status own_blocks(trace::Recorder& recorder) {
  Room room(recorder);
  ARENASCOPE_TRY(room.use(MemoryKind::Workspace, std::make_shared<FirstLargerPool>()));
  const std::vector<Planned> tensors = four_layers();
  for (size_t i = 0; i < tensors.size(); ++i)
    ARENASCOPE_TRY(room.allocate(fmt::format("t{}", i), MemoryKind::Workspace, tensors[i].bytes));
  return {};
}

// The same tensors as slices of one block, where a planner puts them; each holds its numbers for as long as it lives.
Status one_arena(trace::Recorder& recorder) {
  Room room(recorder);
  ARENASCOPE_TRY(room.use(MemoryKind::Workspace, std::make_shared<FirstLargerPool>()));
  const std::vector<Planned> tensors = four_layers();
  planner::Problem problem;
  for (const Planned& t : tensors) problem.intervals.push_back({t.first, t.last, t.bytes, 0, {}, {}});
  planner::Options options;
  options.budget_seconds = 1;  // it ends with a proof long before
  auto plan = planner::find_planner("search")->plan(problem, options);
  if (!plan) return plan.error();
  Bytes arena_bytes = 0;
  for (size_t i = 0; i < tensors.size(); ++i) arena_bytes = std::max(arena_bytes, plan->offsets[i] + tensors[i].bytes);
  auto arena = Storage::allocate(*room, {}, MemoryKind::Workspace, arena_bytes);
  if (!arena) return arena.error();
  std::vector<Storage> slices;
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto slice = arena->sub_storage(plan->offsets[i], tensors[i].bytes);
    if (!slice) return slice.error();
    slices.push_back(std::move(*slice));
  }
  Bytes overwritten = 0;
  for (int step = 0; step <= tensors.back().last; ++step)
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].first == step) fill(slices[i].data(), slices[i].bytes(), static_cast<int>(i));
      if (tensors[i].last == step) overwritten += other_than(static_cast<int>(i), slices[i].data(), slices[i].bytes());
    }
  room.count("overwritten", overwritten);
  return {};
}

// --- views: of the first of two tensors that lie side by side

struct Neighbours {
  Storage first, second;
};
Result<Neighbours> side_by_side(Room& room) {
  if (auto ok = room.use(MemoryKind::Workspace, std::make_shared<SegmentAllocator>(4 * kTensor)); !ok)
    return ok.error();
  auto a = Storage::allocate(*room, {}, MemoryKind::Workspace, kTensor);
  auto b = Storage::allocate(*room, {}, MemoryKind::Workspace, kTensor);
  if (!a || !b) return a ? b.error() : a.error();
  if (a->data() + kTensor != b->data()) return Error{"the two tensors do not lie side by side"};
  fill(b->data(), kTensor, 1);
  return Neighbours{std::move(*a), std::move(*b)};
}

// Offset and size are added to the pointer, and that is all.
Status unchecked_view(trace::Recorder& recorder) {
  Room room(recorder);
  auto tensors = side_by_side(room);
  if (!tensors) return tensors.error();
  fill(tensors->first.data() + kTensor / 4 * 3, kTensor / 2, 2);
  room.count("overwritten", other_than(1, tensors->second.data(), kTensor));
  return {};
}

Status bounds(trace::Recorder& recorder) {
  Room room(recorder);
  auto tensors = side_by_side(room);
  if (!tensors) return tensors.error();
  auto view = tensors->first.sub_storage(kTensor / 4 * 3, kTensor / 2);
  if (view)
    fill(view->data(), view->bytes(), 2);
  else
    room.problem(view.error().message);
  room.count("overwritten", other_than(1, tensors->second.data(), kTensor));
  return {};
}

// --- a block that is let go after its allocator's context is gone

// The block knows its allocator by a bare pointer. A weak one stands for it here, which can be asked whether anything is
// left where it points.
Status owner_gone(trace::Recorder& recorder) {
  Room room(recorder);
  auto allocator = std::make_shared<FirstLargerPool>();
  const std::weak_ptr<Allocator> owner = allocator;
  auto pointer = allocator->allocate(kTensor, kDefaultAlignment);
  if (!pointer) return pointer.error();
  const AllocationEvent block{{}, MemoryKind::Workspace, reinterpret_cast<uintptr_t>(*pointer), kTensor};
  room.observer().on_allocate(block);
  allocator.reset();
  if (const auto still = owner.lock()) {
    still->deallocate(*pointer, kTensor);
    room.observer().on_free(block);
  } else {
    room.problem(fmt::format("a block of {} bytes is let go, and the allocator that it points to is gone", kTensor));
  }
  return {};
}

Status kept_alive(trace::Recorder& recorder) {
  BlockPtr block;
  {
    auto context = make_cpu_context();
    context->set_observer(make_allocation_recorder(recorder));
    auto made = context->allocate({}, MemoryKind::Workspace, kTensor);
    if (!made) return made.error();
    block = std::move(*made);
  }
  block.reset();
  return {};
}

// --- two streams: the second one still reads what the host has let go

// What the allocator holds back until streams have passed it.
using Deferred = std::function<Bytes()>;

Status two_streams(trace::Recorder& recorder, QueueDevice& device, std::shared_ptr<Allocator> allocator,
                   const Deferred& deferred) {
  Room room(recorder);
  ARENASCOPE_TRY(room.use(MemoryKind::Workspace, std::move(allocator)));
  const Stream compute = device.add_stream("compute"), copy = device.add_stream("copies");
  (*room).set_current_stream(compute);
  room.count("overwritten", 0);
  const auto tensor = [&] { return (*room).allocate({}, MemoryKind::Workspace, kTensor); };
  auto x = tensor();
  if (!x) return x.error();
  std::byte* const numbers = (*x)->data();
  std::vector<std::byte> host(static_cast<size_t>(kTensor));
  device.launch(compute, "write x", [=] { fill(numbers, kTensor, 1); });
  device.run_next(compute);
  device.launch(copy, "copy x to the host", [&] { std::copy_n(numbers, kTensor, host.data()); });
  if (auto noted = (*x)->record_stream(copy); !noted) return noted;
  x->reset();  // nobody on the host needs it any more, and the copy is not begun
  room.count("deferred", deferred());
  auto y = tensor();
  if (!y) return y.error();
  std::byte* const others = (*y)->data();
  device.launch(compute, "write y", [=] { fill(others, kTensor, 2); });
  device.run_next(compute);
  device.run_next(copy);
  room.count("overwritten", other_than(1, host.data(), kTensor));
  auto z = tensor();
  if (!z) return z.error();
  room.count("reused", (*z)->data() == numbers ? kTensor : 0);
  room.count("deferred", deferred());
  return {};
}

// As libtensor's caching allocators take a block back: into the free list, whatever is queued.
Status freed_at_once(trace::Recorder& recorder) {
  QueueDevice device(recorder);
  return two_streams(recorder, device, std::make_shared<BucketAllocator>(), [] { return Bytes{0}; });
}

Status freed_later(trace::Recorder& recorder) {
  const auto device = std::make_shared<QueueDevice>(recorder);
  DeviceCachingOptions options;
  options.small_segment = 4 * kTensor;
  const auto allocator = std::make_shared<DeviceCachingAllocator>(device, options);
  return two_streams(recorder, *device, allocator, [&] { return allocator->fragmentation().deferred; });
}

constexpr Program kWeaknessPrograms[] = {
    {"own_blocks", "the tensors of a plan, each in a block of its own", own_blocks},
    {"one_arena", "the same tensors as slices of one planned arena", one_arena},
    {"unchecked_view", "a view that leaves its storage, and nobody looks", unchecked_view},
    {"bounds", "the same view, refused when it is made", bounds},
    {"owner_gone", "a block whose allocator is gone", owner_gone},
    {"kept_alive", "a block that keeps its allocator", kept_alive},
    {"freed_at_once", "memory that is given out again while another stream reads it", freed_at_once},
    {"freed_later", "the same, deferred until the stream has passed", freed_later},
};

}  // namespace

std::span<const Program> weakness_programs() { return kWeaknessPrograms; }

}  // namespace arenascope::lesson
