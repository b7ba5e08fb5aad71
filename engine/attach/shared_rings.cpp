// SPDX-License-Identifier: MIT
#include "engine/attach/shared_rings.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/attach/arenascope_client.h"

#include <cerrno>
#include <cstring>

namespace arenascope::attach {

using trace::ByteSpan;
using trace::Event;
using trace::TrackId;

namespace {

static_assert(sizeof(arenascope_event) == sizeof(Event));

// Copies from memory that another process may still write to.
template <class T>
T copy_at(ByteSpan memory, uint64_t at) {
  T value;
  std::memcpy(&value, memory.data() + at, sizeof value);
  return value;
}

bool lies_in(ByteSpan memory, uint64_t at, uint64_t bytes) {
  return at <= memory.size() && bytes <= memory.size() - at;
}

bool is_sensible(ByteSpan memory, const arenascope_shared& s) {
  if (s.magic != ARENASCOPE_SHARED_MAGIC || s.version != ARENASCOPE_PROTOCOL_VERSION) return false;
  if (s.rings > ARENASCOPE_RINGS || s.ring_events == 0 || (s.ring_events & (s.ring_events - 1)) != 0) return false;
  if (s.ring_events > (1u << 24) || s.log_bytes == 0 || !lies_in(memory, s.log_offset, s.log_bytes)) return false;
  const uint64_t ring_bytes = sizeof(arenascope_ring) + s.ring_events * sizeof(arenascope_event);
  if (s.ring_stride < ring_bytes || s.ring_stride > memory.size() || s.ring_offset > memory.size()) return false;
  return lies_in(memory, s.ring_offset, s.ring_stride * s.rings) && s.ring_offset % 8 == 0 && s.ring_stride % 8 == 0;
}

// Reads descriptions that were logged but not sent.
void take_log(ByteSpan memory, const arenascope_shared& s, Stream& stream) {
  const uint64_t received = stream.log_bytes();
  if (s.log_head < received || s.log_head - received > s.log_bytes) return;
  std::vector<uint8_t> bytes;
  for (uint64_t from = received; from < s.log_head;) {
    const uint64_t at = from % s.log_bytes, some = std::min(s.log_head - from, s.log_bytes - at);
    const auto piece = memory.subspan(s.log_offset + at, some);
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    from += some;
  }
  (void)stream.take(bytes);  // nothing follows a malformed packet
  stream.cut();
}

int64_t take_ring(ByteSpan memory, const arenascope_shared& s, uint64_t offset, IdRemapper& remapper) {
  const auto ring = copy_at<arenascope_ring>(memory, offset);
  if (ring.state == 0 || ring.track > INT32_MAX) return 0;
  const TrackId track(static_cast<int32_t>(ring.track));
  const auto sent = static_cast<uint64_t>(remapper.taken(track));
  const uint64_t from = ring.begin + sent;
  if (ring.head < from || ring.head - from > s.ring_events) return 0;
  std::vector<Event> events(ring.head - from);
  for (size_t i = 0; i < events.size(); ++i)
    events[i] = copy_at<Event>(memory, offset + sizeof ring + ((from + i) & (s.ring_events - 1)) * sizeof(Event));
  remapper.events(track, events);
  const int64_t reported = remapper.reported_lost(track);
  if (ring.lost > static_cast<uint64_t>(reported) && ring.lost < INT64_MAX / 4)
    remapper.describe(trace::Loss{track, static_cast<int64_t>(ring.lost) - reported,
                                  events.empty() ? Nanoseconds{0} : events.back().time});
  return static_cast<int64_t>(events.size());
}

void take_ends(const arenascope_shared& s, IdRemapper& remapper) {
  const auto sent = static_cast<uint64_t>(remapper.ends_taken());
  if (s.ends_head < sent || s.ends_head - sent > ARENASCOPE_ENDS) return;
  for (uint64_t i = sent; i < s.ends_head; ++i) {
    const arenascope_end& end = s.ends[i % ARENASCOPE_ENDS];
    if (end.run > INT32_MAX || end.status > static_cast<uint32_t>(trace::RunStatus::Failed)) continue;
    remapper.describe(trace::RunEnd{trace::RunId(static_cast<int32_t>(end.run)), end.time,
                                    static_cast<trace::RunStatus>(end.status)});
  }
}

}  // namespace

int64_t take_unsent(ByteSpan memory, Stream& stream) {
  if (memory.size() < sizeof(arenascope_shared)) return 0;
  const auto s = copy_at<arenascope_shared>(memory, 0);
  if (!is_sensible(memory, s)) return 0;
  stream.cut();
  take_log(memory, s, stream);
  int64_t events = 0;
  for (uint64_t i = 0; i < s.rings; ++i)
    events += take_ring(memory, s, s.ring_offset + i * s.ring_stride, stream.remapper());
  take_ends(s, stream.remapper());
  return events;
}

Result<SharedRings> SharedRings::map(int file) {
  struct stat info {};
  const int seals = ::fcntl(file, F_GET_SEALS);
  const bool is_fixed = seals >= 0 && (seals & F_SEAL_SHRINK) != 0;  // otherwise reading could raise SIGBUS
  constexpr off_t kLargest = off_t{1} << 36;
  void* at = MAP_FAILED;
  if (is_fixed && ::fstat(file, &info) == 0 && info.st_size > 0 && info.st_size <= kLargest)
    at = ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_SHARED | MAP_NORESERVE, file, 0);
  const int why = errno;
  ::close(file);
  if (at == MAP_FAILED)
    return Error{is_fixed ? std::string("cannot map its rings: ") + std::strerror(why)
                          : "the size of its shared memory is not sealed"};
  return SharedRings(ByteSpan(static_cast<const uint8_t*>(at), static_cast<size_t>(info.st_size)));
}

SharedRings::~SharedRings() {
  range_.reset();
  if (!bytes_.empty()) ::munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace arenascope::attach
