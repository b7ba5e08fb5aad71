// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli devices: backends and devices, or why each is unavailable, and their tuning results.
#include <fmt/format.h>

#include <arenascope/run/backends.h>
#include "app/cli/cli.h"

namespace arenascope::cli {
namespace {

// The stored tuning results of a device, of all levels.
std::vector<TuningResult> stored_tuning(const BackendStatus& status, const BackendOptions& options) {
  if (!status.missing.empty() || status.backend != "opencl") return {};
  auto backend = open_backend(status.device, options);
  return backend ? (*backend)->tuning_results() : std::vector<TuningResult>{};
}

int devices(const Context& context, bool tuning, const std::string& cache) {
  const auto all = list_backends();
  BackendOptions options;
  if (!cache.empty()) options["cache"] = cache;
  if (context.json) {
    Json list = Json::array();
    for (const auto& status : all) {
      Json facts = Json::object();
      for (const auto& [name, value] : status.facts) facts[name] = value;
      list.push_back({{"backend", status.backend},
                      {"device", status.device},
                      {"description", status.description},
                      {"missing", status.missing},
                      {"facts", facts}});
      if (!tuning) continue;
      Json results = Json::array();
      for (const TuningResult& r : stored_tuning(status, options))
        results.push_back({{"kernel", r.kernel},
                           {"sizes", r.sizes},
                           {"choice", r.choice},
                           {"level", r.level},
                           {"tried", r.tried},
                           {"seconds", r.seconds < 0 ? Json() : Json(r.seconds)}});
      list.back()["tuning"] = std::move(results);
    }
    print_json(context, {{"devices", list}});
    return kDone;
  }
  for (const auto& status : all) {
    if (!status.missing.empty()) {
      cli::print("{:<10} missing: {}\n", status.backend, status.missing);
      continue;
    }
    cli::print("{:<10} {:<10} {}\n", status.backend, status.device, status.description);
    for (const auto& [name, value] : status.facts) cli::print("{:<21} {}: {}\n", "", name, value);
    if (!tuning) continue;
    for (const TuningResult& r : stored_tuning(status, options))
      cli::print(
          "{:<21} {} {}: {}, {}{}\n", "", r.kernel, r.sizes, r.choice, r.level,
          r.seconds < 0 ? ", not measured" : fmt::format(", the fastest of {}, {:.3g} ms", r.tried, r.seconds * 1e3));
  }
  return kDone;
}

}  // namespace

void add_devices(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("devices", "Backends and devices, or why each is missing");
  command->add_flag("--json", context.json, "Print one JSON object");
  struct Arguments {
    bool tuning = false;
    std::string cache;
  };
  auto a = std::make_shared<Arguments>();
  command->add_flag("--tuning", a->tuning, "Also print the stored tuning results of each OpenCL device");
  command->add_option("--cache", a->cache, "Folder of the tuning results; default: the cache folder of the user");
  command->callback([&, a] { body = [&, a] { return devices(context, a->tuning, a->cache); }; });
}

}  // namespace arenascope::cli
