// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan_spread.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/common/format.h"

namespace arenascope::cli {
namespace {

int over_streams(const Context& context, const models::Model& model, const SpreadArguments& arguments) {
  auto spread =
      plan_over_streams(model.graph, arguments.sequence, arguments.order, arguments.streams, arguments.plan_options);
  if (!spread) return fail(kUsage, fmt::format("{}: {}", model.name, spread.error().message));
  std::vector<int64_t> nodes(static_cast<size_t>(spread->streams), 0);
  for (const int32_t stream : spread->stream_of) ++nodes[static_cast<size_t>(stream)];
  if (context.json) {
    print_json(context, {{"model", model.name},
                         {"order", arguments.order},
                         {"streams", spread->streams},
                         {"nodes", nodes},
                         {"events", spread->events},
                         {"arena_bytes", spread->plan.arena_bytes},
                         {"lower_bound_bytes", spread->plan.lower_bound},
                         {"one_stream_bytes", spread->one_stream}});
    return kDone;
  }
  cli::print("{} on {} streams with {} events: {}; one stream needs {}\n", model.name, spread->streams, spread->events,
             app::format_bytes(spread->plan.arena_bytes), app::format_bytes(spread->one_stream));
  for (size_t s = 0; s < nodes.size(); ++s) cli::print("  stream {}: {} nodes\n", s, nodes[s]);
  return kDone;
}

int over_banks(const Context& context, const models::Model& model, const SpreadArguments& arguments) {
  auto banks = parse_banks(arguments.banks);
  if (!banks) return fail(kUsage, fmt::format("--banks: {}", banks.error().message));
  auto spread = plan_over_banks(model.graph, arguments.sequence, arguments.order,
                                *planner::find_planner(arguments.planner), *banks, arguments.plan_options);
  if (!spread) return fail(kFailed, fmt::format("{}: {}", model.name, spread.error().message));
  double traffic = 0;
  for (const BankUse& bank : spread->banks) traffic += bank.traffic;
  const auto share = [&](const BankUse& bank) { return traffic > 0 ? bank.traffic / traffic : 0; };
  if (context.json) {
    Json list = Json::array();
    for (const BankUse& bank : spread->banks) {
      list.push_back({{"name", bank.name},
                      {"used_bytes", bank.used},
                      {"tensor_bytes", bank.tensor_bytes},
                      {"tensors", bank.tensors},
                      {"traffic_share", share(bank)}});
      if (bank.capacity) list.back()["capacity_bytes"] = *bank.capacity;
    }
    print_json(context,
               {{"model", model.name}, {"planner", arguments.planner}, {"order", arguments.order}, {"banks", list}});
    return kDone;
  }
  cli::print("{} by {} over {}\n{:<16} {:>12} {:>12} {:>8} {:>12} {:>8}\n", model.name, arguments.planner,
             arguments.order, "bank", "capacity", "used", "tensors", "tensor bytes", "traffic");
  for (const BankUse& bank : spread->banks)
    cli::print("{:<16} {:>12} {:>12} {:>8} {:>12} {:>6.1f} %\n", bank.name,
               bank.capacity ? app::format_bytes(*bank.capacity) : "any", app::format_bytes(bank.used), bank.tensors,
               app::format_bytes(bank.tensor_bytes), 100 * share(bank));
  return kDone;
}

}  // namespace

int plan_spread(const Context& context, const models::Model& model, const SpreadArguments& arguments) {
  return arguments.banks.empty() ? over_streams(context, model, arguments) : over_banks(context, model, arguments);
}

}  // namespace arenascope::cli
