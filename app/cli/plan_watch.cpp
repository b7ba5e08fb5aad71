// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan_watch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include <arenascope/base/output_file.h>
#include <arenascope/planner/check.h>
#include <arenascope/planner/csv.h>
#include <fmt/format.h>

namespace arenascope::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::string_view kPlanEnding = ".plan.csv";

volatile std::sig_atomic_t interrupted = 0;

struct Seen {
  uintmax_t size = 0;
  fs::file_time_type time;
  bool operator==(const Seen&) const = default;
};

fs::path plan_of(const fs::path& file) {
  fs::path out = file;
  return out.replace_extension(kPlanEnding);
}

// The CSV files of the directory except plans, sorted by name. Error: the directory cannot be read.
Result<std::map<fs::path, Seen>> scan(const fs::path& folder) {
  std::map<fs::path, Seen> out;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  if (error) return Error{fmt::format("{}: cannot be watched: {}", folder.string(), error.message())};
  for (; at != fs::directory_iterator(); at.increment(error)) {
    if (error) break;
    const std::string name = at->path().filename().string();
    if (!name.ends_with(".csv") || name.ends_with(kPlanEnding) || name.starts_with(".")) continue;
    std::error_code gone;  // the file may have disappeared after listing
    const Seen seen{at->file_size(gone), at->last_write_time(gone)};
    if (!gone && at->is_regular_file(gone)) out[at->path()] = seen;
  }
  return out;
}

// Written atomically, so that readers never see a partial plan.
Status write_atomically(const fs::path& path, const std::string& text) { return OutputFile::write_all(path, text); }

ExitStatus refuse(const fs::path& file, ExitStatus status, const std::string& message) {
  std::error_code error;
  fs::remove(plan_of(file), error);  // it belongs to the previous content of the file
  fail(status, fmt::format("{}: {}", file.string(), message));
  return status;
}

ExitStatus plan_file(const Context& context, const WatchArguments& arguments, const fs::path& file) {
  auto problem = planner::read_csv_file(file);
  if (!problem) {
    std::error_code error;
    fs::remove(plan_of(file), error);
    fail(kUsage, problem.error().message);  // the message names the file
    return kUsage;
  }
  problem->capacity = arguments.capacity;
  auto plan = arguments.planner->plan(*problem, arguments.options);
  if (!plan) return refuse(file, kUsage, plan.error().message);
  if (auto ok = planner::check(*problem, *plan); !ok) return refuse(file, kFailed, ok.error().message);
  if (arguments.capacity && plan->arena_bytes > *arguments.capacity)
    return refuse(
        file, kFailed,
        fmt::format("the best plan needs {} bytes, the capacity is {}", plan->arena_bytes, *arguments.capacity));
  const fs::path out = plan_of(file);
  if (auto ok = write_atomically(out, planner::write_csv(*problem, &*plan)); !ok) {
    fail(kFailed, ok.error().message);
    return kFailed;
  }
  if (context.json) {
    const Json object = with_report(context, {{"file", file.string()},
                                              {"plan", out.string()},
                                              {"buffers", problem->size()},
                                              {"pinned_buffers", planner::pinned(*problem)},
                                              {"arena_bytes", plan->arena_bytes},
                                              {"lower_bound_bytes", plan->lower_bound},
                                              {"ratio", plan->ratio()},
                                              {"seconds", plan->seconds},
                                              {"optimal", plan->optimal}});
    cli::print("{}\n", object.dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    const size_t pinned = planner::pinned(*problem);
    cli::print("{}: {} buffers{} in {} bytes, {:.4f}x the lower bound, {:.3f} s{}\n", file.string(), problem->size(),
               pinned > 0 ? fmt::format(", {} of them pinned,", pinned) : "", plan->arena_bytes, plan->ratio(),
               plan->seconds, plan->optimal ? ", optimal" : "");
  }
  std::fflush(stdout);
  return kDone;
}

}  // namespace

int watch_folder(const Context& context, const WatchArguments& arguments) {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  const auto start = std::chrono::steady_clock::now();
  const auto over = [&] {
    return interrupted != 0 || (arguments.seconds && std::chrono::steady_clock::now() - start >=
                                                         std::chrono::duration<double>(*arguments.seconds));
  };
  const bool once = arguments.seconds && *arguments.seconds == 0;
  std::map<fs::path, Seen> before, done;
  ExitStatus worst = kDone;
  for (bool first = true; first || !over(); first = false) {
    auto now = scan(arguments.folder);
    if (!now) return fail(kUsage, now.error().message);
    for (const auto& [file, seen] : *now) {
      if (const auto known = done.find(file); known != done.end() && known->second == seen) continue;
      if (const auto earlier = before.find(file); !once && (earlier == before.end() || earlier->second != seen))
        continue;  // possibly still being written
      std::error_code none;
      const auto planned = fs::last_write_time(plan_of(file), none);
      const bool fresh = done.find(file) == done.end() && !none && planned > seen.time;
      if (!fresh) worst = std::max(worst, plan_file(context, arguments, file));
      done[file] = seen;
      if (!once && over()) return worst;
    }
    before = std::move(*now);
    if (once) break;
    std::this_thread::sleep_for(100ms);
  }
  return worst;
}

}  // namespace arenascope::cli
