// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli run: runs a model and prints times per node and peak memory by kind.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <arenascope/base/step_number.h>
#include <arenascope/graph/provenance.h>
#include <arenascope/models/host_array.h>
#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>
#include <arenascope/tensor/floats.h>
#include <fmt/format.h>

#include <arenascope/run/runner.h>
#include "app/cli/cli.h"
#include "app/cli/deferred_report.h"
#include "app/cli/fusion_report.h"
#include "app/cli/interruption.h"
#include "app/cli/model_options.h"
#include "app/cli/recorded_file.h"
#include "app/common/format.h"

namespace arenascope::cli {
namespace {

using app::counted;

struct RunArguments {
  ModelArguments model;
  BackendArguments backend;
  app::OptionValues values;
  std::string record, output;
  int repeat = 1;
  bool no_node_times = false;
};

// Index of the fastest run, whose node times are reported.
size_t fastest(const std::vector<RunReport>& reports) {
  const auto least = std::min_element(reports.begin(), reports.end(), [](const RunReport& a, const RunReport& b) {
    return a.nanoseconds < b.nanoseconds;
  });
  return static_cast<size_t>(least - reports.begin());
}

std::string file_name(std::string text, const char* ending) {
  for (char& c : text)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  return text + ending;
}

// Before the run, so that its results are not lost because a folder is missing.
Status check_folder(const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{fmt::format("{}: the folder for the outputs could not be made: {}", folder, error.message())};
  return OutputFile::check(std::filesystem::path(folder) / ".arenascope");
}

std::vector<std::filesystem::path> input_files(const std::string& model, const RunnerOptions& options) {
  std::vector<std::filesystem::path> files{model};
  for (const auto& [name, file] : options.inputs) files.emplace_back(file);
  return files;
}

Result<Json> outputs(Runner& runner, const std::string& folder, const std::vector<std::filesystem::path>& inputs) {
  Json list = Json::array();
  for (const RunResult& result : runner.results()) {
    const auto& value = *result.value;
    Json entry{{"name", value.name},
               {"dtype", value.type_name()},
               {"shape", std::vector<int64_t>(value.tensor.sizes().begin(), value.tensor.sizes().end())}};
    const bool as_pb = value.strings || value.tensor.dtype() == DType::BF16;  // .npy has no such type
    const bool floating = info(value.tensor.dtype()).floating;
    Result<std::vector<std::byte>> bytes = std::vector<std::byte>();
    if (floating || !folder.empty()) bytes = result.read();
    if (!bytes) return bytes.error();
    if (floating) {
      const NonFinite found = count_non_finite(value.tensor.dtype(), *bytes);
      entry["nan"] = found.nan, entry["plus_inf"] = found.plus_inf, entry["minus_inf"] = found.minus_inf;
    }
    if (!folder.empty()) {
      const auto path = std::filesystem::path(folder) / file_name(value.name, as_pb ? ".pb" : ".npy");
      if (auto ok = OutputFile::check(path, inputs); !ok) return ok.error();
      auto storage = Storage::borrow(bytes->data(), static_cast<Bytes>(bytes->size()));
      if (!storage) return storage.error();
      auto host = Tensor::wrap(*storage, value.tensor.sizes(), value.tensor.dtype());
      if (!host) return host.error();
      const Status written = as_pb ? models::write_tensor_pb(path, value.name, *host, value.strings)
                                   : models::write_npy(path, *host, value.complex);
      if (!written.ok()) return written.error();
      entry["path"] = path.string();
    }
    list.push_back(std::move(entry));
  }
  return list;
}

// Sum over all devices on which the run allocated memory.
MemoryStats memory_of(Runner& runner, MemoryKind kind) {
  MemoryStats sum;
  for (const Device device : runner.context().devices()) {
    const MemoryStats stats = runner.context().stats(device, kind);
    sum += stats;
  }
  return sum;
}

// The chosen form of fusion and layout, and why faster ones were rejected.
void print_forms(const Program& program) {
  if (program.layout_candidates.empty()) return;
  const Bytes without = program.layout_candidates.back().arena_bytes;
  for (const LayoutCandidate& form : program.layout_candidates) {
    const double ratio = without > 0 ? double(form.arena_bytes) / double(without) : 1;
    if (form.chosen)
      cli::print("chosen: {}; arena {:.2f}x of the unfused graph\n", form.name, ratio);
    else if (&form != &program.layout_candidates.back())
      cli::print("rejected: {}; arena {:.2f}x of the unfused graph\n", form.name, ratio);
  }
}

// Convolutions whose weights were transformed for speed, and those that exceeded the memory limit.
void print_packing(const PackedWeights& packed) {
  if (packed.winograd.count > 0)
    cli::print("chosen: Winograd weights for {}, {} of additional memory\n",
               counted(packed.winograd.count, "convolution"), app::format_bytes(packed.winograd.more));
  if (packed.direct.count > 0)
    cli::print("rejected: Winograd weights for {}, {} of additional memory; the limit is 15 % of all weights\n",
               counted(packed.direct.count, "convolution"), app::format_bytes(packed.direct.more));
}

constexpr int64_t kShown = 12;  // elements printed per output

void print_strings(const models::ValueInfo& value, std::span<const std::byte> bytes) {
  const auto* indices = reinterpret_cast<const int64_t*>(bytes.data());
  const auto count = static_cast<int64_t>(bytes.size() / sizeof(int64_t));
  for (int64_t i = 0; i < std::min(count, kShown); ++i)
    cli::print("{}\n",
               Json(models::string_at(value.strings, indices[i])).dump(-1, ' ', false, Json::error_handler_t::replace));
  if (count > kShown) cli::print("… {} more\n", count - kShown);
}

void print_complex(std::span<const std::byte> bytes) {
  const auto* parts = reinterpret_cast<const float*>(bytes.data());
  const auto count = static_cast<int64_t>(bytes.size() / (2 * sizeof(float)));
  for (int64_t i = 0; i < std::min(count, kShown); ++i) cli::print("{:g}{:+g}i\n", parts[2 * i], parts[2 * i + 1]);
  if (count > kShown) cli::print("… {} more\n", count - kShown);
}

std::string element_text(const models::HostArray& array, size_t i) {
  if (array.floating()) return fmt::format("{:g}", array.floats[i]);
  if (array.dtype == DType::U64) return std::to_string(static_cast<uint64_t>(array.ints[i]));
  return std::to_string(array.ints[i]);
}

// One line per row.
void print_numbers(const models::ValueInfo& value, std::span<const std::byte> bytes) {
  const int64_t count = value.tensor->element_count(), shown = std::min(count, kShown);
  const auto first = models::HostArray::from_bytes(value.tensor.dtype(), {shown}, bytes.data());
  const int64_t row = std::max<int64_t>(value.tensor->rank() > 0 ? value.tensor.sizes().back() : 1, 1);
  for (int64_t i = 0; i < shown; ++i)
    cli::print("{}{}", element_text(first, static_cast<size_t>(i)), (i + 1) % row == 0 ? "\n" : " ");
  if (count > kShown) cli::print("… {} more\n", count - kShown);
}

// The first elements of each output.
void print_results(Runner& runner) {
  for (const RunResult& result : runner.results()) {
    const auto& value = *result.value;
    auto bytes = result.read();
    cli::print("\noutput {} {} {}\n", value.name, value.type_name(), to_string(value.tensor.sizes()));
    if (!bytes) continue;
    if (value.strings)
      print_strings(value, *bytes);
    else if (value.complex)
      print_complex(*bytes);
    else
      print_numbers(value, *bytes);
  }
}

// The slowest nodes of a timed run.
void print_node_times(const ExecutionPlan& plan, const std::vector<NodeTime>& nodes) {
  std::vector<size_t> by_time(nodes.size());
  for (size_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](size_t a, size_t b) { return nodes[a].nanoseconds > nodes[b].nanoseconds; });
  Nanoseconds sum = 0, waits = 0;
  int64_t untimed = 0;
  for (const NodeTime& node : nodes) {
    sum += node.nanoseconds.value_or(0), waits += node.barrier_wait_nanoseconds;
    untimed += node.nanoseconds ? 0 : 1;
  }
  cli::print("barrier wait: {} summed over all threads, of {} in nodes\n\n", app::format_nanoseconds(waits),
             app::format_nanoseconds(sum));
  if (untimed > 0)
    cli::print("{} without a time: the device computes them together with others and reports one time for all\n",
               counted(untimed, "node"));
  cli::print("{:>5} {:<16} {:<40} {:>10} {:>6} {:>10} {:>9}\n", "step", "op", "node", "time", "%", "wait", "GFLOP/s");
  for (size_t i = 0; i < std::min<size_t>(by_time.size(), 20); ++i) {
    const NodeTime& time = nodes[by_time[i]];
    const Nanoseconds own = time.nanoseconds.value_or(0);
    if (own == 0) break;
    const TensorImpl& node = plan.graph.node(plan.steps[by_time[i]].node);
    cli::print("{:>5} {:<16} {:<40.40} {:>10} {:>6.1f} {:>10} {:>9.2f}\n", step_number(Step(by_time[i])),
               ops_text(node), node.name, app::format_nanoseconds(own),
               100.0 * double(own) / double(std::max<Nanoseconds>(sum, 1)),
               app::format_nanoseconds(time.barrier_wait_nanoseconds), double(flops(node)) / double(own));
  }
}

void print_report(Runner& runner, const std::vector<RunReport>& reports) {
  const ExecutionPlan& plan = runner.plan();
  const RunReport& best = reports[fastest(reports)];
  const std::string of = reports.size() == 1 ? "one run" : fmt::format("the fastest of {} runs", reports.size());
  const bool has_deferred = runner.model().deferred != nullptr;
  cli::print("{} on {}: {}, {}{}\n", runner.model().name, counted(best.threads, "thread"),
             app::format_nanoseconds(best.nanoseconds), of, has_deferred ? ", including deferred subgraphs" : "");
  cli::print("{}", assumptions(runner.model()));
  const auto ran_single_threaded =
      std::count_if(reports.begin(), reports.end(), [](const RunReport& r) { return r.ran_single_threaded; });
  if (ran_single_threaded > 0)
    cli::print("{} of the {} runs used one thread instead of {}, which was faster under CPU contention\n",
               ran_single_threaded, reports.size(), plan.threads);
  cli::print("arena {} by {} over {}, lower bound {}, ratio {:.4f}\n", app::format_bytes(plan.memory.arena_bytes),
             plan.memory.planner, plan.memory.order_name, app::format_bytes(plan.memory.lower_bound),
             plan.memory.ratio());
  for (const RuleUse& use : runner.program().rewrites)
    cli::print("{}: {}, of {} as written\n", use.rule->name, counted(use.times, "time"), counted(use.nodes, "node"));
  cli::print("{}\n", graph_text(runner.program(), runner.options().backend));
  print_forms(runner.program());
  print_packing(runner.executor().packed_weights());
  print_deferred(runner);
  for (const MemorySaving& step : runner.savings()) cli::print("{}\n", sentence(step));
  if (has_deferred)
    cli::print("the table below covers the main graph only; a recording (--record) contains the deferred subgraphs\n");
  print_node_times(plan, best.nodes);
  cli::print("\n{:<14} {:>12} {:>12} {:>12} {:>12} {:>8} {:>8}\n", "memory", "peak", "reserved", "cached now",
             "waste now", "hits", "misses");
  for (MemoryKind kind : kMemoryKinds) {
    const MemoryStats stats = memory_of(runner, kind);
    if (stats.peak > 0)
      cli::print("{:<14} {:>12} {:>12} {:>12} {:>12} {:>8} {:>8}\n", name(kind), app::format_bytes(stats.peak),
                 app::format_bytes(stats.peak_reserved), app::format_bytes(stats.cached),
                 app::format_bytes(stats.waste()), stats.hits, stats.misses);
  }
  const models::WeightBytes& weights = runner.weights().bytes();
  cli::print("weights: {} borrowed from files, {} copied, {} packed\n", app::format_bytes(weights.borrowed),
             app::format_bytes(weights.copied), app::format_bytes(weights.packed));
  if (const Bytes packed = runner.executor().packed_weights().bytes; packed > 0)
    cli::print("packed weights: {}\n", app::format_bytes(packed));
  print_results(runner);
}

// Errors: invalid arguments.
Result<RunnerOptions> runner_options(const RunArguments& arguments) {
  if (arguments.repeat < 1) return Error{fmt::format("--repeat {}: at least 1 is required", arguments.repeat)};
  return run_options_of({&arguments.model.values, &arguments.backend.values, &arguments.values});
}

// Returns fewer reports, the last one possibly aborted, if a signal interrupted the runs. Runs that a device replays as
// a whole can only be interrupted between two runs.
Result<std::vector<RunReport>> repeat_run(Runner& runner, const RunArguments& arguments, Progress& progress,
                                          RunControl& control) {
  std::vector<RunReport> reports;
  RunOptions options;
  options.control = &control;
  options.timed = !arguments.no_node_times;
  for (int i = 0; i < arguments.repeat; ++i) {
    progress.phase(fmt::format("run {}", i + 1), double(i) / arguments.repeat);
    auto report = runner.run(options);
    if (!report) return Error{fmt::format("{}: {}", arguments.model.model, report.error().message)};
    reports.push_back(std::move(*report));
    if (reports.back().aborted || control.aborted()) break;
  }
  return reports;
}

Json nodes_json(Runner& runner, const std::vector<NodeTime>& nodes) {
  Json list = Json::array();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const TensorImpl& node = runner.plan().graph.node(runner.plan().steps[i].node);
    list.push_back({{"name", node.name},
                    {"op", name(node.op)},
                    {"nanoseconds", nodes[i].nanoseconds ? Json(*nodes[i].nanoseconds) : Json()},
                    {"barrier_wait_nanoseconds", nodes[i].barrier_wait_nanoseconds}});
    if (node.op == Op::Fused) list.back()["ops"] = fused_ops(node);
    if (const std::string origin = origin_text(node); !origin.empty()) list.back()["origin"] = origin;
    for (const auto& file_node : file_nodes_of(node))
      list.back()["file_nodes"].push_back({{"name", file_node->name}, {"op", file_node->op}});
  }
  return list;
}

Json rewrites_json(const Program& program) {
  Json list = Json::array();
  for (const RuleUse& use : program.rewrites)
    list.push_back({{"rule", use.rule->name}, {"times", use.times}, {"nodes", use.nodes}});
  return list;
}

Json packed_json(const PackedWeights& packed) {
  const auto widened = [](const PackedWeights::Widened& of) {
    return Json{{"count", of.count}, {"extra_bytes", of.more}};
  };
  return {{"bytes", packed.bytes}, {"winograd", widened(packed.winograd)}, {"direct", widened(packed.direct)}};
}

Json forms_json(const Program& program) {
  Json list = Json::array();
  for (const LayoutCandidate& form : program.layout_candidates)
    list.push_back({{"form", form.name}, {"arena_bytes", form.arena_bytes}, {"chosen", form.chosen}});
  return list;
}

void print_runs_json(const Context& context, Runner& runner, const std::vector<RunReport>& reports,
                     const Json& outputs) {
  Json seconds = Json::array(), threads_used = Json::array(), barriers = Json::array();
  for (const RunReport& report : reports) {
    seconds.push_back(double(report.nanoseconds) / 1e9);
    threads_used.push_back(report.threads);
    barriers.push_back(report.barriers);
  }
  Json peaks = Json::object(), reserved = Json::object(), allocators = Json::object();
  for (MemoryKind kind : kMemoryKinds) {
    const MemoryStats stats = memory_of(runner, kind);
    allocators[std::string(name(kind))] = {{"active_bytes", stats.active},
                                           {"reserved_bytes", stats.reserved},
                                           {"cached_bytes", stats.cached},
                                           {"waste_bytes", stats.waste()},
                                           {"allocations", stats.allocations},
                                           {"frees", stats.frees},
                                           {"hits", stats.hits},
                                           {"misses", stats.misses}};
    peaks[std::string(name(kind))] = stats.peak;
    reserved[std::string(name(kind))] = stats.peak_reserved;
  }
  const models::WeightBytes& weights = runner.weights().bytes();
  print_json(
      context,
      {{"model", runner.model().name},
       {"backend", runner.options().backend},
       {"graph", graph_json(runner.program(), runner.options().backend)},
       {"threads", runner.plan().threads},
       {"threads_used", threads_used},
       {"seconds", seconds},
       {"barriers", barriers},
       {"fastest", fastest(reports)},  // 0-based index into seconds: the run that `nodes` describes
       {"nodes", nodes_json(runner, reports[fastest(reports)].nodes)},
       {"peak_bytes", peaks},
       {"outputs", outputs},
       {"arena_bytes", runner.plan().memory.arena_bytes},
       {"peak_reserved_bytes", reserved},
       {"allocator", name(runner.options().allocator)},
       {"allocators", allocators},
       {"weights",
        {{"borrowed_bytes", weights.borrowed}, {"copied_bytes", weights.copied}, {"packed_bytes", weights.packed}}},
       {"packed_weights", packed_json(runner.executor().packed_weights())},
       {"work_bytes", runner.plan().work_bytes},
       {"rewrites", rewrites_json(runner.program())},
       {"layout_candidates", forms_json(runner.program())},
       {"deferred", deferred_json(runner)},
       {"planner", runner.plan().memory.planner},
       {"order", runner.plan().memory.order_name},
       {"strategy", std::string(name(runner.options().strategy))}});
}

// After an interrupted run; its recording is kept.
int fail_interrupted(Runner& runner, const RunArguments& arguments, int signal) {
  const std::string position = loop_position(runner);
  return fail(static_cast<ExitStatus>(kSignalled + signal),
              fmt::format("{}: interrupted{}{}", arguments.model.model, position.empty() ? "" : " in ", position));
}

void print_non_finite(const Json& outputs) {
  for (const Json& output : outputs) {
    if (!output.contains("nan")) continue;
    const int64_t nan = output["nan"], plus = output["plus_inf"], minus = output["minus_inf"];
    int64_t all = 1;
    for (const int64_t size : output["shape"]) all *= size;
    if (nan + plus + minus > 0)
      cli::print("output '{}': {} of {} values are not finite: {} NaN, {} +Inf, {} -Inf\n",
                 output["name"].get<std::string>(), nan + plus + minus, all, nan, plus, minus);
  }
}

int run_model(const Context& context, const RunArguments& arguments) {
  auto options = runner_options(arguments);
  if (!options) return fail(kUsage, options.error().message);
  Progress progress;
  options->progress = [&](const std::string& phase) { progress.phase(phase); };
  options->on_iteration = [&](const std::string& loop, int64_t iteration) {
    progress.phase(fmt::format("{}: iteration {}", loop, iteration));
  };
  const std::vector<std::filesystem::path> inputs = input_files(arguments.model.model, *options);
  if (auto ok = check_folder(arguments.output); !ok) return fail(kFailed, ok.error().message);
  RecordedFile recorded;
  if (auto ok = recorded.open(arguments.record, *options, inputs); !ok) return fail(kFailed, ok.error().message);
  auto model = open_for_run(arguments.model.model, *options);
  if (!model) return fail(kUsage, model.error().message);
  if (auto ok = check_given_inputs(*model, options->inputs, options->open); !ok)
    return fail(kUsage, ok.error().message);
  auto opened = Runner::open(std::move(*model), *options);
  if (!opened) return fail(kFailed, opened.error().message);
  Runner& runner = **opened;
  RunControl control;
  auto interruption = std::make_unique<Interruption>(control);
  auto reports = repeat_run(runner, arguments, progress, control);
  const int signal = interruption->signal();
  interruption.reset();
  if (!reports) return fail(kFailed, reports.error().message);
  if (auto ok = recorded.close(); !ok) return fail(kFailed, ok.error().message);
  if (reports->back().aborted || std::ssize(*reports) < arguments.repeat)
    return fail_interrupted(runner, arguments, signal);
  auto made = outputs(runner, arguments.output, inputs);
  if (!made) return fail(kFailed, made.error().message);
  if (context.json)
    print_runs_json(context, runner, *reports, *made);
  else
    print_report(runner, *reports);
  if (!context.json) print_non_finite(*made);
  return kDone;
}

}  // namespace

void add_run(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("run", "Run a model and print times per node and peak memory by kind");
  auto a = std::make_shared<RunArguments>();
  add_model_arguments(*command, a->model);
  add_backend_arguments(*command, a->backend);
  add_run_options(*command, a->values, {"threads",       "planner",
                                        "order",         "memory",
                                        "allocator",     "budget",
                                        "budget-steps",  "capacity",
                                        "alignment",     "input",
                                        "in-place",      "rewrite",
                                        "fusion",        "channels-last",
                                        "prefer",        "processors",
                                        "nice",          "spin-percent",
                                        "every-barrier", "drop-barriers",
                                        "no-stealing",   "no-thread-fallback"});
  command->add_option("--output", a->output, "Directory for the outputs, one .npy file each");
  command->add_option("--repeat", a->repeat, "Number of runs")->capture_default_str();
  command->add_flag("--no-node-times", a->no_node_times, "Do not measure single nodes");
  command->add_option("--record", a->record, "Recording file of the runs");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->callback([&, a] { body = [&, a] { return run_model(context, *a); }; });
}

}  // namespace arenascope::cli
