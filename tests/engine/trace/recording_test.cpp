// SPDX-License-Identifier: MIT
#include <arenascope/trace/bind_event.h>
#include <arenascope/trace/convert.h>
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/recording.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <sys/resource.h>
#include <fstream>
#include "engine/trace/codec.h"

#include <csignal>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "engine/trace/sample_session.h"
#include "engine/trace/temp_file.h"

using namespace arenascope;
using namespace arenascope::trace;
using arenascope::test::TempFile;

namespace {

std::string record_sample(const TempFile& file, int runs, bool mirror = true) {
  auto writer = RecordingWriter::create(file.path, {.mirror = mirror});
  REQUIRE(writer.ok());
  test::fill(**writer, {.runs = runs});
  REQUIRE((*writer)->close().ok());
  return file.read();
}

std::string text_of(const Session& session) { return to_string(*session.snapshot(), Format::Text); }

}  // namespace

TEST_CASE("a session from a file equals the live session") {
  TempFile file("same.pftrace");
  Session live, read;
  test::fill(live, {.runs = 3});
  for (bool mirror : {true, false}) {
    const std::string bytes = record_sample(file, 3, mirror);
    Session again;
    const auto report = read_recording(file.path, again);
    REQUIRE(report.ok());
    CHECK(report->problem.empty());
    CHECK(report->dropped_bytes == 0);
    CHECK(report->bytes == static_cast<int64_t>(bytes.size()));
    CHECK(text_of(again) == text_of(live));
    CHECK(*again.snapshot()->graphs[0] == *live.snapshot()->graphs[0]);
    CHECK(*again.snapshot()->plans[0] == *live.snapshot()->plans[0]);
    CHECK(*again.snapshot()->contexts[0] == *live.snapshot()->contexts[0]);
    CHECK(is_recording_file(as_bytes(bytes)));
  }
}

TEST_CASE("a live recorder gives its session and its file the same events, with and without threads") {
  TempFile file("live.pftrace");
  Recorder recorder;
  auto live = std::make_shared<Session>();
  auto writer = RecordingWriter::create(file.path);
  REQUIRE(writer.ok());
  recorder.add_sink(live);
  recorder.add_sink(*writer);
  recorder.start(300'000);
  GraphInfo graph;
  graph.nodes.resize(5);
  const GraphId g = recorder.describe(graph);
  for (int run = 0; run < 20; ++run) {
    const RunId id = recorder.begin_run({.graph = g, .threads = 2});
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&, ring = recorder.register_thread("t")] {
        for (int n = 0; n < 5; ++n) {
          const Nanoseconds t0 = ring->now(), t1 = ring->now();
          ring->record(work(id, NodeId(n), t0, t1));
          ring->record(wait(id, NodeId(n), t1, ring->now(), run * 5 + n));
        }
      });
    }
    for (auto& t : threads) t.join();
    recorder.end_run(id);
  }
  recorder.stop();
  REQUIRE((*writer)->close().ok());
  Session read;
  REQUIRE(read_recording(file.path, read).ok());
  CHECK(live->snapshot()->barriers.size() == 100);
  CHECK(text_of(read) == text_of(*live));
}

TEST_CASE("a saved session round-trips") {
  TempFile file("saved.pftrace");
  Session live, read;
  test::fill(live, {.runs = 1});
  test::fill_runs(live, 1, 700);
  REQUIRE(save_recording(*live.snapshot(), file.path).ok());
  REQUIRE(read_recording(file.path, read).ok());
  const auto a = live.snapshot(), b = read.snapshot();
  CHECK(a->event_count == b->event_count);
  CHECK(a->barriers.size() == b->barriers.size());
  CHECK(a->slices.size() == b->slices.size());
  CHECK(b->problems.empty());
  for (size_t n = 0; n < 4; ++n) {
    const NodeStats x = a->stats(GraphId(0), NodeId(n)), y = b->stats(GraphId(0), NodeId(n));
    CHECK(x.runs == 700);
    CHECK(x.runs == y.runs);
    CHECK(x.busy == y.busy);
    CHECK(x.wait == y.wait);
    CHECK(x.median == y.median);
    CHECK(x.first == y.first);
    CHECK(x.barriers == y.barriers);
  }
  const auto lines_of = [](const Session& session) {  // only the order of equal times may differ
    std::multiset<std::string> lines;
    std::istringstream in(text_of(session));
    for (std::string line; std::getline(in, line);) lines.insert(line);
    return lines;
  };
  const bool same_lines = lines_of(live) == lines_of(read);
  CHECK(same_lines);
}

TEST_CASE("protoc decodes every packet with Perfetto's field names") {
  if (std::system("command -v protoc > /dev/null 2>&1") != 0) {
    MESSAGE("skipped: protoc is not installed");
    return;
  }
  TempFile file("raw.pftrace");
  record_sample(file, 2);
  FILE* pipe = ::popen(("protoc --decode_raw < '" + file.path.string() + "'").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  CHECK(::pclose(pipe) == 0);
  CHECK(text.find("2: \"ADD n0\"") != std::string::npos);     // an interned span name
  CHECK(text.find("2: \"worker 1\"") != std::string::npos);   // a track
  CHECK(text.find("Workspace active") != std::string::npos);  // a counter
  CHECK(text.find("2100 {") != std::string::npos);            // our own field
  size_t packets = 0;
  for (size_t at = 0; (at = text.find("\n}\n1 {", at)) != std::string::npos; ++at) ++packets;
  Session session;
  CHECK(read_recording(file.path, session)->packets == static_cast<int64_t>(packets + 1));
}

TEST_CASE("slices on each of Perfetto's tracks are balanced and never run backwards") {
  TempFile file("balanced.pftrace");
  const std::string bytes = record_sample(file, 5);
  WireReader trace(as_bytes(bytes));
  std::map<uint64_t, std::pair<int64_t, uint64_t>> tracks;  // open slices, last time
  int64_t slices = 0;
  while (trace.next()) {
    WireReader packet(trace.payload);
    uint64_t time = 0, uuid = 0, type = 0;
    while (packet.next()) {
      if (packet.field == 8) time = packet.number;
      if (packet.field != 11) continue;
      WireReader event(packet.payload);
      while (event.next()) {
        if (event.field == 9) type = event.number;
        if (event.field == 11) uuid = event.number;
      }
    }
    if (type != 1 && type != 2) continue;
    auto& [open, last] = tracks[uuid];
    CHECK(time >= last);
    last = time;
    open += type == 1 ? 1 : -1;
    slices += type == 1;
    CHECK(open >= 0);
    CHECK(open <= 1);
  }
  CHECK(trace.ok());
  CHECK(slices == 5 + 5 * 4 * 4 + 1);  // runs, work and wait of two threads, a copy
  for (const auto& [uuid, state] : tracks) CHECK(state.first == 0);
}

TEST_CASE("a recording cut at any byte opens up to its last complete packet") {
  TempFile file("cut.pftrace");
  const std::string bytes = record_sample(file, 1);
  Session whole;
  REQUIRE(read_recording(as_bytes(bytes), "whole", whole).ok());
  int64_t last_events = 0;
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    Session session;
    const auto report = read_recording(as_bytes(std::string_view(bytes).substr(0, cut)), "cut", session);
    if (!report.ok()) {
      CHECK(last_events == 0);
      CHECK(report.error().message.find("cut: ") == 0);
      continue;
    }
    CHECK(report->bytes + report->dropped_bytes == static_cast<int64_t>(cut));
    CHECK((report->dropped_bytes == 0) == report->problem.empty());
    CHECK(report->broken_packets == 0);
    const auto s = session.snapshot();
    CHECK(s->event_count >= last_events);
    CHECK(s->problems.size() == (report->dropped_bytes == 0 ? 0u : 1u));
    last_events = s->event_count;
  }
  CHECK(last_events == whole.snapshot()->event_count);
}

TEST_CASE("the same through a file, block by block") {
  TempFile file("blocks.pftrace");
  auto writer = RecordingWriter::create(file.path);
  test::fill(**writer, {.runs = 1});
  test::fill_runs(**writer, 1, 3000);  // several megabytes
  REQUIRE((*writer)->close().ok());
  const std::string bytes = file.read();
  REQUIRE(bytes.size() > (size_t{2} << 20));
  Session from_file, from_memory;
  double last = 0;
  const auto a =
      read_recording(file.path, from_file, {.progress = [&](double p) { return p >= last ? last = p, true : false; }});
  const auto b = read_recording(as_bytes(bytes), "memory", from_memory);
  REQUIRE(a.ok());
  CHECK(a->packets == b->packets);
  CHECK(last == 1);
  CHECK(text_of(from_file) == text_of(from_memory));
  std::filesystem::resize_file(file.path, bytes.size() / 2 + 1);
  Session half;
  const auto c = read_recording(file.path, half);
  REQUIRE(c.ok());
  CHECK(c->bytes + c->dropped_bytes == static_cast<int64_t>(bytes.size() / 2 + 1));
  Session stopped;
  const auto d = read_recording(file.path, stopped, {.progress = [](double) { return false; }});
  REQUIRE_FALSE(d.ok());
  CHECK(d.error().message.find("stopped") != std::string::npos);
}

TEST_CASE("other files are errors") {
  Session session;
  for (const std::string& bytes : {std::string(), std::string("PK\3\4 something"), std::string(5000, '\n'),
                                   std::string("\x0a\xff\xff\xff\xff\x0f", 6), std::string("{\"traceEvents\":[]}"),
                                   std::string("\x0a\x02\x08\x01", 4)}) {
    const auto report = read_recording(as_bytes(bytes), "thing", session);
    REQUIRE_FALSE(report.ok());
    CHECK(report.error().message.find("thing: ") == 0);
    CHECK(report.error().message.find('\n') == std::string::npos);
  }
  CHECK_FALSE(read_recording("/nonexistent/file", session).ok());
  CHECK_FALSE(read_recording("/", session).ok());
  CHECK_FALSE(is_recording_file({}));
  WireWriter newer;
  const size_t packet = newer.begin(kTracePacketField), ours = newer.begin(kRecordingField);
  newer.number(kVersionField, 7);
  newer.end(ours);
  newer.end(packet);
  const auto report = read_recording(as_bytes(newer.text()), "new", session);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().message.find("newer version (format 7") != std::string::npos);
}

TEST_CASE("garbage in the middle: the part before it opens, and the loss is reported") {
  TempFile file("garbage.pftrace");
  std::string bytes = record_sample(file, 3);
  bytes += std::string(100, '\x7f');
  Session session, good;
  const auto report = read_recording(as_bytes(bytes), "file", session);
  REQUIRE(report.ok());
  CHECK(report->dropped_bytes == 100);
  CHECK(report->problem.find("the file is not a recording") != std::string::npos);
  CHECK(session.snapshot()->runs.size() == 3);
}

TEST_CASE("a full disk is an error value, and the written part opens") {
  if (std::filesystem::exists("/dev/full")) {
    auto writer = RecordingWriter::create("/dev/full");
    if (writer.ok()) {
      test::fill(**writer, {.runs = 1});
      const Status status = (*writer)->close();
      REQUIRE_FALSE(status.ok());
      CHECK(status.error().message.find("/dev/full") == 0);
    }
  }
  TempFile file("full.pftrace");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  auto* old = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = 20'000;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  auto writer = RecordingWriter::create(file.path);
  REQUIRE(writer.ok());
  test::fill(**writer, {.runs = 1});
  test::fill_runs(**writer, 1, 200);
  const Status status = (*writer)->close();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message.find("20000 bytes") != std::string::npos);
  Session session;
  const auto report = read_recording(file.path, session);
  REQUIRE(report.ok());
  CHECK(session.snapshot()->runs.size() > 5);
  CHECK_FALSE(RecordingWriter::create("/nonexistent/folder/file").ok());
}

TEST_CASE("flushed packets are readable while the writer continues") {
  TempFile file("growing.pftrace");
  auto writer = RecordingWriter::create(file.path);
  test::fill(**writer, {.runs = 2});
  (*writer)->flush();
  Session session;
  const auto report = read_recording(file.path, session);
  REQUIRE(report.ok());
  CHECK(report->dropped_bytes == 0);
  CHECK(session.snapshot()->runs.size() == 2);
}

TEST_CASE("tuning decisions are read from a recording, with a readable text") {
  const TuningInfo groups{.kernel = "scale",
                          .sizes = "512x64x1",
                          .local = {64, 2, 1},
                          .way = {},
                          .level = "normal",
                          .tried = 4,
                          .seconds = 0.00012,
                          .remembered = true,
                          .run = RunId(0),
                          .time = 77};
  TuningInfo way{.kernel = "gemm, level -D over", .sizes = "1x64x64x32 taps 3x3", .way = 0, .level = "fast"};
  CHECK(sentence(groups) ==
        "scale over 512x64x1: groups of 64x2x1, the fastest of 4 (0.12 ms), level normal, remembered");
  CHECK(sentence(way) == "gemm, level -D over over 1x64x64x32 taps 3x3: way 0, by rule, level fast");
  test::TempFile file("tuning.arena");
  auto writer = RecordingWriter::create(file.path);
  (*writer)->describe(groups);
  (*writer)->describe(way);
  REQUIRE((*writer)->close().ok());
  Session session;
  REQUIRE(read_recording(file.path, session).ok());
  const auto s = session.snapshot();
  REQUIRE(s->tunings.size() == 2);
  CHECK(s->tunings[0] == groups);
  CHECK(s->tunings[1] == way);
  CHECK(s->problems.empty());
}

TEST_CASE("annotations of a recording are replaced by newer ones and saved with it") {
  test::TempFile file("annotations.arena");
  Session session;
  session.describe(AnnotationInfo{R"({"notes":[1]})"});
  session.describe(AnnotationInfo{R"({"notes":[2]})"});
  REQUIRE(save_recording(*session.snapshot(), file.path).ok());
  Session read;
  REQUIRE(read_recording(file.path, read).ok());
  CHECK(read.snapshot()->annotations == AnnotationInfo{R"({"notes":[2]})"});
  CHECK(read.snapshot()->problems.empty());
  CHECK(Session().snapshot()->annotations.json.empty());
}

TEST_CASE("kernel names of device work are recorded, in labels and for other tools; older recordings have none") {
  test::TempFile file("kernels.pftrace");
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  graph->nodes.push_back({.name = "conv1", .op = "CONV_2D"});
  const Event with_kernel = work(RunId(0), NodeId(0), 10, 20, 3, NameId(0)),
              plain = work(RunId(0), NodeId(0), 20, 30, 7);
  CHECK(with_kernel.chunk() == 3);
  CHECK(with_kernel.kernel() == NameId(0));
  CHECK(plain.b == 7);  // as before there were kernels
  CHECK(!plain.kernel().valid());
  auto writer = RecordingWriter::create(file.path);
  (*writer)->describe(ThreadInfo{.id = TrackId(0), .name = "queue", .kind = TrackKind::DeviceQueue});
  (*writer)->describe(NameInfo{NameId(0), "conv_winograd"});
  (*writer)->describe(std::shared_ptr<const GraphInfo>(graph));
  (*writer)->describe(RunInfo{.id = RunId(0), .graph = GraphId(0), .begin = 5});
  (*writer)->events(TrackId(0), std::vector{with_kernel, plain, work(RunId(0), NodeId(0), 30, 40, 0, NameId(99))});
  REQUIRE((*writer)->close().ok());
  Session session;
  REQUIRE(read_recording(file.path, session).ok());
  const auto s = session.snapshot();
  const auto& rows = s->tracks[0].lanes[0].rows;
  REQUIRE(rows.size() == 3);
  CHECK(rows[0] == with_kernel);
  CHECK(rows[1] == plain);
  CHECK(s->kernel(rows[0]) == "conv_winograd");
  CHECK(s->label(rows[0]) == "CONV_2D conv1 · conv_winograd");
  CHECK(s->label(rows[1]) == "CONV_2D conv1");
  CHECK(s->kernel(rows[2]).empty());  // the name was not described
  std::ifstream in(file.path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  CHECK(bytes.find("CONV_2D conv1 · conv_winograd") != bytes.npos);  // as Perfetto shows it
}

TEST_CASE("allocation stacks are recorded, and a stack with undescribed names is rejected") {
  const StackInfo stack{{{NameId(0), NameId(1), 12}, {NameId(1), NameId::none(), 0}}, {3, 7, 8}};
  test::TempFile file("stacks.arena");
  auto writer = RecordingWriter::create(file.path);
  for (int i = 0; i < 2; ++i)
    (*writer)->describe(NameInfo{NameId(static_cast<size_t>(i)), i == 0 ? "forward" : "model.py"});
  (*writer)->describe(stack);
  (*writer)->describe(StackInfo{{{NameId(5), NameId(1), 12}}, {9}});
  REQUIRE((*writer)->close().ok());
  Session session;
  REQUIRE(read_recording(file.path, session).ok());
  const auto s = session.snapshot();
  REQUIRE(s->stacks.size() == 1);
  CHECK(s->stacks[0] == stack);
  CHECK(s->stack_of(7) != nullptr);
  CHECK(s->stack_of(9) == nullptr);
  CHECK(s->problems.size() == 1);
  Session again;  // and what is saved of a session holds it too
  replay(*s, again);
  CHECK(again.snapshot()->stacks[0] == stack);
}

// A packet of ours as programs before form 1 wrote it.
void old_packet(WireWriter& out, const auto& body) {
  const size_t outer = out.begin(kTracePacketField), inner = out.begin(kRecordingField);
  body();
  out.end(inner);
  out.end(outer);
}

TEST_CASE("texts of earlier recordings are parsed into fields") {
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  graph->nodes.resize(3);
  graph->nodes[0].parameters = "axis 1, channels last";
  graph->nodes[1].parameters = "holds CONV conv1, ADD, RELU a b";
  graph->nodes[2].parameters = "kernel 3x3 axis 1";
  graph->nodes[0].flags = graph->nodes[1].flags = kView;
  graph->nodes[0].op = "SET_ROWS";
  graph->nodes[1].op = "RESHAPE";
  graph->nodes[2].op = "SET";
  const auto note = [](Severity severity, std::string sentence, NodeId node = {}) {
    return Problem{severity, std::move(sentence), 5, RunId(0), node};
  };
  WireWriter out;
  old_packet(out, [&] { out.number(kVersionField, kRecordingVersion); });
  const auto say = [&](const Description& d) { old_packet(out, [&] { encode(d, out); }); };
  say(std::shared_ptr<const GraphInfo>(graph));
  say(ThreadInfo{TrackId(0), "worker 0"});
  say(RunInfo{.id = RunId(0), .graph = GraphId(0), .plan = {}, .begin = 10, .threads = 1});
  say(RunInfo{.id = RunId(1), .graph = GraphId(0), .plan = {}, .begin = 20, .threads = 1});
  say(note(Severity::Warning, "'x' holds NaN or infinities", NodeId(1)));
  say(note(Severity::Note, "gemm -D TAPS over 1x64: way 1, by rule, level fast"));
  say(note(Severity::Note,
           "scale over 512x64x1: groups of 64x2x1, the fastest of 4 (0.12 ms), level wide, remembered"));
  for (const char* other :
       {"a sentence about something else, level with it", "k over 1: groups of 1x1, by rule, level x",
        "k over 1: groups of 1x1x1, the fastest of -3 (1 ms), level x", "k over 1: way -1, by rule, level x"})
    say(note(Severity::Note, other));
  const auto old_event = [](uint32_t kind, Nanoseconds t) { return Event{t, 64, 128, 7, kind | 3u << 8}; };
  const std::array<Event, 4> events = {old_event(7, 12), old_event(14, 13), old_event(8, 15), old_event(7, 21)};
  old_packet(out, [&] { encode(TrackId(0), events, out); });

  Session session;
  const auto report = read_recording(as_bytes(out.text()), "old", session);
  REQUIRE(report.ok());
  CHECK(report->broken_packets == 0);
  const auto s = session.snapshot();
  CHECK(s->graphs[0]->nodes[0].axis == 1);
  CHECK(s->graphs[0]->nodes[1].parts ==
        std::vector<PartInfo>{{"CONV", 0, "conv1"}, {"ADD", 0, ""}, {"RELU", 0, "a b"}});
  CHECK_FALSE(s->graphs[0]->nodes[2].axis.has_value());
  CHECK(s->graphs[0]->nodes[0].flags == (kView | kWritesSource));
  CHECK(s->graphs[0]->nodes[1].flags == kView);
  CHECK(s->graphs[0]->nodes[2].flags == 0);
  REQUIRE(s->problems.size() == 5);
  CHECK(s->problems[0].kind == ProblemKind::NotFinite);
  CHECK(s->problems[1].kind == ProblemKind::Other);
  REQUIRE(s->tunings.size() == 2);
  CHECK(s->tunings[0] ==
        TuningInfo{.kernel = "gemm -D TAPS", .sizes = "1x64", .way = 1, .level = "fast", .run = RunId(0), .time = 5});
  CHECK(s->tunings[1].local == std::array<uint32_t, 3>{64, 2, 1});
  CHECK(s->tunings[1].remembered);
  REQUIRE(s->slices.size() == 1);
  CHECK(s->slices[0].run == RunId(0));
  CHECK(s->slices[0].bytes == 128);
  REQUIRE(s->open_slices.size() == 1);
  CHECK(s->open_slices[0].run == RunId(1));
  REQUIRE(s->seen.size() == 1);
  CHECK(s->seen[0].step == Step(3));
}

TEST_CASE("texts of current recordings are not parsed") {
  test::TempFile file("sentences.arena");
  auto writer = RecordingWriter::create(file.path);
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  graph->nodes.resize(1);
  graph->nodes[0].op = "SET_ROWS";
  graph->nodes[0].flags = kView;  // a view writes nothing, whatever its op is
  (*writer)->describe(std::shared_ptr<const GraphInfo>(graph));
  (*writer)->describe(Problem{Severity::Note, "gemm over 1x64: way 1, by rule, level fast", 0, {}, {}});
  (*writer)->describe(Problem{Severity::Warning, "'x' holds NaN or infinities", 0, {}, NodeId(1)});
  (*writer)->describe(Problem{Severity::Warning, "x", 0, {}, NodeId(1), ProblemKind::NotFinite});
  REQUIRE((*writer)->close().ok());
  Session session;
  REQUIRE(read_recording(file.path, session).ok());
  const auto s = session.snapshot();
  CHECK(s->graphs[0]->nodes[0].flags == kView);
  CHECK(s->tunings.empty());
  REQUIRE(s->problems.size() == 3);
  CHECK(s->problems[1].kind == ProblemKind::Other);
  CHECK(s->problems[2].kind == ProblemKind::NotFinite);
}

TEST_CASE("Chrome JSON, CSV and text agree") {
  Session session;
  test::fill(session, {.runs = 2});
  session.describe(NameInfo{NameId(1), "quote \" back \\ line \n bad \xff, end"});
  session.events(TrackId(0), std::array{slice(1, 2'000'003, NameId(1), 0)});
  const auto s = session.snapshot();
  const std::string json = to_string(*s, Format::ChromeJson);
  CHECK(json.find("\"ts\":10.000,\"dur\":0.100,\"cat\":\"work\",\"name\":\"ADD n0\"") != std::string::npos);
  CHECK(json.find("\"ts\":0.001,\"dur\":2000.002") != std::string::npos);
  CHECK(json.find("quote \\\" back \\\\ line \\u000a bad \\ufffd, end") != std::string::npos);
  const std::string csv = to_string(*s, Format::SpansCsv);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 * 4 * 4 + 1 + 1 + 1);  // the name has a line of its own
  CHECK(csv.find("worker 1,work,ADD n3,3,1,11600,11720\n") != std::string::npos);
  const std::string memory = to_string(*s, Format::MemoryCsv);
  CHECK(memory.find("9995,alloc,Workspace,0x1000,1000,1,1\n") != std::string::npos);
  CHECK(format_of("a.json").value() == Format::ChromeJson);
  CHECK(format_of("a.memory.csv").value() == Format::MemoryCsv);
  CHECK(format_of("a.pftrace").value() == Format::Recording);
  CHECK_FALSE(format_of("a.xyz").ok());
  TempFile file("out.json");
  REQUIRE(write(*s, Format::ChromeJson, file.path).ok());
  CHECK(file.read() == json);
  CHECK_FALSE(write(*s, Format::Text, "/nonexistent/x.txt").ok());
  CHECK_FALSE(write(*s, Format::Text, "/dev/full").ok());
}
