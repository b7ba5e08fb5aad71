// SPDX-License-Identifier: MIT
// Other tools' traces: generated ones with known values, and those of the data folder compared with Python's values.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "sanitized.h"
#include "support/limited_memory.h"
#include "test_data.h"
#include "tests/engine/audit/audited.h"
#include "tests/engine/trace/pickled.h"
#include "tests/engine/trace/sample_executorch.h"
#include "tests/engine/trace/sample_traces.h"
#ifdef ARENASCOPE_HAS_ZLIB
#include "support/gzip.h"
#endif

namespace arenascope::test {

namespace {

using Json = nlohmann::json;

Result<audit::Report> audited_text(const std::string& text) {
  return audit::audit_bytes({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, "made");
}

double value(const audit::Report& report, const std::string& id) {
  const audit::Figure* figure = report.find(id);
  REQUIRE_MESSAGE(figure != nullptr, "no figure " << id);
  return figure->value;
}

// The metrics that truth.py computes for a file, or null if Python cannot run.
Json truth_of(const std::filesystem::path& file) {
  const std::string command = "python3 '" + std::string(ARENASCOPE_SOURCE_DIR) + "/tests/engine/audit/truth.py' '" +
                              file.string() + "' 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return nullptr;
  std::string text(size_t{1} << 16, '\0'), all;
  for (size_t n = 0; (n = fread(text.data(), 1, text.size(), pipe)) > 0;) all.append(text.data(), n);
  if (pclose(pipe) != 0) return nullptr;
  return Json::parse(all, nullptr, false);
}

void compare_with_python(const std::filesystem::path& file) {
  const auto path = file.is_absolute() ? file : data_folder() / file;
  CAPTURE(path.string());
  const Json truth = truth_of(path);
  if (!truth.is_object()) {
    MESSAGE("skipped: no python3");
    return;
  }
  const auto r = audit::audit_file(path);
  REQUIRE(r.ok());
  int compared = 0;
  for (const auto& [id, expected] : truth.items()) {
    if (!expected.is_number()) continue;
    CAPTURE(id);
    CHECK(value(*r, id) == expected.get<double>());
    ++compared;
  }
  CHECK(compared >= 5);
  if (!truth.contains("busy shares")) return;
  std::map<std::string, std::vector<double>> shares;
  for (const audit::ThreadFigures& t : r->threads) shares[t.name].push_back(t.busy_share());
  CHECK(shares.size() == truth["busy shares"].size());
  for (auto& [name, list] : shares) {
    CAPTURE(name);
    std::sort(list.begin(), list.end());
    const auto expected = truth["busy shares"][name].get<std::vector<double>>();
    REQUIRE(list.size() == expected.size());
    for (size_t i = 0; i < list.size(); ++i) CHECK(list[i] == doctest::Approx(expected[i]).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("a generated Chrome trace") {
  const auto r = audited_text(kChromeJson);
  REQUIRE(r.ok());
  CHECK(r->format == "Chrome trace");
  CHECK(value(*r, "device.GPU 0.active.peak") == 1024);
  CHECK(value(*r, "device.GPU 0.active.end") == 256);
  CHECK(value(*r, "counter.0.last") == 2.5);
  CHECK(value(*r, "recording.length") == 2'000'500);
  REQUIRE(r->threads.size() == 3);  // main, the requests, the stream
  const auto main =
      std::find_if(r->threads.begin(), r->threads.end(), [](const auto& t) { return t.name == "prog, main"; });
  REQUIRE(main != r->threads.end());
  CHECK(main->busy == 2'000'000);  // the inner span is inside of the outer
}

TEST_CASE("a Chrome trace of an interrupted program") {
  const auto r = audited_text(R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"},
{"ph":"X","pid":1,"tid":1,"ts":5,"dur":2,"name":"b"},
{"ph":"X","pid":1,)");
  REQUIRE(r.ok());
  CHECK(r->events == 2);
  CHECK_FALSE(audited_text("{\"a\": 1}").ok());
  CHECK_FALSE(audited_text("[").ok());
  CHECK_FALSE(audited_text("").ok());
  CHECK_FALSE(audited_text("hello").ok());
}

TEST_CASE("spans of a Chrome trace are matched by time, and open ones last to its end") {
  const auto r = audited_text(R"([{"ph":"E","pid":1,"tid":1,"ts":4},{"ph":"B","pid":1,"tid":1,"ts":1,"name":"a"},
{"ph":"B","pid":1,"tid":1,"ts":7,"name":"open",},
{"ph":"S","cat":"r","id":"1","pid":1,"tid":2,"ts":2,"name":"job"},
{"ph":"T","cat":"r","id":"1","pid":3,"tid":2,"ts":3,"name":"job","args":{"step":"x"}},
{"ph":"F","cat":"r","id":"1","pid":2,"tid":2,"ts":5,"name":"job"},
{"ph":"X","pid":1,"tid":3,"ts":9,"dur":1,"name":"bad \xff"},])");
  REQUIRE(r.ok());
  CHECK(r->events == 5);  // a, open, the job and its step, bad
  REQUIRE(r->threads.size() == 3);
  const auto busy = [&](const std::string& name) {
    const auto thread =
        std::find_if(r->threads.begin(), r->threads.end(), [&](const auto& t) { return t.name == name; });
    REQUIRE(thread != r->threads.end());
    return thread->busy;
  };
  CHECK(busy("thread 1") == 6000);
  CHECK(busy("job") == 3000);
  CHECK(busy("thread 3") == 1000);
}

TEST_CASE("a JSON trace that does not fit in memory is an error of the audit") {
  if (kSanitized) return;  // the shadow memory does not fit in the limit
  std::string text = "[";
  for (int i = 0; i < 200'000; ++i)
    text += R"({"ph":"X","name":"n)" + std::to_string(i) + R"(","pid":1,"tid":1,"ts":1,"args":{"a":[1,2,{"b":3}]}},)";
  text.back() = ']';
  const int refused = count_refusals(size_t{512} << 20, [&] {
    const auto report = audited_text(text);
    return report.ok() ? 0 : report.error().message == "made: memory ran out while it was audited." ? 1 : 2;
  });
  CHECK(refused > 3);
}

#ifdef ARENASCOPE_HAS_ZLIB
TEST_CASE("the audit decompresses no more than a trace may have") {
  const std::string bomb = gzip_of('[', size_t{400} << 20);
  const auto audited_bomb = [&] { return audited_text(bomb); };
  const auto refused = audited_bomb();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("expected at most") != std::string::npos);
  if (kSanitized) return;
  CHECK(with_limited_memory(size_t{320} << 20, [&] {
          const auto again = audited_bomb();
          return again.ok() ? 0 : again.error().message == refused.error().message ? 1 : 2;
        }) == 1);
}
#endif

TEST_CASE("a generated ONNX Runtime profile") {
  const auto r = audited_text(kOnnxRuntimeProfile);
  REQUIRE(r.ok());
  CHECK(r->format == "ONNX Runtime profile");
  REQUIRE(r->runs.size() == 2);
  CHECK(r->runs[0].wall == 90'000);
  REQUIRE(r->nodes.size() == 2);
  CHECK(r->nodes[0].name == "conv_0");
  CHECK(r->nodes[0].runs == 2);
  CHECK(r->nodes[0].cold == 30'000);
  CHECK(r->nodes[0].median == 40'000);
  CHECK(r->contradictions_seen == 0);
}

TEST_CASE("the nodes of a body are within their If in an ONNX Runtime profile") {
  const auto kernel = [](const char* name, const char* op, int begin, int duration) {
    return fmt::format(R"({{"cat":"Node","pid":1,"tid":2,"dur":{},"ts":{},"ph":"X","name":"{}_kernel_time",)"
                       R"("args":{{"op_name":"{}","node_index":"{}"}}}},)",
                       duration, begin, name, op, begin);
  };
  const std::string run =
      R"({"cat":"Session","pid":1,"tid":2,"dur":90,"ts":1000,"ph":"X","name":"model_run","args":{}})";
  const std::string body = kernel("a", "Add", 1010, 20) + kernel("b", "Mul", 1030, 20);
  const auto nested = audited_text("[" + body + kernel("if", "If", 1010, 50) + run + "]");
  REQUIRE(nested.ok());
  CHECK(nested->contradictions_seen == 0);
  const auto crossed = audited_text("[" + body + kernel("if", "If", 1020, 50) + run + "]");
  REQUIRE(crossed.ok());
  CHECK(crossed->contradictions_seen > 0);
}

TEST_CASE("an audit of an ONNX Runtime profile separates nodes without name and index") {
  const auto r = audited_text(kOnnxRuntimeNameless);
  REQUIRE(r.ok());
  REQUIRE(r->runs.size() == 3);
  CHECK(r->runs[1].done);
  CHECK_FALSE(r->runs[2].done);
  REQUIRE(r->nodes.size() == 3);
  CHECK(r->nodes[0].name == "Conv (node 0)");
  CHECK(r->nodes[0].runs == 3);
  CHECK(r->nodes[0].median == 32'000);
  CHECK(r->nodes[1].name == "BatchNormalization (node 1)");
  CHECK(r->nodes[1].cold == 20'000);
  CHECK(r->nodes[2].median == 12'000);
  CHECK(r->contradictions_seen == 0);
}

TEST_CASE("an audit of an ONNX Runtime profile of DirectML has its run and nodes") {
  const auto r = audited_text(kOnnxRuntimeDirectMl);
  REQUIRE(r.ok());
  CHECK(r->format == "ONNX Runtime profile");
  REQUIRE(r->runs.size() == 1);
  CHECK(r->runs[0].wall == 500'000);
  REQUIRE(r->nodes.size() == 2);
  CHECK(r->nodes[0].cold + r->nodes[1].cold == 140'000);
}

TEST_CASE("an audit of an ExecuTorch program has all methods, as they are drawn") {
  for (const std::string& file : {executorch_program(), executorch_methods()}) {
    const auto r = audited_text(file);
    REQUIRE(r.ok());
    CHECK(r->format == "ExecuTorch program");
    trace::Session session;
    REQUIRE(trace::open_trace({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "made", session).ok());
    const auto s = session.snapshot();
    CHECK(value(*r, "recording.entries") == static_cast<double>(s->source.entries));
    for (size_t g = 0; g < s->graphs.size(); ++g) {
      const std::string graph = "graph." + std::to_string(g);
      CHECK(value(*r, graph + ".nodes") == static_cast<double>(s->graphs[g]->nodes.size()));
      CHECK(value(*r, graph + ".leafs") == static_cast<double>(s->graphs[g]->leafs.size()));
    }
    CHECK(r->find("graph." + std::to_string(s->graphs.size()) + ".nodes") == nullptr);
    for (size_t p = 0; p < s->plans.size(); ++p) {
      const std::string plan = "plan." + std::to_string(p);
      CHECK(value(*r, plan + ".arena") == static_cast<double>(s->plans[p]->arena_bytes));
      CHECK(value(*r, plan + ".lower_bound") == static_cast<double>(s->plans[p]->lower_bound_bytes));
      CHECK(value(*r, plan + ".slices") == static_cast<double>(s->plans[p]->slices.size()));
    }
    CHECK(r->find("plan." + std::to_string(s->plans.size()) + ".arena") == nullptr);
  }
  const auto methods = audited_text(executorch_methods());
  CHECK(value(*methods, "graph.2.nodes") == 2);
  CHECK(value(*methods, "plan.1.arena") == 320);
}

namespace {

// Compares an audit with what the importer makes of the same file.
void compare_with_import(const audit::Report& r, const trace::Snapshot& s) {
  CHECK(r.format == s.source.format);
  CHECK(value(r, "recording.entries") == static_cast<double>(s.source.entries));
  CHECK(value(r, "recording.events") == static_cast<double>(s.event_count));
  CHECK(value(r, "recording.length") == static_cast<double>(s.time.length()));
  CHECK(value(r, "recording.runs") == static_cast<double>(s.runs.size()));
  for (size_t i = 0; i < s.runs.size(); ++i) {
    const std::string run = "run." + std::to_string(i);
    CHECK(value(r, run + ".begin") == static_cast<double>(s.runs[i].info.begin - s.time.begin));
    CHECK(value(r, run + ".wall") == static_cast<double>(s.runs[i].wall()));
    CHECK(value(r, run + ".steps") == static_cast<double>(s.steps(trace::RunId(i)).steps()));
  }
  for (size_t g = 0; g < s.graphs.size(); ++g) {
    const std::vector<trace::NodeStats> all = s.stats(trace::GraphId(g));
    CHECK(value(r, "graph." + std::to_string(g) + ".nodes") == static_cast<double>(all.size()));
    for (size_t n = 0; n < all.size(); ++n) {
      if (all[n].runs == 0) continue;
      const std::string node = "node." + std::to_string(g) + "." + std::to_string(n);
      CHECK(value(r, node + ".counted_runs") == static_cast<double>(all[n].runs));
      CHECK(value(r, node + ".median_wall") == static_cast<double>(all[n].median));
      CHECK(value(r, node + ".busy") == doctest::Approx(all[n].busy));
    }
  }
  REQUIRE(r.threads.size() <= s.tracks.size());
  for (size_t c = 0; c < s.counter_series.size(); ++c) {
    const auto& samples = s.counter_series[c].samples;
    double most = samples[0].value;
    for (size_t i = 0; i < samples.size(); ++i) most = std::max(most, samples[i].value);
    CHECK(value(r, "counter." + std::to_string(c) + ".most") == most);
  }
  CHECK(r.peak.has_value() == !s.memory_events.empty());
  if (s.memory_events.empty()) return;
  CHECK(value(r, "memory.active.peak") == static_cast<double>(s.all_active.highest(INT64_MIN, INT64_MAX)->value));
  if (s.all_reserved.samples.empty()) return;
  CHECK(value(r, "memory.reserved.peak") == static_cast<double>(s.all_reserved.highest(INT64_MIN, INT64_MAX)->value));
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::shared_ptr<const trace::Snapshot> imported(const std::filesystem::path& file) {
  trace::Session session;
  const auto report = trace::open_trace(file, session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  return session.snapshot();
}

}  // namespace

TEST_CASE("an audit of an ExecuTorch event dump has its runs, with and without the program") {
  const TempFile dump("audited.etdp"), program("audited.pte");
  write_file(dump.path, executorch_dump());
  const auto alone = audit::audit_file(dump.path);
  REQUIRE_MESSAGE(alone.ok(), (alone.ok() ? "" : alone.error().message));
  compare_with_import(*alone, *imported(dump.path));
  CHECK(alone->runs.size() == 2);
  CHECK(alone->runs[0].wall == 320);
  CHECK(value(*alone, "graph.0.nodes") == 2);
  CHECK(value(*alone, "node.0.0.busy") == 190);
  CHECK(value(*alone, "counter.0.most") == 4096);
  CHECK(!alone->peak);
  write_file(dump.path, with_size(executorch_dump()));
  const auto sized = audit::audit_file(dump.path);
  REQUIRE_MESSAGE(sized.ok(), (sized.ok() ? "" : sized.error().message));
  compare_with_import(*sized, *imported(dump.path));
  CHECK(value(*sized, "node.0.0.busy") == 190);

  write_file(program.path, executorch_program());
  const auto both = audit::audit_file(dump.path);
  REQUIRE_MESSAGE(both.ok(), (both.ok() ? "" : both.error().message));
  compare_with_import(*both, *imported(dump.path));
  CHECK(value(*both, "plan.0.arena") == 192);
  CHECK(value(*both, "node.0.1.busy") == 100);

  std::string damaged = executorch_program();
  damaged.replace(4, 4, "XXXX");
  write_file(program.path, damaged);
  const auto refused = audit::audit_file(dump.path);
  REQUIRE(!refused.ok());
  CHECK(refused.error().message.find("not an ExecuTorch program") != std::string::npos);
}

TEST_CASE("an audit of an exported IREE profile has its runs, pools and buffers") {
  const TempFile file("profile.jsonl");
  write_file(file.path, iree_export());
  const auto r = audit::audit_file(file.path);
  REQUIRE_MESSAGE(r.ok(), (r.ok() ? "" : r.error().message));
  const auto s = imported(file.path);
  compare_with_import(*r, *s);
  CHECK(r->runs.size() == 2);
  CHECK(value(*r, "node.0.1.busy") == 50);
  REQUIRE(r->spaces.size() == s->allocators.size());
  for (size_t i = 0; i < r->spaces.size(); ++i) {
    CHECK(r->spaces[i].name == s->allocators[i].name);
    int64_t allocations = 0;
    for (size_t m = 0; m < s->memory_events.size(); ++m) {
      const trace::Event& e = s->event(s->memory_events[m]);
      allocations += e.kind() == trace::EventKind::Alloc && e.allocator() == s->allocators[i].id ? 1 : 0;
    }
    CHECK(r->spaces[i].slices == allocations);
  }
  CHECK(r->problem.find("positions in pools are not audited") != std::string::npos);
  CHECK(r->contradictions_seen == 0);

  const auto empty = audited_text(R"({"record_type":"schema","format":"ireeperf-jsonl"})");
  REQUIRE(!empty.ok());
  CHECK(empty.error().message == "made: the IREE profile contains neither executions nor memory events.");
}

TEST_CASE("a generated Perfetto trace") {
  const auto r = audited_text(perfetto_trace());
  REQUIRE(r.ok());
  CHECK(r->format == "Perfetto trace");
  CHECK(r->events > 0);
  CHECK_FALSE(r->threads.empty());
  const auto cut = perfetto_trace();
  const auto half = audited_text(cut.substr(0, cut.size() / 2));
  if (half.ok()) CHECK_FALSE(half->problem.empty());
}

TEST_CASE("a pickle that runs code is refused") {
  using namespace std::string_literals;
  const auto r = audited_text(
      "\x80\x02"
      "cos\nsystem\nq\0X\2\0\0\0idq\1\x85q\2Rq\3."s);
  REQUIRE_FALSE(r.ok());
  CHECK(r.error().message.find("more than plain values") != std::string::npos);
}

TEST_CASE("expandable segments of which the middle is unmapped are audited by range") {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    const ExpandableSnapshot made = expandable_snapshot(seed, 30 + seed);
    const auto r = audited_text(made.pickle);
    REQUIRE(r.ok());
    const Nanoseconds origin = made.reserved.front().first;
    CHECK(value(*r, "device.GPU 0.reserved.end") == static_cast<double>(made.segments));
    CHECK(value(*r, "memory.reserved.end") == static_cast<double>(made.segments));
    std::map<double, std::string> moments;  // by time
    for (int k = 0; r->find("recording.moment." + std::to_string(k) + ".at") != nullptr; ++k)
      moments[value(*r, "recording.moment." + std::to_string(k) + ".at")] = "recording.moment." + std::to_string(k);
    int64_t most = 0;
    for (const auto& [time, bytes] : made.reserved) {
      most = std::max(most, bytes);
      CHECK(value(*r, moments[static_cast<double>(time - origin)] + ".reserved") == static_cast<double>(bytes));
    }
    CHECK(value(*r, "recording.spaces.all.reserved") == static_cast<double>(most));
    CHECK(value(*r, "device.GPU 0.reserved.peak") == static_cast<double>(std::max(most, made.before)));
    CHECK(r->contradictions_seen == 0);

    trace::Session session;
    REQUIRE(trace::open_trace(trace::as_bytes(made.pickle), "made", session).ok());
    CHECK(static_cast<double>(session.snapshot()->peak(trace::MemoryKind::Default, trace::MemoryCount::Reserved)) ==
          value(*r, "kind.Default.reserved.peak"));
  }
}

TEST_CASE("a snapshot without a history has one peak") {
  for (const bool traces : {true, false}) {
    CAPTURE(traces);
    const auto r = audited_text(snapshot_without_history(traces));
    REQUIRE(r.ok());
    CHECK(r->peak == kHeldWithoutHistory);
    CHECK(r->peak_at == 0);
    REQUIRE(r->spaces.size() == 2);
    CHECK(r->spaces[0].peak + r->spaces[1].peak == kHeldWithoutHistory);
    CHECK(r->spaces[1].peak_at == 0);
    CHECK(value(*r, "memory.active.peak") == kHeldWithoutHistory);
    CHECK(value(*r, "recording.spaces.all.peak") == kHeldWithoutHistory);
    CHECK(value(*r, "recording.spaces.all.reserved") == kReservedWithoutHistory);
    CHECK(r->contradictions_seen == 0);
  }
}

TEST_CASE("what the importer refuses as no snapshot is not audited as an empty one") {
  for (const nlohmann::json& value : {Json{{"segments", Json::array()}}, Json{{"device_traces", Json::array()}},
                                      Json{{"segments", 1}, {"device_traces", Json::array()}}}) {
    const std::string bytes = pickle_of(value);
    trace::Session session;
    CHECK_FALSE(trace::open_trace(trace::as_bytes(bytes), "made", session).ok());
    CHECK_FALSE(audited_text(bytes).ok());
  }
}

TEST_CASE("damaged traces are an error or audited, never a crash") {
  std::mt19937 random(7);
  std::vector<std::string> files{kChromeJson,       kOnnxRuntimeProfile, kOnnxRuntimeNameless, executorch_methods(),
                                 executorch_dump(), iree_export(),       perfetto_trace()};
  for (const char* name : {"traces/pytorch_cuda_snapshot_small.pickle"}) {
    const auto path = data_folder() / name;
    if (data_folder().empty() || !std::filesystem::exists(path)) continue;
    std::ifstream in(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  for (const std::string& file : files) {
    for (int i = 0; i < 200; ++i) {
      std::string damaged = file;
      for (int hits = 0; hits < 3; ++hits) damaged[random() % damaged.size()] = static_cast<char>(random());
      if (i % 4 == 0) damaged.resize(random() % damaged.size());
      const auto r = audited_text(damaged);
      if (!r.ok()) CHECK(r.error().message.find("made") == 0);
    }
  }
}

TEST_CASE("memory snapshots of the data folder agree with Python's pickle") {
  for (const char* name : {"small", "bf16_forward", "transformer_3GB"}) {
    const std::string file = "traces/pytorch_cuda_snapshot_" + std::string(name) + ".pickle";
    ARENASCOPE_NEEDS_DATA(file);
    compare_with_python(file);
  }
}

TEST_CASE("requested sizes in memory snapshots agree with Python") {
  for (const char* name : {"small", "bf16_forward"}) {
    const std::string file = "traces/pytorch_cuda_snapshot_" + std::string(name) + ".pickle";
    ARENASCOPE_NEEDS_DATA(file);
    const Json truth = truth_of(data_folder() / file);
    if (!truth.is_object()) return;
    const auto auditor = audit::Auditor::open(data_folder() / file);
    REQUIRE(auditor.ok());
    int differing = 0, compared = 0, wasted = 0;
    for (const auto& [id, expected] : truth["asked"].items()) {
      const auto figure = auditor->ask(id);
      const auto waste = auditor->ask(std::string(id).replace(id.rfind(".asked."), 7, ".waste."));
      differing += !figure || figure->value != expected.get<double>() ? 1 : 0;
      wasted += waste && waste->value > 0 ? 1 : 0;
      ++compared;
    }
    CHECK(differing == 0);
    CHECK(compared > 30);
    CHECK(wasted > 0);
  }
}

TEST_CASE("shown bytes of a memory snapshot agree with Python at every event") {
  for (const char* name : {"small", "bf16_forward", "transformer_3GB"}) {
    const std::string file = "traces/pytorch_cuda_snapshot_" + std::string(name) + ".pickle";
    ARENASCOPE_NEEDS_DATA(file);
    const Json truth = truth_of(data_folder() / file);
    if (!truth.is_object()) {
      MESSAGE("skipped: no python3");
      return;
    }
    trace::Session session;
    REQUIRE(trace::open_trace(data_folder() / file, session).ok());
    const auto s = session.snapshot();
    const auto& active = s->series(trace::MemoryKind::Default, trace::MemoryCount::Active);
    size_t wrong = 0;
    for (const Json& point : truth["curve 0"])
      wrong += active.at(point[0].get<Nanoseconds>()) == point[1].get<double>() ? 0 : 1;
    CHECK(wrong == 0);
    CHECK(truth["curve 0"].size() > 50);
  }
}

TEST_CASE("a profile with memory totals as Python's json reads it") {
  const std::filesystem::path file =
      std::string(ARENASCOPE_SOURCE_DIR) + "/../shared/cases/traces/hta_df_index.json.gz";
  if (!std::filesystem::exists(file)) {
    MESSAGE("skipped: no ../shared/cases/traces/hta_df_index.json.gz");
    return;
  }
  compare_with_python(file);
  const auto r = audit::audit_file(file);
  REQUIRE(r.ok());
  CHECK(value(*r, "device.GPU 1.active.peak") == 6'629'508'096);
  CHECK(value(*r, "device.GPU 1.reserved.peak") == 12'782'141'440);
  CHECK(value(*r, "recording.spaces.working.unplaced") == 4'096'614'400);
}

TEST_CASE("the profile of the data folder agrees with Python's json") {
  const std::string file = "traces/kineto_resnet50_gpu.pt.trace.json.gz";
  ARENASCOPE_NEEDS_DATA(file);
  compare_with_python(file);
}

}  // namespace arenascope::test
