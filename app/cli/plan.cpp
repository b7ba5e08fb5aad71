// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli plan: arena size, lower bound, ratio and seconds, for a model's graph or a CSV of intervals.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include <arenascope/base/checked.h>
#include <arenascope/planner/check.h>
#include <arenascope/planner/csv.h>
#include <arenascope/planner/why.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/fusion_report.h"
#include "app/cli/model_options.h"
#include "app/cli/plan_moves.h"
#include "app/cli/plan_spread.h"
#include "app/cli/plan_watch.h"
#include "app/cli/plan_what_if.h"
#include "app/common/format.h"
#include "app/common/recorded_lifetimes.h"

namespace arenascope::cli {
namespace {

struct PlanArguments {
  ModelArguments model;
  std::string planner = "search", order = "depth-first", export_file, space;
  std::vector<std::string> why;  // two buffers
  std::optional<int64_t> capacity;
  int64_t alignment = 64;
  double budget = 1.0;
  int threads = 0;
  std::string watch, moves, weight_paths, banks;
  int streams = 1;
  std::optional<double> watch_seconds;
  int graph = -1;  // of a recording
  bool order_is_told = false;
  bool in_place = false, fuse = false, join = true, what_if = false, keep_outputs = true;
};

struct Row {
  std::string planner, order;
  planner::Problem problem;
  planner::Plan plan;
  std::vector<NodeId> sequence;  // of a model: the order itself
};

std::vector<const planner::Planner*> chosen_planners(const std::string& name) {
  std::vector<const planner::Planner*> out;
  if (name == "all") {
    for (const auto* p : planner::all_planners()) out.push_back(p);
  } else if (const auto* p = planner::find_planner(name)) {
    out.push_back(p);
  }
  return out;
}

std::vector<const OrderInfo*> chosen_orders(const std::string& name) {
  std::vector<const OrderInfo*> out;
  if (name == "all") {
    for (const OrderInfo& o : all_orders()) out.push_back(&o);
  } else if (const OrderInfo* o = find_order(name)) {
    out.push_back(o);
  }
  return out;
}

std::string all_names() {
  std::string text = "planners are all";
  for (const auto* p : planner::all_planners()) text += fmt::format(", {}", p->name());
  text += "; orders are all";
  for (const OrderInfo& o : all_orders()) text += fmt::format(", {}", o.name);
  return text;
}

Status add_rows(std::vector<Row>& rows, const planner::Problem& problem, const std::string& order,
                const std::vector<const planner::Planner*>& planners, const planner::Options& options) {
  for (const auto* planner : planners) {
    auto plan = planner->plan(problem, options);
    if (!plan) return plan.error();
    if (auto ok = planner::check(problem, *plan); !ok)
      return Error{fmt::format("the plan of {} is wrong: {}", planner->name(), ok.error().message)};
    rows.push_back({std::string(planner->name()), order, problem, std::move(*plan), {}});
  }
  return {};
}

Result<app::RecordedLifetimes> lifetimes_in(const std::string& file, const std::string& space) {
  trace::Session session;
  if (auto read = trace::open_trace(file, session); !read) return read.error();
  auto lifetimes = app::recorded_lifetimes(*session.snapshot(), space);
  if (!lifetimes) return Error{fmt::format("{}: {}", file, lifetimes.error().message)};
  return lifetimes;
}

// What is planned, and the plans.
struct Plans {
  std::string name;
  models::Model model;                             // none of intervals
  std::optional<app::RecordedLifetimes> recorded;  // of a recording
  std::vector<const planner::Planner*> planners;
  std::vector<const OrderInfo*> orders;
  planner::Options options;
  MemoryPlanOptions plan_options;
  WeightPaths paths;  // that were put into the model's graph
  std::vector<Row> rows;

  const Row& best() const {
    return *std::min_element(rows.begin(), rows.end(),
                             [](const Row& a, const Row& b) { return a.plan.arena_bytes < b.plan.arena_bytes; });
  }
};

// What --watch plans.
int watch(const Context& context, const PlanArguments& arguments, const Plans& plans) {
  if (!arguments.model.model.empty()) return fail(kUsage, "--watch takes a folder in place of a model");
  if (plans.planners.size() != 1) return fail(kUsage, "--watch plans by one planner");
  planner::Options options;
  options.threads = arguments.threads;
  options.budget_seconds = arguments.budget;
  return watch_folder(context,
                      {arguments.watch, plans.planners.front(), options, arguments.capacity, arguments.watch_seconds});
}

enum class Given : uint8_t { Model, Csv, Recording };

Given given(const PlanArguments& arguments) {
  const std::filesystem::path file = arguments.model.model;
  if (file.extension() == ".csv") return Given::Csv;
  return app::is_recording(file) ? Given::Recording : Given::Model;
}

Status check_arguments(const PlanArguments& arguments) {
  if (arguments.model.model.empty()) return Error{"model is required, or --watch"};
  if (arguments.graph >= 0 && given(arguments) != Given::Recording) return Error{"--graph needs a recording"};
  if (arguments.what_if && given(arguments) != Given::Model) return Error{"--what-if needs a model, not intervals"};
  const bool spread = arguments.streams != 1 || !arguments.banks.empty();
  if ((spread || !arguments.moves.empty() || !arguments.weight_paths.empty()) && given(arguments) != Given::Model)
    return Error{"--moves, --weight-paths, --streams and --banks need a model, not intervals"};
  if (arguments.streams != 1 && !arguments.banks.empty()) return Error{"--streams or --banks, not both"};
  if (arguments.what_if && !arguments.capacity) return Error{"--what-if needs a --capacity"};
  if (arguments.alignment < 1 || !is_power_of_two(static_cast<uint64_t>(arguments.alignment)))
    return Error{fmt::format("an alignment of {} is no power of two", arguments.alignment)};
  return {};
}

Status plan_csv(const PlanArguments& arguments, Plans& plans, Progress& progress) {
  progress.phase("planning");
  auto problem = planner::read_csv_file(arguments.model.model);
  if (!problem) return problem.error();
  problem->capacity = arguments.capacity;
  plans.options.budget_seconds = arguments.budget;
  plans.name = std::filesystem::path(arguments.model.model).stem();
  if (auto ok = add_rows(plans.rows, *problem, "given", plans.planners, plans.options); !ok)
    return Error{fmt::format("{}: {}", arguments.model.model, ok.error().message)};
  return {};
}

Status plan_recording(const PlanArguments& arguments, Plans& plans, Progress& progress) {
  progress.phase("reading");
  auto lifetimes = lifetimes_in(arguments.model.model, arguments.space);
  if (!lifetimes) return lifetimes.error();
  plans.recorded = std::move(*lifetimes);
  planner::Problem& problem = plans.recorded->problem;
  problem.alignment = arguments.alignment;
  problem.capacity = arguments.capacity;
  plans.options.budget_seconds = arguments.budget;
  plans.name = plans.recorded->space;
  progress.phase("planning");
  if (auto ok = add_rows(plans.rows, problem, "recorded", plans.planners, plans.options); !ok)
    return Error{fmt::format("{}: {}", arguments.model.model, ok.error().message)};
  return {};
}

void set_plan_options(const PlanArguments& arguments, Plans& plans) {
  plans.plan_options.alignment = arguments.alignment;
  plans.plan_options.in_place = arguments.in_place;
  plans.plan_options.join = arguments.join;
  plans.plan_options.keep_outputs = arguments.keep_outputs;
  plans.plan_options.capacity = arguments.capacity;
}

// One order by all planners.
Status plan_order(const OrderInfo& order, const PlanArguments& arguments, Plans& plans, Progress& progress) {
  progress.phase(fmt::format("order {}", order.name));
  OrderOptions order_options;
  order_options.budget_seconds = plans.options.budget_seconds;
  order_options.keep_outputs = arguments.keep_outputs;
  auto sequence = order.make(plans.model.graph, order_options);
  if (!sequence) return sequence.error();
  if (auto ok = check_order(plans.model.graph, *sequence); !ok) return ok;
  progress.phase(fmt::format("planning {}", order.name));
  plans.plan_options.planner = plans.options;
  for (const auto* planner : plans.planners) {
    auto planned = plan_intervals(plans.model.graph, *sequence, *planner, plans.plan_options);
    if (!planned) return planned.error();
    name_intervals(planned->intervals, plans.model.graph);
    plans.rows.push_back({std::string(planner->name()), order.name, std::move(planned->intervals.problem),
                          std::move(planned->plan), *sequence});
  }
  return {};
}

// A graph that was recorded: as its program has planned it, and by orders where they are told or it has not.
Status plan_recorded_graph(const PlanArguments& arguments, Plans& plans, Progress& progress) {
  progress.phase("reading");
  trace::Session session;
  if (auto read = trace::open_trace(arguments.model.model, session); !read) return read.error();
  const auto snapshot = session.snapshot();
  const auto number = static_cast<size_t>(arguments.graph);
  if (number >= snapshot->graphs.size())
    return Error{fmt::format("{}: there is no graph {} in it; it has {}, from 0 on", arguments.model.model,
                             arguments.graph, snapshot->graphs.size())};
  const trace::GraphInfo& graph = *snapshot->graphs[number];
  plans.name = graph.model;
  plans.options.budget_seconds = arguments.budget;
  const trace::PlanInfo* own = nullptr;
  for (const auto& plan : snapshot->plans)
    if (plan->graph == graph.id && !plan->slices.empty()) own = plan.get();
  progress.phase("planning");
  if (own != nullptr) {
    plans.recorded = app::recorded_lifetimes(graph, *own);
    planner::Problem& problem = plans.recorded->problem;
    problem.alignment = arguments.alignment;
    problem.capacity = arguments.capacity;
    if (auto ok = add_rows(plans.rows, problem, "recorded", plans.planners, plans.options); !ok)
      return Error{fmt::format("{}: {}", arguments.model.model, ok.error().message)};
    if (!arguments.order_is_told) return {};
  }
  auto restored = restore_graph(graph);
  if (!restored) return Error{fmt::format("{}: {}", arguments.model.model, restored.error().message)};
  plans.model.graph = std::move(*restored);
  set_plan_options(arguments, plans);
  for (const OrderInfo* order : plans.orders)
    if (auto ok = plan_order(*order, arguments, plans, progress); !ok) return ok;
  return {};
}

// kDone, or the status of what was said.
int plan_model(const PlanArguments& arguments, Plans& plans, Progress& progress) {
  auto open = arguments.model.options();
  if (!open) return fail(kUsage, open.error().message);
  progress.phase("opening");
  auto opened = models::open_model(arguments.model.model, *open);
  if (!opened) return fail(kUsage, opened.error().message);
  models::Model& model = plans.model = std::move(*opened);
  if (!model.graph.defined())
    return fail(kFailed, fmt::format("{} cannot be planned: {}", arguments.model.model,
                                     model.problems.empty() ? "it has no graph" : model.problems.front()));
  plans.name = model.name;
  if (!arguments.weight_paths.empty()) {
    auto options = parse_weight_paths(arguments.weight_paths);
    if (!options) return fail(kUsage, options.error().message);
    auto paths = add_weight_paths(model.graph, *options);
    if (!paths) return fail(kFailed, paths.error().message);
    plans.paths = std::move(*paths);
    model.graph = plans.paths.graph;
  }
  if (arguments.fuse) {
    auto fused = fuse_for(model.graph, "cpu");
    if (!fused) return fail(kFailed, fused.error().message);
    model.graph = fused->graph;
  }
  set_plan_options(arguments, plans);
  if (!arguments.moves.empty()) return kDone;
  for (const OrderInfo* order : plans.orders)
    if (auto ok = plan_order(*order, arguments, plans, progress); !ok) return fail(kFailed, ok.error().message);
  return kDone;
}

// As plan_model().
int make_plans(const PlanArguments& arguments, Plans& plans, Progress& progress) {
  const Given what = given(arguments);
  if (what == Given::Model) return plan_model(arguments, plans, progress);
  const Status ok = what == Given::Csv     ? plan_csv(arguments, plans, progress)
                    : arguments.graph >= 0 ? plan_recorded_graph(arguments, plans, progress)
                                           : plan_recording(arguments, plans, progress);
  return ok.ok() ? kDone : fail(kUsage, ok.error().message);
}

int explain(const Context& context, const PlanArguments& arguments, const Plans& plans) {
  const Row& best = plans.best();
  auto a = planner::find_interval(best.problem, arguments.why[0]);
  auto b = planner::find_interval(best.problem, arguments.why[1]);
  if (!a || !b) return fail(kUsage, fmt::format("{}: {}", arguments.model.model, (a ? b : a).error().message));
  const std::string why = planner::why_not_there(best.problem, best.plan, *a, *b);
  if (context.json)
    print_json({{"model", plans.name}, {"a", arguments.why[0]}, {"b", arguments.why[1]}, {"why", why}});
  else
    fmt::print("{}\n", why);
  return kDone;
}

void print_plans_json(const Plans& plans) {
  Json results = Json::array();
  for (const Row& row : plans.rows)
    results.push_back({{"planner", row.planner},
                       {"order", row.order},
                       {"arena_bytes", row.plan.arena_bytes},
                       {"lower_bound_bytes", row.plan.lower_bound},
                       {"ratio", row.plan.ratio()},
                       {"seconds", row.plan.seconds},
                       {"optimal", row.plan.optimal}});
  Json object{{"model", plans.name},
              {"buffers", plans.rows.front().problem.size()},
              {"lower_bound_bytes", plans.best().plan.lower_bound},
              {"results", results}};
  if (plans.recorded) {
    object["recorded_peak_bytes"] = plans.recorded->live_peak;
    object["recorded_reserved_bytes"] = plans.recorded->reserved_peak;
  }
  print_json(object);
}

void print_plans(const Plans& plans) {
  if (const auto& recorded = plans.recorded)
    fmt::print("recorded: {} live at most{}\n", app::format_bytes(recorded->live_peak),
               recorded->reserved_peak > 0 ? fmt::format(", {} reserved", app::format_bytes(recorded->reserved_peak))
                                           : std::string());
  fmt::print("{}: {} buffers\n{:<31} {:<18} {:>12} {:>12} {:>8} {:>10}\n", plans.name,
             plans.rows.front().problem.size(), "planner", "order", "arena", "bound", "ratio", "seconds");
  const Row* const best = &plans.best();
  for (const Row& row : plans.rows)
    fmt::print("{:<31} {:<18} {:>12} {:>12} {:>8.4f} {:>10.4f}{}{}\n", row.planner, row.order,
               app::format_bytes(row.plan.arena_bytes), app::format_bytes(row.plan.lower_bound), row.plan.ratio(),
               row.plan.seconds, row.plan.optimal ? " optimal" : "", &row == best && plans.rows.size() > 1 ? " *" : "");
  fmt::print("{}", assumptions(plans.model));
}

int make_plan(const Context& context, const PlanArguments& arguments) {
  Plans plans;
  plans.planners = chosen_planners(arguments.planner);
  plans.orders = chosen_orders(arguments.order);
  if (plans.planners.empty())
    return fail(kUsage, fmt::format("there is no planner '{}'; {}", arguments.planner, all_names()));
  if (plans.orders.empty())
    return fail(kUsage, fmt::format("there is no order '{}'; {}", arguments.order, all_names()));
  const std::optional<Bytes> capacity = arguments.capacity;
  if (capacity && *capacity < 0) return fail(kUsage, fmt::format("a capacity of {} bytes", *capacity));
  if (!arguments.watch.empty()) return watch(context, arguments, plans);
  if (auto ok = check_arguments(arguments); !ok) return fail(kUsage, ok.error().message);
  // One budget for everything that searches: with several orders each has its part.
  plans.options.threads = arguments.threads;
  plans.options.budget_seconds = arguments.budget / static_cast<double>(plans.orders.size());
  Progress progress;
  if (const int status = make_plans(arguments, plans, progress); status != kDone) return status;
  if (!arguments.moves.empty())
    return plan_moves(context, plans.model, {arguments.moves, arguments.budget, arguments.keep_outputs, plans.paths});
  const Row& best = plans.best();
  if (arguments.streams != 1 || !arguments.banks.empty()) {
    plans.plan_options.planner = plans.options;
    return plan_spread(
        context, plans.model,
        {best.planner, best.order, best.sequence, plans.plan_options, arguments.streams, arguments.banks});
  }
  if (arguments.what_if && best.plan.arena_bytes > *capacity) {
    progress.phase("what if");
    return plan_what_if(context, plans.model,
                        {best.planner, best.order, best.sequence, plans.plan_options, plans.options, *capacity,
                         arguments.export_file, arguments.fuse});
  }
  if (!arguments.export_file.empty())
    if (auto ok = export_plan(arguments.export_file, best.problem, best.plan); !ok)
      return fail(kFailed, ok.error().message);
  if (!arguments.why.empty()) return explain(context, arguments, plans);
  context.json ? print_plans_json(plans) : print_plans(plans);
  if (capacity && best.plan.arena_bytes > *capacity)
    return fail(kFailed, fmt::format("{}: the best plan needs {} bytes, the capacity is {}{}", arguments.model.model,
                                     best.plan.arena_bytes, *capacity,
                                     best.plan.lower_bound > *capacity ? ", which is below what any plan needs" : ""));
  return kDone;
}

void add_recorded_options(CLI::App& command, PlanArguments& a) {
  command.add_option("--space", a.space,
                     "Of a recording: whose allocations; the one with the highest peak unless told");
  command
      .add_option("--graph", a.graph,
                  "Of a recording: plan the tensors of this graph, counted from 0, as its program does; by orders "
                  "too where --order is told")
      ->check(CLI::NonNegativeNumber);
}
}  // namespace

void add_plan(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("plan", "Arena size, lower bound, ratio and seconds of plans");
  auto a = std::make_shared<PlanArguments>();
  add_model_arguments(*command, a->model);
  command->get_option("model")
      ->description(
          "A model as everywhere, a CSV of intervals (id, lower, upper, size), or a recording or trace of a program")
      ->required(false);
  command->add_option("--planner", a->planner, "A planner's name, or all")->capture_default_str();
  command->add_option("--order", a->order, "An order's name, or all")->capture_default_str();
  add_recorded_options(*command, *a);
  command->add_option("--capacity", a->capacity, "Bytes to fit in: a search stops when it is met");
  command->add_option("--budget", a->budget, "Seconds for what searches")->capture_default_str()->check(seconds());
  command->add_option("--alignment", a->alignment, "Of every buffer, in bytes")->capture_default_str();
  command->add_option("--threads", a->threads, "For planners that use several; 0: all processors")
      ->check(CLI::Range(0, 1024));
  command->add_option("--weight-paths", a->weight_paths,
                      "Plan the graph as CANN GE has it, weights passing through casts to their products and gradients "
                      "reduced behind the last: cast, cast-shared, trans-data or trans-data-shared");
  command->add_option("--moves", a->moves,
                      "GE's topological optimisation of this order, move by move, and what the peak is made of");
  command->add_option("--streams", a->streams,
                      "Over so many queues: results share bytes only behind an event between them");
  command->add_option(
      "--banks", a->banks,
      "Over several memories, the fastest first: NAME=BYTES,…, with K, M or G; the last may be NAME alone");
  command->add_flag("--in-place", a->in_place, "Let an op take over its input's bytes at their last use");
  command->add_flag("--fuse", a->fuse, "Plan the graph in which the CPU backend has fused chains of ops");
  command->add_flag("!--no-join", a->join,
                    "Concatenations copy their inputs, rather than these being laid next to each other");
  command->add_flag("!--free-outputs", a->keep_outputs,
                    "Outputs, gradients too, live to their last reader only, as where each is used up at once");
  command->add_option("--watch", a->watch, "A folder: each NAME.csv that comes in gets a NAME.plan.csv beside it");
  command->add_option("--watch-seconds", a->watch_seconds, "How long; 0: what is there now. Else until interrupted")
      ->check(seconds());
  command->add_flag("--what-if", a->what_if,
                    "Where nothing fits the capacity: ops in place, another order, fused chains, then which tensors to "
                    "rematerialise or to offload to the host");
  command->add_option("--why", a->why, "A B: why buffer A does not lie where B lies, in a sentence")->expected(2);
  command->add_option("--export", a->export_file, "Write the smallest plan to a .json or .csv file");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer([] { return all_names(); });
  command->callback([&, a, command] {
    a->order_is_told = command->get_option("--order")->count() > 0;
    body = [&, a] { return make_plan(context, *a); };
  });
}

}  // namespace arenascope::cli
