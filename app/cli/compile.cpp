// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli compile: compiles a model and reports what each pass did, or prints the graph after a pass.
#include <optional>

#include <arenascope/graph/graph_text.h>
#include <arenascope/run/transform_model.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/model_options.h"
#include "app/common/format.h"

namespace arenascope::cli {
namespace {

struct CompileArguments {
  ModelArguments model;
  BackendArguments backend;
  app::OptionValues values;
  std::string dump_after;
};

std::string contracts() {
  std::string text = "passes:";
  for (const PassInfo& pass : compile_passes()) text += fmt::format("\n  {:<10} {}", pass.name, pass.contract);
  return text;
}

std::string pass_names() {
  std::string text;
  for (const PassInfo& pass : compile_passes()) text += fmt::format("{}{}", text.empty() ? "" : ", ", pass.name);
  return text;
}

Json passes_json(const Program& program) {
  Json list = Json::array();
  for (const PassReport& report : program.passes)
    list.push_back({{"pass", report.pass->name},
                    {"contract", report.pass->contract},
                    {"nodes_before", report.nodes_before},
                    {"nodes_after", report.nodes_after},
                    {"seconds", report.seconds},
                    {"change", report.change}});
  return list;
}

void print_passes(const Program& program) {
  cli::print("{:<10} {:>8} {:>8} {:>10}  {}\n", "pass", "nodes", "after", "time", "change");
  for (const PassReport& report : program.passes)
    cli::print("{:<10} {:>8} {:>8} {:>10}  {}\n", report.pass->name, report.nodes_before, report.nodes_after,
               app::format_nanoseconds(static_cast<Nanoseconds>(report.seconds * 1e9)), report.change);
}

std::string names_of(const Program& program) {
  std::string text;
  for (const PassReport& report : program.passes)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", report.pass->name);
  return text;
}

int compile_model(Context& context, const CompileArguments& arguments) {
  auto options = run_options_of({&arguments.model.values, &arguments.backend.values, &arguments.values});
  if (!options) return fail(kUsage, options.error().message);
  if (!arguments.dump_after.empty() && find_pass(arguments.dump_after) == nullptr)
    return fail(kUsage, fmt::format("unknown pass '{}'; available passes: {}", arguments.dump_after, pass_names()));
  Progress progress;
  options->progress = [&](const std::string& phase) { progress.phase(phase); };
  std::optional<std::string> dump;
  options->after_pass = [&](const PassInfo& pass, const Graph& graph) {
    if (pass.name == arguments.dump_after) dump = to_text(graph);
  };
  auto model = open_for_run(arguments.model.model, *options);
  if (!model) return fail(kUsage, model.error().message);
  if (!model->graph.defined())
    return fail(kFailed, fmt::format("{} cannot be compiled: {}", arguments.model.model,
                                     model->problems.empty() ? "no graph" : model->problems.front()));
  auto devices = devices_of(*options);
  if (!devices) return fail(kFailed, devices.error().message);
  auto program = model->runnable() ? compile(*model, *devices, *options) : transform_model(*model, *devices, *options);
  if (!program) return fail(kFailed, program.error().message);
  if (!model->runnable())
    context.incomplete = fmt::format("{}: not planned: {}", arguments.model.model, model->why_not_runnable());
  if (!arguments.dump_after.empty() && !dump)
    return fail(kFailed, fmt::format("{}: the pass '{}' does not apply; passes that ran: {}", arguments.model.model,
                                     arguments.dump_after, names_of(*program)));
  if (context.json) {
    Json object{{"model", model->name}, {"backend", options->backend}, {"passes", passes_json(*program)}};
    if (dump) object["graph"] = *dump;
    print_json(context, object);
  } else if (dump) {
    cli::print("{}", *dump);
  } else {
    print_passes(*program);
  }
  return kDone;
}

}  // namespace

void add_compile(CLI::App& app, Context& context, Body& body) {
  auto* command =
      app.add_subcommand("compile", "Compile a model and print what each pass did, or the graph after a pass");
  auto a = std::make_shared<CompileArguments>();
  add_model_arguments(*command, a->model);
  add_backend_arguments(*command, a->backend);
  add_run_options(*command, a->values,
                  {"threads", "planner", "order", "memory", "budget", "budget-steps", "capacity", "alignment",
                   "in-place", "rewrite", "fusion", "channels-last", "prefer"});
  command->add_option("--dump-after", a->dump_after, "Pass after which the graph is printed as text");
  add_allow_unknown(*command, context, "some nodes of the model cannot be computed");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer(contracts);
  command->callback([&, a] { body = [&, a] { return compile_model(context, *a); }; });
}

}  // namespace arenascope::cli
