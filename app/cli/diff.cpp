// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli diff: compares two recordings, traces or plans, and fails if a metric grew by more than a limit.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/diff_limits.h"
#include "app/cli/model_options.h"
#include "app/common/format.h"
#include "app/common/planned_session.h"
#include "app/common/recorded_lifetimes.h"

namespace arenascope::cli {
namespace {

using trace::Contribution;
using trace::Metric;
using trace::MetricChange;

struct DiffArguments {
  std::string a, b, limits = "peak+2%,reserved+2%,arena+0";
  PlanningArguments planning;
  size_t top = 10;
  bool all = false, markdown = false, limits_given = false;
};

struct Checked {
  trace::Difference difference;
  std::vector<GrowthLimit> limits;
  bool exceeds(Metric metric) const { return limit_of(metric) != nullptr; }
  // The limit that a metric exceeds; null if none.
  const GrowthLimit* limit_of(Metric metric) const {
    for (const GrowthLimit& limit : limits)
      if (limit.metric == metric && limit.exceeded_by(difference.of(metric))) return &limit;
    return nullptr;
  }
  bool exceeded() const {
    return std::ranges::any_of(difference.metrics, [&](const MetricChange& m) { return exceeds(m.metric); });
  }
  // False where only times differ: they do between any two runs.
  bool changed() const {
    return exceeded() || !difference.only_a.empty() || !difference.only_b.empty() ||
           std::ranges::any_of(difference.metrics, [](const MetricChange& m) {
             return !is_time(m.metric) && (m.change() != 0 || m.a.has_value() != m.b.has_value());
           });
  }
};

// Sets context.incomplete if a part of the file is missing.
Result<std::shared_ptr<const trace::Snapshot>> snapshot_of(const std::string& file, const DiffArguments& arguments,
                                                           Context& context) {
  std::string problem;
  auto session = app::open_session(file, arguments.planning.settings, problem);
  if (!session) return session.error();
  if (context.incomplete.empty()) context.incomplete = problem;
  return (*session)->snapshot();
}

std::string value_text(Metric metric, std::optional<double> value) {
  if (!value) return "not recorded";
  const auto rounded = static_cast<int64_t>(std::llround(*value));
  return is_time(metric) ? app::format_nanoseconds(rounded) : app::format_bytes(rounded);
}

std::string change_text(Metric metric, double change) {
  return (change < 0 ? "-" : "+") + value_text(metric, std::abs(change));
}

std::string share_text(const MetricChange& m) {
  return m.known() && *m.a != 0 ? fmt::format("{:+.1f} %", 100 * m.change() / *m.a) : std::string();
}

std::string part_text(Metric metric, std::optional<double> value) { return value ? value_text(metric, value) : "-"; }

bool is_shown(const Checked& checked, const MetricChange& m, bool all) {
  if (all) return true;
  if (is_time(m.metric)) return m.known() || checked.exceeds(m.metric);
  return m.change() != 0 || m.a.has_value() != m.b.has_value();
}

// Contributions explain byte metrics; those of times are shown where a limit is exceeded, as all nodes differ a little.
size_t shown_parts(const Checked& checked, const MetricChange& m, const DiffArguments& arguments) {
  const bool explained = arguments.all || !is_time(m.metric) || checked.exceeds(m.metric);
  return explained ? std::min(arguments.top, m.contributions.size()) : 0;
}

std::string more_text(size_t count) { return count > 0 ? fmt::format("{} more", count) : std::string(); }

std::string names_text(const std::vector<std::string>& names, size_t top) {
  std::string out = app::counted(std::ssize(names), "node") + ":";
  for (size_t i = 0; i < std::min(top, names.size()); ++i) out += (i > 0 ? ", " : " ") + names[i];
  if (names.size() > top) out += ", " + more_text(names.size() - top);
  return out;
}

// Cuts the middle out of a long name.
std::string fitted(const std::string& name, size_t width) {
  if (name.size() <= width) return name;
  const size_t tail = (width - 3) / 2;
  return name.substr(0, width - 3 - tail) + "..." + name.substr(name.size() - tail);
}

void print_text(const Checked& checked, const DiffArguments& arguments) {
  constexpr size_t kWidth = 44;
  cli::print("A: {}\nB: {}\n{:<{}} {:>14} {:>14} {:>14}\n", arguments.a, arguments.b, "", kWidth, "A", "B", "B - A");
  for (const MetricChange& m : checked.difference.metrics) {
    if (!is_shown(checked, m, arguments.all)) continue;
    const GrowthLimit* limit = checked.limit_of(m.metric);
    cli::print("{:<{}} {:>14} {:>14} {:>14} {:>9}{}\n", name(m.metric), kWidth, value_text(m.metric, m.a),
               value_text(m.metric, m.b), m.known() ? change_text(m.metric, m.change()) : std::string(), share_text(m),
               limit != nullptr ? "  exceeds " + limit->text : std::string());
    const size_t shown = shown_parts(checked, m, arguments);
    for (size_t i = 0; i < shown; ++i) {
      const Contribution& part = m.contributions[i];
      cli::print("  {:<{}} {:>14} {:>14} {:>14}\n", fitted(part.name, kWidth - 2), kWidth - 2,
                 part_text(m.metric, part.a), part_text(m.metric, part.b), change_text(m.metric, part.change()));
    }
    if (shown > 0 && shown < m.contributions.size()) cli::print("  {}\n", more_text(m.contributions.size() - shown));
  }
  const trace::Difference& d = checked.difference;
  if (!d.only_a.empty()) cli::print("only in A: {}\n", names_text(d.only_a, arguments.top));
  if (!d.only_b.empty()) cli::print("only in B: {}\n", names_text(d.only_b, arguments.top));
}

void print_markdown(const Checked& checked, const DiffArguments& arguments) {
  cli::print("| | A | B | B − A | |\n|---|--:|--:|--:|--:|\n");
  for (const MetricChange& m : checked.difference.metrics) {
    if (!is_shown(checked, m, arguments.all)) continue;
    const GrowthLimit* limit = checked.limit_of(m.metric);
    cli::print("| **{}** | {} | {} | {} | {}{} |\n", name(m.metric), value_text(m.metric, m.a),
               value_text(m.metric, m.b), m.known() ? change_text(m.metric, m.change()) : std::string(), share_text(m),
               limit != nullptr ? fmt::format(" ⚠ exceeds {}", app::markdown_code(limit->text)) : std::string());
    const size_t shown = shown_parts(checked, m, arguments);
    for (size_t i = 0; i < shown; ++i) {
      const Contribution& part = m.contributions[i];
      cli::print("| {} | {} | {} | {} | |\n", app::markdown_code(part.name), part_text(m.metric, part.a),
                 part_text(m.metric, part.b), change_text(m.metric, part.change()));
    }
    if (shown > 0 && shown < m.contributions.size())
      cli::print("| {} | | | | |\n", more_text(m.contributions.size() - shown));
  }
  const trace::Difference& d = checked.difference;
  if (!d.only_a.empty()) cli::print("\nOnly in A: {}\n", names_text(d.only_a, arguments.top));
  if (!d.only_b.empty()) cli::print("\nOnly in B: {}\n", names_text(d.only_b, arguments.top));
}

Json value_json(const std::optional<double>& value) { return value ? Json(std::llround(*value)) : Json(); }

void print_diff_json(const Context& context, const Checked& checked, const DiffArguments& arguments) {
  Json metrics = Json::array();
  for (const MetricChange& m : checked.difference.metrics) {
    const GrowthLimit* limit = checked.limit_of(m.metric);
    Json parts = Json::array();
    for (size_t i = 0; i < std::min(arguments.top, m.contributions.size()); ++i) {
      const Contribution& part = m.contributions[i];
      parts.push_back({{"name", part.name}, {"a", value_json(part.a)}, {"b", value_json(part.b)}});
    }
    metrics.push_back({{"name", name(m.metric)},
                       {"unit", is_time(m.metric) ? "nanoseconds" : "bytes"},
                       {"a", value_json(m.a)},
                       {"b", value_json(m.b)},
                       {"exceeds", limit != nullptr ? Json(limit->text) : Json()},
                       {"contributions", parts},
                       {"contribution_count", m.contributions.size()}});
  }
  print_json(context, {{"a", arguments.a},
                       {"b", arguments.b},
                       {"changed", checked.changed()},
                       {"exceeded", checked.exceeded()},
                       {"metrics", metrics},
                       {"only_a", checked.difference.only_a},
                       {"only_b", checked.difference.only_b}});
}

// A limit that cannot be checked is not met: a CI check would pass because a metric is missing.
Status check_known(const Checked& checked, const DiffArguments& arguments) {
  for (const GrowthLimit& limit : checked.limits) {
    const MetricChange& m = checked.difference.of(limit.metric);
    if (!m.known() && arguments.limits_given)
      return Error{fmt::format("{}: the limit {} cannot be checked: {} is not recorded",
                               m.a ? arguments.b : arguments.a, limit.text, name(limit.metric))};
  }
  return {};
}

int diff(Context& context, const DiffArguments& arguments) {
  auto limits = parse_growth_limits(arguments.limits);
  if (!limits) return fail(kUsage, "--fail-on: " + limits.error().message);
  Progress progress;
  progress.phase("reading");
  auto a = snapshot_of(arguments.a, arguments, context);
  if (!a) return fail(kUsage, a.error().message);
  auto b = snapshot_of(arguments.b, arguments, context);
  if (!b) return fail(kUsage, b.error().message);
  progress.phase("comparing");
  const Checked checked{trace::compare(**a, **b), std::move(*limits)};
  if (context.json)
    print_diff_json(context, checked, arguments);
  else if (checked.changed() || arguments.all)
    arguments.markdown ? print_markdown(checked, arguments) : print_text(checked, arguments);
  if (auto known = check_known(checked, arguments); !known) return fail(kFailed, known.error().message);
  return checked.exceeded() ? kFailed : kDone;
}

}  // namespace

void add_diff(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand(
      "diff",
      "Compare two recordings, traces or plans, with the tensors, call sites and nodes that explain each change");
  auto arguments = std::make_shared<DiffArguments>();
  const char* const kinds = "recording, trace, model file, zoo:NAME or CSV of intervals";
  command->add_option("a", arguments->a, fmt::format("The baseline: {}", kinds))->required();
  command->add_option("b", arguments->b, fmt::format("The new one: {}", kinds))->required();
  command
      ->add_option(
          "--fail-on", arguments->limits,
          "Limits of growth, separated by commas: METRIC+AMOUNT in %, bytes (64MiB) or time (1ms); the metrics "
          "are peak, reserved, arena, node-time and run-time. Exit status 1 if one is exceeded")
      ->capture_default_str();
  command->add_flag("--all", arguments->all, "Print all metrics, and print them if nothing changed");
  command->add_option("--top", arguments->top, "Largest contributions printed per metric")->capture_default_str();
  command->add_flag("--markdown", arguments->markdown, "Print Markdown tables, such as for a pull request");
  add_planning_arguments(*command, arguments->planning);
  command->add_flag("--json", context.json, "Print one JSON object");
  add_allow_unknown(*command, context, "a part of a file is missing from the comparison");
  command->callback([&, arguments, command] {
    arguments->limits_given = command->get_option("--fail-on")->count() > 0;
    body = [&, arguments] { return diff(context, *arguments); };
  });
}

}  // namespace arenascope::cli
