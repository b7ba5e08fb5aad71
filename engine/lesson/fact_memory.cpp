// SPDX-License-Identifier: MIT
// Facts about allocators, and about the pool of objects.
#include "engine/lesson/fact_table.h"

#include <algorithm>

#include <arenascope/graph/context.h>
#include <arenascope/schedule/describe.h>
#include <fmt/format.h>

#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

using trace::EventKind;

Result<trace::MemoryKind> kind_of(const std::string& name) {
  for (const MemoryKind kind : kMemoryKinds)
    if (arenascope::name(kind) == name) return trace_kind(kind);
  return Error{fmt::format("unknown memory kind '{}'", name)};
}

const trace::SeriesView& series(const Scene& s, const Arguments& a, trace::MemoryCount count, Status& status) {
  const bool active = count == trace::MemoryCount::Active;
  if (a.empty()) return active ? s.snapshot->all_active : s.snapshot->all_reserved;
  auto kind = kind_of(a[0]);
  if (!kind) status = kind.error();
  return s.snapshot->series(kind ? *kind : trace::MemoryKind::Default, count);
}

template <trace::MemoryCount count, bool most>
Result<Value> held(const Scene& s, const Arguments& a) {
  Status status;
  const trace::SeriesView& line = series(s, a, count, status);
  if (!status) return status.error();
  double value = 0;
  for (size_t i = 0; i < line.samples.size(); ++i)
    value = most ? std::max(value, line.samples[i].value) : line.samples[i].value;
  return number_value(value, Unit::Bytes);
}

// Calls `use` for the events of one memory kind, or of all kinds.
template <class Use>
Status for_each_event(const Scene& s, const Arguments& a, Use&& use) {
  std::optional<trace::MemoryKind> only;
  if (!a.empty()) {
    auto kind = kind_of(a[0]);
    if (!kind) return kind.error();
    only = *kind;
  }
  for (size_t i = 0; i < s.snapshot->memory_events.size(); ++i) {
    const trace::Event& e = s.snapshot->event(s.snapshot->memory_events[i]);
    if (!only || e.memory_kind() == *only) use(e);
  }
  return {};
}

template <EventKind counted>
Result<Value> count(const Scene& s, const Arguments& a) {
  int n = 0;
  auto done = for_each_event(s, a, [&](const trace::Event& e) { n += e.kind() == counted ? 1 : 0; });
  if (!done) return done.error();
  return number_value(n);
}

// Number of allocations that were never freed.
Result<Value> never_freed(const Scene& s, const Arguments& a) {
  std::map<int64_t, int> open;
  auto done = for_each_event(s, a, [&](const trace::Event& e) {
    if (e.kind() == EventKind::Alloc) ++open[e.a];
    if (e.kind() == EventKind::Free) --open[e.a];
  });
  if (!done) return done.error();
  return number_value(static_cast<double>(std::ranges::count_if(open, [](auto& x) { return x.second > 0; })));
}

Result<Value> largest_request(const Scene& s, const Arguments& a) {
  Bytes most = 0;
  auto done = for_each_event(s, a, [&](const trace::Event& e) {
    if (e.kind() == EventKind::Alloc) most = std::max(most, Bytes{e.b});
  });
  if (!done) return done.error();
  return bytes_value(most);
}

// --- counters of a program

template <bool most>
Result<Value> counted(const Scene& s, const Arguments& a) {
  for (size_t i = 0; i < s.snapshot->counters.size(); ++i) {
    std::string name = s.snapshot->counters[i].name;
    std::ranges::replace(name, ' ', '_');
    if (name != a[0]) continue;
    double value = 0;
    const auto& samples = s.snapshot->counter_series[i].samples;
    for (size_t k = 0; k < samples.size(); ++k) value = most ? std::max(value, samples[k].value) : samples[k].value;
    return number_value(value, s.snapshot->counters[i].unit == "bytes" ? Unit::Bytes : Unit::None);
  }
  return Error{fmt::format("the recording has no counter '{}'", a[0])};
}

// --- the object pool

Result<const trace::ContextInfo*> context_of(const Scene& s, const std::string& name) {
  if (!s.snapshot || s.snapshot->contexts.empty()) return Error{"no object pool is open"};
  for (const auto& context : s.snapshot->contexts)
    if (context && (name.empty() || context->name == name)) return context.get();
  return Error{fmt::format("unknown object pool '{}'", name)};
}

template <Bytes trace::ContextInfo::*field>
Result<Value> of_pool(const Scene& s, const Arguments& a) {
  auto context = context_of(s, a.empty() ? "" : a[0]);
  if (!context) return context.error();
  return bytes_value((*context)->*field);
}

Result<Value> no_alloc(const Scene& s, const Arguments& a) {
  auto context = context_of(s, a.empty() ? "" : a[0]);
  if (!context) return context.error();
  return text_value((*context)->no_alloc ? "yes" : "no");
}

Result<Value> objects(const Scene& s, const Arguments& a) {
  auto context = context_of(s, a.empty() ? "" : a[0]);
  if (!context) return context.error();
  return number_value(static_cast<double>((*context)->objects.size()));
}

Result<const trace::ObjectInfo*> object_of(const Scene& s, const std::string& name) {
  if (!s.snapshot) return Error{"no object pool is open"};
  for (const auto& context : s.snapshot->contexts)
    if (context)
      for (const trace::ObjectInfo& object : context->objects)
        if (object.name == name || (object.name.empty() && object.type == name)) return &object;
  return Error{fmt::format("the pool has no object '{}'", name)};
}

template <Bytes trace::ObjectInfo::*field>
Result<Value> of_object(const Scene& s, const Arguments& a) {
  auto object = object_of(s, a[0]);
  if (!object) return object.error();
  return bytes_value((*object)->*field);
}

Result<Value> last_object(const Scene& s, const Arguments& a) {
  auto context = context_of(s, a.empty() ? "" : a[0]);
  if (!context) return context.error();
  if ((*context)->objects.empty()) return Error{"the pool is empty"};
  return text_value((*context)->objects.back().type);
}

Result<Value> tensor_overhead(const Scene&, const Arguments&) {
  return bytes_value(static_cast<Bytes>(Context::tensor_overhead()));
}

Result<Value> graph_overhead(const Scene&, const Arguments& a) {
  const auto n = parse_integer(a[0]);
  if (!n || *n < 1 || *n > (1 << 20))
    return Error{fmt::format("invalid number of nodes '{}': expected 1 to 1048576", a[0])};
  return bytes_value(static_cast<Bytes>(Context::graph_overhead(static_cast<size_t>(*n))));
}

Result<Value> problems(const Scene& s, const Arguments&) {
  return number_value(static_cast<double>(s.snapshot->problems.size()));
}

constexpr Fact kMemoryFacts[] = {
    {{"active", 0, 1, "bytes of a kind of memory (workspace, persistent, kv_cache, …) in use at the end",
      "allocators occupancy arena pools inspector headline"},
     held<trace::MemoryCount::Active, false>},
    {{"most_active", 0, 1, "peak of the bytes in use", "allocators occupancy arena pools inspector headline"},
     held<trace::MemoryCount::Active, true>},
    {{"reserved", 0, 1, "bytes reserved by its allocator at the end",
      "allocators occupancy arena pools inspector headline"},
     held<trace::MemoryCount::Reserved, false>},
    {{"most_reserved", 0, 1, "peak of the reserved bytes", "allocators occupancy arena pools inspector headline"},
     held<trace::MemoryCount::Reserved, true>},
    {{"allocations", 0, 1, "number of allocations", "allocators occupancy arena pools inspector headline"},
     count<EventKind::Alloc>},
    {{"frees", 0, 1, "number of frees", "allocators occupancy arena pools inspector headline"}, count<EventKind::Free>},
    {{"reservations", 0, 1, "number of reservations from the system",
      "allocators occupancy arena pools inspector headline"},
     count<EventKind::Reserve>},
    {{"never_freed", 0, 1, "number of allocations that were never freed",
      "allocators occupancy arena pools inspector headline"},
     never_freed},
    {{"largest_request", 0, 1, "size of the largest allocation", "allocators occupancy arena pools inspector headline"},
     largest_request},
    {{"counter", 1, 1, "last value of a counter of the program; blanks in its name are written as _",
      "counters timeline"},
     counted<false>},
    {{"highest", 1, 1, "highest value of that counter", "counters timeline"}, counted<true>},
    {{"pool", 0, 1, "bytes of the object pool, or of a named pool", "objects"}, of_pool<&trace::ContextInfo::mem_size>},
    {{"pool_used", 0, 1, "bytes used in the pool", "objects"}, of_pool<&trace::ContextInfo::used_mem>},
    {{"no_alloc", 0, 1, "yes if it contains tensor descriptions without data, otherwise no", "objects"}, no_alloc},
    {{"objects", 0, 1, "number of objects in the pool", "objects"}, objects},
    {{"last_object", 0, 1, "type of the last object", "objects"}, last_object},
    {{"object", 1, 1, "bytes of an object, by its tensor's name, or 'graph'", "objects"},
     of_object<&trace::ObjectInfo::size>},
    {{"object_offset", 1, 1, "its offset in the pool, after its header", "objects"},
     of_object<&trace::ObjectInfo::offset>},
    {{"header", 1, 1, "bytes of its header", "objects"}, of_object<&trace::ObjectInfo::header_size>},
    {{"header_offset", 1, 1, "offset of its header in the pool", "objects"},
     of_object<&trace::ObjectInfo::header_offset>},
    {{"tensor_overhead", 0, 0, "bytes to reserve for a tensor description", "objects"}, tensor_overhead},
    {{"graph_overhead", 1, 1, "bytes to reserve for a graph with this number of nodes", "objects"}, graph_overhead},
    {{"problems", 0, 0, "number of reported problems", "problems"}, problems},
};

}  // namespace

std::span<const Fact> memory_facts() { return kMemoryFacts; }

}  // namespace arenascope::lesson
