// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli verify: runs a model and compares its outputs with expected outputs or with the reference backend.
#include <fmt/format.h>

#include "app/checks/verify_folder.h"
#include "app/checks/verify_model.h"
#include "app/cli/cli.h"
#include "app/cli/model_options.h"

namespace arenascope::cli {
namespace {

struct VerifyArguments {
  ModelArguments model;
  app::VerifyOptions options;
  BackendArguments backend;
  app::OptionValues values;
  bool recursive = false;
};

int verify_all(Context& context, const VerifyArguments& arguments, Progress& progress) {
  if (arguments.model.model.empty()) return fail(kUsage, "--recursive needs a directory");
  auto report = app::verify_folder(arguments.model.model, arguments.options, [&](size_t number, size_t count) {
    progress.phase(fmt::format("case {} of {}", number + 1, count),
                   static_cast<double>(number) / static_cast<double>(count));
  });
  if (!report) return fail(kUsage, report.error().message);
  if (report->rejected > 0)
    context.incomplete =
        fmt::format("{}: {} of {} cases cannot be run", arguments.model.model, report->rejected, report->cases.size());
  if (context.json) {
    Json cases = Json::array();
    for (const app::FolderCase& c : report->cases) {
      Json one = {{"name", c.name}, {"outcome", app::name(c.outcome)}};
      if (!c.why.empty()) one["why"] = c.why;
      cases.push_back(std::move(one));
    }
    print_json(
        context,
        {{"passed", report->passed}, {"rejected", report->rejected}, {"failed", report->failed}, {"cases", cases}});
  } else {
    for (const app::FolderCase& c : report->cases)
      cli::print("{:<8} {}{}{}\n", app::name(c.outcome), c.name, c.why.empty() ? "" : ": ", c.why);
    cli::print("{} passed, {} rejected, {} failed\n", report->passed, report->rejected, report->failed);
  }
  if (report->failed != 0)
    return fail(kFailed, fmt::format("{} of {} cases below {} give different outputs", report->failed,
                                     report->cases.size(), arguments.model.model));
  return kDone;
}

int verify(Context& context, VerifyArguments& arguments) {
  auto open = arguments.model.options();
  if (!open) return fail(kUsage, open.error().message);
  for (const app::OptionValues* values : {&arguments.backend.values, &arguments.values})
    if (auto ok = app::set_run_options(arguments.options.runner, *values, "--"); !ok)
      return fail(kUsage, ok.error().message);
  arguments.options.runner.open = *open;
  Progress progress;
  if (arguments.recursive) return verify_all(context, arguments, progress);
  arguments.options.runner.progress = [&](const std::string& phase) { progress.phase(phase); };
  auto task = app::read_task(arguments.model.model, arguments.options);
  if (!task) return fail(kUsage, task.error().message);
  auto report = app::verify_model(std::move(*task));
  if (!report) return fail(kFailed, report.error().message);
  bool passed = true;
  for (const app::VerifiedCase& c : *report) passed = passed && c.passed;
  const std::string model = arguments.model.model.empty() ? "ops" : arguments.model.model;
  if (context.json) {
    Json cases = Json::array();
    for (const app::VerifiedCase& c : *report)
      cases.push_back({{"name", c.name},
                       {"passed", c.passed},
                       {"max_abs_error", c.max_abs_error},
                       {"max_rel_error", c.max_rel_error},
                       {"note", c.note}});
    print_json(context,
               {{"model", model}, {"backend", arguments.options.runner.backend}, {"passed", passed}, {"cases", cases}});
  } else {
    for (const app::VerifiedCase& c : *report)
      cli::print("{} {:<50} max error {:.3g}, relative to max {:.3g}{}{}\n", c.passed ? "ok    " : "FAILED", c.name,
                 c.max_abs_error, c.max_rel_error, c.note.empty() ? "" : ": ", c.note);
  }
  if (!passed)
    return fail(kFailed,
                fmt::format("{} differs from the expected outputs on {}", model, arguments.options.runner.backend));
  return kDone;
}

}  // namespace

void add_verify(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand(
      "verify", "Run a model and compare its outputs with expected outputs or the reference backend");
  auto a = std::make_shared<VerifyArguments>();
  add_model_arguments(*command, a->model);
  command->get_option("model")->required(false)->description(
      "Model file, directory in the ONNX test-case layout, or zoo:NAME; without one every op of the backend is tested");
  RunnerOptions& r = a->options.runner;
  add_backend_arguments(*command, a->backend);
  command->add_flag("--recursive", a->recursive, "Verify every test case below the directory MODEL");
  add_run_options(*command, a->values,
                  {"threads", "planner", "order", "budget", "memory", "in-place", "channels-last"});
  command->add_option("--only", a->options.only, "Substring of the names of op cases to run");
  command->add_flag("--fuse", r.fuse, "Fuse chains of ops where the backend supports it");
  command->add_option("--rtol", a->options.tolerance.rtol, "Relative tolerance per element")->capture_default_str();
  command->add_option("--atol", a->options.tolerance.atol, "Absolute tolerance per element")->capture_default_str();
  command->add_option("--relative-to-max", a->options.tolerance.relative_to_max,
                      "Maximum error relative to the largest output, instead of --rtol and --atol");
  command
      ->add_option(
          "--against", a->options.against,
          "Backend that computes the expected outputs: reference, or cpu, which is fast enough for large models")
      ->check(CLI::IsMember({"reference", "cpu"}))
      ->capture_default_str();
  command->add_flag("--json", context.json, "Print one JSON object");
  add_allow_unknown(*command, context, "some test cases of --recursive cannot be run");
  command->callback([&, a] { body = [&, a] { return verify(context, *a); }; });
}

}  // namespace arenascope::cli
