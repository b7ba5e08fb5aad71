// SPDX-License-Identifier: MIT
// Programs that are watched: their events arrive even if one of the processes dies.
#include <arenascope/trace/recording.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "tests/engine/attach/watched.h"

#include "engine/attach/arenascope_client.h"

using namespace arenascope;
using namespace arenascope::test;
using trace::Event;
using trace::EventKind;

namespace {

void check_all(const trace::Snapshot& s, int64_t process) {
  REQUIRE(s.graphs.size() == 1);
  const trace::GraphInfo& graph = *s.graphs[0];
  CHECK(graph.model == "little");
  REQUIRE(graph.nodes.size() == 2);
  REQUIRE(graph.leafs.size() == 2);
  CHECK(graph.edges == 4);
  CHECK(graph.nodes[0].name == "product");
  CHECK(graph.nodes[0].op == "MUL_MAT");
  CHECK(graph.nodes[0].dtype == "f32");
  CHECK(graph.nodes[0].bytes == 128);
  CHECK(graph.nodes[0].shape == std::vector<int64_t>{4, 8});
  CHECK(graph.nodes[0].sources == std::vector{trace::TensorRef::leaf(LeafId(0)), trace::TensorRef::leaf(LeafId(1))});
  CHECK(graph.nodes[1].view_source == trace::TensorRef::node(NodeId(0)));
  CHECK((graph.nodes[1].flags & trace::kView) != 0);
  CHECK(graph.leafs[1].flags == trace::kWeight);
  REQUIRE(s.runs.size() == 1);
  CHECK(s.runs[0].info.threads == 1);
  CHECK(s.runs[0].finished);
  CHECK(s.runs[0].status == trace::RunStatus::Done);
  REQUIRE(s.runs[0].table);
  REQUIRE(s.runs[0].table->nodes.size() == 2);
  CHECK(s.runs[0].table->nodes[0].host.busy == 10);
  CHECK(s.runs[0].table->nodes[0].wait == 2);
  CHECK(s.runs[0].table->nodes[1].host.busy == 18);
  CHECK(s.marks.size() == 2);
  REQUIRE(s.slices.size() == 1);
  CHECK(s.slices[0].bytes == 128);
  CHECK(s.slices[0].last == Step(2));
  REQUIRE(s.allocators.size() == 1);
  CHECK(s.allocators[0].name == "pool");
  CHECK(s.devices.at(0).host);
  CHECK(s.peak(trace::MemoryKind::Workspace, trace::MemoryCount::Active) == 128);
  CHECK(s.peak(trace::MemoryKind::Workspace, trace::MemoryCount::Reserved) == 1024);
  REQUIRE(s.counter_series.size() == 1);
  CHECK(s.counter_series[0].at(s.time.end) == 42.5);
  REQUIRE(s.tracks.size() == 1);
  CHECK(s.tracks[0].info.name == "the main thread");
  if (process != 0) CHECK(s.tracks[0].info.process == process);
  REQUIRE(s.problems.size() == 1);
  CHECK(s.problems[0].sentence == "This is only a test.");
  CHECK(s.copies.size() == 1);
  CHECK(s.lost == 0);
}

size_t spans_named(const trace::Snapshot& s, std::string_view name) {
  size_t count = 0;
  for (const auto& track : s.tracks)
    for (const auto& lane : track.lanes)
      for (size_t i = 0; i < lane.rows.size(); ++i)
        count += lane.rows[i].kind() == EventKind::Slice &&
                 s.name(trace::NameId(static_cast<int32_t>(lane.rows[i].id))) == name;
  return count;
}

// Connects like a program, sends `greeting`, and returns the answer.
std::string answer_to(const std::string& address, const std::string& greeting) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::strcpy(to.sun_path, address.substr(5).c_str());
  const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(::connect(file, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  REQUIRE(::send(file, greeting.data(), greeting.size(), 0) == static_cast<ssize_t>(greeting.size()));
  std::string out;
  char room[512];
  for (ssize_t n = 0; (n = ::recv(file, room, sizeof room, 0)) > 0;) out.append(room, static_cast<size_t>(n));
  ::close(file);
  return out;
}

std::string greeting_of_version(uint64_t version) {
  trace::WireWriter out;
  const size_t outer = out.begin(1), inner = out.begin(2100);
  out.number(1, 1);
  out.bytes(15, "old friend");
  const size_t own = out.begin(100);
  out.number(1, version);
  out.end(own), out.end(inner), out.end(outer);
  return out.text();
}

}  // namespace

TEST_CASE("descriptions and events of a program arrive unchanged") {
  Listening here;
  Target target(here.address(), {"all"});
  const pid_t process = target.process();
  CHECK(target.ended() == 0);
  const auto s = here.end();
  check_all(*s, process);
  const auto programs = here.receiver->programs();
  REQUIRE(programs.size() == 1);
  CHECK(programs[0].name == "target");
  CHECK(programs[0].process == process);
  CHECK(programs[0].events == s->event_count);
  CHECK(programs[0].refused == 0);
  CHECK(programs[0].problem.empty());
}

TEST_CASE("loopback connections require the token") {
  attach::ListenOptions options;
  options.tcp = true;
  Listening here(options);
  REQUIRE(here.address().rfind("tcp:", 0) == 0);
  std::string wrong = here.address();
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  CHECK(Target(wrong, {"all"}).ended() == 9);
  CHECK(Target(here.address(), {"all"}).ended() == 0);
  check_all(*here.end(2), 0);
  CHECK(here.receiver->programs()[0].problem == "the token does not match the one shown.");
}

TEST_CASE("a file written by a program is a recording") {
  TempFolder folder;
  CHECK(Target("file:" + (folder / "a-%p.pftrace"), {"all"}).ended() == 0);
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) path = entry.path();
  CHECK(path.find('%') == std::string::npos);
  trace::Session session;
  const auto report = trace::read_recording(path, session);
  REQUIRE(report.ok());
  CHECK(report->problem.empty());
  check_all(*session.snapshot(), 0);
}

TEST_CASE("two programs share a document, each with its own tracks, runs and names") {
  Listening here;
  Target one(here.address(), {"all"}), two(here.address(), {"all"});
  CHECK(one.ended() == 0);
  CHECK(two.ended() == 0);
  const auto s = here.end(2);
  REQUIRE(s->runs.size() == 2);
  REQUIRE(s->tracks.size() == 2);
  CHECK(s->graphs.size() == 2);
  CHECK(s->runs[0].info.graph != s->runs[1].info.graph);
  CHECK(s->tracks[0].info.process != s->tracks[1].info.process);
  CHECK(s->runs[0].finished);
  CHECK(s->runs[1].finished);
  CHECK(spans_named(*s, "load") == 2);
}

TEST_CASE("a full ring counts lost events; a blocking ring loses none") {
  constexpr int64_t kEvents = 200'000;
  {
    Listening here;
    CHECK(Target(here.address(), {"spans", std::to_string(kEvents)}).ended() == 0);
    const auto s = here.end();
    const auto programs = here.receiver->programs();
    REQUIRE(programs.size() == 1);
    CHECK(programs[0].events + programs[0].lost == 2 * kEvents);
    CHECK(s->lost == programs[0].lost);
    CHECK(s->event_count == programs[0].events);
  }
  Listening here;
  CHECK(Target(here.address(), {"spans", "20000"}, {"ARENASCOPE_HOLD_BACK=1"}).ended() == 0);
  const auto s = here.end();
  CHECK(s->lost == 0);
  CHECK(spans_named(*s, "first") == 20000);
  CHECK(spans_named(*s, "other") == 20000);
}

TEST_CASE("a blocking ring also waits for descriptions") {
  Listening here;
  CHECK(Target(here.address(), {"names", "40000"}, {"ARENASCOPE_HOLD_BACK=1"}).ended() == 0);
  const auto s = here.end();
  CHECK(s->lost == 0);
  CHECK(s->event_count == 40000);
  CHECK(s->problems.empty());
}

TEST_CASE("short-lived threads reuse rings and have their own tracks") {
  Listening here;
  CHECK(Target(here.address(), {"threads", "600"}).ended() == 0);
  const auto s = here.end();
  CHECK(spans_named(*s, "one of many") + static_cast<size_t>(s->lost) <= 600);
  CHECK(spans_named(*s, "one of many") == 600);
  CHECK(s->tracks.size() == 600);
}

// ARENASCOPE_KILLS=100 for the campaign.
TEST_CASE("a killed program loses no written events") {
  const int64_t times = from_environment("ARENASCOPE_KILLS", 10);
  int64_t rescued = 0;
  for (int64_t i = 0; i < times; ++i) {
    Listening here;
    Counted counted(here.folder / "counted");
    Target target(here.address(), {"endless", "0", here.folder / "counted"});
    REQUIRE(counted.until([&](const Counted& c) { return c.events() > 500 + 97 * i; }));
    CHECK(target.kill() == 128 + SIGKILL);
    const int64_t written = counted.events();
    const auto s = here.end();
    const auto programs = here.receiver->programs();
    REQUIRE(programs.size() == 1);
    CHECK(s->lost == 0);
    // The one that it was about to count may have been written.
    CHECK(s->event_count >= written);
    CHECK(s->event_count <= written + 1);
    CHECK(s->tracks.at(0).lanes.at(0).rows[static_cast<size_t>(written) - 1].time == written);
    rescued += programs[0].rescued;
  }
  CHECK(rescued > 0);
}

TEST_CASE("a program continues when its receiver has ended") {
  TempFolder folder;
  Counted counted(folder / "counted");
  auto here = std::make_unique<Listening>();
  Target target(here->address(), {"endless", "0", folder / "counted"});
  REQUIRE(counted.until([](const Counted& c) { return c.events() > 100; }));
  here.reset();
  CHECK(counted.until([](const Counted& c) { return c.alone(); }));
  const int64_t loops = counted.loops();
  CHECK(counted.until([&](const Counted& c) { return c.loops() > loops + 1000; }));
}

TEST_CASE("a program continues when its receiver is killed, and the earlier events are a recording") {
  const int64_t times = from_environment("ARENASCOPE_KILLS", 3);
  for (int64_t i = 0; i < times; ++i) {
    TempFolder folder;
    Counted counted(folder / "counted");
    const std::string recording = folder / "a.pftrace";
    int pipes[2];
    REQUIRE(::pipe(pipes) == 0);
    const pid_t receiver = ::fork();
    if (receiver == 0) {  // a process that listens, records and reports its address
      attach::ListenOptions options;
      options.folder = folder.path();
      auto writer = trace::RecordingWriter::create(recording);
      if (!writer.ok()) ::_exit(1);
      auto made = attach::Receiver::listen({*writer}, options);
      if (!made.ok() || ::write(pipes[1], (*made)->address().c_str(), (*made)->address().size() + 1) < 0) ::_exit(1);
      for (;;) ::pause();
    }
    char address[256] = "";
    REQUIRE(::read(pipes[0], address, sizeof address - 1) > 0);
    ::close(pipes[0]), ::close(pipes[1]);
    Target target(address, {"endless", "0", folder / "counted"});
    REQUIRE(counted.until([&](const Counted& c) { return c.events() > 500 + 97 * i; }));
    ::kill(receiver, SIGKILL);
    ::waitpid(receiver, nullptr, 0);
    CHECK(counted.until([](const Counted& c) { return c.alone(); }));
    const int64_t loops = counted.loops();
    CHECK(counted.until([&](const Counted& c) { return c.loops() > loops + 1000; }));
    trace::Session session;
    const auto report = trace::read_recording(recording, session);
    REQUIRE(report.ok());
    CHECK(session.snapshot()->event_count <= counted.events());
  }
}

TEST_CASE("other protocol versions and other users are refused") {
  Listening here;
  const std::string newer = answer_to(here.address(), greeting_of_version(2));
  CHECK(newer.substr(0, 4) == "ASCP");
  CHECK(newer.find("uses protocol version 2, this Arenascope version 1; a newer Arenascope is needed.") !=
        std::string::npos);
  CHECK(answer_to(here.address(), greeting_of_version(0)).find("rebuild it with the") != std::string::npos);
  CHECK(answer_to(here.address(), "GET / HTTP/1.1\r\n\r\n").find("not a valid greeting") != std::string::npos);
  CHECK(answer_to(here.address(), std::string(5000, '\n')).find("not a valid greeting") != std::string::npos);
  CHECK(Target(here.address(), {"all"}).ended() == 0);
  check_all(*here.end(5), 0);
}

TEST_CASE("a folder that others can enter, or no folder, is refused") {
  TempFolder folder;
  attach::ListenOptions options;
  options.folder = folder / "open";
  std::filesystem::create_directory(options.folder);
  std::filesystem::permissions(options.folder, std::filesystem::perms(0755));
  auto made = attach::Receiver::listen({}, options);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().message.find(options.folder) != std::string::npos);
  CHECK(made.error().message.find("0700") != std::string::npos);
  options.folder = "/dev/null";
  CHECK_FALSE(attach::Receiver::listen({}, options).ok());
  options.folder = folder / std::string(200, 'x');
  CHECK_FALSE(attach::Receiver::listen({}, options).ok());
}

TEST_CASE("not requested, no receiver, no address") {
  CHECK(Target("", {"all"}).ended() == 0);
  CHECK(Target("unix:/nonexistent/socket", {"all"}).ended() == 9);
  CHECK(Target("somewhere", {"all"}).ended() == 9);
  CHECK(Target("tcp:80", {"all"}).ended() == 9);
  CHECK(Target("unix:/" + std::string(300, 'x'), {"all"}).ended() == 9);
  CHECK(Target("file:/nonexistent/a.pftrace", {"all"}).ended() == 9);
}

// ARENASCOPE_ATTACH_SECONDS=600 for the campaign: 200,000 events per second, none lost.
TEST_CASE("a steady event rate without losses") {
  const int64_t seconds = from_environment("ARENASCOPE_ATTACH_SECONDS", 1);
  Listening here;
  Target target(here.address(), {"rate", seconds > 10 ? "100000" : "20000", std::to_string(seconds)});
  CHECK(target.ended() == 0);
  const auto s = here.end();
  CHECK(s->lost == 0);
  const int64_t events = here.receiver->programs().at(0).events;
  MESSAGE(events << " events in " << seconds << " s");
  CHECK(events > (seconds > 10 ? 190'000 : 30'000) * seconds);
}
