// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/run_options.h"

#include <charconv>
#include <cstdlib>

#include <arenascope/base/checked.h>
#include <arenascope/base/limits.h>
#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>
#include <fmt/format.h>

#include <arenascope/run/backends.h>

#include "app/common/backend_option_rows.h"

#ifndef QT_TRANSLATE_NOOP  // no Qt here; the macro is for lupdate
#define QT_TRANSLATE_NOOP(context, text) text
#endif

namespace arenascope::app {
namespace {

// --- flags

template <auto member>
std::string flag_text(const RunnerOptions& o) {
  return o.*member ? "on" : "off";
}
template <auto member>
Status set_flag(RunnerOptions& o, const std::string& value) {
  const auto is = parse_flag(value);
  if (!is) return is.error();
  o.*member = *is;
  return {};
}
// For members of a nested options struct; `inverted`: the option is the negation of the member.
template <auto part, auto member, bool inverted>
std::string part_text(const RunnerOptions& o) {
  return (o.*part.*member != inverted) ? "on" : "off";
}
template <auto part, auto member, bool inverted>
Status set_part(RunnerOptions& o, const std::string& value) {
  const auto is = parse_flag(value);
  if (!is) return is.error();
  o.*part.*member = *is != inverted;
  return {};
}

// --- other options, in the order of the table

std::string backend_text(const RunnerOptions& o) { return o.backend; }
Status set_backend(RunnerOptions& o, const std::string& value) {
  if (!is_backend_name(value)) return Error{fmt::format("unknown backend '{}'; available:{}", value, backend_names())};
  o.backend = value;
  return {};
}
std::vector<std::string> backends() {
  std::vector<std::string> out;
  for (const BackendStatus& status : list_backends()) {
    const size_t colon = status.device.find(':');
    const std::string number = colon == std::string::npos ? ":0" : status.device.substr(colon);
    if (status.missing.empty()) out.push_back(status.backend + (number == ":0" ? "" : number));
  }
  return out;
}

std::string backend_option_text(const RunnerOptions& o) {
  std::string out = o.precision ? fmt::format("precision={}", name(*o.precision)) : "";
  const std::string rest =
      join_lines(o.backend_options, [](const auto& entry) { return entry.first + "=" + entry.second; });
  if (!out.empty() && !rest.empty()) out += '\n';
  return out + rest;
}
Status set_backend_option(RunnerOptions& o, const std::string& value) {
  o.backend_options.clear();
  o.precision.reset();
  for (const std::string& option : split_list(value, false)) {
    const size_t at = option.find('=');
    if (at == 0 || at == std::string::npos) return Error{fmt::format("expected NAME=VALUE, found '{}'", option)};
    const std::string key = option.substr(0, at), text = option.substr(at + 1);
    const auto precision = key == "precision" ? parse_precision(text) : std::nullopt;
    if (precision)
      o.precision = precision;
    else
      o.backend_options[key] = text;
  }
  return {};
}

std::string precision_text(const RunnerOptions& o) { return name(o.precision.value_or(Precision::High)); }
Status set_precision(RunnerOptions& o, const std::string& value) {
  const auto precision = parse_precision(value);
  if (!precision) return Error{fmt::format("expected high, normal or low, found '{}'", value)};
  o.precision = precision;
  if (*precision == Precision::High) o.precision.reset();
  return {};
}
std::vector<std::string> precisions() { return {"high", "normal", "low"}; }

std::string host_ops_text(const RunnerOptions& o) {
  return join_lines(o.host_ops, [](Op op) { return std::string(name(op)); });
}
Status set_host_ops(RunnerOptions& o, const std::string& value) {
  o.host_ops.clear();
  for (const std::string& text : split_list(value, true)) {
    const auto op = parse_op(text);
    if (!op) return Error{fmt::format("unknown op '{}'", text)};
    o.host_ops.push_back(*op);
  }
  return {};
}

std::string planner_text(const RunnerOptions& o) { return o.planner; }
std::vector<std::string> planners() {
  std::vector<std::string> out;
  for (const auto* p : planner::all_planners()) out.emplace_back(p->name());
  return out;
}
Status set_planner(RunnerOptions& o, const std::string& value) {
  if (!planner::find_planner(value)) {
    std::string names;
    for (const std::string& n : planners()) names += " " + n;
    return Error{fmt::format("unknown planner '{}'; available:{}", value, names)};
  }
  o.planner = value;
  return {};
}

std::string order_text(const RunnerOptions& o) { return o.order; }
std::vector<std::string> orders() {
  std::vector<std::string> out;
  for (const OrderInfo& order : all_orders()) out.emplace_back(order.name);
  return out;
}
Status set_order(RunnerOptions& o, const std::string& value) {
  if (!find_order(value)) {
    std::string names;
    for (const std::string& n : orders()) names += " " + n;
    return Error{fmt::format("unknown order '{}'; available:{}", value, names)};
  }
  o.order = value;
  return {};
}

std::string memory_text(const RunnerOptions& o) { return std::string(name(o.strategy)); }
std::vector<std::string> strategies() { return {"planned", "eager", "none"}; }
Status set_memory(RunnerOptions& o, const std::string& value) {
  const auto strategy = parse_memory_strategy(value);
  if (!strategy) return Error{fmt::format("unknown memory strategy '{}'; available: planned, eager, none", value)};
  o.strategy = *strategy;
  return {};
}

std::string prefer_text(const RunnerOptions& o) { return name(o.prefer); }
std::vector<std::string> preferences() { return {"time", "memory"}; }
Status set_prefer(RunnerOptions& o, const std::string& value) {
  const auto prefer = parse_prefer(value);
  if (!prefer) return Error{fmt::format("expected time or memory, found '{}'", value)};
  o.prefer = *prefer;
  return {};
}

std::string allocator_text(const RunnerOptions& o) { return name(o.allocator); }
std::vector<std::string> allocators() { return {"caching", "power-of-two", "plain"}; }
Status set_allocator(RunnerOptions& o, const std::string& value) {
  const auto kind = parse_cpu_allocator(value);
  if (!kind) return Error{fmt::format("unknown allocator '{}'; available: caching, power-of-two, plain", value)};
  o.allocator = *kind;
  return {};
}

std::string alignment_text(const RunnerOptions& o) { return o.alignment > 0 ? std::to_string(o.alignment) : ""; }
Status set_alignment(RunnerOptions& o, const std::string& value) {
  constexpr int64_t kMaxAlignment = int64_t{1} << 30;
  o.alignment = 0;
  if (value.empty()) return {};
  const auto bytes = parse_integer(value, 1, kMaxAlignment);
  if (!bytes) return bytes.error();
  if (!is_power_of_two(static_cast<uint64_t>(*bytes))) return Error{fmt::format("{} is not a power of two", *bytes)};
  o.alignment = *bytes;
  return {};
}

constexpr double kMaxSeconds = 1e6;
std::string budget_text(const RunnerOptions& o) { return fmt::format("{:g}", o.budget_seconds); }
Status set_budget(RunnerOptions& o, const std::string& value) {
  char* end = nullptr;
  const double seconds = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !(seconds >= 0 && seconds <= kMaxSeconds))
    return Error{fmt::format("expected seconds from 0 to 1000000, found '{}'", value)};
  o.budget_seconds = seconds;
  return {};
}

std::string budget_steps_text(const RunnerOptions& o) {
  return o.budget_steps > 0 ? std::to_string(o.budget_steps) : "";
}
Status set_budget_steps(RunnerOptions& o, const std::string& value) {
  o.budget_steps = 0;
  if (value.empty()) return {};
  const auto steps = parse_integer(value, 1, INT64_MAX);
  if (!steps) return steps.error();
  o.budget_steps = *steps;
  return {};
}

std::string capacity_text(const RunnerOptions& o) { return o.capacity ? std::to_string(*o.capacity) : ""; }
Status set_capacity(RunnerOptions& o, const std::string& value) {
  o.capacity.reset();
  if (value.empty()) return {};
  const auto bytes = parse_integer(value, 1, INT64_MAX);
  if (!bytes) return bytes.error();
  o.capacity = *bytes;
  return {};
}

std::string threads_text(const RunnerOptions& o) { return std::to_string(o.threads); }
Status set_threads(RunnerOptions& o, const std::string& value) {
  const auto n = parse_integer(value, 0, kMaxThreads);
  if (!n) return n.error();
  o.threads = static_cast<int>(*n);
  return {};
}

std::string processors_text(const RunnerOptions& o) {
  return join_lines(o.pool.processors, [](int p) { return std::to_string(p); });
}
Status set_processors(RunnerOptions& o, const std::string& value) {
  o.pool.processors.clear();
  for (const std::string& text : split_list(value, true)) {
    const auto n = parse_integer(text, 0, INT32_MAX);
    if (!n) return n.error();
    o.pool.processors.push_back(static_cast<int>(*n));
  }
  return {};
}

std::string nice_text(const RunnerOptions& o) { return std::to_string(o.pool.nice); }
Status set_nice(RunnerOptions& o, const std::string& value) {
  const auto n = parse_integer(value, -20, 19);
  if (!n) return n.error();
  o.pool.nice = static_cast<int>(*n);
  return {};
}

std::string spin_percent_text(const RunnerOptions& o) { return std::to_string(o.spin_percent); }
Status set_spin_percent(RunnerOptions& o, const std::string& value) {
  const auto n = parse_integer(value, 0, 100);
  if (!n) return n.error();
  o.spin_percent = static_cast<int>(*n);
  return {};
}

std::string dim_text(const RunnerOptions& o) {
  return join_lines(o.open.dims, [](const auto& entry) { return entry.first + "=" + std::to_string(entry.second); });
}
Status set_dim(RunnerOptions& o, const std::string& value) {
  o.open.dims.clear();
  for (const std::string& dim : split_list(value, false)) {
    const size_t at = dim.rfind('=');
    int64_t size = 0;
    const char* end = dim.data() + dim.size();
    const auto read = at == std::string::npos ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                                              : std::from_chars(dim.data() + at + 1, end, size);
    if (at == 0 || read.ec != std::errc() || read.ptr != end || size < 0)
      return Error{fmt::format("expected NAME=N with an integer N, found '{}'", dim)};
    o.open.dims[dim.substr(0, at)] = size;
  }
  return {};
}

std::string shape_text(const RunnerOptions& o) {
  return join_lines(o.open.shapes, [](const auto& entry) {
    std::string text = entry.first;
    for (size_t i = 0; i < entry.second.size(); ++i) text += (i == 0 ? '=' : ',') + std::to_string(entry.second[i]);
    return text;
  });
}
Status set_shape(RunnerOptions& o, const std::string& value) {
  o.open.shapes.clear();
  for (const std::string& line : split_list(value, false)) {
    const Error wrong{fmt::format("expected NAME=N,N,… with integers, found '{}'", line)};
    const size_t at = line.rfind('=');
    if (at == 0 || at == std::string::npos) return wrong;
    std::vector<int64_t>& sizes = o.open.shapes[line.substr(0, at)];
    for (size_t begin = at + 1; begin <= line.size();) {
      const size_t end = std::min(line.find(',', begin), line.size());
      int64_t size = 0;
      const auto read = std::from_chars(line.data() + begin, line.data() + end, size);
      if (read.ec != std::errc() || read.ptr != line.data() + end || size < 0) return wrong;
      sizes.push_back(size);
      begin = end + 1;
    }
  }
  return {};
}

std::string tokens_text(const RunnerOptions& o) { return std::to_string(o.open.tokens); }
Status set_tokens(RunnerOptions& o, const std::string& value) {
  const auto n = parse_integer(value, INT64_MIN, INT64_MAX);
  if (!n) return n.error();
  if (*n < 0) return Error{fmt::format("{} is negative", *n)};
  o.open.tokens = *n;
  return {};
}

std::string input_text(const RunnerOptions& o) {
  return join_lines(o.inputs, [](const auto& entry) { return entry.first + "=" + entry.second; });
}
Status set_input(RunnerOptions& o, const std::string& value) {
  o.inputs.clear();
  for (const std::string& input : split_list(value, false)) {
    const size_t at = input.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == input.size())
      return Error{fmt::format("expected NAME=FILE, found '{}'", input)};
    o.inputs[input.substr(0, at)] = input.substr(at + 1);
  }
  return {};
}

template <auto member>
RunOption flag(const char* id, const char* title, const char* description, const char* off = nullptr) {
  return {id, OptionType::Flag, title, description, flag_text<member>, set_flag<member>, nullptr, off};
}
template <auto part, auto member, bool inverted = false>
RunOption part_flag(const char* id, const char* title, const char* description) {
  return {
      id, OptionType::Flag, title, description, part_text<part, member, inverted>, set_part<part, member, inverted>};
}

using T = OptionType;
using O = RunnerOptions;
using E = ExecutionPlanOptions;
using M = models::OpenOptions;

std::vector<RunOption> device_options() {
  return {
      {"backend", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Backend"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "Backend: cpu, reference, opencl or cuda; opencl:1 selects the second OpenCL device"),
       backend_text, set_backend, backends, nullptr, false, true},
      {"backend-option", T::List, QT_TRANSLATE_NOOP("RunOptions", "Backend options"),
       QT_TRANSLATE_NOOP("RunOptions", "Backend option NAME=VALUE; the backend documentation lists them"),
       backend_option_text, set_backend_option},
      {"precision", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Precision"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "Numeric precision: high (float32), normal (float32 with reassociation) or low (float16 "
                         "storage where supported)"),
       precision_text, set_precision, precisions, nullptr, false, false, true},
      {"host-ops", T::List, QT_TRANSLATE_NOOP("RunOptions", "Host ops"),
       QT_TRANSLATE_NOOP("RunOptions", "Ops to run on the CPU even if the device supports them, e.g. SOFT_MAX"),
       host_ops_text, set_host_ops, nullptr, nullptr, true},
  };
}

std::vector<RunOption> memory_options() {
  return {
      {"memory", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Memory strategy"),
       QT_TRANSLATE_NOOP("RunOptions", "Memory strategy: planned, eager or none"), memory_text, set_memory, strategies},
      {"allocator", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Allocator"),
       QT_TRANSLATE_NOOP("RunOptions", "Host allocator for eager memory: caching, power-of-two or plain"),
       allocator_text, set_allocator, allocators},
      {"planner", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Planner"),
       QT_TRANSLATE_NOOP("RunOptions", "Memory planner"), planner_text, set_planner, planners},
      {"order", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Order"), QT_TRANSLATE_NOOP("RunOptions", "Execution order"),
       order_text, set_order, orders},
      {"budget", T::Real, QT_TRANSLATE_NOOP("RunOptions", "Planning budget"),
       QT_TRANSLATE_NOOP("RunOptions", "Time limit for search planners, in seconds"), budget_text, set_budget},
      {"budget-steps", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Planning steps"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "Limit of search planners in search steps instead of seconds: the same plan on every machine "
                         "and under any load"),
       budget_steps_text, set_budget_steps},
      {"capacity", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Capacity"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "Maximum arena size in bytes; if no plan fits, in-place ops, other orders, fusion, "
                         "rematerialisation and offloading are tried"),
       capacity_text, set_capacity},
      {"alignment", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Alignment"),
       QT_TRANSLATE_NOOP("RunOptions", "Alignment of tensors in the arena, in bytes; CANN GE uses 512"), alignment_text,
       set_alignment},
      flag<&O::in_place>(
          "in-place", QT_TRANSLATE_NOOP("RunOptions", "In place"),
          QT_TRANSLATE_NOOP("RunOptions", "Compute ops in place of inputs that are used for the last time")),
      flag<&O::rewrite>(
          "rewrite", QT_TRANSLATE_NOOP("RunOptions", "Graph rewriting"),
          QT_TRANSLATE_NOOP(
              "RunOptions",
              "Fuse patterns that exporters expand and fold constant subgraphs; off: run the model as written"),
          "no-rewrite"),
      flag<&O::fuse>(
          "fusion", QT_TRANSLATE_NOOP("RunOptions", "Fusion"),
          QT_TRANSLATE_NOOP("RunOptions", "Fuse chains of ops where the backend supports it; off: one node per op"),
          "no-fusion"),
      flag<&O::channels_last>(
          "channels-last", QT_TRANSLATE_NOOP("RunOptions", "Channels last"),
          QT_TRANSLATE_NOOP(
              "RunOptions",
              "Use channels-last (NHWC) layout between fused ops where it is faster; off: NCHW throughout"),
          "no-channels-last"),
      {"prefer", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Prefer"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "Trade-off when fusion or layout needs more memory: time allows up to 15 % more arena, memory "
                         "none and no packed weights"),
       prefer_text, set_prefer, preferences},
  };
}

std::vector<RunOption> thread_options() {
  return {
      {"threads", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Threads"),
       QT_TRANSLATE_NOOP("RunOptions", "Number of threads; 0: one per CPU"), threads_text, set_threads},
      {"processors", T::List, QT_TRANSLATE_NOOP("RunOptions", "CPUs"),
       QT_TRANSLATE_NOOP("RunOptions", "CPU affinity of the threads, as a list 0,1,…"), processors_text, set_processors,
       nullptr, nullptr, true},
      {"nice", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Nice value"),
       QT_TRANSLATE_NOOP("RunOptions", "Nice value of the threads; above 0 other processes have priority"), nice_text,
       set_nice},
      {"spin-percent", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Spin time"),
       QT_TRANSLATE_NOOP("RunOptions", "Time that a waiting thread spins before it parks (0–100)"), spin_percent_text,
       set_spin_percent},
      flag<&O::force_multithreaded>(
          "no-thread-fallback", QT_TRANSLATE_NOOP("RunOptions", "No thread fallback"),
          QT_TRANSLATE_NOOP("RunOptions", "Use all threads even if one thread would be faster")),
      part_flag<&O::execution, &E::rows, true>(
          "every-barrier", QT_TRANSLATE_NOOP("RunOptions", "Barrier after every node"),
          QT_TRANSLATE_NOOP("RunOptions", "Place a barrier after every node, even between consecutive tiny nodes")),
      part_flag<&O::execution, &E::independent>(
          "drop-barriers", QT_TRANSLATE_NOOP("RunOptions", "Drop barriers"),
          QT_TRANSLATE_NOOP("RunOptions", "Omit barriers between independent nodes")),
      part_flag<&O::execution, &E::stealing, true>(
          "no-stealing", QT_TRANSLATE_NOOP("RunOptions", "No work stealing"),
          QT_TRANSLATE_NOOP("RunOptions", "Disable work stealing between threads")),
  };
}

std::vector<RunOption> model_options() {
  return {
      {"dim", T::List, QT_TRANSLATE_NOOP("RunOptions", "Dimensions"),
       QT_TRANSLATE_NOOP("RunOptions", "Size of a symbolic dimension, NAME=N"), dim_text, set_dim},
      {"shape", T::List, QT_TRANSLATE_NOOP("RunOptions", "Shapes"),
       QT_TRANSLATE_NOOP("RunOptions", "Shape of an input with dynamic dimensions, NAME=N,N,…"), shape_text, set_shape},
      {"tokens", T::Int, QT_TRANSLATE_NOOP("RunOptions", "Tokens"),
       QT_TRANSLATE_NOOP("RunOptions", "Sequence length of built-in language models"), tokens_text, set_tokens},
      part_flag<&O::open, &M::prefill>(
          "prefill", QT_TRANSLATE_NOOP("RunOptions", "Prefill"),
          QT_TRANSLATE_NOOP("RunOptions", "Prefill graph of built-in language models (all tokens at once)")),
      part_flag<&O::open, &M::training>(
          "training", QT_TRANSLATE_NOOP("RunOptions", "Training step"),
          QT_TRANSLATE_NOOP("RunOptions", "Training step of built-in models that have one")),
      {"input", T::List, QT_TRANSLATE_NOOP("RunOptions", "Inputs from files"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "Input data from a file, NAME=FILE (.npy or .pb); other inputs are randomly generated"),
       input_text, set_input},
  };
}

std::vector<RunOption> make_options() {
  std::vector<RunOption> all;
  for (const auto& group :
       {device_options(), memory_options(), thread_options(), model_options(), backend_option_rows()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace

std::span<const RunOption> run_options() {
  static const std::vector<RunOption> all = make_options();
  return all;
}

const RunOption* find_run_option(std::string_view id) { return find_option(run_options(), id); }

Status set_run_options(RunnerOptions& options, const OptionValues& values, std::string_view prefix) {
  return set_options(run_options(), options, values, prefix);
}

}  // namespace arenascope::app
