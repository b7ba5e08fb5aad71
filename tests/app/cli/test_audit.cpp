// SPDX-License-Identifier: GPL-3.0-or-later
// audit: its output format and exit status, and consistency of the events that executors and allocators write.
#include <arenascope/trace/recording.h>
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "support/random_events.h"
#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

Json audited(const std::string& file) {
  const Ended ended = cli({"audit", file, "--json"});
  CHECK_MESSAGE(ended.status == 0, ended.err);
  return Json::parse(ended.out, nullptr, false);
}

double figure(const Json& audit, const std::string& id) {
  for (const Json& f : audit["metrics"])
    if (f["id"] == id) return f["value"];
  FAIL("no figure " << id);
  return 0;
}

using namespace arenascope;

// A complete recording, to be modified and rewritten.
struct Collected : trace::Sink {
  Stream stream;
  void describe(const trace::Description& d) override { stream.entries.push_back({d, trace::TrackId(), {}}); }
  using Sink::events;
  void events(std::span<const trace::TrackEvent> events) override {
    for (const auto& [track, event] : events) {
      const bool continues =
          !stream.entries.empty() && !stream.entries.back().description && stream.entries.back().track == track;
      if (!continues) stream.entries.push_back({std::nullopt, track, {}});
      stream.entries.back().events.push_back(event);
    }
  }
};

int audit_status(const Stream& stream, const std::string& file) {
  {
    auto writer = trace::RecordingWriter::create(file, {.mirror = false});
    REQUIRE(writer.ok());
    stream.play(**writer);
  }
  return cli({"audit", file, "--json"}).status;
}

// The middle event of its kind.
trace::Event* middle(Stream& stream, trace::EventKind kind) {
  std::vector<trace::Event*> all;
  stream.each([&](trace::TrackId, trace::Event& e) {
    if (e.kind() == kind) all.push_back(&e);
  });
  REQUIRE(all.size() > 2);
  return all[all.size() / 2];
}

}  // namespace

TEST_CASE("events of executors and allocators are consistent with any memory strategy") {
  const TempFolder folder;
  for (const char* strategy : {"planned", "eager", "none"}) {
    CAPTURE(strategy);
    const std::string file = folder / (std::string(strategy) + ".pftrace");
    REQUIRE(cli({"run", "zoo:squeezenet", "--threads", "2", "--no-thread-fallback", "--memory", strategy, "--repeat",
                 "3", "--record", file})
                .status == 0);
    const Json a = audited(file);
    CHECK(a["contradictions"].empty());
    CHECK(figure(a, "memory.active.end") >= 0);
  }
}

TEST_CASE("weight preparation on a device is not part of a run") {
  const TempFolder folder;
  const std::string file = folder / "device.pftrace";
  const std::string devices = cli({"devices"}).out;
  if (devices.find("opencl:0") == std::string::npos) return;
  for (const auto& [model, option] : {std::pair{"zoo:mnist_cnn", "memory=buffer"}, {"zoo:mnist_cnn", "memory=image"}}) {
    CAPTURE(option);
    const Ended ended =
        cli({"run", model, "--backend", "opencl", "--backend-option", option, "--repeat", "2", "--record", file});
    if (ended.err.find("does not support images") != std::string::npos) continue;
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    const Json a = audited(file);
    CHECK(a["contradictions"].empty());
    CHECK(a["runs"].size() >= 2);
    // Memory of an OpenCL device that runs on the CPU is part of the process memory and is in spaces.
    if (devices.find("family: CPU threads") == std::string::npos) continue;
    double reserved = 0;
    for (const Json& space : a["spaces"])
      if (space["device"] == "opencl:0") reserved += space["end_bytes"].get<double>();
    CHECK(reserved > 0);
    CHECK(figure(a, "recording.outside") <= figure(a, "recording.resident") - reserved);
  }
}

TEST_CASE("device kernels have names and metrics") {
  const TempFolder folder;
  const std::string file = folder / "device.pftrace";
  if (cli({"devices"}).out.find("opencl:0") == std::string::npos) return;
  REQUIRE(cli({"run", "zoo:mnist_cnn", "--backend", "opencl", "--backend-option", "replay=off", "--repeat", "2",
               "--record", file})
              .status == 0);
  const Json a = audited(file);
  double spans = 0, parts = 0;
  std::set<std::string> names;
  std::string one;
  for (const Json& f : a["metrics"]) {
    const std::string id = f["id"];
    if (!id.starts_with("run.1.kernel.")) continue;
    names.insert(id.substr(id.find('.', 13) + 1));
    if (id.starts_with("run.1.kernel.spans.")) spans += f["value"].get<double>(), one = id;
  }
  CHECK(names.size() >= 3);  // convolutions, pooling, matmuls
  for (const Json& node : a["nodes"]) parts += node["parts"].get<double>();
  CHECK(spans > 0);
  CHECK(spans * 2 <= parts);  // spans of both runs; the host has chunks too
  const Ended asked = cli({"audit", file, "--metric", one, "--metric", "run.1.at.0.live"});
  CHECK(asked.status == 0);
  CHECK(asked.out.starts_with(one));
  CHECK(cli({"audit", file, "--metric", "run.1.unknown"}).status == 2);
}

TEST_CASE("a single wrong event of a real run is detected") {
  const TempFolder folder;
  const std::string file = folder / "run.pftrace", changed = folder / "changed.pftrace";
  REQUIRE(cli({"run", "zoo:squeezenet", "--threads", "2", "--no-thread-fallback", "--repeat", "3", "--record", file})
              .status == 0);
  Collected whole;
  REQUIRE(trace::read_recording(file, whole).ok());
  REQUIRE(audit_status(whole.stream, changed) == 0);
  using trace::EventKind;
  for (const EventKind kind : {EventKind::Work, EventKind::Wait}) {
    CAPTURE(static_cast<int>(kind));
    Stream swapped_run = whole.stream;
    trace::Event* event = middle(swapped_run, kind);
    const uint32_t other = event->run().value == 0 ? 1 : 0;
    event->kind_extra = (event->kind_extra & 0xff) | other << 8;
    CHECK(audit_status(swapped_run, changed) == 1);
  }
  for (const Nanoseconds shift : {-1'000'000, 1'000'000}) {
    CAPTURE(shift);
    Stream shifted_clock = whole.stream;
    trace::TrackId worker;
    shifted_clock.each([&](trace::TrackId track, const trace::Event& e) {
      if (e.kind() == EventKind::Wait) worker = track;
    });
    shifted_clock.each([&](trace::TrackId track, trace::Event& e) {
      if (track != worker) return;
      e.time += shift;
      if (e.is_span()) e.a += shift;
    });
    CHECK(audit_status(shifted_clock, changed) == 1);
  }
  // Memory is freed within an eager run; unfreed bytes overlap allocations of the next run.
  REQUIRE(cli({"run", "zoo:squeezenet", "--threads", "2", "--no-thread-fallback", "--memory", "eager", "--repeat", "3",
               "--record", file})
              .status == 0);
  Collected missing;
  REQUIRE(trace::read_recording(file, missing).ok());
  Stream wrong_address = missing.stream;
  middle(wrong_address, EventKind::Free)->a += 64;
  CHECK(audit_status(wrong_address, changed) == 1);
  const trace::Event gone = *middle(missing.stream, EventKind::Free);
  REQUIRE(missing.stream.remove([&](trace::TrackId, const trace::Event& e) { return e == gone; }) == 1);
  CHECK(audit_status(missing.stream, changed) == 1);
}

TEST_CASE("format of an audit") {
  const TempFolder folder;
  const std::string file = folder / "run.pftrace";
  REQUIRE(cli({"run", "zoo:squeezenet", "--threads", "2", "--no-thread-fallback", "--repeat", "3", "--record", file})
              .status == 0);
  const Json a = audited(file);
  REQUIRE(a.is_object());
  CHECK(a["file"] == file);
  CHECK(a["lost_events"] == 0);
  CHECK(a["contradictions"].empty());
  REQUIRE(a["runs"].size() >= 3);
  for (const Json& run : a["runs"]) {
    CHECK(run["threads"] == 2);
    CHECK(run["wall_nanoseconds"] > 0);
    CHECK(run["paused_nanoseconds"] == 0);
  }
  REQUIRE(a["spaces"].size() >= 2);
  for (const Json& space : a["spaces"])
    for (const char* key : {"name", "kind", "device", "peak_bytes", "peak_nanoseconds", "end_bytes", "slices"})
      CHECK(space.contains(key));
  REQUIRE(a["nodes"].size() > 20);
  for (const Json& node : a["nodes"]) {
    CHECK(node["runs"] == a["runs"].size());
    CHECK(node["median_wall_nanoseconds"] > 0);
    CHECK(node["parts"] >= node["runs"]);
    for (const char* key : {"name", "busy_nanoseconds", "wait_nanoseconds"}) CHECK(node.contains(key));
  }
  REQUIRE(a["threads"].size() >= 1);
  CHECK(a["threads"][0]["busy_share"] > 0.0);
  for (const Json& thread : a["threads"]) {
    CHECK(thread["busy_share"].get<double>() + thread["wait_share"].get<double>() <= 1.0);
  }
  CHECK(a["peak_bytes"] > 1'000'000);
  // Values of the arena match the plan, as expected for a planned run.
  CHECK(figure(a, "run.1.arena.peak") == figure(a, "plan.0.peak"));
  CHECK(figure(a, "run.1.arena.peak_step") == figure(a, "plan.0.peak_step"));
  CHECK(figure(a, "run.1.arena.max_holes_by_step") == figure(a, "plan.0.max_holes"));
  std::set<std::string> ids;
  for (const Json& f : a["metrics"]) CHECK_MESSAGE(ids.insert(f["id"]).second, "twice: " << f["id"]);
  const Ended text = cli({"audit", file});
  CHECK(text.status == 0);
  CHECK(text.out.find("run.0.wall") != std::string::npos);
}

TEST_CASE("exit status of an audit") {
  CHECK(cli({"audit"}).status == 2);
  CHECK(cli({"audit", "/nonexistent/run.pftrace"}).status == 2);
  CHECK(cli({"audit", "/nonexistent/run.pftrace"}).says_one_line("/nonexistent/run.pftrace"));
  const TempFolder folder;
  write_file(folder / "no.pftrace", "hello");
  CHECK(cli({"audit", folder / "no.pftrace"}).status == 2);
  CHECK(cli({"audit", folder / "no.pftrace", "--json"}).out.empty());
  // Two overlapping chunks of one thread: contradictions are listed and are a failure.
  write_file(
      folder / "twice.json",
      R"([{"cat":"Node","pid":1,"tid":2,"dur":30,"ts":10,"ph":"X","name":"a_kernel_time","args":{"op_name":"Add"}},
{"cat":"Node","pid":1,"tid":2,"dur":30,"ts":20,"ph":"X","name":"b_kernel_time","args":{"op_name":"Add"}}])");
  const Ended ended = cli({"audit", folder / "twice.json", "--json"});
  CHECK(ended.status == 1);
  CHECK(ended.error_lines() == 1);
  CHECK(Json::parse(ended.out)["contradictions"].size() == 1);
}

TEST_CASE("JSON that does not fit in memory ends with an error message") {
  if (kSanitized) return;
  const TempFolder folder;
  const std::string file = folder / "many.json";
  {
    std::ofstream out(file);
    out << "[";
    for (int i = 0; i < 40'000; ++i) out << R"({"ph":"X","name":"n","pid":1,"ts":1,"dur":1,"tid":)" << i << "},";
    out << "{}]";
  }
  const auto limited = [&](int64_t kibibytes, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"-c", "ulimit -v " + std::to_string(kibibytes) + "; exec \"$0\" \"$@\"", ARENASCOPE_CLI});
    return run_program("sh", arguments);
  };
  int64_t smallest = 32 << 10;  // that the program starts with
  while (smallest < 4 << 20 && limited(smallest, {"--version"}).status != 0) smallest += smallest / 32;
  int refused = 0, done = 0;
  for (int64_t limit = smallest; done == 0 && limit < 16 << 20; limit += smallest / 32) {
    CAPTURE(limit);
    const Ended ended = limited(limit, {"audit", file, "--json"});
    CAPTURE(ended.err);
    CHECK((ended.status == 0 || ended.status == 1 || ended.status == 2));
    if (ended.status == 0) ++done;
    if (ended.status == 0) continue;
    CHECK(ended.says_one_line());
    CHECK(ended.out.empty());
    ++refused;
  }
  CHECK(done == 1);
  CHECK(refused > 0);
}
