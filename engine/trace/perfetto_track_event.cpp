// SPDX-License-Identifier: MIT
// Reads TrackEvent messages. Field numbers are from track_event.proto.
#include "engine/trace/perfetto_packets.h"
#include "engine/trace/saturate.h"

namespace arenascope::trace {

struct PerfettoPackets::Fields {
  uint64_t type = 0, track = 0, name_iid = 0;
  bool has_type = false, has_track = false, has_name = false;
  std::string_view name;
  std::optional<double> value;
  std::vector<uint64_t> category_iids, counters, values, real_counters;
  std::vector<double> real_values;
  std::vector<std::string_view> categories;
  std::optional<int64_t> microseconds, more_microseconds;          // absolute, relative
  std::optional<int64_t> cpu_microseconds, more_cpu_microseconds;  // of the thread: absolute, relative
  std::optional<int64_t> instructions, more_instructions;
  int64_t arguments = 0, flows = 0, stacks = 0;
  // LegacyEvent
  char phase = 0;
  int64_t length = 0;
  std::optional<uint64_t> id;
  bool local_id = false;
  std::string_view id_scope;
  uint64_t instant_scope = 0;
  std::optional<int64_t> process, thread;
};

namespace {

constexpr size_t kMaxReals = 64;  // values of one event

void read_reals(const WireReader& in, std::vector<double>& out) {
  if (in.type == WireType::Fixed64) return out.push_back(in.real());
  for (size_t i = 0; i + 8 <= in.payload.size() && out.size() < kMaxReals; i += 8) {
    uint64_t bits = 0;
    for (size_t b = 0; b < 8; ++b) bits |= static_cast<uint64_t>(in.payload[i + b]) << (8 * b);
    out.push_back(__builtin_bit_cast(double, bits));
  }
}

struct LegacyPhase {
  PerfettoEventType type;
  bool asynchronous = false;
  bool by_name = false;  // begins and ends match by name instead of category
};

std::optional<LegacyPhase> legacy_phase(char phase) {
  using Type = PerfettoEventType;
  switch (phase) {
    case 'B': return LegacyPhase{Type::Begin};
    case 'E': return LegacyPhase{Type::End};
    case 'X': return LegacyPhase{Type::Complete};
    case 'i':
    case 'I':
    case 'R': return LegacyPhase{Type::Instant};
    case 'b': return LegacyPhase{Type::Begin, true};
    case 'e': return LegacyPhase{Type::End, true};
    case 'n': return LegacyPhase{Type::Instant, true};
    case 'S': return LegacyPhase{Type::Begin, true, true};
    case 'F': return LegacyPhase{Type::End, true, true};
    case 'T':
    case 'p': return LegacyPhase{Type::Instant, true, true};
    default: return std::nullopt;
  }
}

double as_value(uint64_t number) { return static_cast<double>(static_cast<int64_t>(number)); }

}  // namespace

void PerfettoPackets::legacy(Fields& f, ByteSpan bytes) {
  WireReader in(bytes);
  while (in.next()) {
    if (in.field == 7 && in.type == WireType::Bytes) f.id_scope = in.text();
    if (in.type != WireType::Varint) continue;
    switch (in.field) {
      case 1:
        if (f.name_iid == 0) f.name_iid = in.number;
        break;
      case 2: f.phase = in.number < 128 ? static_cast<char>(in.number) : '?'; break;
      case 3: f.length = static_cast<int64_t>(in.number); break;
      case 6:
      case 10:
      case 11:
        f.id = in.number;
        f.local_id = in.field == 10;
        break;
      case 8: ++f.flows; break;
      case 14: f.instant_scope = in.number; break;
      case 18: f.process = static_cast<int32_t>(in.number); break;
      case 19: f.thread = static_cast<int32_t>(in.number); break;
      default: break;
    }
  }
}

void PerfettoPackets::field(Fields& f, const WireReader& in) {
  switch (in.field) {
    case 1: f.more_microseconds = static_cast<int64_t>(in.number); break;
    case 2: f.more_cpu_microseconds = static_cast<int64_t>(in.number); break;
    case 8: f.more_instructions = static_cast<int64_t>(in.number); break;
    case 17: f.cpu_microseconds = static_cast<int64_t>(in.number); break;
    case 20: f.instructions = static_cast<int64_t>(in.number); break;
    case 3: read_list(in, f.category_iids); break;
    case 4: ++f.arguments; break;
    case 6:
      if (in.type == WireType::Bytes) legacy(f, in.payload);
      break;
    case 9: f.type = in.number, f.has_type = true; break;
    case 10: f.name_iid = in.number; break;
    case 11: f.track = in.number, f.has_track = true; break;
    case 12: read_list(in, f.values); break;
    case 16: f.microseconds = static_cast<int64_t>(in.number); break;
    case 22:
      if (in.type == WireType::Bytes) f.categories.push_back(in.text());
      break;
    case 23:
      if (in.type == WireType::Bytes) f.name = in.text(), f.has_name = true;
      break;
    case 30: f.value = as_value(in.number); break;
    case 31: read_list(in, f.counters); break;
    case 36:
    case 42:
    case 47:
    case 48: ++f.flows; break;
    case 44:
      if (in.type == WireType::Fixed64) f.value = in.real();
      break;
    case 45: read_list(in, f.real_counters); break;
    case 46: read_reals(in, f.real_values); break;
    case 55:
    case 56: ++f.stacks; break;
    case 33:
    case 34:
    case 57: break;
    default: ++f.arguments;
  }
}

void PerfettoPackets::count_unshown(const Fields& f) {
  if (f.arguments > 0) unread.add("arguments", "events");
  if (f.flows > 0) unread.add("flow arrows", "events");
  if (f.stacks > 0) unread.add("call stacks", "events");
}

std::optional<PerfettoClocks::Time> PerfettoPackets::time_of(const Fields& f, const Packet& packet,
                                                             Sequence& sequence) {
  if (f.more_microseconds) {
    if (!sequence.thread) return std::nullopt;
    sequence.microseconds = add_saturated(sequence.microseconds, *f.more_microseconds);
    return clocks.read_monotonic(sequence.microseconds);
  }
  if (f.microseconds) return clocks.read_monotonic(*f.microseconds);
  if (!packet.has_time) return std::nullopt;
  return clocks.read(packet.clock == 0 ? sequence.clock : packet.clock, packet.sequence, packet.time);
}

uint32_t PerfettoPackets::category(const Fields& f, const Sequence& sequence) {
  std::string all;
  const auto add = [&all](std::string_view one) { all.append(all.empty() ? "" : ",").append(one); };
  for (const uint64_t iid : f.category_iids)
    if (const auto it = sequence.categories.find(iid); it != sequence.categories.end()) add(it->second);
  for (const std::string_view one : f.categories) add(one);
  if (all.empty()) return 0;
  return category_of_.try_emplace(all, static_cast<uint32_t>(category_of_.size() + 1)).first->second;
}

void PerfettoPackets::counters(const Fields& f, Sequence& sequence, PerfettoClocks::Time time) {
  PerfettoEvent event;
  event.time = time;
  event.type = PerfettoEventType::Counter;
  const auto add = [&](const std::vector<uint64_t>& own, const std::vector<uint64_t>& otherwise, size_t count,
                       auto&& value) {
    const std::vector<uint64_t>& uuids = own.empty() ? otherwise : own;
    for (size_t i = 0; i < std::min(uuids.size(), count); ++i) {
      event.track = uuids[i];
      event.value = tracks.counter_value(uuids[i], value(i), sequence.sums);
      events.push_back(event);
    }
  };
  add(f.counters, sequence.counters, f.values.size(), [&](size_t i) { return as_value(f.values[i]); });
  add(f.real_counters, sequence.real_counters, f.real_values.size(), [&](size_t i) { return f.real_values[i]; });
}

// The thread of an event without a track: that of the sequence, unless the event names another one.
PerfettoTracks::Thread PerfettoPackets::thread_of(const Fields& f, const Sequence& sequence) {
  PerfettoTracks::Thread thread;
  if (sequence.thread) thread = *sequence.thread;
  if (f.process) thread = {*f.process, 0};
  if (f.thread) thread.thread = *f.thread;
  return thread;
}

// The CPU time and the instructions of the event's thread up to the event, as counters of that thread.
void PerfettoPackets::thread_counters(const Fields& f, Sequence& sequence, PerfettoEvent event) {
  if (f.more_cpu_microseconds)
    sequence.cpu_microseconds = add_saturated(sequence.cpu_microseconds, *f.more_cpu_microseconds);
  if (f.more_instructions) sequence.instructions = add_saturated(sequence.instructions, *f.more_instructions);
  PerfettoTracks::Thread thread = tracks.owner(event.track);
  if (thread.thread == 0 && event.track == 0) thread = thread_of(f, sequence);
  if (thread.thread == 0) return;
  event.type = PerfettoEventType::Counter;
  const auto add = [&](const char* name, const char* unit, double value) {
    event.track = tracks.thread_counter(thread, name, unit);
    event.value = value;
    events.push_back(event);
  };
  if (f.cpu_microseconds || f.more_cpu_microseconds)
    add("thread_time", "ns", 1e3 * static_cast<double>(f.cpu_microseconds.value_or(sequence.cpu_microseconds)));
  if (f.instructions || f.more_instructions)
    add("thread_instruction_count", "", static_cast<double>(f.instructions.value_or(sequence.instructions)));
}

void PerfettoPackets::track_event(const Packet& packet, Sequence& sequence) {
  Fields f;
  WireReader in(packet.event);
  while (in.next()) field(f, in);
  const auto time = in.ok() ? time_of(f, packet, sequence) : std::nullopt;
  if (!time || (f.phase == 0 && (f.type < 1 || f.type > 5))) {
    ++invalid;
    return;
  }
  count_unshown(f);
  counters(f, sequence, *time);
  PerfettoEvent event;
  event.time = *time;
  event.track = f.has_track ? f.track : sequence.track;
  event.category = category(f, sequence);
  if (f.name_iid != 0) {
    const auto it = sequence.names.find(f.name_iid);
    if (it != sequence.names.end()) event.name = it->second;
  } else if (f.has_name) {
    event.name = builder_.name(f.name);
  }
  if (f.phase != 0 || f.type < 4) thread_counters(f, sequence, event);
  const bool of_thread = f.process || f.thread || (!f.has_track && sequence.thread);
  if (f.phase != 0 || (event.track == 0 && of_thread && f.type < 4)) return legacy_event(event, f, sequence);
  constexpr PerfettoEventType kTypes[] = {PerfettoEventType::Begin, PerfettoEventType::End, PerfettoEventType::Instant,
                                          PerfettoEventType::Counter, PerfettoEventType::State};
  event.type = kTypes[f.type - 1];
  if (event.type == PerfettoEventType::Counter) {
    if (!f.value || !(f.has_track || sequence.track != 0)) {
      ++invalid;
      return;
    }
    event.value = tracks.counter_value(event.track, *f.value, sequence.sums);
  }
  events.push_back(event);
}

void PerfettoPackets::add_target(PerfettoEvent& event, LegacyTarget target) {
  const std::string key = std::to_string(target.thread.process) + '\x1f' + std::to_string(target.thread.thread) +
                          '\x1f' + (target.asynchronous ? std::to_string(target.id) + '\x1f' + target.scope : "");
  const auto [it, fresh] = target_of_.try_emplace(key, static_cast<uint32_t>(targets.size() + 1));
  if (fresh) targets.push_back(std::move(target));
  event.legacy = it->second;
}

// An event with a phase of Chrome's format, or one that has no track and belongs to the sequence's thread.
void PerfettoPackets::legacy_event(PerfettoEvent event, const Fields& f, const Sequence& sequence) {
  constexpr char kOfType[] = {'?', 'B', 'E', 'i'};
  const char phase = f.phase != 0 ? f.phase : kOfType[f.type];
  if (phase == 's' || phase == 't' || phase == 'f') return unread.add("flow arrows", "events");
  const auto known = legacy_phase(phase);
  if (!known) return unread.add("other events of Chrome's format", "events");
  event.type = known->type;
  const bool has_length = event.type == PerfettoEventType::Complete;
  if ((has_length &&
       (f.length < 0 || __builtin_mul_overflow(f.length, 1000, &event.length) || !is_sensible_time(event.length))) ||
      (known->asynchronous && !f.id)) {
    ++invalid;
    return;
  }
  LegacyTarget target;
  target.thread = thread_of(f, sequence);
  const bool is_instant = event.type == PerfettoEventType::Instant;
  const bool is_global = is_instant && f.instant_scope == 1, is_of_process = is_instant && f.instant_scope == 2;
  if (known->asynchronous) {
    target.asynchronous = true;
    target.scope = std::string(f.id_scope) + (known->by_name ? " name " + std::to_string(event.name.value)
                                                             : " category " + std::to_string(event.category));
    target.id = *f.id;
    target.thread = {f.local_id ? target.thread.process : 0, 0};
  } else if (is_global || is_of_process) {
    target.thread = {is_global ? 0 : target.thread.process, 0};
  }
  const bool has_thread = target.thread.process != 0 || target.thread.thread != 0;
  if (target.asynchronous || is_global || is_of_process || (event.track == 0 && has_thread))
    add_target(event, std::move(target));
  events.push_back(event);
}

}  // namespace arenascope::trace
