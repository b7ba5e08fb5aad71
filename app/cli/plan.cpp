// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli plan: plans the memory of a model's graph, a CSV of intervals or a recording.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include <arenascope/base/checked.h>
#include <arenascope/graph/provenance.h>
#include <arenascope/planner/check.h>
#include <arenascope/planner/csv.h>
#include <arenascope/planner/explain.h>
#include <arenascope/planner/rule_planner.h>
#include <arenascope/run/transform_model.h>
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
#include "app/common/left_out.h"
#include "app/common/recorded_lifetimes.h"
#include "app/common/trace_open_options.h"

namespace arenascope::cli {
namespace {

struct PlanArguments {
  ModelArguments model;
  BackendArguments backend;
  app::OptionValues values;
  std::string planner = "search", order = "depth-first", export_file, space;
  std::vector<std::string> why;  // names of two buffers
  std::optional<int64_t> capacity;
  std::optional<int64_t> alignment;
  std::string rule, watch, moves, weight_paths, banks;
  int streams = 1;
  std::optional<double> watch_seconds;
  int graph = -1;  // index in a recording
  bool order_given = false;
  bool join = true, what_if = false, keep_outputs = true;
};

constexpr int64_t kRecordedAlignment = 64;  // default alignment of the buffers of a recording

struct Row {
  std::string planner, order;
  planner::Problem problem;
  planner::Plan plan;
  std::vector<NodeId> sequence;  // for a model: the execution order
};

const Row& smallest(const std::vector<Row>& rows) {
  return *std::min_element(rows.begin(), rows.end(),
                           [](const Row& a, const Row& b) { return a.plan.arena_bytes < b.plan.arena_bytes; });
}

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
  std::string text = "available planners: all";
  for (const auto* p : planner::all_planners()) text += fmt::format(", {}", p->name());
  text += "; available orders: all";
  for (const OrderInfo& o : all_orders()) text += fmt::format(", {}", o.name);
  return text;
}

Status add_rows(std::vector<Row>& rows, const planner::Problem& problem, const std::string& order,
                const std::vector<const planner::Planner*>& planners, const planner::Options& options) {
  for (const auto* planner : planners) {
    auto plan = planner->plan(problem, options);
    if (!plan) return plan.error();
    if (auto ok = planner::check(problem, *plan); !ok)
      return Error{fmt::format("planner {} returned an invalid plan: {}", planner->name(), ok.error().message)};
    rows.push_back({std::string(planner->name()), order, problem, std::move(*plan), {}});
  }
  return {};
}

Result<app::RecordedLifetimes> lifetimes_in(const std::string& file, const std::string& space, std::string& left_out) {
  trace::Session session;
  if (auto read = trace::open_trace(file, session, app::trace_open_options()); !read) return read.error();
  const auto snapshot = session.snapshot();
  left_out = app::left_out(*snapshot, file);
  auto lifetimes = app::recorded_lifetimes(*snapshot, space);
  if (!lifetimes && snapshot->memory_events.empty() && !snapshot->graphs.empty())
    return Error{fmt::format("{}: the recording contains no allocations; plan one of its {} with --graph", file,
                             app::counted(std::ssize(snapshot->graphs), "graph"))};
  if (!lifetimes) return Error{fmt::format("{}: {}", file, lifetimes.error().message)};
  return lifetimes;
}

// The planned problem and its plans.
struct Plans {
  std::string name;
  RunnerOptions run;                               // as for `run`
  std::optional<Program> program;                  // transformed graph of a model
  models::Model model;                             // empty for intervals
  std::optional<app::RecordedLifetimes> recorded;  // index in a recording
  std::vector<const planner::Planner*> planners;
  std::shared_ptr<const planner::Planner> rule;  // one of them, if it was given
  std::vector<const OrderInfo*> orders;
  planner::Options options;
  MemoryPlanOptions plan_options;
  WeightPaths paths;     // inserted into the model's graph
  std::string left_out;  // events of a recording that are missing
  std::vector<Row> rows;
  std::vector<Row> unpinned;  // plans without the fixed offsets, if intervals have any

  const Row& best() const { return smallest(rows); }
};

// Runs --watch.
int watch(const Context& context, const PlanArguments& arguments, const Plans& plans) {
  if (!arguments.model.model.empty()) return fail(kUsage, "--watch needs a directory instead of a model");
  if (plans.planners.size() != 1) return fail(kUsage, "--watch needs a single planner");
  return watch_folder(
      context, {arguments.watch, plans.planners.front(), plans.options, arguments.capacity, arguments.watch_seconds});
}

enum class Given : uint8_t { Model, Csv, Recording };

Given given(const PlanArguments& arguments) {
  const std::filesystem::path file = arguments.model.model;
  if (file.extension() == ".csv") return Given::Csv;
  return app::is_recording(file) ? Given::Recording : Given::Model;
}

Status check_arguments(const PlanArguments& arguments) {
  if (arguments.model.model.empty()) return Error{"a model or --watch is required"};
  if (arguments.graph >= 0 && given(arguments) != Given::Recording) return Error{"--graph needs a recording"};
  if (arguments.what_if && given(arguments) != Given::Model) return Error{"--what-if needs a model"};
  const bool spread = arguments.streams != 1 || !arguments.banks.empty();
  if ((spread || !arguments.moves.empty() || !arguments.weight_paths.empty()) && given(arguments) != Given::Model)
    return Error{"--moves, --weight-paths, --streams and --banks need a model"};
  if (arguments.streams != 1 && !arguments.banks.empty()) return Error{"--streams and --banks exclude each other"};
  if (arguments.what_if && !arguments.capacity) return Error{"--what-if needs --capacity"};
  if (const auto a = arguments.alignment; a && (*a < 1 || !is_power_of_two(static_cast<uint64_t>(*a))))
    return Error{fmt::format("--alignment: {} is not a power of two", *a)};
  return {};
}

Status plan_csv(const PlanArguments& arguments, Plans& plans, Progress& progress) {
  progress.phase("planning");
  auto problem = planner::read_csv_file(arguments.model.model);
  if (!problem) return problem.error();
  problem->capacity = arguments.capacity;
  plans.name = std::filesystem::path(arguments.model.model).stem();
  auto ok = add_rows(plans.rows, *problem, "given", plans.planners, plans.options);
  if (ok && planner::pinned(*problem) > 0)
    ok = add_rows(plans.unpinned, planner::unpinned(*problem), "given", plans.planners, plans.options);
  if (!ok) return Error{fmt::format("{}: {}", arguments.model.model, ok.error().message)};
  return {};
}

Status plan_recording(const PlanArguments& arguments, Plans& plans, Progress& progress) {
  progress.phase("reading");
  auto lifetimes = lifetimes_in(arguments.model.model, arguments.space, plans.left_out);
  if (!lifetimes) return lifetimes.error();
  plans.recorded = std::move(*lifetimes);
  planner::Problem& problem = plans.recorded->problem;
  problem.alignment = arguments.alignment.value_or(kRecordedAlignment);
  problem.capacity = arguments.capacity;
  plans.name = plans.recorded->space;
  progress.phase("planning");
  if (auto ok = add_rows(plans.rows, problem, "recorded", plans.planners, plans.options); !ok)
    return Error{fmt::format("{}: {}", arguments.model.model, ok.error().message)};
  return {};
}

void set_plan_options(const PlanArguments& arguments, Plans& plans, int64_t alignment) {
  plans.plan_options.alignment = arguments.alignment.value_or(alignment);
  plans.plan_options.in_place = plans.run.in_place;
  plans.plan_options.join = arguments.join;
  plans.plan_options.keep_outputs = arguments.keep_outputs;
  plans.plan_options.capacity = arguments.capacity;
}

OrderOptions ordering(const PlanArguments& arguments, const Plans& plans) {
  OrderOptions out = order_options(plans.run);
  out.keep_outputs = arguments.keep_outputs;
  return out;
}

// Plans one order with all planners.
Status plan_order(const OrderInfo& order, const PlanArguments& arguments, Plans& plans, Progress& progress) {
  progress.phase(fmt::format("order {}", order.name));
  auto sequence = order.make(plans.model.graph, ordering(arguments, plans));
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

// Other orders are planned from the graph, whose inputs are outside of the arena. Empty: the plan places no inputs.
std::string missing_leafs(const trace::PlanInfo& plan, const std::string& file) {
  int64_t count = 0;
  Bytes bytes = 0;
  for (const trace::SliceInfo& slice : plan.slices)
    if (slice.tensor.is_leaf() && slice.placement == trace::Placement::Arena) ++count, bytes += slice.size;
  if (count == 0) return "";
  return fmt::format("{}: the plans in other orders lack {} of {} that the program places in its arena", file,
                     app::counted(count, "input"), app::format_bytes(bytes));
}

// Plans a recorded graph in the order of its program, and in the given orders or if the program has no plan.
Status plan_recorded_graph(const PlanArguments& arguments, Plans& plans, Progress& progress) {
  progress.phase("reading");
  trace::Session session;
  if (auto read = trace::open_trace(arguments.model.model, session, app::trace_open_options()); !read)
    return read.error();
  const auto snapshot = session.snapshot();
  const auto number = static_cast<size_t>(arguments.graph);
  if (number >= snapshot->graphs.size())
    return Error{fmt::format("{}: no graph {}; the recording has {}, counted from 0", arguments.model.model,
                             arguments.graph, snapshot->graphs.size())};
  const trace::GraphInfo& graph = *snapshot->graphs[number];
  plans.name = graph.model;
  const trace::PlanInfo* own = nullptr;
  for (const auto& plan : snapshot->plans)
    if (plan->graph == graph.id && !plan->slices.empty()) own = plan.get();
  const Bytes alignment = own != nullptr && own->alignment > 0 ? own->alignment : kRecordedAlignment;
  progress.phase("planning");
  if (own != nullptr) {
    plans.recorded = app::recorded_lifetimes(graph, *own);
    planner::Problem& problem = plans.recorded->problem;
    problem.alignment = arguments.alignment.value_or(alignment);
    problem.capacity = arguments.capacity;
    if (auto ok = add_rows(plans.rows, problem, "recorded", plans.planners, plans.options); !ok)
      return Error{fmt::format("{}: {}", arguments.model.model, ok.error().message)};
    if (!arguments.order_given) return {};
    plans.left_out = missing_leafs(*own, arguments.model.model);
  }
  auto restored = restore_graph(graph);
  if (!restored) return Error{fmt::format("{}: {}", arguments.model.model, restored.error().message)};
  plans.model.graph = std::move(*restored);
  set_plan_options(arguments, plans, alignment);
  for (const OrderInfo* order : plans.orders)
    if (auto ok = plan_order(*order, arguments, plans, progress); !ok) return ok;
  return {};
}

// Replaces the model's graph by the one that `run` plans. The forms of GE are inserted into the graph as written.
Status transform(const PlanArguments& arguments, Plans& plans) {
  if (!arguments.weight_paths.empty() || !arguments.moves.empty()) plans.run.fuse = plans.run.rewrite = false;
  plans.run.alignment = arguments.alignment.value_or(0);
  auto devices = devices_of(plans.run);
  if (!devices) return devices.error();
  auto program = transform_model(plans.model, *devices, plans.run);
  if (!program) return program.error();
  plans.program = std::move(*program);
  plans.model.graph = plans.program->transformed;
  set_plan_options(arguments, plans, plans.program->backend->alignment());
  return {};
}

// kDone, or the exit status of a reported error.
int plan_model(const PlanArguments& arguments, Plans& plans, Progress& progress) {
  progress.phase("opening");
  auto opened = models::open_model(arguments.model.model, plans.run.open);
  if (!opened) return fail(kUsage, opened.error().message);
  models::Model& model = plans.model = std::move(*opened);
  if (!model.graph.defined())
    return fail(kFailed, fmt::format("{} cannot be planned: {}", arguments.model.model,
                                     model.problems.empty() ? "no graph" : model.problems.front()));
  plans.name = model.name;
  if (!arguments.weight_paths.empty()) {
    auto options = parse_weight_paths(arguments.weight_paths);
    if (!options) return fail(kUsage, options.error().message);
    auto paths = add_weight_paths(model.graph, *options);
    if (!paths) return fail(kFailed, paths.error().message);
    plans.paths = std::move(*paths);
    model.graph = plans.paths.graph;
  }
  if (auto ok = transform(arguments, plans); !ok) return fail(kFailed, ok.error().message);
  if (!arguments.moves.empty()) return kDone;
  for (const OrderInfo* order : plans.orders)
    if (auto ok = plan_order(*order, arguments, plans, progress); !ok) return fail(kFailed, ok.error().message);
  return kDone;
}

// Same result as plan_model().
int make_plans(const PlanArguments& arguments, Plans& plans, Progress& progress) {
  const Given what = given(arguments);
  if (what == Given::Model) return plan_model(arguments, plans, progress);
  const Status ok = what == Given::Csv     ? plan_csv(arguments, plans, progress)
                    : arguments.graph >= 0 ? plan_recorded_graph(arguments, plans, progress)
                                           : plan_recording(arguments, plans, progress);
  return ok.ok() ? kDone : fail(kUsage, ok.error().message);
}

// A buffer by its name, or by that of the node of the model's file whose result it holds.
Result<size_t> find_buffer(const Plans& plans, const std::string& name) {
  const planner::Problem& problem = plans.best().problem;
  auto found = planner::find_interval(problem, name);
  if (found || !plans.model.graph.defined()) return found;
  for (const TensorImpl* node : plans.model.graph.nodes())
    for (const auto& file_node : file_nodes_of(*node))
      if (file_node->name == name)
        if (auto of_node = planner::find_interval(problem, std::string_view(node->name))) found = of_node;
  return found;
}

int explain(const Context& context, const PlanArguments& arguments, const Plans& plans) {
  const Row& best = plans.best();
  auto a = find_buffer(plans, arguments.why[0]);
  auto b = find_buffer(plans, arguments.why[1]);
  if (!a || !b) return fail(kUsage, fmt::format("{}: {}", arguments.model.model, (a ? b : a).error().message));
  const std::string why = planner::explain_placement(best.problem, best.plan, *a, *b);
  if (context.json)
    print_json(context, {{"model", plans.name}, {"a", arguments.why[0]}, {"b", arguments.why[1]}, {"why", why}});
  else
    cli::print("{}\n", why);
  return kDone;
}

Json rows_json(const std::vector<Row>& rows) {
  Json results = Json::array();
  for (const Row& row : rows)
    results.push_back({{"planner", row.planner},
                       {"order", row.order},
                       {"arena_bytes", row.plan.arena_bytes},
                       {"lower_bound_bytes", row.plan.lower_bound},
                       {"ratio", row.plan.ratio()},
                       {"seconds", row.plan.seconds},
                       {"optimal", row.plan.optimal}});
  return results;
}

void print_plans_json(const Context& context, const Plans& plans) {
  Json object{{"model", plans.name}};
  if (plans.program) object["graph"] = graph_json(*plans.program, plans.run.backend);
  object.update(Json{{"buffers", plans.rows.front().problem.size()},
                     {"lower_bound_bytes", plans.best().plan.lower_bound},
                     {"results", rows_json(plans.rows)}});
  if (!plans.unpinned.empty()) {
    object["pinned_buffers"] = planner::pinned(plans.rows.front().problem);
    object["unpinned_results"] = rows_json(plans.unpinned);
  }
  if (plans.recorded) {
    object["recorded_peak_bytes"] = plans.recorded->live_peak;
    object["recorded_reserved_bytes"] =
        plans.recorded->reserved_peak > 0 ? Json(plans.recorded->reserved_peak) : Json();  // null: not recorded
  }
  if (!plans.model.unsupported.empty()) object["unsupported"] = plans.model.unsupported;
  if (!plans.model.problems.empty()) object["problems"] = plans.model.problems;
  if (!plans.model.unknown_sizes.empty()) object["unknown_sizes"] = plans.model.unknown_sizes;
  if (plans.model.deferred) object["deferred_nodes"] = plans.model.deferred->node_count;
  for (const models::FreeDimension& free : plans.model.free_dimensions)
    if (!free.specified) object["assumed_dimensions"][free.key()] = free.size;
  if (!plans.model.assumed_values.empty()) object["assumed_values"] = plans.model.assumed_values;
  print_json(context, object);
}

// The smallest of several plans is marked.
void print_rows(const std::vector<Row>& rows) {
  const Row* const best = &smallest(rows);
  for (const Row& row : rows)
    cli::print("{:<31} {:<18} {:>12} {:>12} {:>8.4f} {:>10.4f}{}{}\n", row.planner, row.order,
               app::format_bytes(row.plan.arena_bytes), app::format_bytes(row.plan.lower_bound), row.plan.ratio(),
               row.plan.seconds, row.plan.optimal ? " optimal" : "", &row == best && rows.size() > 1 ? " *" : "");
}

void print_plans(const Plans& plans) {
  if (const auto& recorded = plans.recorded)
    cli::print("recorded: live peak {}{}\n", app::format_bytes(recorded->live_peak),
               recorded->reserved_peak > 0
                   ? fmt::format(", reserved peak {}", app::format_bytes(recorded->reserved_peak))
                   : std::string(", reserved memory not recorded"));
  cli::print("{}: {} buffers{}\n{:<31} {:<18} {:>12} {:>12} {:>8} {:>10}\n", plans.name,
             plans.rows.front().problem.size(),
             plans.program ? ", " + graph_text(*plans.program, plans.run.backend) : "", "planner", "order", "arena",
             "lower bound", "ratio", "seconds");
  print_rows(plans.rows);
  if (!plans.unpinned.empty()) {
    const planner::Problem& problem = plans.rows.front().problem;
    cli::print("{} of {} buffers are pinned to the offset in the file; without these offsets:\n",
               planner::pinned(problem), problem.size());
    print_rows(plans.unpinned);
  }
  cli::print("{}", assumptions(plans.model));
  for (const auto& [op, count] : plans.model.unsupported) cli::print("not planned: {} × {}\n", count, op);
  for (const std::string& problem : plans.model.problems) cli::print("not planned: {}\n", problem);
  cli::print("{}", unknown_sizes_text(plans.model));
  if (plans.model.deferred)
    cli::print("not planned: {} deferred nodes, whose shapes are known at run time\n",
               plans.model.deferred->node_count);
}

// A plan of a part of the model is not an answer for the model: a CI check would pass because an operator is missing.
std::string incomplete_text(const PlanArguments& arguments, const Plans& plans) {
  if (given(arguments) != Given::Model) return plans.left_out;
  std::string missing = app::left_out(plans.model);
  if (missing.empty() && plans.model.deferred)
    missing = fmt::format("{} nodes are deferred to run time", plans.model.deferred->node_count);
  return missing.empty() ? missing : fmt::format("{}: the plan is incomplete: {}", arguments.model.model, missing);
}

// Prints the requested answer about the plans.
int answer(const Context& context, const PlanArguments& arguments, Plans& plans, Progress& progress) {
  if (!arguments.moves.empty())
    return plan_moves(context, plans.model, {arguments.moves, ordering(arguments, plans), plans.paths});
  const Row& best = plans.best();
  if (arguments.streams != 1 || !arguments.banks.empty()) {
    plans.plan_options.planner = plans.options;
    return plan_spread(
        context, plans.model,
        {best.planner, best.order, best.sequence, plans.plan_options, arguments.streams, arguments.banks});
  }
  const auto capacity = arguments.capacity;
  if (arguments.what_if && best.plan.arena_bytes > *capacity) {
    progress.phase("what if");
    return plan_what_if(context, plans.model,
                        {best.planner, best.order, best.sequence, plans.plan_options, plans.options, *capacity,
                         arguments.export_file, plans.run.fuse});
  }
  if (!arguments.export_file.empty())
    if (auto ok = export_plan(arguments.export_file, best.problem, best.plan); !ok)
      return fail(kFailed, ok.error().message);
  if (!arguments.why.empty()) return explain(context, arguments, plans);
  context.json ? print_plans_json(context, plans) : print_plans(plans);
  if (!capacity || best.plan.arena_bytes <= *capacity) return kDone;
  return fail(kFailed, fmt::format("{}: the best plan needs {} bytes, the capacity is {}{}", arguments.model.model,
                                   best.plan.arena_bytes, *capacity,
                                   best.plan.lower_bound > *capacity ? ", below the lower bound of any plan" : ""));
}

int make_plan(Context& context, const PlanArguments& arguments) {
  Plans plans;
  auto run = run_options_of({&arguments.model.values, &arguments.backend.values, &arguments.values});
  if (!run) return fail(kUsage, run.error().message);
  plans.run = std::move(*run);
  plans.planners = chosen_planners(arguments.planner);
  plans.orders = chosen_orders(arguments.order);
  if (plans.planners.empty())
    return fail(kUsage, fmt::format("unknown planner '{}'; {}", arguments.planner, all_names()));
  if (!arguments.rule.empty()) {
    auto rule = planner::rule_planner(arguments.rule);
    if (!rule) return fail(kUsage, "--rule: " + rule.error().message);
    plans.rule = std::move(*rule);
    plans.planners.push_back(plans.rule.get());
  }
  if (plans.orders.empty()) return fail(kUsage, fmt::format("unknown order '{}'; {}", arguments.order, all_names()));
  const std::optional<Bytes> capacity = arguments.capacity;
  if (capacity && *capacity < 0)
    return fail(kUsage, fmt::format("--capacity: {} is not a positive number of bytes", *capacity));
  plans.options = planner_options(plans.run);
  if (!arguments.watch.empty()) return watch(context, arguments, plans);
  if (auto ok = check_arguments(arguments); !ok) return fail(kUsage, ok.error().message);
  const std::filesystem::path inputs[] = {arguments.model.model};
  if (!arguments.export_file.empty())
    if (auto ok = OutputFile::check(arguments.export_file, inputs); !ok) return fail(kFailed, ok.error().message);
  // The budget is divided among all searches.
  const auto parts = static_cast<double>(plans.orders.size());
  plans.options.divide_budget(parts);
  plans.run.budget_seconds = plans.options.budget_seconds;
  plans.run.budget_steps = plans.options.budget_steps;
  Progress progress;
  if (const int status = make_plans(arguments, plans, progress); status != kDone) return status;
  context.incomplete = incomplete_text(arguments, plans);
  return answer(context, arguments, plans, progress);
}

void add_recorded_options(CLI::App& command, PlanArguments& a) {
  command.add_option("--space", a.space,
                     "Allocator space of a recording to plan; default: the one with the highest peak");
  command
      .add_option(
          "--graph", a.graph,
          "Index of the graph of a recording to plan, from 0, in the order of its program; with --order also in "
          "the given orders")
      ->check(CLI::NonNegativeNumber);
}
}  // namespace

void add_plan(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("plan", "Plan memory: arena size, lower bound, ratio and time of each plan");
  auto a = std::make_shared<PlanArguments>();
  add_model_arguments(*command, a->model);
  add_backend_arguments(*command, a->backend);
  command->get_option("model")
      ->description(
          "Model file, directory in the ONNX test-case layout, zoo:NAME, CSV of intervals (id, lower, upper, size), "
          "recording or trace")
      ->required(false);
  command->add_option("--planner", a->planner, "Planner name, or all")->capture_default_str();
  command->add_option("--rule", a->rule,
                      "Planner of your own to compare: sort keys and a fit, such as 'sort -size, first; fit tightest'");
  command->add_option("--order", a->order, "Order name, or all")->capture_default_str();
  add_recorded_options(*command, *a);
  command->add_option("--capacity", a->capacity, "Maximum arena size in bytes; searches stop once it is reached");
  add_run_options(*command, a->values,
                  {"budget", "budget-steps", "threads", "in-place", "rewrite", "fusion", "channels-last", "prefer"});
  command->add_option("--alignment", a->alignment,
                      "Alignment of every buffer in bytes; default: that of the backend, 64 for recordings");
  command->add_option("--weight-paths", a->weight_paths,
                      "Plan the graph in the form of CANN GE, with casts between weights and matmuls, and gradients "
                      "reduced after the last one: cast, cast-shared, trans-data or trans-data-shared");
  command->add_option(
      "--moves", a->moves,
      "Order to which GE's topological optimisation is applied, with each move and the composition of the peak");
  command->add_option("--streams", a->streams,
                      "Number of concurrent queues; tensors share memory across queues only after an event");
  command->add_option("--banks", a->banks,
                      "Memory tiers, fastest first: NAME=BYTES,… with K, M or G; the last may omit its size");
  command->add_flag("!--no-join", a->join,
                    "Copy the inputs of concatenations instead of placing them next to each other");
  command->add_flag("!--free-outputs", a->keep_outputs, "Free outputs and gradients after their last use");
  command->add_option("--watch", a->watch, "Directory to watch; each NAME.csv gets a NAME.plan.csv");
  command
      ->add_option("--watch-seconds", a->watch_seconds,
                   "Seconds to watch; 0: existing files only; default: until interrupted")
      ->check(seconds());
  command->add_flag("--what-if", a->what_if,
                    "If no plan fits the capacity, try in-place ops, other orders and fusion, then choose tensors to "
                    "rematerialise or offload to the host");
  command->add_option("--why", a->why, "A B: explain why buffer A cannot share the memory of B")->expected(2);
  command->add_option("--export", a->export_file, "Output file (.json or .csv) for the smallest plan");
  add_allow_unknown(*command, context, "some nodes of the model are not in the plan");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer([] { return all_names(); });
  command->callback([&, a, command] {
    a->order_given = command->get_option("--order")->count() > 0;
    body = [&, a] { return make_plan(context, *a); };
  });
}

}  // namespace arenascope::cli
