// SPDX-License-Identifier: GPL-3.0-or-later
// run --record and convert: complete, truncated and corrupted recordings, and a full disk.
#include <doctest/doctest.h>

#include <arenascope/trace/recording.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

struct Recorded : TempFolder {
  std::string file = *this / "run.trace", bytes;
  Recorded() {
    const Ended ended = cli({"run", "zoo:squeezenet", "--record", file});
    CHECK(ended.status == 0);
    CHECK(ended.err.empty());
    bytes = read_file(file);
    REQUIRE(bytes.size() > 10'000);
  }
};

std::string random_bytes(std::mt19937& random, size_t count) {
  std::string out(count, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Number of slices of a converted recording; -1 if it is not a Chrome trace.
int slices(const std::string& path) {
  const Json trace = Json::parse(read_file(path), nullptr, false);
  if (!trace.is_object() || !trace.contains("traceEvents") || !trace["traceEvents"].is_array()) return -1;
  int count = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++count;
    CHECK(event["name"].is_string());
    CHECK_FALSE(event["name"].get<std::string>().empty());
    CHECK(event["ts"].is_number());
    CHECK(event["dur"] >= 0.0);
  }
  return count;
}

}  // namespace

TEST_CASE_FIXTURE(Recorded, "a recording in other tools' formats") {
  REQUIRE(cli({"convert", file, *this / "a.json"}).status == 0);
  CHECK(slices(*this / "a.json") > 60);  // more nodes than that, on each thread
  const std::string chrome = read_file(*this / "a.json");
  CHECK(chrome.find("CONV") != std::string::npos);

  REQUIRE(cli({"convert", file, *this / "a.csv"}).status == 0);
  const std::string csv = read_file(*this / "a.csv");
  CHECK(csv.starts_with("track,kind,name,node,run,begin_ns,end_ns\n"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') > 60);

  REQUIRE(cli({"convert", file, *this / "a.memory.csv"}).status == 0);
  const std::string memory = read_file(*this / "a.memory.csv");
  CHECK(memory.starts_with("time_ns,"));
  CHECK(std::count(memory.begin(), memory.end(), '\n') > 3);

  REQUIRE(cli({"convert", file, *this / "a.txt"}).status == 0);
  const std::string text = read_file(*this / "a.txt");
  CHECK(text.size() > 1000);

  // A round trip through the native format preserves the session.
  REQUIRE(cli({"convert", file, *this / "b.pftrace"}).status == 0);
  REQUIRE(cli({"convert", *this / "b.pftrace", *this / "b.txt"}).status == 0);
  CHECK((sorted_lines(read_file(*this / "b.txt")) == sorted_lines(text)));

  const Ended unknown = cli({"convert", file, *this / "a.mp3"});
  CHECK(unknown.status == 2);
  CHECK(unknown.says_one_line("a.mp3"));
  const Ended nowhere = cli({"convert", file, "/nonexistent/a.json"});
  CHECK(nowhere.status == 1);
  CHECK(nowhere.says_one_line("/nonexistent/a.json"));
}

TEST_CASE_FIXTURE(Recorded, "protoc decodes a recording's packets") {
  const Ended ended = run_program("protoc", {"--decode_raw"}, {.in = file});
  if (ended.status == 127) {
    MESSAGE("skipped: no protoc");
    return;
  }
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  CHECK(ended.out.starts_with("1 {"));  // Trace.packet
}

TEST_CASE_FIXTURE(Recorded, "a truncated recording opens up to the cut") {
  std::mt19937 random(20240611);
  REQUIRE(cli({"convert", file, *this / "whole.json"}).status == 0);
  const int whole = slices(*this / "whole.json");
  std::vector<size_t> cuts{0, 1, 2, bytes.size() - 1};
  while (cuts.size() < 50) cuts.push_back(random() % bytes.size());
  std::sort(cuts.begin(), cuts.end());
  int before = 0;
  for (const size_t cut : cuts) {
    CAPTURE(cut);
    write_file(*this / "cut.trace", bytes.substr(0, cut));
    const Ended ended = cli({"convert", *this / "cut.trace", *this / "cut.json"});
    CAPTURE(ended.err);
    // A cut between two packets is not visible.
    CHECK((ended.status <= 1 || (ended.status == 2 && cut < 64)));
    CHECK((ended.status == 0 ? ended.err.empty() : ended.says_one_line("cut.trace")));
    if (ended.status == 2) continue;
    const int left = slices(*this / "cut.json");
    CHECK(left >= before);  // more bytes, no fewer slices
    CHECK(left <= whole);
    before = left;
  }
  CHECK(before > whole / 2);  // the last cut loses one byte
}

TEST_CASE_FIXTURE(Recorded, "a recording with corrupted bytes") {
  std::mt19937 random(7);
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    std::string broken = bytes;
    const size_t at = i == 0 ? bytes.size() : random() % bytes.size();
    const std::string garbage = random_bytes(random, 1 + random() % 400);
    if (i % 2 == 0)
      broken.insert(at, garbage);
    else
      broken.replace(at, garbage.size(), garbage);
    write_file(*this / "broken.trace", broken);
    const Ended ended = cli({"convert", *this / "broken.trace", *this / "broken.json"});
    CAPTURE(ended.err);
    CHECK_FALSE(ended.hung);
    CHECK((ended.status >= 0 && ended.status <= 2));
    CHECK((ended.says_one_line("broken.trace") || (ended.status == 0 && ended.err.empty())));
    if (ended.status != 2) CHECK(slices(*this / "broken.json") >= 0);
    if (i == 0) CHECK((ended.status == 1 && ended.says_one_line()));  // after the end
  }
  write_file(*this / "noise.trace", random_bytes(random, 5000));
  const Ended noise = cli({"convert", *this / "noise.trace", *this / "noise.json"});
  CHECK(noise.status == 2);
  CHECK(noise.says_one_line("noise.trace"));
}

TEST_CASE("events that contradict the others are skipped, and the message names the file") {
  const TempFolder folder;
  const std::string file = folder / "contradictory.pftrace";
  const auto writer = arenascope::trace::RecordingWriter::create(file);
  REQUIRE(writer);
  (*writer)->describe(arenascope::trace::RunEnd{arenascope::trace::RunId(5), 100});
  REQUIRE((*writer)->close());
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"convert", file, folder / "a.json"}, {"info", file}, {"query", file, "SELECT 1"}}) {
    const Ended ended = cli(command);
    CAPTURE(joined(command));
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(ended.says_one_line("contradictory.pftrace: Some data was skipped"));
  }
}

TEST_CASE("a recording onto a full disk") {
  for (const char* model : {"zoo:mul_mat", "zoo:squeezenet"}) {
    const Ended ended = cli({"run", model, "--record", "/dev/full"});
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(ended.says_one_line("/dev/full"));
    CHECK(ended.err.find("No space left") != std::string::npos);
  }
}

TEST_CASE_FIXTURE(Recorded, "a conversion onto a full disk") {
  std::filesystem::create_symlink("/dev/full", *this / "full.json");
  const Ended ended = cli({"convert", file, *this / "full.json"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line("full.json"));
}
