// SPDX-License-Identifier: MIT
#include <arenascope/trace/convert.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <arenascope/trace/space_use.h>
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <array>
#include <fstream>
#include <random>

#include "engine/trace/address_ranges.h"
#include "engine/trace/pickled.h"
#include "engine/trace/sample_session.h"
#include "engine/trace/sample_traces.h"
#include "engine/trace/temp_file.h"
#include "test_data.h"

using namespace arenascope;
using namespace arenascope::trace;

namespace {

std::shared_ptr<const Snapshot> open(const std::string& bytes, TraceKind kind, const char* format = nullptr) {
  Session session;
  const auto report = open_trace(as_bytes(bytes), "trace", session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  CHECK(report->kind == kind);
  if (format != nullptr) CHECK(report->format == format);
  return session.snapshot();
}

std::string refusal(const std::string& bytes) {
  Session session;
  const auto report = open_trace(as_bytes(bytes), "trace", session);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().message.find("trace: ") == 0);
  CHECK(report.error().message.find('\n') == std::string::npos);
  return report.error().message;
}

size_t spans_of(const Snapshot& s) {
  size_t n = 0;
  for (const TrackView& t : s.tracks) {
    for (const LaneView& l : t.lanes) n += l.rows.size();
  }
  return n;
}

}  // namespace

TEST_CASE("Chrome JSON: every event kind with a track") {
  const auto s = open(test::kChromeJson, TraceKind::ChromeJson, "Chrome trace");
  REQUIRE(s->problems.size() == 1);
  CHECK(s->problems[0].sentence == "trace: 1 flow event: not shown.");
  CHECK(spans_of(*s) == 6);
  REQUIRE(s->tracks.size() >= 2);
  CHECK(s->tracks[0].info.name == "prog, main");
  CHECK(s->tracks[0].info.process == 7);
  CHECK(s->label(s->event(*s->span_at(TrackId(0), 1'500'100))) == "inner");
  CHECK(s->label(s->event(*s->span_at(TrackId(0), 2'500'000))) == "outer");
  CHECK(s->event(*s->span_at(TrackId(0), 2'500'000)).end() == 3'000'500);
  REQUIRE(s->counters.size() == 1);
  CHECK(s->counters[0].name == "load");
  CHECK(s->counter_series[0].at(1'000'000) == 2.5);
  CHECK(s->series(MemoryKind::Default, MemoryCount::Active).at(10'000'000) == 256);
  CHECK(s->peak(MemoryKind::Default, MemoryCount::Active) == 1024);
}

TEST_CASE("written Chrome JSON is read with the same spans") {
  Session session;
  test::fill(session, {.runs = 4});
  const auto before = session.snapshot();
  const auto s = open(to_string(*before, Format::ChromeJson), TraceKind::ChromeJson);
  CHECK(spans_of(*s) == spans_of(*before));
  CHECK(s->tracks[0].info.name == "arenascope, worker 0");
  const auto span = s->span_at(TrackId(1), 11'210);
  REQUIRE(span);
  CHECK(s->label(s->event(*span)) == "ADD n1");
  CHECK(s->event(*span).begin() == 11'200);
  CHECK(s->event(*span).end() == 11'320);
}

TEST_CASE(
    "an array that is cut, a list of events without an end, and spans without an end are read as far as they go") {
  const std::string whole =
      R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"B","name":"b","pid":1,"tid":1,"ts":5})";
  for (const char* end : {"", ",", ",{\"ph\":\"X\","}) {
    const auto s = open(whole + end, TraceKind::ChromeJson);
    CHECK(spans_of(*s) == 2);
    REQUIRE(s->problems.size() == 1);
    CHECK(s->problems[0].sentence.find("truncated or malformed at byte") != std::string::npos);
    CHECK(s->problems[0].sentence.find("1 span without an end") != std::string::npos);
  }
  CHECK(open(whole + "]", TraceKind::ChromeJson)->problems[0].sentence ==
        "trace: 1 span without an end: shown up to the end of the trace.");
}

TEST_CASE("an ONNX Runtime profile becomes runs of a graph") {
  const auto s = open(test::kOnnxRuntimeProfile, TraceKind::ChromeJson, "ONNX Runtime profile");
  REQUIRE(s->graphs.size() == 1);
  REQUIRE(s->graphs[0]->nodes.size() == 2);
  CHECK(s->graphs[0]->nodes[0].name == "conv_0");
  CHECK(s->graphs[0]->nodes[0].op == "Conv");
  CHECK(s->runs.size() == 2);
  const NodeStats conv = s->stats(GraphId(0), NodeId(0));
  CHECK(conv.runs == 1);  // and the cold first one
  CHECK(conv.mean + static_cast<double>(*conv.first) == 70'000);
  CHECK(s->steps(RunId(1)).steps() == 2);
  CHECK(s->time_of(RunId(1), NodeId(1))->begin == 1'240'000);
}

TEST_CASE("equally named nodes of an ONNX Runtime profile and counters of two processes are distinct") {
  const auto s = open(R"([
{"cat":"Node","pid":1,"tid":2,"dur":30,"ts":10,"ph":"X","name":"add_kernel_time","args":{"op_name":"Add","node_index":"0"}},
{"cat":"Node","pid":1,"tid":2,"dur":20,"ts":50,"ph":"X","name":"add_kernel_time","args":{"op_name":"Add","node_index":"7"}},
{"ph":"C","pid":1,"ts":10,"name":"load","args":{"value":2}},
{"ph":"C","pid":2,"ts":20,"name":"load","args":{"value":5}}])",
                      TraceKind::ChromeJson, "ONNX Runtime profile");
  REQUIRE(s->graphs.size() == 1);
  REQUIRE(s->graphs[0]->nodes.size() == 2);
  CHECK(s->time_of(RunId(0), NodeId(1))->begin == 50'000);
  REQUIRE(s->counters.size() == 2);
  CHECK(s->counter_series[0].at(100'000) == 2);
  CHECK(s->counters[1].name == "load of process 2");
  CHECK(s->counter_series[1].at(100'000) == 5);
}

TEST_CASE("a safetensors file is not taken for a trace because of the length of its header") {
  for (const char* length : {"\x0a\x01", "{\x01", "[\x01", "\x80\x04"}) {
    const std::string file = std::string(length, 2) + std::string(6, '\0') + R"({"x":{"dtype":"F32"}})";
    CHECK(sniff(as_bytes(file)) == TraceKind::Unknown);
  }
}

TEST_CASE("nodes of an ONNX Runtime profile without name and index are separate nodes in each run") {
  const auto s = open(test::kOnnxRuntimeNameless, TraceKind::ChromeJson, "ONNX Runtime profile");
  REQUIRE(s->graphs.size() == 1);
  const auto& nodes = s->graphs[0]->nodes;
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].op == "Conv");
  CHECK(nodes[1].op == "BatchNormalization");
  CHECK(nodes[2].op == "Conv");
  REQUIRE(s->runs.size() == 3);
  CHECK(s->runs[0].table->nodes[0].host.busy == 30'000);
  CHECK(s->runs[1].table->nodes[1].host.busy == 22'000);
  CHECK(s->runs[1].table->nodes[2].host.busy == 12'000);
  CHECK(s->stats(GraphId(0), NodeId(0)).runs == 1);  // warm and complete
  CHECK(s->runs[2].status == RunStatus::Aborted);    // its model_run event is missing
  CHECK(s->runs[2].wall() == 34'000);
}

TEST_CASE("an ONNX Runtime profile of DirectML has a run, nodes and the time outside of the nodes") {
  const auto s = open(test::kOnnxRuntimeDirectMl, TraceKind::ChromeJson, "ONNX Runtime profile");
  REQUIRE(s->graphs.size() == 1);
  REQUIRE(s->graphs[0]->nodes.size() == 2);
  CHECK(s->graphs[0]->nodes[1].name == "/0/STFT");
  CHECK(s->graphs[0]->nodes[1].op == "unknown");
  REQUIRE(s->runs.size() == 1);
  CHECK(s->runs[0].wall() == 500'000);
  CHECK(s->share(RunId(0), TrackId(1)).busy == doctest::Approx(140.0 / 500));
  REQUIRE(s->tracks.size() == 2);
  REQUIRE(s->tracks[0].lanes.size() == 2);
  const Event run = s->tracks[0].lanes[0].rows[0], execution = s->tracks[0].lanes[1].rows[0];
  CHECK(s->label(execution) == "SequentialExecutor::Execute");
  CHECK(execution.begin() - run.begin() == 200'000);
  CHECK(run.end() - execution.end() == 130'000);
}

TEST_CASE("Perfetto: names, defaults, clocks and counters") {
  const auto s = open(test::perfetto_trace(), TraceKind::Perfetto, "Perfetto trace");
  CHECK(s->problems.empty());
  REQUIRE(s->tracks.size() == 2);
  CHECK(s->tracks[0].info.name == "worker");
  CHECK(s->tracks[0].info.thread == 12);
  CHECK(spans_of(*s) == 2);
  CHECK(s->label(s->event(*s->span_at(TrackId(0), 5'000'150))) == "interned");
  CHECK(s->event(*s->span_at(TrackId(0), 5'000'150)).end() == 5'000'400);
  REQUIRE(s->counters.size() == 1);
  CHECK(s->counters[0].unit == "bytes");
  CHECK(s->counter_series[0].at(5'000'600) == -3);
}

TEST_CASE("a recording without its own packets is a Perfetto trace with the same spans") {
  test::TempFile file("mirror.pftrace");
  auto writer = RecordingWriter::create(file.path);
  REQUIRE(writer.ok());
  test::fill(**writer, {.runs = 2});
  REQUIRE((*writer)->close().ok());
  const std::string bytes = file.read();
  WireReader in(as_bytes(bytes));
  WireWriter others;
  while (in.next()) {
    WireReader packet(in.payload);
    bool ours = false;
    while (packet.next()) ours |= packet.field == 2100;
    if (!ours) others.bytes(1, in.text());
  }
  const auto s = open(others.text(), TraceKind::Perfetto);
  CHECK(spans_of(*s) == 2 + 2 * 4 * 4 + 1 + 1);  // runs, work and wait of two threads, a copy, a layer's mark
  CHECK(s->problems.empty());
  Session session;
  const auto report = open_trace(file.path, session);  // and with them it is a recording
  REQUIRE(report.ok());
  CHECK(report->kind == TraceKind::Recording);
  CHECK(session.snapshot()->graphs.size() == 1);
}

TEST_CASE("a snapshot pickle: memory, segments and block addresses") {
  const auto s = open(test::snapshot_pickle(), TraceKind::PytorchSnapshot, "PyTorch memory snapshot");
  CHECK(s->problems.empty());
  const auto& active = s->series(MemoryKind::Default, MemoryCount::Active);
  REQUIRE(active.samples.size() == 4);
  CHECK(active.samples[1].value == 1024);  // there before the trace: freed in it (for 100), or still there (for 200)
  CHECK(active.at(2'000'000) == 1536);
  CHECK(active.at(3'000'000) == 1024);
  CHECK(s->series(MemoryKind::Default, MemoryCount::Reserved).at(3'000'000) == 4096);
  CHECK(s->space_slices.size() == 1);
  REQUIRE(s->open_space_slices.size() == 2);
  REQUIRE(s->open_spaces.size() == 1);
  CHECK(s->open_space_slices[0].address == s->open_spaces[0].address + 1024);
  CHECK(s->slices.empty());  // there is no plan, and so no arena
  // The stack of the block that the trace saw allocated; older blocks have none.
  REQUIRE(s->stacks.size() == 1);
  REQUIRE(s->stacks[0].allocations.size() == 1);
  const uint32_t taken = s->stacks[0].allocations[0];
  CHECK(s->stack_of(taken) == &s->stacks[0]);
  CHECK(s->stack_of(taken + 1) == nullptr);
  REQUIRE(s->stacks[0].frames.size() == 2);
  CHECK(s->name(s->stacks[0].frames[0].function) == "empty");
  CHECK(s->name(s->stacks[0].frames[1].file) == "forward.py");
  CHECK(s->stacks[0].frames[1].line == 2000);
}

TEST_CASE("a pickle that references code is an error with its name") {
  using namespace std::string_literals;
  CHECK(refusal("\x80\x02"s + "cos\nsystem\nU\x02ls\x85R.").find("os.system") != std::string::npos);
  CHECK(refusal("\x80\x04\x8c\x08"
                "builtins\x8c\x04"
                "eval\x93\x8c\x01"
                "1\x85R."s)
            .find("builtins.eval") != std::string::npos);
  CHECK(refusal("\x80\x02P12\n."s).find("persistent object 12") != std::string::npos);
  CHECK(refusal("\x80\x02}R."s).find("a call") != std::string::npos);
  CHECK(refusal("\x80\x02}."s).find("not a memory snapshot") != std::string::npos);
  CHECK(refusal("\x80\x04}"s).find("without a STOP opcode") != std::string::npos);
  CHECK(refusal("\x80\x04."s).find("malformed at byte 2") != std::string::npos);
  // A list that holds itself, and records that are shared a thousand times.
  CHECK_FALSE(refusal("\x80\x02]q\0h\0a."s).empty());
}

TEST_CASE("files of unknown formats are errors") {
  for (const char* bytes :
       {"", "hello", "{}", "[]", "[1,2,3]", "{\"traceEvents\":[]}", "{\"a\":[{\"ph\":\"X\"}]}", "\n\xff\xff\xff"}) {
    CHECK_FALSE(refusal(bytes).empty());
  }
  CHECK_FALSE(refusal(std::string(100'000, '[')).empty());
  CHECK_FALSE(refusal("\x1f\x8b\x08 broken").empty());
  Session session;
  CHECK_FALSE(open_trace(std::filesystem::path("/nonexistent"), session).ok());
  CHECK_FALSE(open_trace(std::filesystem::path("/"), session).ok());
  CHECK_FALSE(open_trace(std::filesystem::path("/dev/zero"), session).ok());
}

TEST_CASE("PyTorch's own profile of a resnet50, compressed") {
  ARENASCOPE_NEEDS_DATA("traces/kineto_resnet50_gpu.pt.trace.json.gz");
  Session session;
  const auto report = open_trace(test::data_folder() / "traces/kineto_resnet50_gpu.pt.trace.json.gz", session);
  REQUIRE(report.ok());
  CHECK(report->problem.ends_with(": 18,192 flow events: not shown."));
  CHECK(report->severity == Severity::Note);
  const auto s = session.snapshot();
  CHECK(s->memory_events.size() == 12838);
  CHECK(spans_of(*s) == 44666 + 2);  // and two instants
  Nanoseconds kernels = 0;
  for (const TrackView& t : s->tracks) {
    if (t.info.kind != TrackKind::DeviceQueue) continue;
    CHECK(t.info.name.find("stream 7") != std::string::npos);
    for (const LaneView& l : t.lanes) {
      for (size_t i = 0; i < l.rows.size(); ++i) kernels += l.rows[i].end() - l.rows[i].begin();
    }
  }
  CHECK(kernels >= 591'209'000);  // 8,772 kernels, and copies and fills
  CHECK(kernels < 620'000'000);
  const auto& host = s->series(MemoryKind::HostPageable, MemoryCount::Active);
  const auto& device = s->series(MemoryKind::Default, MemoryCount::Active);
  CHECK(host.at(s->time.end) + device.at(s->time.end) == 19'267'840);
  CHECK(device.at(s->time.end) == 0);
  CHECK(s->peak(MemoryKind::Default, MemoryCount::Active) == 2'791'636'480);  // summed up from the file by a script
  CHECK(s->peak(MemoryKind::HostPageable, MemoryCount::Active) == 57'803'264);
}

TEST_CASE("memory may be freed by another thread") {
  const auto event = [](int thread, int us, int bytes, int device) {
    return fmt::format(R"({{"ph":"i","name":"[memory]","pid":1,"tid":{},"ts":{},"args":)"
                       R"({{"Device Type":1,"Device Id":{},"Bytes":{}}}}},)",
                       thread, us, device, bytes);
  };
  // The second thread frees, and its events come first.
  const auto s = open("[" + event(2, 15, -1000, 0) + event(2, 35, -1000, 1) + event(1, 10, 1000, 0) +
                          event(1, 20, 1000, 1) + event(1, 30, 500, 0) + event(2, 40, -500, 0) + "]",
                      TraceKind::ChromeJson);
  CHECK(s->peak(MemoryKind::Default, MemoryCount::Active) == 1500);
  CHECK(s->series(MemoryKind::Default, MemoryCount::Active).at(12'000) == 1000);
  CHECK(s->series(MemoryKind::Default, MemoryCount::Active).at(18'000) == 0);
  CHECK(s->series(MemoryKind::Default, MemoryCount::Active).at(s->time.end) == 0);
  REQUIRE(s->allocators.size() == 3);  // the host, and two devices
  CHECK(s->devices[s->allocators[2].device.index()].name == "CUDA:1");
}

TEST_CASE("ranges of addresses that are added and removed are those of a bitmap") {
  constexpr uint64_t kAddresses = 60;
  std::mt19937 random(3);
  AddressRanges<int> ranges;
  std::array<int, kAddresses> expected{};  // 0: in no range
  for (int i = 1; i < 3000; ++i) {
    const uint64_t begin = random() % kAddresses, end = begin + random() % (kAddresses - begin + 1);
    uint64_t removed = 0, present = 0;
    if (i % 2 == 0) {
      ranges.add(begin, end, i);
      for (uint64_t at = begin; at < end; ++at) expected[at] = expected[at] != 0 ? expected[at] : i;
    } else {
      for (const auto& range : ranges.remove(begin, end)) removed += range.bytes();
      for (uint64_t at = begin; at < end; ++at) present += expected[at] != 0, expected[at] = 0;
    }
    REQUIRE(removed == present);
    uint64_t covered = 0;
    for (const auto& range : ranges.all())
      for (uint64_t at = range.begin; at < range.end; ++at, ++covered) REQUIRE(expected[at] == range.value);
    for (uint64_t at = 0; at < kAddresses; ++at) {
      covered -= expected[at] != 0;
      REQUIRE(ranges.at(at).bytes() == (expected[at] != 0 ? ranges.at(at).bytes() : 0));
      REQUIRE(ranges.at(at).value == expected[at]);
    }
    REQUIRE(covered == 0);
  }
}

TEST_CASE("reserved memory of expandable segments is what was mapped less what was unmapped, at every entry") {
  int64_t inside = 0;
  for (uint32_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    const auto made = test::expandable_snapshot(seed, 30 + seed);
    inside += made.unmapped_inside;
    const auto s = open(made.pickle, TraceKind::PytorchSnapshot);
    CHECK(s->problems.empty());
    const auto& reserved = s->series(MemoryKind::Default, MemoryCount::Reserved);
    CHECK(reserved.at(s->time.begin - 1) == 0);
    for (const auto& [time, bytes] : made.reserved) {
      REQUIRE(reserved.at(time) == static_cast<double>(bytes));
      Bytes pieces = 0;
      for (const Space& space : s->spaces_in(time, time + 1, 1000)) pieces += space.bytes;
      REQUIRE(pieces == bytes);
    }
    Bytes pieces = 0;
    for (const Space& space : s->open_spaces) {
      pieces += space.bytes;
      CHECK(space.allocator == (seed % 3 == 0 ? 0 : 1));  // the device's, or a private pool
    }
    CHECK(pieces == made.segments);
    CHECK(reserved.at(s->time.end) == static_cast<double>(made.segments));
  }
  CHECK(inside > 30);
}

TEST_CASE("a snapshot without a history is one moment") {
  for (const bool traces : {true, false}) {
    CAPTURE(traces);
    const auto s = open(test::snapshot_without_history(traces), TraceKind::PytorchSnapshot);
    CHECK(s->problems.empty());
    CHECK(s->peak(MemoryKind::Default, MemoryCount::Active) == test::kHeldWithoutHistory);
    CHECK(s->peak(MemoryKind::Default, MemoryCount::Reserved) == test::kReservedWithoutHistory);
    CHECK(s->time.length() == 0);
    const SpaceTotals totals = space_totals(*s, range_of_run(*s, RunId::none()), {});  // totals of the map and findings
    CHECK(totals.peak == test::kHeldWithoutHistory);
    CHECK(totals.reserved == test::kReservedWithoutHistory);
    CHECK(s->open_spaces.size() == 2);
    REQUIRE(s->open_space_slices.size() == 2);
    CHECK(s->open_space_slices[0].asked == s->open_space_slices[0].bytes - 100);
    CHECK(s->devices.size() == 2);
  }
}

TEST_CASE("the memory of a device without a history begins with the history of the others") {
  nlohmann::json entry{{"action", "alloc"}, {"addr", 0x1000}, {"size", 512}, {"time_us", 5'000'000}};
  const nlohmann::json segment{{"device", 1}, {"address", 0x1000}, {"total_size", 4096}};
  const auto s =
      open(test::pickle_of(
               {{"segments", nlohmann::json::array({segment})},
                {"device_traces", nlohmann::json::array({nlohmann::json::array({entry}), nlohmann::json::array()})}}),
           TraceKind::PytorchSnapshot);
  CHECK(s->time.begin == 5'000'000'000);
  CHECK(s->time.length() == 0);
}

TEST_CASE("PyTorch's snapshots of a transformer: sums agree with the segments they hold") {
  struct Known {
    const char* file;
    Bytes reserved, active, peak;
    size_t frees;
  };
  for (const Known& known : {Known{"small", 3781165056, 31719936, 3249144832, 26},
                             Known{"bf16_forward", 861929472, 525286400, 815783936, 937},
                             Known{"transformer_3GB", 4238344192, 3072871424, 3861684736, 2162}}) {
    const std::string file = std::string("traces/pytorch_cuda_snapshot_") + known.file + ".pickle";
    ARENASCOPE_NEEDS_DATA(file);
    Session session;
    const auto report = open_trace(test::data_folder() / file, session);
    REQUIRE(report.ok());
    CHECK(report->problem == "");
    const auto s = session.snapshot();
    const auto& active = s->series(MemoryKind::Default, MemoryCount::Active);
    // Entries have requested sizes, blocks have allocated sizes.
    CHECK(active.at(s->time.end) == static_cast<double>(known.active));
    CHECK(s->peak(MemoryKind::Default, MemoryCount::Active) == known.peak);
    CHECK(s->series(MemoryKind::Default, MemoryCount::Reserved).at(s->time.end) == static_cast<double>(known.reserved));
    CHECK(s->space_slices.size() == known.frees);
    // No two live slices overlap.
    for (int i = 1; i < 20; ++i) {
      const Nanoseconds t = s->time.begin + s->time.length() / 20 * i;
      auto live = s->space_slices_in(t, t + 1, 100000);
      std::sort(live.begin(), live.end(), [](const auto& x, const auto& y) { return x.address < y.address; });
      CHECK_FALSE(live.empty());
      for (size_t k = 1; k < live.size(); ++k) {
        const bool apart_in_time = live[k].begin >= live[k - 1].end || live[k - 1].begin >= live[k].end;
        const bool apart =
            live[k - 1].address + static_cast<uint64_t>(live[k - 1].bytes) <= live[k].address || apart_in_time;
        CHECK(apart);
      }
    }
  }
}
