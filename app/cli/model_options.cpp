// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_options.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/common/format.h"

namespace arenascope::cli {

Result<models::OpenOptions> ModelArguments::options() const {
  RunnerOptions runner;
  if (auto ok = app::set_run_options(runner, values, "--"); !ok) return ok.error();
  return std::move(runner.open);
}

std::string assumptions(const models::Model& model) {
  std::string all;
  std::vector<std::string> named;
  for (const models::FreeDimension& free : model.free_dimensions) {
    if (free.specified || std::find(named.begin(), named.end(), free.key()) != named.end()) continue;
    named.push_back(free.key());
    all += fmt::format("{}{} = {}", all.empty() ? "" : ", ", free.key(), free.size);
  }
  for (const auto& [input, value] : model.assumed_values)
    all += fmt::format("{}the value of {} = {}", all.empty() ? "" : ", ", input, value);
  std::string text;
  if (!all.empty())
    text = fmt::format("assumed sizes: {}; set them with --dim NAME=N, --shape INPUT=N,N or --input\n", all);
  if (model.ops.count("ai.onnx.ml::ZipMap") != 0)
    text += "ZipMap outputs are returned as tensors with one column per class\n";
  return text;
}

std::string unknown_sizes_text(const models::Model& model) {
  constexpr size_t kListed = 8;
  const std::vector<std::string>& all = model.unknown_sizes;
  if (all.empty()) return {};
  const size_t listed = std::min(all.size(), kListed);
  std::string text =
      fmt::format("size unknown: {}", fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(listed), ", "));
  if (all.size() > listed) text += fmt::format(" and {} more", all.size() - listed);
  return text + "\n";
}

void add_model_arguments(CLI::App& command, ModelArguments& arguments) {
  command
      .add_option("model", arguments.model,
                  "Model file (.onnx, .gguf, .safetensors), directory in the ONNX test-case layout, or zoo:NAME")
      ->required();
  add_run_options(command, arguments.values, {"dim", "shape", "tokens", "prefill", "training"});
}

void add_option(CLI::App& command, app::OptionValues& values, const app::OptionDescriptor& option,
                const std::string& default_value) {
  const std::string name = fmt::format("--{}", option.off != nullptr ? option.off : option.id);
  if (option.type == app::OptionType::Flag) {
    command.add_flag_function(
        name, [&values, option](int64_t) { values[option.id] = option.off == nullptr ? "on" : "off"; },
        option.off == nullptr ? std::string(option.description) : fmt::format("Disable: {}", option.description));
    return;
  }
  if (option.type == app::OptionType::List) {
    auto* several = command.add_option_function<std::vector<std::string>>(
        name,
        [&values, option](const std::vector<std::string>& given) {
          std::string& all = values[option.id];
          for (const std::string& one : given) {
            if (!all.empty()) all += '\n';
            all += one;
          }
        },
        option.description);
    if (option.by_comma) several->delimiter(',');
    return;
  }
  auto* one = command.add_option_function<std::string>(
      name, [&values, option](const std::string& given) { values[option.id] = given; }, option.description);
  one->default_str(default_value);
}

void add_run_options(CLI::App& command, app::OptionValues& values, std::initializer_list<const char*> ids) {
  for (const char* id : ids) {
    const app::RunOption& option = *app::find_run_option(id);
    add_option(command, values, option.descriptor(), option.text(RunnerOptions()));
  }
}

void add_backend_arguments(CLI::App& command, BackendArguments& arguments) {
  add_run_options(command, arguments.values, {"backend", "backend-option", "host-ops"});
}

Result<RunnerOptions> run_options_of(std::initializer_list<const app::OptionValues*> values) {
  RunnerOptions options;
  options.fuse = options.rewrite = true;
  for (const app::OptionValues* some : values)
    if (auto ok = app::set_run_options(options, *some, "--"); !ok) return ok.error();
  return options;
}

void add_allow_unknown(CLI::App& command, Context& context, const std::string& what) {
  command.add_flag("--allow-unknown", context.allow_unknown, "Exit status 0 although " + what);
}

void add_planning_arguments(CLI::App& command, PlanningArguments& arguments) {
  app::PlanSettings& plan = arguments.settings;
  command.add_option("--planner", plan.planner, "Planner of models and intervals")->capture_default_str();
  command.add_option("--order", plan.order, "Execution order of models")->capture_default_str();
  command.add_option("--budget", plan.options.planner.budget_seconds, "Time limit of search planners in seconds")
      ->capture_default_str()
      ->check(seconds());
  command
      .add_option(
          "--budget-steps", plan.options.planner.budget_steps,
          "Limit of search planners in steps instead of seconds, so that a loaded machine gives the same answer")
      ->check(CLI::NonNegativeNumber);
}

CLI::Validator seconds() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1e6) return std::string();
        return fmt::format("expected seconds from 0 to 1000000, found '{}'", text);
      },
      "SECONDS");
}

}  // namespace arenascope::cli
