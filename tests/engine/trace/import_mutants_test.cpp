// SPDX-License-Identifier: MIT
// Damaged traces of other tools: opened as far as they make sense or refused, never a crash or a hang.
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <chrono>

#include "engine/trace/mutate.h"
#include "engine/trace/sample_traces.h"

using namespace arenascope;
using namespace arenascope::trace;

namespace {

void damage(const std::string& original, Result<OpenReport> (*import)(ByteSpan, const std::string&, Sink&),
            uint64_t seed) {
  std::mt19937_64 random(seed);
  int opened = 0, refused = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10'000; ++i) {
    const std::string bytes = test::mutate(original, random);
    Session session;
    const auto report = import(as_bytes(bytes), "mutant", session);
    (report.ok() ? opened : refused)++;
    if (!report.ok()) CHECK(report.error().message.find("mutant: ") == 0);
    CHECK(session.bytes() < (size_t{16} << 20));
    const auto s = session.snapshot();
    for (size_t t = 0; t < s->tracks.size(); ++t) s->spans(TrackId(t), s->time.begin, s->time.end, 20);
    s->slices_in(s->time.begin, s->time.end, 100);
  }
  CHECK(opened > 500);
  CHECK(refused > 100);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(200));
}

}  // namespace

TEST_CASE("10,000 damaged Chrome traces") { damage(test::kChromeJson, import_chrome_json, 1); }
TEST_CASE("10,000 damaged ONNX Runtime profiles") { damage(test::kOnnxRuntimeProfile, import_chrome_json, 2); }
TEST_CASE("10,000 damaged IREE profiles") {
  const auto import = [](ByteSpan bytes, const std::string& name, Sink& sink) { return open_trace(bytes, name, sink); };
  damage(test::iree_export(), import, 5);
}
TEST_CASE("10,000 damaged Perfetto traces") { damage(test::perfetto_trace(), import_perfetto, 3); }
TEST_CASE("10,000 damaged PyTorch snapshots") { damage(test::snapshot_pickle(), import_pytorch_snapshot, 4); }

TEST_CASE("small files that would grow or repeat endlessly") {
  using namespace std::string_literals;
  Session session;
  // A large dict, shared by a hundred thousand entries of a trace.
  std::string pickle = "\x80\x02}q\0("s;
  for (int i = 0; i < 100'000; ++i) pickle += "K"s + static_cast<char>(i) + "N";
  pickle += "u0}X\x08\0\0\0segments]sX\x0d\0\0\0device_traces](]("s;
  for (int i = 0; i < 100'000; ++i) pickle += "h\0"s;
  pickle += "ees.";
  const auto start = std::chrono::steady_clock::now();
  CHECK(import_pytorch_snapshot(as_bytes(pickle), "shared", session).ok());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}
