// SPDX-License-Identifier: MIT
#include "engine/trace/codec.h"
#include "engine/trace/fields.h"

#include <algorithm>
#include <new>
#include <type_traits>

namespace arenascope::trace {

namespace {

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_id : std::false_type {};
template <class Tag>
struct is_id<Id<Tag>> : std::true_type {};

template <class T>
constexpr bool is_scalar =
    std::is_integral_v<T> || std::is_enum_v<T> || is_id<T>::value || std::is_same_v<T, TensorRef>;

template <class T>
uint64_t to_number(const T& v) {
  if constexpr (is_id<T>::value) {
    return zigzag(v.value);
  } else if constexpr (std::is_same_v<T, TensorRef>) {
    return static_cast<uint64_t>(v.value + 1);  // 0 means none
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<uint64_t>(v);
  } else if constexpr (std::is_signed_v<T>) {
    return zigzag(v);
  } else {
    return static_cast<uint64_t>(v);
  }
}

template <class T>
constexpr uint64_t largest_enum() {
  if constexpr (std::is_same_v<T, RunStatus>) return static_cast<uint64_t>(RunStatus::Failed);
  if constexpr (std::is_same_v<T, TrackKind>) return static_cast<uint64_t>(TrackKind::Other);
  if constexpr (std::is_same_v<T, MemoryKind>) return kMemoryKinds - 1;
  if constexpr (std::is_same_v<T, Placement>) return static_cast<uint64_t>(Placement::Given);
  if constexpr (std::is_same_v<T, Severity>) return static_cast<uint64_t>(Severity::Error);
  if constexpr (std::is_same_v<T, StorageType>) return static_cast<uint64_t>(StorageType::Separate);
  if constexpr (std::is_same_v<T, ReplayState>) return static_cast<uint64_t>(ReplayState::Failed);
  return 0;
}

// Returns false if the type cannot hold the number.
template <class T>
bool from_number(uint64_t n, T& v) {
  if constexpr (is_id<T>::value) {
    const int64_t s = unzigzag(n);
    if (s < -1 || s > INT32_MAX) return false;
    v.value = static_cast<int32_t>(s);
  } else if constexpr (std::is_same_v<T, TensorRef>) {
    if (n > UINT32_MAX) return false;
    v.value = static_cast<uint32_t>(n) - 1;
  } else if constexpr (std::is_same_v<T, ProblemKind>) {
    v = n > kLastProblemKind ? ProblemKind::Other : static_cast<ProblemKind>(n);  // written by a later version
  } else if constexpr (std::is_same_v<T, CounterRole>) {
    v = n > kLastCounterRole ? CounterRole::Other : static_cast<CounterRole>(n);
  } else if constexpr (std::is_same_v<T, ObjectPartKind>) {
    v = n > kLastObjectPartKind ? ObjectPartKind::Other : static_cast<ObjectPartKind>(n);
  } else if constexpr (std::is_enum_v<T>) {
    if (n > largest_enum<T>()) return false;
    v = static_cast<T>(n);
  } else if constexpr (std::is_same_v<T, bool>) {
    v = n != 0;
  } else if constexpr (std::is_signed_v<T>) {
    const int64_t s = unzigzag(n);
    v = static_cast<T>(s);
    return v == s;
  } else {
    v = static_cast<T>(n);
    return v == n;
  }
  return true;
}

struct Encoder {
  WireWriter& out;

  template <class T>
  void operator()(uint32_t field, T& v) {
    if constexpr (is_scalar<T>) {
      if (v != T{}) out.number(field, to_number(v));
    } else if constexpr (is_optional<T>::value) {
      if (v) out.number(field, to_number(*v));
    } else if constexpr (std::is_same_v<T, double>) {
      if (v != 0) out.real(field, v);
    } else {
      if (!v.empty()) out.bytes(field, v);
    }
  }
  template <class T>
  void operator()(uint32_t field, std::vector<T>& list) {
    if (list.empty()) return;
    if constexpr (is_scalar<T>) {
      const size_t start = out.begin(field);
      for (const T& v : list) out.varint(to_number(v));
      out.end(start);
    } else {
      for (T& v : list) message(field, v);
    }
  }
  template <class T>
  void message(uint32_t field, T& v) {
    const size_t start = out.begin(field);
    fields(*this, v);
    out.end(start);
  }
};

// Stores each decoded field in its member. `budget` bounds the memory that one message may allocate.
struct Decoder {
  const WireReader& in;
  size_t& budget;
  bool ok = true;

  template <class T>
  void operator()(uint32_t field, T& v) {
    if (field != in.field || !ok) return;
    if constexpr (is_scalar<T>) {
      ok = in.type == WireType::Varint && from_number(in.number, v);
    } else if constexpr (is_optional<T>::value) {
      ok = in.type == WireType::Varint && from_number(in.number, v.emplace());
    } else if constexpr (std::is_same_v<T, double>) {
      ok = in.type == WireType::Fixed64;
      if (ok) v = in.real();
    } else {
      ok = in.type == WireType::Bytes;
      if (ok) v.assign(in.text());
    }
  }
  template <class T>
  void operator()(uint32_t field, std::vector<T>& list) {
    if (field != in.field || !ok) return;
    ok = in.type == WireType::Bytes;
    if (!ok) return;
    if constexpr (is_scalar<T>) {
      WireReader values(in.payload);
      uint64_t n = 0;
      while (ok && !values.done()) {
        T v{};
        ok = take(sizeof(T)) && values.varint(n) && from_number(n, v);
        if (ok) list.push_back(v);
      }
    } else {
      ok = take(sizeof(T)) && message(in.payload, list.emplace_back());
    }
  }
  bool take(size_t bytes) {
    if (budget < bytes) return false;
    budget -= bytes;
    return true;
  }
  template <class T>
  bool message(ByteSpan bytes, T& v) {
    WireReader reader(bytes);
    while (reader.next()) {
      Decoder one{reader, budget};
      fields(one, v);
      if (!one.ok) return false;
    }
    return reader.ok();
  }
};

template <class T>
struct pointee {
  using type = T;
  static T wrap(T v) { return v; }
};
template <class T>
struct pointee<std::shared_ptr<const T>> {
  using type = T;
  static std::shared_ptr<const T> wrap(T v) { return std::make_shared<const T>(std::move(v)); }
};

// The base that Event::a is encoded relative to: the event's time if `a` is a time, else 0.
constexpr int64_t base_of_a(const Event& e) { return e.is_span() ? e.time : 0; }

}  // namespace

void encode(const Description& description, WireWriter& out) {
  const uint32_t field = description_field(description.index());
  std::visit(
      [&](const auto& d) {
        Encoder encoder{out};
        // Encoding only reads, but shares the field list with decoding, which needs mutable references.
        if constexpr (requires { d->id; }) {
          using T = std::remove_cvref_t<decltype(*d)>;
          encoder.message(field, const_cast<T&>(*d));
        } else {
          encoder.message(field, const_cast<std::remove_cvref_t<decltype(d)>&>(d));
        }
      },
      description);
}

void encode(TrackId track, std::span<const Event> events, WireWriter& out) {
  const size_t message = out.begin(kEventsField);
  out.number(1, to_number(track));
  out.number(2, events.size());
  const auto column = [&](uint32_t field, auto&& number) {
    const size_t start = out.begin(field);
    for (const Event& e : events) out.varint(number(e));
    out.end(start);
  };
  column(3, [](const Event& e) { return uint64_t{e.kind_extra}; });
  uint64_t last = 0;
  column(4, [&](const Event& e) {
    const uint64_t delta = static_cast<uint64_t>(e.time) - last;
    last = static_cast<uint64_t>(e.time);
    return zigzag(static_cast<int64_t>(delta));
  });
  column(5, [](const Event& e) {
    return zigzag(static_cast<int64_t>(static_cast<uint64_t>(e.a) - static_cast<uint64_t>(base_of_a(e))));
  });
  column(6, [](const Event& e) { return zigzag(e.b); });
  column(7, [](const Event& e) { return uint64_t{e.id}; });
  out.end(message);
}

template <size_t I>
bool Decoding::take_description(uint32_t field, const WireReader& in) {
  if constexpr (I < std::variant_size_v<Description>) {
    if (field != description_field(I)) return take_description<I + 1>(field, in);
    using P = pointee<std::variant_alternative_t<I, Description>>;
    typename P::type value;
    if constexpr (std::is_same_v<typename P::type, Problem>) value.severity = Severity{};  // zeros are not written
    size_t budget = (size_t{1} << 24) + 40 * in.payload.size();
    Decoder decoder{in, budget};
    if (!decoder.message(in.payload, value)) return false;
    if constexpr (std::is_same_v<typename P::type, GraphInfo>) {
      if (form_ < 2) mark_writers(value);
    }
    if (form_ == 0) {
      if (auto tuning = old_.description(value)) {
        sink_.describe(std::move(*tuning));
        return true;
      }
    }
    sink_.describe(P::wrap(std::move(value)));
  }
  return true;  // written by a later version
}

bool Decoding::take_description(uint32_t field, const WireReader& in) { return take_description<0>(field, in); }

bool Decoding::take_events(ByteSpan message) {
  WireReader in(message);
  TrackId track;
  uint64_t count = 0;
  std::array<ByteSpan, 8> columns{};
  while (in.next()) {
    if (in.field == 1 && in.type == WireType::Varint) {
      if (!from_number(in.number, track)) return false;
    } else if (in.field == 2 && in.type == WireType::Varint) {
      count = in.number;
    } else if (in.field >= 3 && in.field <= 7 && in.type == WireType::Bytes) {
      columns[in.field] = in.payload;
    }
  }
  if (!in.ok()) return false;
  for (size_t c = 3; c <= 7; ++c) {
    if (columns[c].size() < count) return false;  // each number takes at least one byte
  }
  events_.resize(count, {track, {}});
  WireReader kinds(columns[3]), times(columns[4]), as(columns[5]), bs(columns[6]), ids(columns[7]);
  uint64_t time = 0;
  for (TrackEvent& one : events_) {
    one.track = track;
    Event& e = one.event;
    uint64_t kind = 0, dt = 0, a = 0, b = 0, id = 0;
    if (!kinds.varint(kind) || !times.varint(dt) || !as.varint(a) || !bs.varint(b) || !ids.varint(id)) return false;
    if (kind > UINT32_MAX || id > UINT32_MAX) return false;
    e.kind_extra = static_cast<uint32_t>(kind);
    time += static_cast<uint64_t>(unzigzag(dt));
    e.time = static_cast<int64_t>(time);
    e.a = static_cast<int64_t>(static_cast<uint64_t>(unzigzag(a)) + static_cast<uint64_t>(base_of_a(e)));
    e.b = unzigzag(b);
    e.id = static_cast<uint32_t>(id);
  }
  if (form_ == 0) old_.events(events_);
  sink_.events(events_);
  return true;
}

Status Decoding::take(ByteSpan message) {
  try {
    WireReader in(message);
    while (in.next()) {
      if (in.field == kVersionField && in.type == WireType::Varint) {
        if (in.number > kRecordingVersion) {
          return Error{"it was written by a newer version (format " + std::to_string(in.number) +
                       ", this reads up to " + std::to_string(kRecordingVersion) + ")"};
        }
      } else if (in.field == kFormField && in.type == WireType::Varint) {
        form_ = static_cast<uint32_t>(std::min<uint64_t>(in.number, UINT32_MAX));
      } else if (in.field == kEndField) {
        closed_ = true;
      } else if (in.field == kEventsField) {
        if (in.type != WireType::Bytes || !take_events(in.payload)) return Error{"an event packet is malformed"};
      } else if ((in.field >= kFirstDescriptionField && in.field < kEventsField) ||
                 in.field >= kLaterDescriptionField) {
        if (in.type != WireType::Bytes || !take_description(in.field, in)) return Error{"a description is malformed"};
      }
    }
    if (!in.ok()) return Error{"a packet is malformed"};
  } catch (const std::bad_alloc&) {
    return Error{"out of memory while reading it"};
  }
  return {};
}

}  // namespace arenascope::trace
