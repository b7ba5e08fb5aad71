// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/attach_report.h"

#include <map>
#include <optional>

#include <sys/wait.h>

#include <fmt/format.h>

#include "app/common/format.h"
#include "app/common/memory_events.h"

namespace arenascope::cli {
namespace {

using app::counted;

// Totals over one allocator's events.
struct Space {
  Bytes live = 0, peak = 0, reserved = 0;
  std::optional<Bytes> reserved_peak;  // none: the allocator recorded no reservations
  int64_t allocations = 0;
};

std::map<uint32_t, Space> spaces_of(const trace::Snapshot& s) {
  std::map<uint32_t, Space> spaces;
  for (const trace::Event& e : app::memory_events_by_time(s)) {
    Space& space = spaces[e.allocator()];
    switch (e.kind()) {
      case trace::EventKind::Alloc:
        space.live += e.b;
        ++space.allocations;
        break;
      case trace::EventKind::Free: space.live -= e.b; break;
      case trace::EventKind::Reserve: space.reserved += e.b; break;
      default: space.reserved -= e.b;
    }
    space.peak = std::max(space.peak, space.live);
    if (e.kind() == trace::EventKind::Reserve || e.kind() == trace::EventKind::Release)
      space.reserved_peak = std::max(space.reserved_peak.value_or(0), space.reserved);
  }
  return spaces;
}

const trace::AllocatorInfo* allocator_of(const trace::Snapshot& s, uint32_t id) {
  for (const auto& a : s.allocators)
    if (a.id == id) return &a;
  return nullptr;
}

int64_t attached(const AttachReport& report) {
  int64_t count = 0;
  for (const auto& p : report.programs) count += p.events > 0 || p.problem.empty() ? 1 : 0;
  return count;
}

Json json_of(const AttachReport& report, const trace::Snapshot& s) {
  Json out{{"program", report.argv[0]}, {"seconds", report.seconds}};
  if (WIFSIGNALED(report.status))
    out["signal"] = WTERMSIG(report.status);
  else
    out["status"] = WEXITSTATUS(report.status);
  out["programs"] = Json::array();
  for (const auto& p : report.programs)
    out["programs"].push_back({{"name", p.name},
                               {"process", p.process},
                               {"rank", p.rank < 0 ? Json() : Json(p.rank)},
                               {"events", p.events},
                               {"lost_events", p.lost},
                               {"rescued_events", p.rescued},
                               {"problem", p.problem}});
  out["events"] = s.event_count;
  out["lost_events"] = s.lost;
  out["runs"] = s.runs.size();
  out["graphs"] = Json::array();
  for (const auto& g : s.graphs)
    out["graphs"].push_back({{"model", g->model}, {"nodes", g->nodes.size()}, {"leaves", g->leafs.size()}});
  out["peak_bytes"] = Json::object();
  for (size_t k = 0; k < trace::kMemoryKinds; ++k)
    if (const Bytes peak = s.peak(static_cast<trace::MemoryKind>(k), trace::MemoryCount::Active); peak > 0)
      out["peak_bytes"][std::string(trace::kMemoryKindNames[k])] = peak;
  out["spaces"] = Json::array();
  for (const auto& [id, space] : spaces_of(s)) {
    const auto* a = allocator_of(s, id);
    out["spaces"].push_back({{"name", a != nullptr ? a->name : ""},
                             {"allocations", space.allocations},
                             {"peak_bytes", space.peak},
                             {"end_bytes", space.live},
                             {"reserved_peak_bytes", space.reserved_peak ? Json(*space.reserved_peak) : Json()}});
  }
  out["problems"] = Json::array();
  for (size_t i = 0; i < s.problems.size(); ++i) out["problems"].push_back(s.problems[i].sentence);
  if (!report.recording.empty()) out["recording"] = report.recording;
  if (!report.histories.empty()) out["pytorch_histories"] = report.histories;
  return out;
}

void print(const AttachReport& report, const trace::Snapshot& s) {
  for (const auto& p : report.programs) {
    if (p.rank >= 0) cli::print("rank {}, ", p.rank);
    cli::print("{} (process {}): {} in {:.2f} s", p.name, p.process, counted(int64_t(p.events), "event"),
               report.seconds);
    if (p.lost > 0) cli::print(", {} lost because its ring buffers were full", p.lost);
    if (p.rescued > 0) cli::print(", {} recovered from its ring buffers after it was killed", p.rescued);
    if (!p.problem.empty()) cli::print("; {}", p.problem);
    cli::print("\n");
  }
  std::map<int32_t, int64_t> runs;
  for (size_t i = s.forgotten_runs; i < s.runs.size(); ++i) ++runs[s.runs[i].info.graph.value];
  for (const auto& g : s.graphs)
    cli::print("graph {}: {}, {}, {}\n", g->model.empty() ? "(unnamed)" : g->model,
               counted(std::ssize(g->nodes), "node"), counted(std::ssize(g->leafs), "leaf tensor"),
               counted(runs[g->id.value], "run"));
  for (const auto& [id, space] : spaces_of(s)) {
    const auto* a = allocator_of(s, id);
    cli::print("{}: peak {}, {} at the end, {}", a != nullptr ? a->name : "memory", app::format_bytes(space.peak),
               app::format_bytes(space.live), counted(int64_t(space.allocations), "allocation"));
    if (space.reserved_peak) cli::print(", reserved peak {}", app::format_bytes(*space.reserved_peak));
    cli::print("\n");
  }
  for (size_t i = 0; i < s.problems.size(); ++i) cli::print("{}\n", s.problems[i].sentence);
  if (!report.recording.empty()) cli::print("recording: {}\n", report.recording);
  for (const std::string& history : report.histories) cli::print("PyTorch's CUDA allocator: {}\n", history);
}

}  // namespace

int print_report(const Context& context, const AttachReport& report, const trace::Snapshot& snapshot) {
  if (context.json)
    print_json(context, json_of(report, snapshot));
  else
    print(report, snapshot);
  const std::string& program = report.argv[0];
  if (WIFSIGNALED(report.status))
    return fail(kFailed, fmt::format("{}: terminated by signal {}", program, WTERMSIG(report.status)));
  if (WEXITSTATUS(report.status) != 0)
    return fail(kFailed, fmt::format("{}: exited with status {}", program, WEXITSTATUS(report.status)));
  if (attached(report) == 0)
    return fail(kFailed,
                fmt::format("{}: never attached: it neither includes arenascope_client.h nor uses an API that an "
                            "adapter records (see --with)",
                            program));
  if (attached(report) < report.ranks)
    return fail(kFailed, fmt::format("{}: {} of {} processes attached", program, attached(report), report.ranks));
  return kDone;
}

}  // namespace arenascope::cli
