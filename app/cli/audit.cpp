// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli audit: recomputes every value that the window shows of a recording or trace from its raw events.
#include <arenascope/audit/audit.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/model_options.h"

namespace arenascope::cli {
namespace {

Json json_of(const std::string& file, const audit::Report& r) {
  Json out{{"file", file},
           {"runs", Json::array()},
           {"spaces", Json::array()},
           {"nodes", Json::array()},
           {"threads", Json::array()}};
  for (const auto& run : r.runs)
    out["runs"].push_back({{"run", run.run},
                           {"threads", run.threads},
                           {"wall_nanoseconds", run.wall},
                           {"paused_nanoseconds", run.paused},
                           {"done", run.done}});
  for (const auto& s : r.spaces)
    out["spaces"].push_back({{"name", s.name},
                             {"kind", s.kind},
                             {"device", s.device},
                             {"peak_bytes", s.peak},
                             {"peak_nanoseconds", s.peak_at},
                             {"end_bytes", s.end},
                             {"slices", s.slices}});
  for (const auto& n : r.nodes)
    out["nodes"].push_back({{"name", n.name},
                            {"runs", n.runs},
                            {"median_wall_nanoseconds", n.median},
                            {"busy_nanoseconds", n.busy},
                            {"wait_nanoseconds", n.wait},
                            {"parts", n.parts},
                            {"cold_wall_nanoseconds", n.cold}});
  for (const auto& t : r.threads)
    out["threads"].push_back({{"name", t.name}, {"busy_share", t.busy_share()}, {"wait_share", t.wait_share()}});
  out["peak_bytes"] = r.peak ? Json(*r.peak) : Json();
  out["lost_events"] = r.lost;
  out["metrics"] = Json::array();
  for (const auto& f : r.figures) out["metrics"].push_back({{"id", f.id}, {"value", f.value}, {"unit", name(f.unit)}});
  out["contradictions"] = r.contradictions;
  return out;
}

std::string value_of(const audit::Figure& f) {
  return f.unit == audit::Unit::Share || f.unit == audit::Unit::PerNanosecond ? fmt::format("{:.6f}", f.value)
                                                                              : fmt::format("{:.0f}", f.value);
}

void print(const std::string& file, const audit::Report& r) {
  cli::print("{}: {}, {} events{}\n", file, r.format, r.events,
             r.lost > 0 ? fmt::format(", {} lost", r.lost) : std::string());
  size_t widest = 0;
  for (const auto& f : r.figures) widest = std::max(widest, f.id.size());
  for (const auto& f : r.figures) cli::print("{:<{}}  {:>20} {}\n", f.id, widest, value_of(f), name(f.unit));
  if (!r.peak) cli::print("memory: not recorded\n");
  for (const std::string& text : r.contradictions) cli::print("contradiction: {}\n", text);
  if (const int64_t more = r.contradictions_seen - static_cast<int64_t>(r.contradictions.size()); more > 0)
    cli::print("contradictions: {} more\n", more);
}

// Only the requested metrics.
int run_ask(const Context& context, const std::string& file, const std::vector<std::string>& ids) {
  const auto auditor = audit::Auditor::open(file);
  if (!auditor) return fail(kUsage, auditor.error().message);
  audit::Report asked;
  for (const std::string& id : ids) {
    const auto figure = auditor->ask(id);
    if (!figure) return fail(kUsage, fmt::format("{}: unknown metric '{}'", file, id));
    asked.figures.push_back(*figure);
  }
  if (context.json) {
    print_json(context, {{"file", file}, {"metrics", json_of(file, asked)["metrics"]}});
    return kDone;
  }
  for (const auto& f : asked.figures) cli::print("{}  {} {}\n", f.id, value_of(f), name(f.unit));
  return kDone;
}

int run_audit(Context& context, const std::string& file, const std::vector<std::string>& ids) {
  Progress progress;
  progress.phase("auditing");
  if (!ids.empty()) return run_ask(context, file, ids);
  const auto report = audit::audit_file(file);
  if (!report) return fail(kUsage, report.error().message);
  context.incomplete = report->problem;
  if (report->problem.empty() && report->lost > 0)
    context.incomplete = fmt::format("{}: {} events were lost while they were recorded", file, report->lost);
  if (context.json)
    print_json(context, json_of(file, *report));
  else
    print(file, *report);
  // Contradictory events are a failure.
  if (report->contradictions_seen > 0)
    return fail(kFailed, fmt::format("{}: {} of its events contradict each other, first: {}", file,
                                     report->contradictions_seen, report->contradictions.front()));
  return kDone;
}

}  // namespace

void add_audit(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand(
      "audit", "Recompute every value that the window shows from the raw events of a recording or trace");
  auto file = std::make_shared<std::string>();
  command->add_option("file", *file, "Recording or trace of another tool; the format is detected from the content")
      ->required();
  auto ids = std::make_shared<std::vector<std::string>>();
  command->add_option(
      "--metric", *ids,
      "Id of a metric to print instead of all of them; metrics of an instant, a span or a range are not listed "
      "(see arenascope/audit/audit.h). May be repeated");
  command->add_flag("--json", context.json, "Print one JSON object");
  add_allow_unknown(*command, context, "some events of the file could not be read");
  command->callback([&, file, ids] { body = [&, file, ids] { return run_audit(context, *file, *ids); }; });
}

}  // namespace arenascope::cli
