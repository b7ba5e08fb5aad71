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

#ifndef QT_TRANSLATE_NOOP  // there is no Qt here: only lupdate reads it
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
  const auto is = on(value);
  if (!is) return is.error();
  o.*member = *is;
  return {};
}
// Of what lies in a part of the options; `inverted`: it is named by its opposite.
template <auto part, auto member, bool inverted>
std::string part_text(const RunnerOptions& o) {
  return (o.*part.*member != inverted) ? "on" : "off";
}
template <auto part, auto member, bool inverted>
Status set_part(RunnerOptions& o, const std::string& value) {
  const auto is = on(value);
  if (!is) return is.error();
  o.*part.*member = *is != inverted;
  return {};
}

// --- the others, in the order of the table

std::string backend_text(const RunnerOptions& o) { return o.backend; }
Status set_backend(RunnerOptions& o, const std::string& value) {
  if (!is_backend_name(value))
    return Error{fmt::format("there is no backend '{}'; there are:{}", value, backend_names())};
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
      joined(o.backend_options, [](const auto& entry) { return entry.first + "=" + entry.second; });
  if (!out.empty() && !rest.empty()) out += '\n';
  return out + rest;
}
Status set_backend_option(RunnerOptions& o, const std::string& value) {
  o.backend_options.clear();
  o.precision.reset();
  for (const std::string& option : lines_of(value, false)) {
    const size_t at = option.find('=');
    if (at == 0 || at == std::string::npos)
      return Error{fmt::format("'--backend-option {}' is not NAME=VALUE", option)};
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
  if (!precision) return Error{fmt::format("--precision: '{}' is none of high, normal and low", value)};
  o.precision = precision;
  if (*precision == Precision::High) o.precision.reset();
  return {};
}
std::vector<std::string> precisions() { return {"high", "normal", "low"}; }

std::string host_ops_text(const RunnerOptions& o) {
  return joined(o.host_ops, [](Op op) { return std::string(name(op)); });
}
Status set_host_ops(RunnerOptions& o, const std::string& value) {
  o.host_ops.clear();
  for (const std::string& text : lines_of(value, true)) {
    const auto op = parse_op(text);
    if (!op) return Error{fmt::format("--host-ops: there is no op '{}'", text)};
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
    return Error{fmt::format("there is no planner '{}'; there are:{}", value, names)};
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
    return Error{fmt::format("there is no order '{}'; there are:{}", value, names)};
  }
  o.order = value;
  return {};
}

std::string memory_text(const RunnerOptions& o) { return std::string(name(o.strategy)); }
std::vector<std::string> strategies() { return {"planned", "eager", "none"}; }
Status set_memory(RunnerOptions& o, const std::string& value) {
  const auto strategy = parse_memory_strategy(value);
  if (!strategy)
    return Error{fmt::format("there is no memory strategy '{}'; there are planned, eager and none", value)};
  o.strategy = *strategy;
  return {};
}

std::string prefer_text(const RunnerOptions& o) { return name(o.prefer); }
std::vector<std::string> preferences() { return {"time", "memory"}; }
Status set_prefer(RunnerOptions& o, const std::string& value) {
  const auto prefer = parse_prefer(value);
  if (!prefer) return Error{fmt::format("--prefer: '{}' is neither time nor memory", value)};
  o.prefer = *prefer;
  return {};
}

std::string allocator_text(const RunnerOptions& o) { return name(o.allocator); }
std::vector<std::string> allocators() { return {"caching", "power-of-two", "plain"}; }
Status set_allocator(RunnerOptions& o, const std::string& value) {
  const auto kind = parse_cpu_allocator(value);
  if (!kind) return Error{fmt::format("there is no allocator '{}'; there are caching, power-of-two and plain", value)};
  o.allocator = *kind;
  return {};
}

std::string alignment_text(const RunnerOptions& o) { return o.alignment > 0 ? std::to_string(o.alignment) : ""; }
Status set_alignment(RunnerOptions& o, const std::string& value) {
  constexpr int64_t kMostAlignment = int64_t{1} << 30;
  o.alignment = 0;
  if (value.empty()) return {};
  const auto bytes = whole("alignment", value, 1, kMostAlignment);
  if (!bytes) return bytes.error();
  if (!is_power_of_two(static_cast<uint64_t>(*bytes)))
    return Error{fmt::format("--alignment: {} is no power of two", *bytes)};
  o.alignment = *bytes;
  return {};
}

constexpr double kMostSeconds = 1e6;
std::string budget_text(const RunnerOptions& o) { return fmt::format("{:g}", o.budget_seconds); }
Status set_budget(RunnerOptions& o, const std::string& value) {
  char* end = nullptr;
  const double seconds = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !(seconds >= 0 && seconds <= kMostSeconds))
    return Error{fmt::format("--budget: '{}' is no number of seconds from 0 to 1000000", value)};
  o.budget_seconds = seconds;
  return {};
}

std::string capacity_text(const RunnerOptions& o) { return o.capacity ? std::to_string(*o.capacity) : ""; }
Status set_capacity(RunnerOptions& o, const std::string& value) {
  o.capacity.reset();
  if (value.empty()) return {};
  const auto bytes = whole("capacity", value, 1, INT64_MAX);
  if (!bytes) return bytes.error();
  o.capacity = *bytes;
  return {};
}

std::string threads_text(const RunnerOptions& o) { return std::to_string(o.threads); }
Status set_threads(RunnerOptions& o, const std::string& value) {
  const auto n = whole("threads", value, 0, kMaxThreads);
  if (!n) return n.error();
  o.threads = static_cast<int>(*n);
  return {};
}

std::string processors_text(const RunnerOptions& o) {
  return joined(o.pool.processors, [](int p) { return std::to_string(p); });
}
Status set_processors(RunnerOptions& o, const std::string& value) {
  o.pool.processors.clear();
  for (const std::string& text : lines_of(value, true)) {
    const auto n = whole("processors", text, 0, INT32_MAX);
    if (!n) return n.error();
    o.pool.processors.push_back(static_cast<int>(*n));
  }
  return {};
}

std::string nice_text(const RunnerOptions& o) { return std::to_string(o.pool.nice); }
Status set_nice(RunnerOptions& o, const std::string& value) {
  const auto n = whole("nice", value, -20, 19);
  if (!n) return n.error();
  o.pool.nice = static_cast<int>(*n);
  return {};
}

std::string polling_text(const RunnerOptions& o) { return std::to_string(o.polling); }
Status set_polling(RunnerOptions& o, const std::string& value) {
  const auto n = whole("polling", value, 0, 100);
  if (!n) return n.error();
  o.polling = static_cast<int>(*n);
  return {};
}

std::string dim_text(const RunnerOptions& o) {
  return joined(o.open.dims, [](const auto& entry) { return entry.first + "=" + std::to_string(entry.second); });
}
Status set_dim(RunnerOptions& o, const std::string& value) {
  o.open.dims.clear();
  for (const std::string& dim : lines_of(value, false)) {
    const size_t at = dim.rfind('=');
    int64_t size = 0;
    const char* end = dim.data() + dim.size();
    const auto read = at == std::string::npos ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                                              : std::from_chars(dim.data() + at + 1, end, size);
    if (at == 0 || read.ec != std::errc() || read.ptr != end || size < 0)
      return Error{fmt::format("'--dim {}' is not NAME=N with N a whole number", dim)};
    o.open.dims[dim.substr(0, at)] = size;
  }
  return {};
}

std::string shape_text(const RunnerOptions& o) {
  return joined(o.open.shapes, [](const auto& entry) {
    std::string text = entry.first;
    for (size_t i = 0; i < entry.second.size(); ++i) text += (i == 0 ? '=' : ',') + std::to_string(entry.second[i]);
    return text;
  });
}
Status set_shape(RunnerOptions& o, const std::string& value) {
  o.open.shapes.clear();
  for (const std::string& line : lines_of(value, false)) {
    const Error wrong{fmt::format("'--shape {}' is not NAME=N,N,… with whole numbers", line)};
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
  const auto n = whole("tokens", value, INT64_MIN, INT64_MAX);
  if (!n) return n.error();
  if (*n < 0) return Error{fmt::format("{} tokens", *n)};
  o.open.tokens = *n;
  return {};
}

std::string input_text(const RunnerOptions& o) {
  return joined(o.inputs, [](const auto& entry) { return entry.first + "=" + entry.second; });
}
Status set_input(RunnerOptions& o, const std::string& value) {
  o.inputs.clear();
  for (const std::string& input : lines_of(value, false)) {
    const size_t at = input.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == input.size())
      return Error{fmt::format("'--input {}' is not NAME=FILE", input)};
    o.inputs[input.substr(0, at)] = input.substr(at + 1);
  }
  return {};
}

template <auto member>
RunOption flag(const char* id, const char* title, const char* sentence, const char* off = nullptr) {
  return {id, OptionType::Flag, title, sentence, flag_text<member>, set_flag<member>, nullptr, off};
}
template <auto part, auto member, bool inverted = false>
RunOption part_flag(const char* id, const char* title, const char* sentence) {
  return {id, OptionType::Flag, title, sentence, part_text<part, member, inverted>, set_part<part, member, inverted>};
}

using T = OptionType;
using O = RunnerOptions;
using E = ExecutionPlanOptions;
using M = models::OpenOptions;

std::vector<RunOption> device_options() {
  return {
      {"backend", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Backend"),
       QT_TRANSLATE_NOOP("RunOptions", "cpu, reference, opencl or cuda; opencl:1 is its second device"), backend_text,
       set_backend, backends, nullptr, false, true},
      {"backend-option", T::List, QT_TRANSLATE_NOOP("RunOptions", "Options of the backend"),
       QT_TRANSLATE_NOOP("RunOptions", "NAME=VALUE: an option of the backend, as docs/ list them"), backend_option_text,
       set_backend_option},
      {"precision", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Precision"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "high: float32; normal: float32 whose arithmetic may be rearranged; low: values are stored as "
                         "float16, where the backend has it"),
       precision_text, set_precision, precisions, nullptr, false, false, true},
      {"host-ops", T::List, QT_TRANSLATE_NOOP("RunOptions", "Ops of the host"),
       QT_TRANSLATE_NOOP("RunOptions", "Ops that run on the CPU although the device has them, e.g. SOFT_MAX"),
       host_ops_text, set_host_ops, nullptr, nullptr, true},
  };
}

std::vector<RunOption> memory_options() {
  return {
      {"memory", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Memory strategy"),
       QT_TRANSLATE_NOOP("RunOptions", "planned, eager or none"), memory_text, set_memory, strategies},
      {"allocator", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Allocator"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "Who hands out memory on the host where tensors come and go: caching, power-of-two or plain"),
       allocator_text, set_allocator, allocators},
      {"planner", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Planner"),
       QT_TRANSLATE_NOOP("RunOptions", "Who lays out the arena"), planner_text, set_planner, planners},
      {"order", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Order"),
       QT_TRANSLATE_NOOP("RunOptions", "Which node runs when"), order_text, set_order, orders},
      {"budget", T::Number, QT_TRANSLATE_NOOP("RunOptions", "Time to plan"),
       QT_TRANSLATE_NOOP("RunOptions", "Seconds for what searches"), budget_text, set_budget},
      {"capacity", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Capacity"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "Bytes for the arena: where no plan fits, ops work in place, in another order or fused, and "
                         "then tensors are "
                         "rematerialised or offloaded to the host"),
       capacity_text, set_capacity},
      {"alignment", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Alignment"),
       QT_TRANSLATE_NOOP("RunOptions", "Every tensor of the arena begins at a multiple of so many bytes; GE has 512"),
       alignment_text, set_alignment},
      flag<&O::in_place>("in-place", QT_TRANSLATE_NOOP("RunOptions", "In place"),
                         QT_TRANSLATE_NOOP("RunOptions", "Let an op take over its input's bytes at their last use")),
      flag<&O::rewrite>("rewrite", QT_TRANSLATE_NOOP("RunOptions", "Rewriting"),
                        QT_TRANSLATE_NOOP("RunOptions",
                                          "What exporters spell out becomes one op, and what needs no run is taken out "
                                          "of it; else the model as written"),
                        "no-rewrite"),
      flag<&O::fuse>("fusion", QT_TRANSLATE_NOOP("RunOptions", "Fusion"),
                     QT_TRANSLATE_NOOP("RunOptions",
                                       "Chains of ops computed as one node where the backend can; else every op is a "
                                       "node of its own"),
                     "no-fusion"),
      flag<&O::channels_last>(
          "channels-last", QT_TRANSLATE_NOOP("RunOptions", "Channels last"),
          QT_TRANSLATE_NOOP("RunOptions",
                            "Where chains are fused, images lie with their channels last between ops that are faster "
                            "so; else row by row throughout"),
          "no-channels-last"),
      {"prefer", T::Choice, QT_TRANSLATE_NOOP("RunOptions", "Prefer"),
       QT_TRANSLATE_NOOP("RunOptions",
                         "What counts where fusion and layouts need more memory: time lets the arena be at most 1.15 "
                         "times as large, memory not at all, and keeps no packed copies of weights"),
       prefer_text, set_prefer, preferences},
  };
}

std::vector<RunOption> thread_options() {
  return {
      {"threads", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Threads"),
       QT_TRANSLATE_NOOP("RunOptions", "0: as many as there are processors"), threads_text, set_threads},
      {"processors", T::List, QT_TRANSLATE_NOOP("RunOptions", "Processors"),
       QT_TRANSLATE_NOOP("RunOptions", "Where the threads stay, as 0,1,…"), processors_text, set_processors, nullptr,
       nullptr, true},
      {"nice", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Niceness"),
       QT_TRANSLATE_NOOP("RunOptions", "Of the threads: above 0 others go first"), nice_text, set_nice},
      {"polling", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Polling"),
       QT_TRANSLATE_NOOP("RunOptions", "How long a thread looks before it parks, 0 to 100"), polling_text, set_polling},
      flag<&O::hold_threads>(
          "hold-threads", QT_TRANSLATE_NOOP("RunOptions", "Hold threads"),
          QT_TRANSLATE_NOOP("RunOptions", "All threads take part, even where one alone would be sooner")),
      part_flag<&O::execution, &E::rows, true>(
          "every-barrier", QT_TRANSLATE_NOOP("RunOptions", "Every barrier"),
          QT_TRANSLATE_NOOP("RunOptions", "Meet behind every node, also between tiny ones in a row")),
      part_flag<&O::execution, &E::independent>(
          "drop-barriers", QT_TRANSLATE_NOOP("RunOptions", "Drop barriers"),
          QT_TRANSLATE_NOOP("RunOptions", "No barrier between nodes that do not depend on each other")),
      part_flag<&O::execution, &E::stealing, true>(
          "no-stealing", QT_TRANSLATE_NOOP("RunOptions", "No stealing"),
          QT_TRANSLATE_NOOP("RunOptions", "A thread never takes over another's part of a node")),
  };
}

std::vector<RunOption> model_options() {
  return {
      {"dim", T::List, QT_TRANSLATE_NOOP("RunOptions", "Sizes"),
       QT_TRANSLATE_NOOP("RunOptions", "NAME=N: the size of a symbolic dimension"), dim_text, set_dim},
      {"shape", T::List, QT_TRANSLATE_NOOP("RunOptions", "Shapes"),
       QT_TRANSLATE_NOOP("RunOptions", "NAME=N,N,…: the shape of an input whose sizes the file leaves open"),
       shape_text, set_shape},
      {"tokens", T::Whole, QT_TRANSLATE_NOOP("RunOptions", "Tokens"),
       QT_TRANSLATE_NOOP("RunOptions", "Language models of the zoo: sequence length"), tokens_text, set_tokens},
      part_flag<&O::open, &M::prefill>(
          "prefill", QT_TRANSLATE_NOOP("RunOptions", "Prefill"),
          QT_TRANSLATE_NOOP("RunOptions", "Language models of the zoo: all tokens at once")),
      part_flag<&O::open, &M::training>(
          "training", QT_TRANSLATE_NOOP("RunOptions", "Training step"),
          QT_TRANSLATE_NOOP("RunOptions", "Models of the zoo that have it: a training step")),
      {"input", T::List, QT_TRANSLATE_NOOP("RunOptions", "Inputs from files"),
       QT_TRANSLATE_NOOP("RunOptions", "NAME=FILE (.npy or .pb); inputs without one get seeded numbers"), input_text,
       set_input},
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

Status set_run_options(RunnerOptions& options, const OptionValues& values) {
  return set_options(run_options(), options, values);
}

}  // namespace arenascope::app
