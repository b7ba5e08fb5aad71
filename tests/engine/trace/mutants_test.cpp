// SPDX-License-Identifier: MIT
// Damaged recordings must open as far as they are whole, or be refused; they must never crash, hang or take much
// memory.
#include <arenascope/trace/convert.h>
#include <arenascope/trace/recording.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include "engine/trace/mutate.h"
#include "engine/trace/sample_session.h"
#include "engine/trace/temp_file.h"

using namespace arenascope;
using namespace arenascope::trace;

TEST_CASE("10,000 damaged recordings") {
  test::TempFile file("mutants.pftrace");
  for (bool mirror : {false, true}) {
    auto writer = RecordingWriter::create(file.path, {.mirror = mirror});
    REQUIRE(writer.ok());
    test::fill(**writer, {.runs = 2});
    REQUIRE((*writer)->close().ok());
    const std::string original = file.read();
    std::mt19937_64 random(mirror ? 1 : 2);
    int opened = 0, asked = 0;
    for (int i = 0; i < 5000; ++i) {
      const std::string bytes = test::mutate(original, random);
      Session session;
      const auto report = read_recording(as_bytes(bytes), "mutant", session);
      if (!report.ok()) {
        CHECK_FALSE(report.error().message.empty());
        continue;
      }
      ++opened;
      CHECK(report->bytes + report->dropped_bytes == static_cast<int64_t>(bytes.size()));
      CHECK(session.bytes() < (size_t{16} << 20));
      const auto s = session.snapshot();  // its contents can be queried
      for (size_t t = 0; t < s->tracks.size(); ++t) {
        asked += static_cast<int>(s->spans(TrackId(t), s->time.begin, s->time.end, 50).size());
        s->span_at(TrackId(t), s->time.begin + s->time.length() / 2);
      }
      for (size_t r = 0; r < s->runs.size(); ++r) {
        s->steps(RunId(r)).step_at(s->time.end);
        s->slices_live(RunId(r), Step(1));
        s->memory_by_step(RunId(r), MemoryKind::Workspace, MemoryCount::Active);
      }
      s->all_active.curve(s->time.begin, s->time.end, 20);
      for (const auto& plan : s->plans) Snapshot::occupancy(*plan);
      if (i % 16 == 0) {
        to_string(*s, Format::Text);
        to_string(*s, Format::ChromeJson);
      }
    }
    CHECK(opened > 2500);
    CHECK(asked > 1000);
  }
}
