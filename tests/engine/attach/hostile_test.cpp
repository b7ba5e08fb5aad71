// SPDX-License-Identifier: MIT
// Damaged streams and shared rings are rejected like damaged files. ARENASCOPE_MUTANTS=1000000 for the campaign.
#include <arenascope/trace/bind_event.h>
#include <arenascope/trace/session.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "engine/attach/arenascope_client.h"
#include "engine/attach/shared_rings.h"
#include "tests/engine/attach/watched.h"
#include "tests/engine/trace/mutate.h"
#include "tests/support/query_session.h"

#include <fstream>
#include <sstream>

using namespace arenascope;
using namespace arenascope::test;
using attach::IdCounters;
using attach::IdRemapper;
using attach::Stream;
using trace::ByteSpan;

namespace {

ByteSpan bytes_of(const std::string& text) { return trace::as_bytes(text); }

// The bytes that the target sends; it writes them to a file.
std::string sent(const std::vector<std::string>& arguments) {
  TempFolder folder;
  CHECK(Target("file:" + (folder / "sent"), arguments).ended() == 0);
  std::ifstream in(folder / "sent", std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Fed {
  trace::Session session;
  IdCounters numbers;
  IdRemapper origin{session, numbers, 1};
  Stream stream{origin};
};

}  // namespace

TEST_CASE("a stream in pieces of any length is parsed alike") {
  const std::string whole = sent({"all"});
  REQUIRE(whole.size() > 500);
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    Fed fed;
    for (size_t at = 0; at < whole.size();) {
      const size_t some = std::min<size_t>(1 + random() % (round == 0 ? 1 : 200), whole.size() - at);
      REQUIRE(fed.stream.take(bytes_of(whole.substr(at, some))).ok());
      at += some;
    }
    CHECK(fed.stream.broken_packets() == 0);
    CHECK(fed.origin.refused() == 0);
    CHECK(fed.session.snapshot()->runs.size() == 1);
    CHECK(fed.session.snapshot()->problems.size() == 1);
  }
}

TEST_CASE("damaged streams end in an error or a valid session") {
  const std::string originals[] = {sent({"all"}), sent({"threads", "5"})};
  std::mt19937_64 random(20);
  const int64_t mutants = from_environment("ARENASCOPE_MUTANTS", 4000);
  int64_t refused = 0;
  for (int64_t i = 0; i < mutants; ++i) {
    const std::string bytes = mutate(originals[i % 2], random);
    Fed fed;
    const size_t half = bytes.size() / 2;
    Status status = fed.stream.take(bytes_of(bytes.substr(0, half)));
    if (status.ok()) status = fed.stream.take(bytes_of(bytes.substr(half)));
    refused += status.ok() ? 0 : 1;
    fed.origin.finish(1);
    if (i % 16 == 0) CHECK(query_all(fed.session) >= 0);
  }
  CHECK(refused > 0);
  CHECK(refused < mutants);
}

TEST_CASE("events with unknown references are counted and skipped") {
  Fed fed;
  fed.origin.describe(trace::ThreadInfo{trace::TrackId(0), "t", trace::TrackKind::Worker, {}, 0, 0});
  const trace::Event events[] = {
      trace::work(trace::RunId(5), NodeId(0), 1, 2), trace::slice(1, 2, trace::NameId(9), 0),
      trace::counter(1, trace::CounterId(3), 1),     trace::alloc(1, trace::MemoryKind::Default, 1, 1, 4, 0),
      trace::work(trace::RunId(), NodeId(0), 1, 2),  trace::owner(1, 1, 4, 0, trace::GraphId(2), {}),
  };
  fed.origin.events(trace::TrackId(0), events);
  fed.origin.events(trace::TrackId(1), events);
  CHECK(fed.origin.refused() == 5 + 6);  // the whole second track is unknown
  CHECK(fed.session.snapshot()->event_count == 1);
  fed.origin.describe(trace::NameInfo{trace::NameId(3), "far"});
  CHECK(fed.origin.refused() == 12);
}

TEST_CASE("damaged rings yield no more than their capacity") {
  // A program's rings in memory: a log with a stream in it, and two rings of eight events.
  const std::string log = sent({"all"});
  arenascope_shared head{};
  head.magic = ARENASCOPE_SHARED_MAGIC;
  head.version = ARENASCOPE_PROTOCOL_VERSION;
  head.rings = 2;
  head.ring_events = 8;
  head.log_offset = sizeof head;
  head.log_bytes = 1 << 16;
  head.ring_offset = head.log_offset + head.log_bytes;
  head.ring_stride = sizeof(arenascope_ring) + 8 * sizeof(arenascope_event);
  head.log_head = log.size();
  head.ends_head = 1;
  std::string memory(head.ring_offset + 2 * head.ring_stride, '\0');
  REQUIRE(log.size() < head.log_bytes);
  std::memcpy(memory.data() + head.log_offset, log.data(), log.size());
  for (uint32_t i = 0; i < 2; ++i) {
    arenascope_ring ring{};
    ring.state = 1;
    ring.track = 0;
    ring.begin = 3;
    ring.head = 10;
    ring.lost = 2;
    std::memcpy(memory.data() + head.ring_offset + i * head.ring_stride, &ring, sizeof ring);
  }
  std::memcpy(memory.data(), &head, sizeof head);
  {
    Fed fed;
    attach::take_unsent(bytes_of(memory), fed.stream);
    CHECK(fed.session.snapshot()->graphs.size() == 1);
  }
  std::mt19937_64 random(21);
  const int64_t mutants = from_environment("ARENASCOPE_MUTANTS", 4000);
  for (int64_t i = 0; i < mutants; ++i) {
    std::string damaged = memory;
    for (int changes = 0; changes < 3; ++changes) {
      const size_t at = random() % (i % 2 == 0 ? 104 : head.log_offset + log.size());
      const uint64_t value = random() >> (random() % 64);
      std::memcpy(damaged.data() + at, &value, std::min<size_t>(8, damaged.size() - at));
    }
    if (i % 5 == 0) damaged.resize(random() % damaged.size());
    Fed fed;
    const int64_t taken = attach::take_unsent(bytes_of(damaged), fed.stream);
    CHECK(taken <= 16 + static_cast<int64_t>(damaged.size() / sizeof(arenascope_event)));
    if (i % 16 == 0) CHECK(query_all(fed.session) >= 0);
  }
}

TEST_CASE("lost pages of shared rings are survived, and their memory cannot shrink") {
  const auto memory = [](unsigned flags) {
    const int file = ::memfd_create("rings", flags);
    REQUIRE(file >= 0);
    REQUIRE(::ftruncate(file, 1 << 16) == 0);
    return file;
  };
  const int open = memory(MFD_CLOEXEC | MFD_ALLOW_SEALING);
  CHECK_FALSE(attach::SharedRings::map(open).ok());
  const int sealed = memory(MFD_CLOEXEC | MFD_ALLOW_SEALING);
  REQUIRE(::fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  const uint8_t* begin = nullptr;
  {
    auto rings = attach::SharedRings::map(sealed);
    REQUIRE(rings.ok());
    begin = rings->bytes().data();
    auto moved = std::move(*rings);
    CHECK(MappedRange::watches(begin));
    CHECK(MappedRange::watches(begin + (1 << 16) - 1));
    CHECK_FALSE(MappedRange::watches(begin + (1 << 16)));
  }
  CHECK_FALSE(MappedRange::watches(begin));
}
