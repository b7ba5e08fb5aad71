// SPDX-License-Identifier: MIT
// Chrome's trace format as different tools write it: spans in any order, asynchronous spans, invalid JSON, exact times,
// memory totals, and the report of what is not shown.
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <tuple>

#include "sanitized.h"
#include "test_data.h"

using namespace arenascope;
using namespace arenascope::trace;

namespace {

struct Imported {
  std::shared_ptr<const Snapshot> snapshot;
  std::string problem;
};

Imported imported(const std::string& bytes) {
  Session session;
  const auto report = open_trace(as_bytes(bytes), "trace", session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  return {session.snapshot(), report->problem};
}

using Span = std::tuple<std::string, Nanoseconds, Nanoseconds>;  // name, begin, duration

// All spans by begin, then by depth.
std::vector<Span> spans_of(const Snapshot& s) {
  std::vector<std::pair<std::pair<Nanoseconds, size_t>, Span>> found;
  for (const TrackView& t : s.tracks)
    for (size_t lane = 0; lane < t.lanes.size(); ++lane)
      for (size_t i = 0; i < t.lanes[lane].rows.size(); ++i) {
        const Event& e = t.lanes[lane].rows[i];
        found.push_back({{e.begin(), lane}, {s.label(e), e.begin(), e.end() - e.begin()}});
      }
  std::stable_sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<Span> spans;
  for (const auto& [key, span] : found) spans.push_back(span);
  return spans;
}
std::vector<Span> spans_of(const std::string& bytes) { return spans_of(*imported(bytes).snapshot); }

void check_no_overlap(const Snapshot& s) {
  for (const TrackView& t : s.tracks)
    for (const LaneView& lane : t.lanes)
      for (size_t i = 1; i < lane.rows.size(); ++i) CHECK(lane.rows[i].begin() >= lane.rows[i - 1].end());
}

std::string thread_event(const char* phase, const char* name, int ts) {
  return fmt::format(R"({{"ph":"{}","name":"{}","pid":0,"tid":0,"ts":{}}},)", phase, name, ts);
}
std::string async_event(const char* phase, const char* name, const char* id, int pid, int ts, const char* more = "") {
  return fmt::format(R"({{"ph":"{}","cat":"r","name":"{}","id":"{}","pid":{},"tid":1,"ts":{}{}}},)", phase, name, id,
                     pid, ts, more);
}
// The events of a list; each ends with a comma.
std::string list_of(const std::string& events) { return "[" + events.substr(0, events.size() - 1) + "]"; }

std::string case_file(const std::string& name) {
  std::ifstream in(std::string(ARENASCOPE_SOURCE_DIR) + "/../shared/cases/traces/" + name, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (text.str().empty()) MESSAGE("skipped: no ../shared/cases/traces/" << name);
  return text.str();
}

}  // namespace

TEST_CASE("a comma before a closing bracket is ignored") {
  const auto found = spans_of(R"({"traceEvents":[
    {"ph":"X","name":"a, ]","pid":1,"tid":1,"ts":1,"dur":2,"args":{"list":[1,2,],"n":2 , },},
    {"ph":"X","name":"b","pid":1,"tid":1,"ts":4,"dur":1,},
  ],})");
  CHECK(found == std::vector<Span>{{"a, ]", 1000, 2000}, {"b", 4000, 1000}});
}

TEST_CASE("strings that are not valid JSON are repaired") {
  const auto name_of = [](const std::string& written) {
    const auto found = spans_of("[{\"ph\":\"X\",\"ts\":1,\"dur\":5,\"name\":\"" + written +
                                "\"},{\"ph\":\"X\",\"ts\":7,\"dur\":5,\"name\":\"ok\"}]");
    REQUIRE(found.size() == 2);
    CHECK(std::get<0>(found[1]) == "ok");
    return std::get<0>(found[0]);
  };
  CHECK(name_of("plain \\\" \\\\ \\u00e9 \\ud83d\\ude00 \xc3\xa9") == "plain \" \\ \xc3\xa9 \xf0\x9f\x98\x80 \xc3\xa9");
  CHECK(name_of("conv\xff\xfe"
                "2d") ==
        "conv\xef\xbf\xbd\xef\xbf\xbd"
        "2d");
  CHECK(name_of("cut \xe2\x82") == "cut \xef\xbf\xbd\xef\xbf\xbd");
  CHECK(name_of("two\nlines\tand \x01") == "two\nlines\tand \x01");
  CHECK(name_of("C:\\path\\x") == "C:\\path\\x");
  CHECK(name_of("\\u12 \\uzzzz") == "\\u12 \\uzzzz");
  CHECK(name_of("\\ud800 alone, \\udc00 too, \\ud800\\u0041") ==
        "\xef\xbf\xbd alone, \xef\xbf\xbd too, \xef\xbf\xbd"
        "A");
}

TEST_CASE("numbers that JSON does not have are read as absent") {
  const auto [s, problem] = imported(R"([
    {"ph":"C","name":"load","pid":1,"ts":1,"args":{"v":NaN}},
    {"ph":"C","name":"load","pid":1,"ts":2,"args":{"v":-Infinity}},
    {"ph":"C","name":"load","pid":1,"ts":3,"args":{"v":1e400}},
    {"ph":"C","name":"load","pid":1,"ts":4,"args":{"v":1e-400}},
    {"ph":"C","name":"load","pid":1,"ts":5,"args":{"v":2.5}}])");
  REQUIRE(s->counters.size() == 1);
  CHECK(s->counter_series[0].samples.size() == 2);
  CHECK(s->counter_series[0].at(10'000) == 2.5);
  CHECK(problem == "trace: 3 counter events without a value: not read.");
}

TEST_CASE("times are exact to the nanosecond") {
  const auto found = spans_of(R"([
    {"ph":"X","name":"a","pid":1,"tid":1,"ts":1850244461563845.0,"dur":167.0},
    {"ph":"X","name":"b","pid":1,"tid":1,"ts":1850244461564012.123,"dur":0.001},
    {"ph":"X","name":"c","pid":1,"tid":1,"ts":"1850244461564013.0009","dur":"1.5e3"}])");
  CHECK(found == std::vector<Span>{{"a", 1850244461563845000, 167'000},
                                   {"b", 1850244461564012123, 1},
                                   {"c", 1850244461564013001, 1'500'000}});
}

TEST_CASE("begins and ends are matched by time, in any order of the file") {
  const auto found = spans_of(list_of(thread_event("E", "inner", 4) + thread_event("E", "outer", 9) +
                                      thread_event("B", "outer", 1) + thread_event("B", "inner", 2)));
  CHECK(found == std::vector<Span>{{"outer", 1000, 8000}, {"inner", 2000, 2000}});
  // Spans of the same extent nest as they begin.
  const auto same = spans_of(list_of(thread_event("B", "outer", 1) + thread_event("B", "inner", 1) +
                                     thread_event("E", "inner", 3) + thread_event("E", "outer", 3)));
  CHECK(same == std::vector<Span>{{"outer", 1000, 2000}, {"inner", 1000, 2000}});
}

TEST_CASE("spans without an end last to the end of the trace") {
  const auto [s, problem] =
      imported(list_of(thread_event("B", "A", 0) + thread_event("B", "B", 1) + thread_event("B", "C", 2) +
                       async_event("b", "wait", "1", 0, 1) + async_event("S", "job", "1", 0, 1)));
  CHECK(
      spans_of(*s) ==
      std::vector<Span>{{"A", 0, 2000}, {"wait", 1000, 1000}, {"job", 1000, 1000}, {"B", 1000, 1000}, {"C", 2000, 0}});
  CHECK(problem == "trace: 5 spans without an end: shown up to the end of the trace.");
  REQUIRE(s->problems.size() == 1);
  CHECK(s->problems[0].sentence == problem);
}

TEST_CASE("overlapping spans of a thread are on separate rows") {
  const auto s = imported(R"([{"ph":"X","name":"alpha","pid":0,"tid":0,"ts":0,"dur":10},
                              {"ph":"X","name":"beta","pid":0,"tid":0,"ts":5,"dur":10},
                              {"ph":"X","name":"gamma","pid":0,"tid":0,"ts":12,"dur":20}])")
                     .snapshot;
  CHECK(spans_of(*s) == std::vector<Span>{{"alpha", 0, 10'000}, {"beta", 5000, 10'000}, {"gamma", 12'000, 20'000}});
  check_no_overlap(*s);
}

TEST_CASE("asynchronous spans of one id are matched by name and may overlap") {
  const auto s = imported(list_of(async_event("b", "parent", "1", 1, 0) + async_event("b", "test0", "1", 1, 0) +
                                  async_event("e", "test0", "1", 1, 3) + async_event("b", "test1", "1", 1, 1) +
                                  async_event("e", "test1", "1", 1, 4) + async_event("e", "parent", "1", 1, 5)))
                     .snapshot;
  CHECK(spans_of(*s) == std::vector<Span>{{"parent", 0, 5000}, {"test0", 0, 3000}, {"test1", 1000, 3000}});
  check_no_overlap(*s);
}

TEST_CASE("an asynchronous id is one of its process, of all processes, or of a scope") {
  const auto event = [](const char* phase, int pid, int ts, const char* id) {
    return fmt::format(R"({{"ph":"{}","name":"write","pid":{},"tid":2,"ts":{},{}}},)", phase, pid, ts, id);
  };
  const char *global = R"("id2":{"global":1})", *local = R"("id2":{"local":1})", *scope = R"("scope":"s","id":1)";
  const auto [s, problem] =
      imported(list_of(event("b", 1, 0, global) + event("b", 1, 1, local) + event("b", 1, 2, scope) +
                       event("e", 2, 10, global) + event("e", 1, 21, local) + event("e", 1, 32, scope)));
  CHECK(spans_of(*s) == std::vector<Span>{{"write", 0, 10'000}, {"write", 1000, 20'000}, {"write", 2000, 30'000}});
  CHECK(problem.empty());
}

TEST_CASE("legacy asynchronous spans have steps and may change process and thread") {
  const auto [s, problem] = imported(
      list_of(async_event("S", "A", "2a", 1, 250) + async_event("F", "A", "2a", 2, 750) +
              async_event("T", "A", "2a", 3, 450, R"(,"args":{"step":"X"})") +
              async_event("T", "A", "2a", 3, 475, R"(,"args":{"step":"Y"})") + async_event("S", "P", "3", 1, 800) +
              async_event("p", "P", "3", 1, 810, R"(,"args":{"step":"a"})") +
              async_event("p", "P", "3", 1, 830, R"(,"args":{"step":"b"})") + async_event("F", "P", "3", 1, 840) +
              async_event("F", "never", "4", 1, 850)));
  CHECK(spans_of(*s) == std::vector<Span>{{"A", 250'000, 500'000},
                                          {"A:X", 450'000, 25'000},
                                          {"A:Y", 475'000, 275'000},
                                          {"P", 800'000, 40'000},
                                          {"P:a", 800'000, 10'000},
                                          {"P:b", 810'000, 20'000}});
  REQUIRE(s->tracks.size() == 2);  // a row for each name
  CHECK(s->tracks[0].info.name == "A");
  CHECK(s->tracks[1].info.name == "P");
  CHECK(problem == "trace: 1 end without a begin: not shown.");
}

TEST_CASE("events that are not shown are counted by category") {
  std::string events = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},{},)";
  for (int i = 0; i < 12'345; ++i) events += R"({"ph":"C","name":"load","pid":1,"ts":1,"args":{}},)";
  for (int i = 0; i < 2; ++i) events += R"({"ph":"s","id":1,"pid":1,"tid":1,"ts":1,"name":"flow"},)";
  events += R"({"ph":"q"},{"ph":"X","name":"b","pid":1,"tid":1},{"ph":"E","pid":1,"tid":1,"ts":1},)";
  const auto [s, problem] = imported(list_of(events));
  CHECK(problem ==
        "trace: 12,345 counter events without a value: not read; 2 flow events: not shown; "
        "2 events without a valid time: not read; 1 end without a begin: not shown.");
  REQUIRE(s->problems.size() == 1);
  CHECK(s->problems[0].severity == Severity::Warning);
  // A file with flow events is valid.
  const auto note =
      imported(R"([{"ph":"X","name":"a","ts":1,"dur":2},{"ph":"s","id":1,"ts":1,"name":"flow"},{}])").snapshot;
  REQUIRE(note->problems.size() == 1);
  CHECK(note->problems[0].severity == Severity::Note);
  CHECK(imported(R"([{"ph":"X","name":"a","ts":1,"dur":2},{}])").problem.empty());
}

TEST_CASE("the values of a counter are named by their keys, and may be strings") {
  const auto [s, problem] = imported(R"([
    {"ph":"C","name":"load","pid":1,"ts":1,"args":{"a":2,"b":3}},
    {"ph":"C","name":"load","pid":1,"ts":2,"args":{"a":"+4.50"}},
    {"ph":"C","name":"load","pid":1,"ts":3,"args":{"a":"1.5e","b":"-","c":".","d":""}},
    {"ph":"C","name":"used","pid":1,"ts":4,"args":{"used":".75"}}])");
  REQUIRE(s->counters.size() == 3);
  CHECK(s->counters[0].name == "load a");
  CHECK(s->counter_series[0].samples.size() == 2);
  CHECK(s->counter_series[0].at(10'000) == 4.5);
  CHECK(s->counters[1].name == "load b");
  CHECK(s->counters[2].name == "used");
  CHECK(s->counter_series[2].at(10'000) == 0.75);
  CHECK(problem == "trace: 1 counter event without a value: not read.");
}

TEST_CASE("processes and threads may be identified by strings, or by one identifier for both") {
  const auto [s, problem] = imported(R"([
    {"ph":"XXX","name":"a","pid":"job","tid":"feeder","ts":1,"dur":2},
    {"ph":"X","name":"b","pid":"job","tid":"reader","ts":1,"dur":2},
    {"ph":"X","name":"c","pid":"other","tid":"feeder","ts":1,"dur":2},
    {"ph":"X","name":"child","pid":7,"ts":1,"dur":5},
    {"ph":"X","name":"parent","pid":7,"tid":7,"ts":1,"dur":10},
    {"ph":"X","name":"of a thread","tid":9,"ts":1,"dur":1}])");
  CHECK(problem.empty());
  REQUIRE(s->tracks.size() == 5);
  const auto info = [&](size_t i) { return s->tracks[i].info; };
  CHECK(info(0).name == "job, feeder");
  CHECK(info(0).process == info(1).process);
  CHECK(info(0).thread != info(1).thread);
  CHECK(info(2).process != info(0).process);
  CHECK(info(2).process != 0);
  CHECK(info(3).process == 7);
  CHECK(info(3).thread == 7);
  REQUIRE(s->tracks[3].lanes.size() == 2);  // the child is inside its parent
  CHECK(s->label(s->tracks[3].lanes[0].rows[0]) == "parent");
  CHECK(info(4).process == 9);
}

TEST_CASE("rows of one name in several processes have the numbers of their processes") {
  const auto names = [](const std::string& events) {
    std::vector<std::string> out;
    const auto s = imported("[" + events + "]").snapshot;
    for (const TrackView& track : s->tracks) out.push_back(track.info.name);
    return out;
  };
  const std::string same = R"({"ph":"X","name":"a","pid":1,"tid":7,"ts":1,"dur":1},
                              {"ph":"X","name":"a","pid":2,"tid":7,"ts":1,"dur":1})";
  CHECK(names(same) == std::vector<std::string>{"process 1, thread 7", "process 2, thread 7"});
  CHECK(names(same + R"(,{"ph":"M","name":"process_name","pid":1,"args":{"name":"worker"}},
                         {"ph":"M","name":"process_name","pid":2,"args":{"name":"worker"}})") ==
        std::vector<std::string>{"worker 1, thread 7", "worker 2, thread 7"});
  CHECK(names(R"({"ph":"X","name":"a","pid":1,"tid":7,"ts":1,"dur":1},
                 {"ph":"i","s":"g","name":"end","pid":"","tid":"","ts":2})") ==
        std::vector<std::string>{"thread 7", "no thread"});
}

TEST_CASE("an end with a name ends the span of that name") {
  const auto [s, problem] =
      imported(list_of(thread_event("B", "a", 1) + thread_event("B", "b", 2) + thread_event("E", "a", 3) +
                       thread_event("E", "never begun", 4) + thread_event("E", "b", 5)));
  CHECK(spans_of(*s) == std::vector<Span>{{"a", 1000, 2000}, {"b", 2000, 3000}});
  CHECK(problem == "trace: 1 end without a begin: not shown.");
}

TEST_CASE("ends with names are matched in linear time") {
  std::string events;
  constexpr int kSpans = 100'000;
  for (const char* name : {"a", "b"})
    for (int i = 0; i < kSpans; ++i) events += thread_event("B", name, i);
  for (const char* name : {"a", "never begun", "b"})
    for (int i = 0; i < kSpans; ++i) events += thread_event("E", name, kSpans + i);
  const auto begin = std::chrono::steady_clock::now();
  const auto [s, problem] = imported(list_of(events));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(test::kSanitized ? 100 : 15));
  CHECK(problem.find("100,000 ends without a begin: not shown") != std::string::npos);
}

TEST_CASE("instants of one time are stacked") {
  const auto s = imported(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":0},
                              {"ph":"i","name":"b","pid":1,"tid":1,"ts":1},
                              {"ph":"X","name":"c","pid":1,"tid":1,"ts":2,"dur":0}])")
                     .snapshot;
  REQUIRE(s->tracks.size() == 1);
  REQUIRE(s->tracks[0].lanes.size() == 2);
  CHECK(s->tracks[0].lanes[0].rows.size() == 2);
  CHECK(s->label(s->tracks[0].lanes[1].rows[0]) == "b");
}

TEST_CASE("a span whose duration is no number is counted, not shown as an instant") {
  const auto [s, problem] = imported(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},
                                         {"ph":"X","name":"b","pid":1,"tid":1,"ts":9,"dur":"5 ms"},
                                         {"ph":"X","name":"c","pid":1,"tid":1,"ts":9}])");
  CHECK(spans_of(*s) == std::vector<Span>{{"a", 1000, 2000}, {"c", 9000, 0}});
  CHECK(problem == "trace: 1 span without a valid duration: not read.");
}

TEST_CASE("samples that are listed beside the events are counted") {
  const std::string events = R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}])";
  CHECK(imported(events + "}").problem.empty());
  const std::string samples = R"(,"samples":[{"ts":1,"sf":1},{"ts":2,"sf":2}],"stackFrames":{"1":{"name":"f"}}})";
  CHECK(imported(events + samples).problem.find("2 profiler samples: not shown") != std::string::npos);
}

TEST_CASE("values of one event are separate counters, also with the keys that a single value may have") {
  const auto s = imported(R"([{"ph":"C","name":"used","pid":1,"ts":1,"args":{"used":1,"value":2}}])").snapshot;
  REQUIRE(s->counters.size() == 2);
  CHECK(s->counters[0].name == "used used");
  CHECK(s->counters[1].name == "used value");
  CHECK(s->counter_series[1].at(1'000) == 2);
}

TEST_CASE("counters of one name and several ids are separate") {
  const auto s = imported(R"([{"ph":"C","name":"load","id":1,"pid":1,"ts":1,"args":{"v":2}},
                              {"ph":"C","name":"load","id":2,"pid":1,"ts":2,"args":{"v":5}}])")
                     .snapshot;
  REQUIRE(s->counters.size() == 2);
  CHECK(s->counters[0].name == "load[1] v");
  CHECK(s->counter_series[0].at(10'000) == 2);
  CHECK(s->counter_series[1].at(10'000) == 5);
}

TEST_CASE("a memory total includes what is older than the trace and what its events leave out") {
  const auto event = [](int ts, int64_t address, int64_t bytes, int64_t allocated, int64_t reserved) {
    return fmt::format(R"({{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":{},"args":{{"Device Type":1,)"
                       R"("Device Id":1,"Addr":{},"Bytes":{},"Total Allocated":{},"Total Reserved":{}}}}},)",
                       ts, address, bytes, allocated, reserved);
  };
  const auto [s, problem] =
      imported(list_of(event(10, 4096, 512, 4'000'512, 8'000'000) + event(20, 8192, 1024, 4'001'536, 8'000'000) +
                       event(30, 4096, -512, 4'001'024, 9'000'000) +
                       event(40, 99, -4000, 3'990'000, 9'000'000) +  // 7,024 bytes were freed without an event
                       event(50, 8192, -1024, 3'988'976, 7'000'000)));
  const auto& active = s->series(MemoryKind::Default, MemoryCount::Active);
  CHECK(s->peak(MemoryKind::Default, MemoryCount::Active) == 4'001'536);
  CHECK(active.at(30'000) == 4'001'024);
  CHECK(active.at(40'000) == 3'990'000);
  CHECK(active.at(50'000) == 3'988'976);
  CHECK(s->peak(MemoryKind::Default, MemoryCount::Reserved) == 9'000'000);
  CHECK(s->series(MemoryKind::Default, MemoryCount::Reserved).at(50'000) == 7'000'000);
  CHECK(s->devices[s->allocators[2].device.index()].name == "CUDA:1");
  CHECK(problem.find("CUDA:1: 4,000,000 bytes were allocated before its first memory event") != std::string::npos);
  CHECK(problem.find("CUDA:1: 1 change of the total without a memory event") != std::string::npos);
}

TEST_CASE("without totals, the changes of a memory trace are summed up") {
  const auto [s, problem] = imported(
      R"([{"ph":"i","name":"[memory]","ts":1,"args":{"Device Type":1,"Device Id":0,"Bytes":100,"Addr":8}},
          {"ph":"i","name":"[memory]","ts":2,"args":{"Device Type":1,"Device Id":0,"Bytes":-40,"Addr":8}},
          {"ph":"i","name":"[memory]","ts":3,"args":{"Device Type":1,"Device Id":0,"Bytes":"many"}}])");
  CHECK(s->peak(MemoryKind::Default, MemoryCount::Active) == 100);
  CHECK(s->series(MemoryKind::Default, MemoryCount::Reserved).samples.empty());
  CHECK(problem == "trace: 1 memory event without a number of bytes: not read.");
}

TEST_CASE("traces of other tools' tests") {
  using Spans = std::vector<Span>;
  const std::pair<const char*, Spans> cases[] = {
      {"json__args_ordered.json", {{"Event1", 40'000'000, 0}, {"Event2", 40'000'000, 0}}},
      {"json__json_pid_tid_zero.json",
       {{"RoutineControl Reeq", 0, 4000},
        {"31 ", 0, 1000},
        {"RoutineControl", 0, 1000},
        {"01 ", 1000, 1000},
        {"startRoutine", 1000, 1000},
        {"02 03 ", 2000, 2000},
        {"Routine Identifier", 2000, 2000}}},
      {"json__json_id2_global_int_id.json", {{"write", 1850244461563845000, 167'000}}},
      {"json__overlapping_complete_event_recovered.json", {{"outer", 100'000, 100'000}, {"inner", 150'000, 100'000}}},
      {"json__trailing_empty_event.json", {{"real_event", 1000, 2000}}},
      {"perfetto_254_async_same_id.json", {{"testparent", 0, 5000}, {"test0", 0, 3000}, {"test1", 1000, 3000}}},
      {"speedscope_invalid_x_nesting.json", {{"alpha", 0, 10'000}, {"beta", 5000, 10'000}}},
      {"speedscope_only_begin.json", {{"A", 0, 2000}, {"B", 1000, 1000}, {"C", 2000, 0}}},
  };
  for (const auto& [file, expected] : cases) {
    CAPTURE(file);
    const std::string bytes = case_file(file);
    if (bytes.empty()) continue;
    const auto s = imported(bytes).snapshot;
    CHECK(spans_of(*s) == expected);
    check_no_overlap(*s);
  }
}

TEST_CASE("the asynchronous spans of catapult's test") {
  const std::string bytes = case_file("catapult_async_begin_end.json");
  if (bytes.empty()) return;
  const auto [s, problem] = imported(bytes);
  const auto found = spans_of(*s);
  const auto has = [&](const Span& span) { return std::find(found.begin(), found.end(), span) != found.end(); };
  CHECK(has({"A", 250'000, 500'000}));
  CHECK(has({"A:X", 450'000, 25'000}));
  CHECK(has({"A:Y", 475'000, 275'000}));
  CHECK(has({"B", 100'000, 200'000}));
  CHECK(has({"B:X", 240'000, 160'000}));
  CHECK(has({"E", 500'000, 200'000}));  // ends in another process
  CHECK(has({"F:H", 100'000, 100'000}));
  CHECK(has({"BE2", 230'000, 40'000}));
  CHECK(problem ==
        "trace: 3 spans without an end: shown up to the end of the trace; "
        "1 end without a begin: not shown.");
}

TEST_CASE("the memory totals of a training step") {
  const std::string bytes = case_file("hta_df_index.json.gz");
  if (bytes.empty()) return;
  const auto [s, problem] = imported(bytes);
  CHECK(s->peak(MemoryKind::Default, MemoryCount::Active) == 6'629'508'096);
  CHECK(s->peak(MemoryKind::Default, MemoryCount::Reserved) == 12'782'141'440);
  CHECK(s->peak(MemoryKind::HostPageable, MemoryCount::Active) == 8);
  CHECK(problem.find("CUDA:1: 4,096,614,400 bytes were allocated before its first memory event") != std::string::npos);
  CHECK(problem.find("64,663 flow events: not shown") != std::string::npos);
}
