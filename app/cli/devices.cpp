// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli devices: backends and devices, or why each is missing.
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/common/backends.h"

namespace arenascope::cli {
namespace {

int devices(const Context& context) {
  const auto all = app::list_backends();
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
    }
    print_json({{"devices", list}});
    return kDone;
  }
  for (const auto& status : all) {
    if (!status.missing.empty()) {
      fmt::print("{:<10} missing: {}\n", status.backend, status.missing);
      continue;
    }
    fmt::print("{:<10} {:<10} {}\n", status.backend, status.device, status.description);
    for (const auto& [name, value] : status.facts) fmt::print("{:<21} {}: {}\n", "", name, value);
  }
  return kDone;
}

}  // namespace

void add_devices(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("devices", "Backends and devices, or why each is missing");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->callback([&] { body = [&] { return devices(context); }; });
}

}  // namespace arenascope::cli
