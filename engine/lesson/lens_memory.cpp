// SPDX-License-Identifier: MIT
// Alignment of planned buffers, an arena with bump and reset, and the buckets of a caching allocator.
#include <arenascope/memory/workspace_arena.h>
#include <arenascope/planner/planner.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/lens.h"
#include "engine/lesson/program_context.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr Bytes kLargest = Bytes{1} << 30;
constexpr size_t kMaxRequests = 64;

std::string buffer_name(size_t i) {
  return i < 26 ? std::string(1, static_cast<char>('A' + i)) : fmt::format("B{}", i);
}

// Buffers of a plan without reuse, each at a multiple of the alignment.
LensFrames alignment(LensRun& run) {
  auto sizes = lens_integers(run, lens_value(run, "sizes"), "sizes", kMaxRequests, 1, kLargest);
  auto unit = lens_integer(run, "alignment", 1, 1 << 20);
  if (!sizes || !unit) return sizes ? unit.error() : sizes.error();
  planner::Problem problem;
  problem.alignment = *unit;
  for (const int64_t size : *sizes) problem.intervals.push_back({0, 1, size, 0, {}, {}});
  auto plan = planner::find_planner("none")->plan(problem, {});
  if (!plan) return plan.error();
  std::vector<size_t> order(sizes->size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](size_t i) { return plan->offsets[i]; });
  LensStrip strip{"arena", LensUnit::Bytes, plan->arena_bytes, {}};
  std::vector<LensFrame> frames;
  frames.push_back({LensEvent::Start, {}, {strip}, {}});
  Bytes waste = 0, end = 0;
  for (const size_t i : order) {
    for (LensCell& cell : strip.cells) cell.current = false;
    const Bytes offset = plan->offsets[i], padding = offset - end;
    if (padding > 0) strip.cells.push_back({end, padding, CellKind::Padding, "", true, -1});
    strip.cells.push_back({offset, (*sizes)[i], CellKind::Data, buffer_name(i), true, -1});
    waste += padding;
    end = offset + (*sizes)[i];
    LensFrame frame{LensEvent::Placed,
                    {buffer_name(i), std::to_string(offset), std::to_string(padding)},
                    {strip},
                    {{"offset", static_cast<double>(offset)},
                     {"size", static_cast<double>((*sizes)[i])},
                     {"padding", static_cast<double>(waste)},
                     {"alignment", static_cast<double>(*unit)}}};
    frames.push_back(std::move(frame));
  }
  return frames;
}

Status check_count(LensRun& run, const std::vector<std::string>& requests) {
  if (requests.size() <= kMaxRequests) return {};
  return lens_count(run, "requests", 0, kMaxRequests, requests.size());
}

// Slices of a WorkspaceArena, one after the other, and reset.
LensFrames bump(LensRun& run) {
  auto capacity = lens_integer(run, "capacity", 1, kLargest);
  if (!capacity) return capacity.error();
  const auto context = make_cpu_context();
  WorkspaceArena arena(*context);
  if (auto done = arena.reserve(*capacity); !done) return done.error();
  LensStrip strip{"arena", LensUnit::Bytes, arena.capacity(), {}};
  std::vector<LensFrame> frames;
  const auto push = [&](LensEvent event, std::vector<std::string> arguments) {
    frames.push_back(
        {event,
         std::move(arguments),
         {strip},
         {{"used", static_cast<double>(arena.used())}, {"high_water", static_cast<double>(arena.high_water())}}});
  };
  push(LensEvent::Start, {});
  const std::vector<std::string> requests = split(lens_value(run, "requests"), " ,");
  if (auto good = check_count(run, requests); !good) return good.error();
  for (const std::string& request : requests) {
    for (LensCell& cell : strip.cells) cell.current = false;
    if (request == "reset") {
      if (auto done = arena.reset(); !done) return done.error();
      strip.cells.clear();
      push(LensEvent::Reset, {});
      continue;
    }
    const auto bytes = parse_integer(request);
    if (!bytes || *bytes < 1 || *bytes > kLargest)
      return lens_expected(run, "requests", fmt::format("1 … {}, reset", kLargest), request);
    const Bytes before = arena.used();
    auto slice = arena.allocate(*bytes);
    if (!slice) {
      push(LensEvent::Full, {slice.error().message});
      continue;
    }
    if (slice->offset > before)
      strip.cells.push_back({before, slice->offset - before, CellKind::Padding, "", true, -1});
    strip.cells.push_back({slice->offset, *bytes, CellKind::Data, std::to_string(*bytes), true, -1});
    push(LensEvent::Bumped, {std::to_string(*bytes), std::to_string(slice->offset)});
    frames.back().values["offset"] = static_cast<double>(slice->offset);
  }
  return frames;
}

// --- buckets

struct Held {
  void* pointer;
  Bytes bytes;
};

// The blocks of a BucketAllocator: all that it has ever allocated from the system, by bucket.
class Buckets {
 public:
  Buckets() { push(LensEvent::Start, {}, nullptr); }

  Status request(LensRun& run, const std::string& text) {
    const size_t equals = text.find('=');
    if (text.starts_with('-')) return free(run, text.substr(1));
    const Bytes bytes = equals == text.npos ? 0 : parse_integer(std::string_view(text).substr(equals + 1)).value_or(0);
    const std::string name = text.substr(0, equals);
    if (bytes < 1 || bytes > kLargest || name.empty() || held_.contains(name))
      return lens_expected(run, "requests", "NAME=BYTES, -NAME", text);
    const int64_t hits = allocator_.stats().hits;
    auto pointer = allocator_.allocate(bytes, kDefaultAlignment);
    if (!pointer) return pointer.error();
    const auto bucket = static_cast<Bytes>(std::bit_ceil(static_cast<uint64_t>(bytes)));
    held_[name] = {*pointer, bytes};
    const bool reused = allocator_.stats().hits > hits;
    if (!reused) blocks_[bucket].push_back(*pointer);
    push(reused ? LensEvent::Reused : LensEvent::Allocated, {name, std::to_string(bytes), std::to_string(bucket)},
         *pointer);
    return {};
  }

  std::vector<LensFrame> frames;

 private:
  Status free(LensRun& run, const std::string& name) {
    const auto at = held_.find(name);
    if (at == held_.end()) return lens_expected(run, "requests", "NAME=BYTES, -NAME", "-" + name);
    const Held held = at->second;
    held_.erase(at);
    allocator_.deallocate(held.pointer, held.bytes);
    push(LensEvent::Freed, {name}, held.pointer);
    return {};
  }

  bool is_free(Bytes bucket, const void* pointer) const {
    const auto list = allocator_.free_lists().find(bucket);
    return list != allocator_.free_lists().end() && std::ranges::find(list->second, pointer) != list->second.end();
  }

  void push(LensEvent event, std::vector<std::string> arguments, const void* current) {
    LensFrame frame{event, std::move(arguments), {}, {}};
    Bytes cached = 0;
    for (const auto& [bucket, pointers] : blocks_) {
      LensStrip strip{std::to_string(bucket), LensUnit::Bytes, bucket * static_cast<Bytes>(pointers.size()), {}};
      for (size_t i = 0; i < pointers.size(); ++i) {
        const Bytes begin = bucket * static_cast<Bytes>(i);
        const auto holder = std::ranges::find_if(held_, [&](const auto& h) { return h.second.pointer == pointers[i]; });
        const bool marked = pointers[i] == current;
        if (is_free(bucket, pointers[i])) {
          cached += bucket;
          strip.cells.push_back({begin, bucket, CellKind::Free, "", marked, -1});
        } else if (holder != held_.end()) {
          const Bytes bytes = holder->second.bytes;
          strip.cells.push_back({begin, bytes, CellKind::Data, holder->first, marked, -1});
          if (bytes < bucket) strip.cells.push_back({begin + bytes, bucket - bytes, CellKind::Padding, "", marked, -1});
        }
      }
      frame.strips.push_back(std::move(strip));
    }
    const MemoryStats stats = allocator_.stats();
    frame.values = {{"reserved", static_cast<double>(stats.reserved)},
                    {"allocated", static_cast<double>(stats.active)},
                    {"cached", static_cast<double>(cached)}};
    frames.push_back(std::move(frame));
  }

  BucketAllocator allocator_;
  std::map<std::string, Held> held_;
  std::map<Bytes, std::vector<void*>> blocks_;
};

LensFrames buckets(LensRun& run) {
  Buckets lens;
  const std::vector<std::string> requests = split(lens_value(run, "requests"), " ,");
  if (auto good = check_count(run, requests); !good) return good.error();
  for (const std::string& request : requests)
    if (auto done = lens.request(run, request); !done) return done.error();
  return std::move(lens.frames);
}

constexpr LensParameter kAlignment[] = {{"sizes", "1000 700 512 100"}, {"alignment", "512"}};
constexpr LensParameter kBump[] = {{"capacity", "4096"}, {"requests", "1000 700 2000 reset 512 3000"}};
constexpr LensParameter kBuckets[] = {{"requests", "a=24000 b=40000 -a c=20000 -b d=60000 e=70000"}};

constexpr LensExperiment kMemoryLenses[] = {
    {"alignment", "buffers of a plan without reuse, each at a multiple of the alignment", kAlignment, alignment},
    {"bump", "an arena that allocates one slice after the other, and reset", kBump, bump},
    {"buckets", "a caching allocator with power-of-two buckets", kBuckets, buckets},
};

}  // namespace

std::span<const LensExperiment> memory_lenses() { return kMemoryLenses; }

}  // namespace arenascope::lesson
