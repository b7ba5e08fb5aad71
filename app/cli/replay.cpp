// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli replay: replays recorded requests of a caching allocator with its own and other settings.
#include <arenascope/allocator_sim/replays.h>
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/cli.h"
#include "app/common/format.h"

namespace arenascope::cli {
namespace {

using namespace allocator_sim;
using app::format_bytes;

struct ReplayOptions {
  std::string file;
  std::vector<std::string> settings;
  Bytes memory = 0;
};

std::string name_of(const Replay& replay) {
  if (!replay.experiment) return "as recorded";
  return replay.own ? "own (" + replay.settings + ")" : replay.settings;
}
std::string start_of(const Replay& replay) {
  if (!replay.experiment) return "";
  return replay.simulated() ? "empty" : "recorded";
}

Json json_of(const Replay& row, const AllocatorProgram& program) {
  Json out{{"settings", name_of(row)}, {"start", start_of(row)}, {"simulated", row.simulated()}};
  if (!row.experiment) {
    out["reserved_peak_bytes"] = program.reserved_peak;
    return out;
  }
  const Experiment& e = *row.experiment;
  out.update(Json{{"reserved_peak_bytes", e.reserved_peak},
                  {"allocated_peak_bytes", e.allocated_peak},
                  {"at_peak",
                   {{"allocated_bytes", e.at_peak.allocated},
                    {"requested_bytes", e.at_peak.asked},
                    {"free_segments_bytes", e.at_peak.whole},
                    {"free_fragments_bytes", e.at_peak.pieces},
                    {"other_streams_bytes", e.at_peak.others}}},
                  {"allocations", e.allocations},
                  {"at_recorded_address", e.same_address},
                  {"segments_allocated", e.segments_taken},
                  {"segments_released", e.segments_released},
                  {"retries", e.retries},
                  {"fits", !e.failure}});
  if (e.failure)
    out["failure"] = {{"allocation", e.failure->allocation},
                      {"requested_bytes", e.failure->asked},
                      {"reserved_bytes", e.failure->reserved},
                      {"allocated_bytes", e.failure->allocated}};
  return out;
}

std::string outcome(const Replay& row) {
  const Experiment& e = *row.experiment;
  if (e.failure && e.failure->allocation < 0)
    return fmt::format("does not fit: {} allocated before the first request", format_bytes(e.failure->asked));
  if (e.failure)
    return fmt::format("does not fit: {} at request {}, {} in use", format_bytes(e.failure->asked),
                       e.failure->allocation + 1, format_bytes(e.failure->allocated));
  if (e.start == Start::Recorded) return fmt::format("{} of {} at the recorded address", e.same_address, e.allocations);
  return e.retries > 0 ? fmt::format("simulated, unused memory released {} times", e.retries) : "simulated";
}

void print(const std::string& file, const AllocatorProgram& program, const std::vector<Replay>& rows) {
  int64_t requests = 0;
  for (const AllocatorStep& step : program.steps) requests += step.allocates;
  cli::print("{}: device {}, {} requests, {} initial segments and {} initial blocks", file, program.device, requests,
             program.segments.size(), program.blocks.size());
  cli::print("{}\n", program.worked_out > 0 ? fmt::format(" ({} sizes inferred)", program.worked_out) : "");
  size_t widest = 8;
  for (const Replay& row : rows) widest = std::max(widest, name_of(row).size());
  cli::print("{:<{}}  {:<8} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "settings", widest, "start", "reserved", "in use",
             "free segments", "fragments", "other streams");
  for (const Replay& row : rows) {
    if (!row.experiment) {
      cli::print("{:<{}}  {:<8} {:>12}\n", name_of(row), widest, start_of(row), format_bytes(program.reserved_peak));
      continue;
    }
    const CachedBytes& at = row.experiment->at_peak;
    cli::print("{:<{}}  {:<8} {:>12} {:>12} {:>12} {:>12} {:>12}  {}\n", name_of(row), widest, start_of(row),
               format_bytes(row.experiment->reserved_peak), format_bytes(at.allocated), format_bytes(at.whole),
               format_bytes(at.pieces), format_bytes(at.others), outcome(row));
  }
}

int run_replay(const Context& context, const ReplayOptions& options) {
  auto programs = read_allocator_programs(options.file);
  if (!programs) return fail(kUsage, programs.error().message);
  Json devices = Json::array();
  bool fits = true;
  for (const AllocatorProgram& program : *programs) {
    auto rows = replays_of(program, options.settings, options.memory);
    if (!rows) return fail(kUsage, rows.error().message);
    Json experiments = Json::array();
    for (const Replay& row : *rows) {
      fits = fits && (!row.experiment || !row.experiment->failure);
      experiments.push_back(json_of(row, program));
    }
    devices.push_back({{"device", program.device},
                       {"initial_blocks", program.blocks.size()},
                       {"inferred_sizes", program.worked_out},
                       {"experiments", experiments}});
    if (!context.json) print(options.file, program, *rows);
  }
  if (context.json)
    print_json(context, {{"file", options.file}, {"device_memory_bytes", options.memory}, {"devices", devices}});
  return fits ? kDone : kFailed;
}

}  // namespace

void add_replay(CLI::App& app, Context& context, Body& body) {
  auto* command =
      app.add_subcommand("replay", "Replay the requests of a PyTorch memory snapshot with other allocator settings");
  auto options = std::make_shared<ReplayOptions>();
  command->add_option("file", options->file, "PyTorch memory snapshot")->required();
  command->add_option(
      "--set", options->settings,
      "Settings in the format of PYTORCH_CUDA_ALLOC_CONF (max_split_size_mb:128,expandable_segments:True); may be "
      "repeated");
  command->add_option("--memory", options->memory, "Device memory (512MiB, 24GiB); default: unlimited")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", context.json, "Print one JSON object");
  command->callback([&, options] { body = [&, options] { return run_replay(context, *options); }; });
}

}  // namespace arenascope::cli
