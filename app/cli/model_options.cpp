// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_options.h"

#include <algorithm>
#include <charconv>

#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>
#include <fmt/format.h>

#include <arenascope/run/backends.h>

namespace arenascope::cli {

Result<models::OpenOptions> ModelArguments::options() const {
  models::OpenOptions out;
  for (const std::string& dim : dims) {
    const size_t at = dim.rfind('=');
    int64_t value = 0;
    const char* end = dim.data() + dim.size();
    const auto read = at == std::string::npos ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                                              : std::from_chars(dim.data() + at + 1, end, value);
    if (at == 0 || read.ec != std::errc() || read.ptr != end || value < 0)
      return Error{fmt::format("'--dim {}' is not NAME=N with N a whole number", dim)};
    out.dims[dim.substr(0, at)] = value;
  }
  if (tokens < 0) return Error{fmt::format("{} tokens", tokens)};
  out.tokens = tokens;
  out.prefill = prefill;
  out.training = training;
  return out;
}

std::string assumed_sizes(const models::Model& model) {
  std::string all;
  std::vector<std::string> named;
  for (const models::FreeDimension& free : model.free_dimensions) {
    if (free.told || std::find(named.begin(), named.end(), free.key()) != named.end()) continue;
    named.push_back(free.key());
    all += fmt::format("{}{} = {}", all.empty() ? "" : ", ", free.key(), free.size);
  }
  return all.empty() ? "" : fmt::format("sizes assumed: {}; --dim NAME=N or an input tells others\n", all);
}

void add_model_arguments(CLI::App& command, ModelArguments& arguments) {
  command
      .add_option("model", arguments.model,
                  "A file (.onnx, .gguf, .safetensors), a directory in the ONNX test-case layout, or zoo:NAME")
      ->required();
  command.add_option("--dim", arguments.dims, "NAME=N: the size of a symbolic dimension");
  command.add_option("--tokens", arguments.tokens, "Language models of the zoo: sequence length");
  command.add_flag("--prefill", arguments.prefill, "Language models of the zoo: all tokens at once");
  command.add_flag("--training", arguments.training, "Models of the zoo that have it: a training step");
}

void add_backend_arguments(CLI::App& command, BackendArguments& arguments) {
  command.add_option("--backend", arguments.backend, "cpu, reference, opencl or cuda; opencl:1 is its second device")
      ->capture_default_str();
  command.add_option("--backend-option", arguments.options, "NAME=VALUE: an option of the backend, as docs/ list them");
  command
      .add_option("--host-ops", arguments.host_ops,
                  "Ops that run on the CPU although the device has them, e.g. SOFT_MAX")
      ->delimiter(',');
}

Status BackendArguments::put_into(RunnerOptions& runner) const {
  runner.backend = backend;
  for (const std::string& option : options) {
    const size_t at = option.find('=');
    if (at == 0 || at == std::string::npos)
      return Error{fmt::format("'--backend-option {}' is not NAME=VALUE", option)};
    const std::string key = option.substr(0, at), value = option.substr(at + 1);
    const auto precision = key == "precision" ? parse_precision(value) : std::nullopt;
    if (precision)
      runner.precision = precision;
    else
      runner.backend_options[key] = value;
  }
  for (const std::string& text : host_ops) {
    const auto op = parse_op(text);
    if (!op) return Error{fmt::format("--host-ops: there is no op '{}'", text)};
    runner.host_ops.push_back(*op);
  }
  return {};
}

Status check_names(const RunnerOptions& options) {
  if (!planner::find_planner(options.planner)) {
    std::string names;
    for (const auto* p : planner::all_planners()) names += fmt::format(" {}", p->name());
    return Error{fmt::format("there is no planner '{}'; there are:{}", options.planner, names)};
  }
  if (!find_order(options.order)) {
    std::string names;
    for (const OrderInfo& o : all_orders()) names += fmt::format(" {}", o.name);
    return Error{fmt::format("there is no order '{}'; there are:{}", options.order, names)};
  }
  if (is_backend_name(options.backend)) return {};
  return Error{fmt::format("there is no backend '{}'; there are:{}", options.backend, backend_names())};
}

CLI::Validator seconds() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1e6) return std::string();
        return fmt::format("'{}' is no number of seconds from 0 to 1000000", text);
      },
      "SECONDS");
}

}  // namespace arenascope::cli
