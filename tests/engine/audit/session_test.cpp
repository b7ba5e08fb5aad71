// SPDX-License-Identifier: MIT
// A session's values of runs, which views show, compared with the auditor, which shares no code with it.
#include <doctest/doctest.h>

#include <arenascope/trace/session.h>

#include <cmath>
#include <map>

#include "tests/engine/audit/audited.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

// The session's figures under the auditor's ids.
std::map<std::string, double> figures_of(const trace::Snapshot& s) {
  std::map<std::string, double> out;
  for (size_t r = 0; r < s.runs.size(); ++r) {
    const std::string run = "run." + std::to_string(r);
    if (s.runs[r].finished) {  // an unfinished run ends with its last known event, which may differ
      out[run + ".wall"] = static_cast<double>(s.runs[r].wall() + s.runs[r].paused());
      out[run + ".paused"] = static_cast<double>(s.runs[r].paused());
    }
    for (size_t t = 0; s.runs[r].finished && t < s.tracks.size(); ++t) {
      const trace::BusyShare share = s.share(trace::RunId(r), trace::TrackId(t));
      if (share.busy + share.waiting <= 0) continue;
      out[run + ".thread." + std::to_string(t) + ".busy_share"] = share.busy;
      out[run + ".thread." + std::to_string(t) + ".wait_share"] = share.waiting;
    }
  }
  for (size_t g = 0; g < s.graphs.size(); ++g) {
    const auto stats = s.stats(trace::GraphId(g));
    for (size_t n = 0; n < stats.size(); ++n) {
      if (stats[n].runs == 0) continue;
      const std::string id = "node." + std::to_string(g) + "." + std::to_string(n);
      out[id + ".median_wall"] = static_cast<double>(stats[n].median);
      out[id + ".lower_quartile_wall"] = static_cast<double>(stats[n].quartile1);
      out[id + ".upper_quartile_wall"] = static_cast<double>(stats[n].quartile3);
      out[id + ".percentile90_wall"] = static_cast<double>(stats[n].percentile90);
      out[id + ".percentile99_wall"] = static_cast<double>(stats[n].percentile99);
      out[id + ".longest_wall"] = static_cast<double>(stats[n].longest);
      out[id + ".mean_wall"] = stats[n].mean;
      out[id + ".busy"] = stats[n].busy;
      out[id + ".wait"] = stats[n].wait;
      if (stats[n].first) out[id + ".cold_wall"] = static_cast<double>(*stats[n].first);
    }
  }
  for (size_t k = 0; k < trace::kMemoryKinds; ++k)
    if (!s.active[k].samples.empty())
      out["kind." + std::string(trace::kMemoryKindNames[k]) + ".active.peak"] =
          static_cast<double>(s.peak(static_cast<trace::MemoryKind>(k), trace::MemoryCount::Active));
  return out;
}

}  // namespace

TEST_CASE("the session and the auditor agree on 200 random recordings") {
  size_t compared = 0, whole = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Stream stream = random_events(seed, {.whole = seed % 2 == 0});
    const auto r = audited(stream);
    REQUIRE(r.ok());
    trace::Session session;
    stream.play(session);
    std::map<std::string, double> theirs;
    for (const audit::Figure& f : r->figures) theirs[f.id] = f.value;
    for (const auto& [id, value] : figures_of(*session.snapshot())) {
      CAPTURE(id);
      // A barrier of which some threads' waits were lost is complete only when its run is over.
      if (r->lost > 0 && id.ends_with(".wait")) continue;
      REQUIRE(theirs.count(id) == 1);
      CHECK(std::abs(value - theirs[id]) <= 1e-9 * std::abs(theirs[id]));
      ++compared;
      whole += id.starts_with("node.") ? 1 : 0;
    }
  }
  CHECK(compared > 10'000);
  CHECK(whole > 5'000);
}
