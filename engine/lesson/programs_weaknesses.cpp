// SPDX-License-Identifier: MIT
// Demonstrates the weaknesses that libtensor's own analysis lists, each with a program that has it and one that avoids
// it: a plan whose tensors have a block each, an unchecked view, a block that outlives its allocator, and memory that
// is reused while a stream still reads it. (A missing memory kind: programs_allocators.cpp.)
#include <arenascope/memory/device_caching_allocator.h>
#include <arenascope/planner/planner.h>
#include <arenascope/tensor/storage.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/lesson/program_context.h"
#include "engine/lesson/queue_device.h"

namespace arenascope::lesson {
namespace {

constexpr Bytes kTensor = 64 * KiB;

void fill(std::byte* data, Bytes bytes, int with) { std::memset(data, with, static_cast<size_t>(bytes)); }
Bytes other_than(int value, const std::byte* data, Bytes bytes) {
  return bytes - std::count(data, data + bytes, static_cast<std::byte>(value));
}

// --- a plan: twenty tensors of four layers, of which two are live at a time

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

// A plan that declares its buffers first and then allocates each of them: all are live at once.
Status own_blocks(trace::Recorder& recorder) {
  RecordedContext context(recorder, numbered("t", 20));
  ARENASCOPE_TRY(context.use(MemoryKind::Workspace, std::make_shared<FirstLargerPool>()));
  const std::vector<Planned> tensors = four_layers();
  for (size_t i = 0; i < tensors.size(); ++i)
    ARENASCOPE_TRY(context.allocate(fmt::format("t{}", i), MemoryKind::Workspace, tensors[i].bytes));
  return {};
}

// Describes the slices as a plan, so that the arena map shows them.
void describe_slices(trace::Recorder& recorder, const std::vector<Planned>& tensors, const planner::Plan& placed) {
  trace::GraphInfo graph;
  trace::PlanInfo plan;
  plan.planner = "search";
  plan.lower_bound_bytes = placed.lower_bound;
  for (size_t i = 0; i < tensors.size(); ++i) {
    trace::TensorInfo& tensor = graph.nodes.emplace_back();
    tensor.name = fmt::format("t{}", i);
    tensor.op = "BUFFER";
    tensor.dtype = "u8";
    tensor.shape = {tensors[i].bytes};
    tensor.strides = {1};
    tensor.bytes = tensors[i].bytes;
    trace::SliceInfo& slice = plan.slices.emplace_back();
    slice.tensor = trace::TensorRef::node(NodeId(i));
    slice.offset = placed.offsets[i];
    slice.size = tensors[i].bytes;
    slice.first = Step(tensors[i].first);
    slice.last = Step(tensors[i].last);
    slice.block = BlockId(i);
    plan.order.push_back(NodeId(i));
    plan.arena_bytes = std::max(plan.arena_bytes, slice.offset + slice.size);
  }
  plan.graph = recorder.describe(std::move(graph));
  recorder.describe(std::move(plan));
}

// The same tensors as slices of one block, placed by a planner; each holds its data during its lifetime.
Status one_arena(trace::Recorder& recorder) {
  RecordedContext context(recorder);
  ARENASCOPE_TRY(context.use(MemoryKind::Workspace, std::make_shared<FirstLargerPool>()));
  const std::vector<Planned> tensors = four_layers();
  planner::Problem problem;
  for (const Planned& t : tensors) problem.intervals.push_back({t.first, t.last, t.bytes, 0, {}, {}});
  planner::Options options;
  options.budget_steps = 20'000;  // the proof of optimality ends it much earlier
  auto plan = planner::find_planner("search")->plan(problem, options);
  if (!plan) return plan.error();
  Bytes arena_bytes = 0;
  for (size_t i = 0; i < tensors.size(); ++i) arena_bytes = std::max(arena_bytes, plan->offsets[i] + tensors[i].bytes);
  auto arena = Storage::allocate(*context, {}, MemoryKind::Workspace, arena_bytes);
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
  context.count("overwritten", overwritten);
  describe_slices(recorder, tensors, *plan);
  return {};
}

// --- views: of the first of two adjacent tensors

struct Neighbours {
  Storage first, second;
};
Result<Neighbours> side_by_side(RecordedContext& context) {
  if (auto ok = context.use(MemoryKind::Workspace, std::make_shared<SegmentAllocator>(4 * kTensor)); !ok)
    return ok.error();
  auto a = Storage::allocate(*context, {}, MemoryKind::Workspace, kTensor);
  auto b = Storage::allocate(*context, {}, MemoryKind::Workspace, kTensor);
  if (!a || !b) return a ? b.error() : a.error();
  ARENASCOPE_TRY(context.bind("first", *a->block(), kTensor));
  ARENASCOPE_TRY(context.bind("second", *b->block(), kTensor));
  if (a->data() + kTensor != b->data()) return Error{"the two tensors are not adjacent"};
  fill(b->data(), kTensor, 1);
  return Neighbours{std::move(*a), std::move(*b)};
}

// Adds the offset to the pointer without checking the size.
Status unchecked_view(trace::Recorder& recorder) {
  RecordedContext context(recorder, {"first", "second"});
  auto tensors = side_by_side(context);
  if (!tensors) return tensors.error();
  fill(tensors->first.data() + kTensor / 4 * 3, kTensor / 2, 2);
  context.count("overwritten", other_than(1, tensors->second.data(), kTensor));
  return {};
}

Status bounds(trace::Recorder& recorder) {
  RecordedContext context(recorder, {"first", "second"});
  auto tensors = side_by_side(context);
  if (!tensors) return tensors.error();
  auto view = tensors->first.sub_storage(kTensor / 4 * 3, kTensor / 2);
  if (view)
    fill(view->data(), view->bytes(), 2);
  else
    context.problem(view.error().message);
  context.count("overwritten", other_than(1, tensors->second.data(), kTensor));
  return {};
}

// --- a block that is freed after its allocator's context has been destroyed

// The block refers to its allocator by a raw pointer. Here a weak pointer stands in for it, so that the program can
// check whether the allocator still exists.
Status owner_gone(trace::Recorder& recorder) {
  RecordedContext context(recorder);
  auto allocator = std::make_shared<FirstLargerPool>();
  const std::weak_ptr<Allocator> owner = allocator;
  auto pointer = allocator->allocate(kTensor, kDefaultAlignment);
  if (!pointer) return pointer.error();
  const AllocationEvent block{{}, MemoryKind::Workspace, reinterpret_cast<uintptr_t>(*pointer), kTensor};
  context.observer().on_allocate(block);
  allocator.reset();
  if (const auto still = owner.lock()) {
    still->deallocate(*pointer, kTensor);
    context.observer().on_free(block);
  } else {
    context.problem(fmt::format("a block of {} bytes is freed after its allocator was destroyed", kTensor));
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

// --- two streams: the second one still reads memory that the host has freed

// Bytes that the allocator defers until streams have passed the free.
using Deferred = std::function<Bytes()>;

Status two_streams(trace::Recorder& recorder, QueueDevice& device, std::shared_ptr<Allocator> allocator,
                   const Deferred& deferred) {
  RecordedContext context(recorder, {"x", "y", "z"});
  ARENASCOPE_TRY(context.use(MemoryKind::Workspace, std::move(allocator)));
  const Stream compute = device.add_stream("compute"), copy = device.add_stream("copies");
  (*context).set_current_stream(compute);
  context.count("overwritten", 0);
  const auto tensor = [&](const char* name) { return context.take(name, MemoryKind::Workspace, kTensor); };
  auto x = tensor("x");
  if (!x) return x.error();
  std::byte* const numbers = (*x)->data();
  std::vector<std::byte> host(static_cast<size_t>(kTensor));
  device.launch(compute, "write x", [=] { fill(numbers, kTensor, 1); });
  device.run_next(compute);
  device.launch(copy, "copy x to the host", [&] { std::copy_n(numbers, kTensor, host.data()); });
  if (auto noted = (*x)->record_stream(copy); !noted) return noted;
  x->reset();  // the host no longer needs it, and the copy has not begun
  context.count("deferred", deferred());
  auto y = tensor("y");
  if (!y) return y.error();
  std::byte* const others = (*y)->data();
  device.launch(compute, "write y", [=] { fill(others, kTensor, 2); });
  device.run_next(compute);
  device.run_next(copy);
  context.count("overwritten", other_than(1, host.data(), kTensor));
  auto z = tensor("z");
  if (!z) return z.error();
  context.count("reused", (*z)->data() == numbers ? kTensor : 0);
  context.count("deferred", deferred());
  return {};
}

// Frees a block as libtensor's caching allocators do: directly into the free list, regardless of queued work.
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
    {"own_blocks", "the tensors of a plan, each in its own block", own_blocks},
    {"one_arena", "the same tensors as slices of one planned arena", one_arena},
    {"unchecked_view", "an unchecked view beyond the end of its storage", unchecked_view},
    {"bounds", "the same view, rejected at creation", bounds},
    {"owner_gone", "a block whose allocator was destroyed", owner_gone},
    {"kept_alive", "a block that keeps its allocator alive", kept_alive},
    {"freed_at_once", "memory that is reused while another stream still reads it", freed_at_once},
    {"freed_later", "the same, with the free deferred until the stream has finished", freed_later},
};

}  // namespace

std::span<const Program> weakness_programs() { return kWeaknessPrograms; }

}  // namespace arenascope::lesson
