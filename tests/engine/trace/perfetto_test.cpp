// SPDX-License-Identifier: MIT
// Perfetto traces made here, one case per rule of the format.
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <algorithm>

#include "engine/trace/perfetto_writer.h"

using namespace arenascope;
using namespace arenascope::trace;
using test::PerfettoWriter;

namespace {

std::shared_ptr<const Snapshot> open(const std::string& bytes) {
  Session session;
  const auto report = open_trace(as_bytes(bytes), "trace", session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  CHECK(report->kind == TraceKind::Perfetto);
  return session.snapshot();
}

// "name begin-end depth" of each slice of a row, with times relative to the first event.
std::string slices_of(const Snapshot& s, const std::string& row) {
  std::vector<std::pair<Nanoseconds, std::string>> out;
  for (const TrackView& t : s.tracks) {
    if (t.info.name != row) continue;
    for (size_t depth = 0; depth < t.lanes.size(); ++depth)
      for (size_t i = 0; i < t.lanes[depth].rows.size(); ++i) {
        const Event& e = t.lanes[depth].rows[i];
        out.emplace_back(
            e.begin(), fmt::format("{} {}-{} {}", s.label(e), e.begin() - s.time.begin, e.end() - s.time.begin, depth));
      }
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [begin, one] : out) text += (text.empty() ? "" : "; ") + one;
  return text;
}

std::string values_of(const Snapshot& s, const std::string& counter) {
  std::string text;
  for (size_t c = 0; c < s.counters.size(); ++c) {
    if (s.counters[c].name != counter) continue;
    const auto& samples = s.counter_series[c].samples;
    for (size_t i = 0; i < samples.size(); ++i)
      text += fmt::format("{}{}={}", i == 0 ? "" : " ", samples[i].time - s.time.begin, samples[i].value);
    text += fmt::format(" {}", s.counters[c].unit);
  }
  return text;
}

std::vector<std::string> problems_of(const Snapshot& s, Severity severity) {
  std::vector<std::string> out;
  for (size_t i = 0; i < s.problems.size(); ++i)
    if (s.problems[i].severity == severity) out.push_back(s.problems[i].sentence);
  return out;
}

}  // namespace

TEST_CASE("the first packet of a Perfetto trace may have any length") {
  for (size_t length = 0; length < 300; ++length) {
    CAPTURE(length);
    PerfettoWriter w;
    w.packet([&] { w.message(60, [&] { w.out.bytes(2, std::string(length, 'n')); }); });
    w.event(10, 1, 1, "span").event(30, 2, 1);
    CHECK(sniff(as_bytes(w.text())) == TraceKind::Perfetto);
    const auto s = open(w.text());
    REQUIRE(s->tracks.size() == 1);
    CHECK(s->time.begin == 10);
    CHECK(s->time.end == 30);
  }
}

TEST_CASE("text that begins with a newline is not a Perfetto trace") {
  for (const char* text :
       {"\n{\"traceEvents\":[]}", "\n[]", "\n\n{}", "\n \t[{}]", "\n{\"a\":\"\x01\"}", "\r\n{}", "\xef\xbb\xbf\n{}"})
    CHECK(sniff(as_bytes(text)) == TraceKind::ChromeJson);
  CHECK(sniff(as_bytes("\nhello, this is a text")) == TraceKind::Unknown);
}

TEST_CASE("a Perfetto trace with times since 1970") {
  constexpr uint64_t kNow = 1'774'000'000'000'000'000;
  PerfettoWriter w;
  w.thread(1, 5, 6, "main").event(kNow, 1, 1, "span").event(kNow + 1500, 2, 1);
  const auto s = open(w.text());
  CHECK(s->problems.empty());
  CHECK(s->event_count == 1);
  CHECK(s->time.begin == static_cast<Nanoseconds>(kNow));
  CHECK(s->time.end - s->time.begin == 1500);
}

TEST_CASE("the error of a Perfetto trace without a usable event states the reason") {
  const auto error_of = [](const std::string& bytes) {
    Session session;
    const auto report = open_trace(as_bytes(bytes), "trace", session);
    REQUIRE_FALSE(report.ok());
    return report.error().message;
  };
  PerfettoWriter none;
  none.thread(1, 5, 6, "main");
  CHECK(error_of(none.text()).find("no track events") != std::string::npos);
  PerfettoWriter late;
  late.event(uint64_t{1} << 62, 1, 1, "span").event(uint64_t{1} << 63, 2, 1);
  CHECK(error_of(late.text()).find("none of the 2 track events of the Perfetto trace can be used") !=
        std::string::npos);
  PerfettoWriter nameless;
  nameless.event(1, 5, 1);
  CHECK(error_of(nameless.text()) ==
        "trace: none of the 1 track events of the Perfetto trace can be used: none has a name or a value.");
}

TEST_CASE("events of a Perfetto trace are sorted by time") {
  PerfettoWriter w;
  w.thread(1, 5, 6, "main");
  w.event(300, 2, 1).event(100, 1, 1, "a").event(500, 2, 1).event(400, 1, 1, "b").event(100, 1, 1, "inside");
  w.event(200, 2, 1);
  const auto s = open(w.text());
  CHECK(slices_of(*s, "main") == "a 0-200 0; inside 0-100 1; b 300-400 0");
  CHECK(s->problems.empty());
}

TEST_CASE("an end with a name or category belongs to that slice of a Perfetto trace") {
  PerfettoWriter w;
  w.thread(1, 5, 6, "main");
  w.event(0, 1, 1, "outer").event(10, 1, 1, "inner").event(30, 2, 1, "outer").event(50, 1, 1, "next").event(60, 2, 1);
  // The inner slice ends with the outer one at the latest.
  CHECK(slices_of(*open(w.text()), "main") == "outer 0-30 0; inner 10-30 1; next 50-60 0");
}

TEST_CASE("slices of a Perfetto trace without an end last to its end, and ends without a begin are counted") {
  PerfettoWriter w;
  w.thread(1, 5, 6, "main");
  w.event(100, 2, 1).event(200, 1, 1, "open").event(300, 1, 1, "also open").event(900, 3, 1, "mark");
  const auto s = open(w.text());
  CHECK(slices_of(*s, "main") == "open 0-700 0; also open 100-700 1; mark 700-700 2");
  REQUIRE(problems_of(*s, Severity::Warning).size() == 1);
  CHECK(problems_of(*s, Severity::Warning)[0] ==
        "trace: 1 slice has no begin; 2 slices have no end and are shown to the end of the trace.");
}

TEST_CASE("clocks of a Perfetto trace are converted by the snapshots around a time") {
  PerfettoWriter w;
  const auto snapshot = [&](uint64_t boot, uint64_t monotonic, uint64_t own) {
    w.packet([&] {
      w.message(6, [&] {
        for (const auto& [id, time] : {std::pair{uint64_t{6}, boot}, {uint64_t{3}, monotonic}, {uint64_t{130}, own}}) {
          if (time == 0) continue;
          w.message(1, [&] { w.out.number(1, id), w.out.number(2, time); });
        }
      });
    });
  };
  snapshot(1'000'000, 500'000, 0);
  snapshot(0, 500'000, 70'000);     // the third clock is related to the second one only
  snapshot(2'000'000, 600'000, 0);  // the machine slept
  const auto event = [&](uint64_t clock, uint64_t time, const char* name) {
    w.packet([&] {
      w.out.number(8, time), w.out.number(58, clock);
      w.message(11, [&] { w.out.number(9, 3), w.out.number(11, 1), w.out.bytes(23, name); });
    });
  };
  event(6, 1'000'000, "boot");
  event(3, 500'100, "monotonic");
  event(130, 70'200, "own");
  event(3, 600'100, "later");
  const auto s = open(w.text());
  CHECK(s->time.begin == 1'000'000);
  CHECK(slices_of(*s, "boot") == "boot 0-0 0; monotonic 100-100 0; own 200-200 0; later 1000100-1000100 0");
}

TEST_CASE("counters of a Perfetto trace: increments, multipliers, values beside a span, equal names") {
  PerfettoWriter w;
  const auto describe = [&](uint64_t uuid, const char* name, uint64_t parent, auto&& counter) {
    w.packet([&] {
      w.message(60, [&] {
        w.out.number(1, uuid), w.out.bytes(2, name), w.out.number(5, parent);
        w.message(8, counter);
      });
    });
  };
  w.process(1, 5, "first").process(2, 7, "second").thread(3, 5, 5, "main");
  describe(10, "tokens", 1, [&] { w.out.bytes(6, "tokens"), w.out.number(4, 100), w.out.number(5, 1); });
  describe(11, "memory", 1, [&] { w.out.number(3, 3); });
  describe(12, "memory", 2, [&] { w.out.number(3, 3); });
  const auto value = [&](uint64_t time, uint64_t uuid, uint64_t v) {
    w.event(time, 4, uuid, "", [&] { w.out.number(30, v); });
  };
  value(0, 10, 1), value(10, 10, 2), value(20, 11, 4096), value(30, 12, 8192);
  w.event(40, 1, 3, "span", [&] { w.out.number(31, 10), w.out.number(12, 3); });
  w.event(50, 2, 3);
  const auto s = open(w.text());
  CHECK(values_of(*s, "tokens") == "0=100 10=300 40=600 tokens");
  CHECK(values_of(*s, "memory") == "20=4096 bytes");
  CHECK(values_of(*s, "memory of second") == "30=8192 bytes");
  CHECK(slices_of(*s, "main") == "span 40-50 0");
}

TEST_CASE("the CPU time and the instructions of a thread of a Perfetto trace are counters") {
  PerfettoWriter w;
  w.process(1, 5, "program").thread(2, 5, 6, "main");
  w.packet([&] {
    w.out.number(13, 1);
    w.message(44, [&] {
      w.out.number(1, 5), w.out.number(2, 7), w.out.bytes(5, "older");
      w.out.number(6, 0), w.out.number(7, 100), w.out.number(8, 1000);
    });
  });
  w.event(10'000, 1, 2, "span", [&] { w.out.number(17, 5), w.out.number(20, 50); });
  w.event(20'000, 2, 2, "", [&] { w.out.number(17, 9), w.out.number(20, 80); });
  for (const char phase : {'B', 'E'})
    w.packet([&] {
      w.message(11, [&] {
        w.out.number(1, 20), w.out.number(2, 4), w.out.number(8, 7), w.out.bytes(23, "older span");
        w.message(6, [&] { w.out.number(2, static_cast<uint64_t>(phase)); });
      });
    });
  w.packet([&] {  // an event of the sequence that names another thread
    w.message(11, [&] {
      w.out.number(1, 20), w.out.number(17, 12), w.out.bytes(23, "of main");
      w.message(6, [&] { w.out.number(2, uint64_t{'I'}), w.out.number(18, 5), w.out.number(19, 6); });
    });
  });
  const auto s = open(w.text());
  CHECK(s->problems.empty());
  CHECK(values_of(*s, "thread_time") == "0=5000 10000=9000 50000=12000 ns");
  CHECK(values_of(*s, "thread_instruction_count") == "0=50 10000=80 ");
  CHECK(values_of(*s, "thread_time of older") == "10000=104000 30000=108000 ns");
  CHECK(values_of(*s, "thread_instruction_count of older") == "10000=1007 30000=1014 ");
}

TEST_CASE("events of a Perfetto trace whose names were lost are left out and counted") {
  PerfettoWriter w;
  const auto event = [&](uint64_t time, auto&& before) {
    w.packet([&] {
      before();
      w.out.number(8, time);
      w.message(11, [&] { w.out.number(9, 3), w.out.number(11, 1), w.out.number(10, 7); });
    });
  };
  const auto name = [&](const char* text) {
    w.message(12, [&] { w.message(2, [&] { w.out.number(1, 7), w.out.bytes(2, text); }); });
  };
  w.track(1, "row");
  event(10, [&] { w.out.number(13, 2); });                       // before any state
  event(20, [&] { w.out.number(13, 1), name("first"); });        // the state begins
  event(30, [&] { w.out.number(13, 2), w.out.number(42, 1); });  // packets were lost
  event(40, [&] { w.out.number(41, 1), name("second"); });       // the state begins again
  const auto s = open(w.text());
  CHECK(slices_of(*s, "row") == "first 0-0 0; second 20-20 0");
  REQUIRE(problems_of(*s, Severity::Warning).size() == 1);
  CHECK(problems_of(*s, Severity::Warning)[0] ==
        "trace: 1 gap: the tracing program lost packets; 2 events were skipped because the packets with their names "
        "were lost.");
}

TEST_CASE("a Perfetto trace with events of the older form") {
  PerfettoWriter w;
  const auto event = [&](uint64_t more, char phase, const char* name, auto&& fields) {
    w.packet([&] {
      w.message(11, [&] {
        w.out.number(1, more), w.out.bytes(23, name), w.out.bytes(22, "category");
        w.message(6, [&] {
          w.out.number(2, static_cast<uint64_t>(phase));
          fields();
        });
      });
    });
  };
  w.packet([&] {
    w.out.number(13, 1);
    w.message(44, [&] { w.out.number(1, 5), w.out.number(2, 6), w.out.bytes(5, "main"), w.out.number(6, 1000); });
  });
  event(0, 'B', "span", [] {});
  event(2, 'X', "whole", [&] { w.out.number(3, 4); });
  event(6, 'E', "span", [] {});
  event(1, 'b', "request 1", [&] { w.out.number(6, 1); });
  event(1, 'b', "request 1", [&] { w.out.number(6, 2); });  // overlaps the first one
  event(2, 'e', "request 1", [&] { w.out.number(6, 1); });
  event(2, 'e', "request 1", [&] { w.out.number(6, 2); });
  const auto s = open(w.text());
  CHECK(s->problems.empty());
  CHECK(slices_of(*s, "main") == "span 0-8000 0; whole 2000-6000 1");
  CHECK(slices_of(*s, "request 1") == "request 1 9000-12000 0; request 1 10000-14000 0");
  CHECK(s->tracks.size() == 3);
}

TEST_CASE("tracks of one name and parent share the rows of a Perfetto trace while they do not overlap") {
  PerfettoWriter w;
  w.process(1, 5, "program").track(10, "request", 1).track(11, "request", 1).track(12, "request", 1);
  w.event(0, 1, 10, "a").event(10, 1, 11, "b").event(20, 2, 10).event(30, 2, 11).event(40, 1, 12, "c").event(50, 2, 12);
  const auto s = open(w.text());
  CHECK(s->tracks.size() == 2);
  CHECK(slices_of(*s, "request") == "a 0-20 0; b 10-30 0; c 40-50 0");
  CHECK(s->tracks[0].info.program == "program");
  CHECK(s->tracks[0].info.process == 5);
}

TEST_CASE("states of a Perfetto trace last until the next one, and translated names are shown") {
  PerfettoWriter w;
  w.track(1, "state");
  w.event(0, 5, 1, "idle").event(10, 5, 1, "busy").event(30, 5, 1);
  w.packet([&] {
    w.message(82,
              [&] { w.message(4, [&] { w.message(1, [&] { w.out.bytes(1, "busy"), w.out.bytes(2, "working"); }); }); });
  });
  const auto s = open(w.text());
  CHECK(slices_of(*s, "state") == "idle 0-10 0; working 10-30 0");
  CHECK(s->problems.empty());
}

TEST_CASE("a process and a thread of a Perfetto trace whose identifiers are used again have names of their own") {
  PerfettoWriter w;
  const auto thread = [&](uint64_t uuid, uint64_t parent, const char* name) {
    w.packet([&] {
      w.message(60, [&] {
        w.out.number(1, uuid), w.out.number(5, parent);
        w.message(4, [&] { w.out.number(1, 5), w.out.number(2, 6), w.out.bytes(5, name); });
      });
    });
  };
  w.process(1, 5, "first");
  thread(2, 1, "reader");
  w.event(0, 3, 2, "a");
  w.process(3, 5, "second");
  thread(4, 3, "writer");
  w.event(10, 3, 4, "b");
  const auto s = open(w.text());
  CHECK(slices_of(*s, "reader") == "a 0-0 0");
  CHECK(slices_of(*s, "writer") == "b 10-10 0");
  REQUIRE(s->tracks.size() == 2);
  CHECK(s->tracks[0].info.program == "first");
  CHECK(s->tracks[1].info.program == "second");
}

TEST_CASE("tracks of processes in a Perfetto trace are shown by their translated names") {
  PerfettoWriter w;
  w.process(1, 5, "program").track(2, "raw", 1).track(3, "", 1).track(4, "raw");
  w.packet([&] {
    w.message(60, [&] { w.out.number(1, 5), w.out.bytes(2, "raw count"), w.out.number(5, 1), w.message(8, [] {}); });
  });
  w.packet([&] {
    w.message(82, [&] {
      w.message(5, [&] {
        const auto rename = [&](const char* from, const char* to) {
          w.message(1, [&] { w.out.bytes(1, from), w.out.bytes(2, to); });
        };
        rename("raw", "track"), rename("slice", "slices"), rename("raw count", "count");
      });
    });
  });
  w.event(0, 3, 2, "slice").event(10, 3, 3, "slice").event(20, 3, 4, "of no process");
  w.event(30, 4, 5, "", [&] { w.out.number(30, 7); });
  const auto s = open(w.text());
  CHECK(slices_of(*s, "track") == "slice 0-0 0");
  CHECK(slices_of(*s, "slices") == "slice 10-10 0");
  CHECK(slices_of(*s, "raw") == "of no process 20-20 0");
  CHECK(values_of(*s, "count") == "30=7 ");
}

TEST_CASE("the thread of a sequence of a Perfetto trace outlasts its incremental state") {
  PerfettoWriter w;
  w.packet([&] {
    w.out.number(13, 1);
    w.message(60, [&] {
      w.out.number(1, 1);
      w.message(4, [&] { w.out.number(1, 5), w.out.number(2, 6), w.out.bytes(5, "main"); });
    });
    w.message(59, [&] { w.message(11, [&] { w.out.number(11, 1); }); });
  });
  w.packet([&] { w.out.number(13, 1); });
  w.packet([&] {
    w.out.number(8, 10);
    w.message(11, [&] { w.out.number(9, 3), w.out.bytes(23, "mark"); });
  });
  w.packet([&] {  // on the default track, but of another thread
    w.out.number(8, 20);
    w.message(11, [&] {
      w.out.number(9, 3), w.out.number(11, 0), w.out.bytes(23, "other mark");
      w.message(6, [&] { w.out.number(19, 7); });
    });
  });
  const auto s = open(w.text());
  CHECK(slices_of(*s, "main") == "mark 0-0 0");
  CHECK(slices_of(*s, "thread 7") == "other mark 10-10 0");
}

TEST_CASE("a Perfetto trace's note lists by kind what is not read") {
  PerfettoWriter w;
  for (int bundle = 0; bundle < 1200; ++bundle) {
    w.packet([&] {
      w.message(1, [&] {
        w.message(2, [&] { w.message(4, [&] { w.out.number(4, 1); }); });      // sched_switch
        w.message(2, [&] { w.message(3, [&] { w.out.bytes(2, "text"); }); });  // print
      });
    });
  }
  w.packet([&] { w.message(1, [&] { w.message(4, [&] { w.out.bytes(1, "\x01\x80\x01\x05"); }); }); });
  w.packet([&] { w.message(66, [&] { w.out.number(1, 1); }); });
  w.packet([&] { w.message(33, [&] { w.out.number(1, 1); }); });  // the configuration is not content
  w.packet([&] { w.message(1999, [&] { w.out.number(1, 1); }); });
  Session none;
  const auto refused = open_trace(as_bytes(w.text()), "trace", none);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message ==
        "trace: the Perfetto trace contains no track events (slices or counters); not read: ftrace scheduling, 1,203 "
        "events; other ftrace events, 1,200 events; CPU samples, 1 packet; packet field 1999, 1 packet.");
  w.event(10, 3, 1, "mark", [&] { w.message(4, [&] { w.out.number(2, 1); }), w.out.number(47, 3); });
  Session session;
  const auto report = open_trace(as_bytes(w.text()), "trace", session);
  REQUIRE(report.ok());
  CHECK(report->severity == Severity::Note);
  CHECK(report->problem ==
        "trace: not read: ftrace scheduling, 1,203 events; other ftrace events, 1,200 events; CPU samples, 1 packet; "
        "arguments, 1 event; flow arrows, 1 event; packet field 1999, 1 packet.");
  CHECK(problems_of(*session.snapshot(), Severity::Note) == std::vector<std::string>{report->problem});
}
