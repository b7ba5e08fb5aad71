// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli report: the totals, the peak, the memory map and the timeline of a file, as text or as one page to send.
#include <arenascope/base/output_file.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/model_options.h"
#include "app/common/planned_session.h"
#include "app/report/report.h"

namespace arenascope::cli {
namespace {

struct ReportArguments {
  std::string file, output;
  PlanningArguments planning;
  app::ReportLimits limits;
  size_t top = 15;
  bool markdown = false;
};

// The report in the form that the output file's extension or the options select.
Result<std::string> formatted(const app::ReportJson& report, const ReportArguments& arguments) {
  const std::string extension = std::filesystem::path(arguments.output).extension();
  if (extension == ".html" || extension == ".htm") return app::html_page(app::PageKind::Report, report);
  if (extension == ".json") return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (extension == ".md" || arguments.markdown) return app::report_markdown(report, arguments.top);
  if (extension == ".txt" || extension.empty()) return app::report_text(report, arguments.top);
  return Error{
      fmt::format("{}: unknown extension '{}'; expected .html, .md, .txt or .json", arguments.output, extension)};
}

int write_report(Context& context, const ReportArguments& arguments) {
  const std::filesystem::path inputs[] = {arguments.file};
  if (!arguments.output.empty())
    if (auto ok = OutputFile::check(arguments.output, inputs); !ok) return fail(kFailed, ok.error().message);
  Progress progress;
  progress.phase("reading");
  std::string problem;
  auto session = app::open_session(arguments.file, arguments.planning.settings, problem);
  if (!session) return fail(kUsage, session.error().message);
  context.incomplete = problem;
  progress.phase("searching savings");
  const app::ReportJson report = app::make_report((*session)->snapshot(), arguments.file, arguments.limits);
  if (context.json) {
    print_json(context, report);
  } else {
    auto text = formatted(report, arguments);
    if (!text) return fail(kUsage, text.error().message);
    if (arguments.output.empty())
      put(stdout, *text);
    else if (auto ok = OutputFile::write_all(arguments.output, *text, inputs); !ok)
      return fail(kFailed, ok.error().message);
  }
  return kDone;
}

}  // namespace

void add_report(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand(
      "report", "Write a report of a recording, trace, model or plan: text, Markdown, JSON, or one HTML page to send");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("file", arguments->file, "Recording, trace, model file, zoo:NAME or CSV of intervals")
      ->required();
  command->add_option("-o,--output", arguments->output,
                      "Output file; the extension selects the form: .html, .md, .txt or .json; default: text on "
                      "standard output");
  command->add_flag("--markdown", arguments->markdown, "Print Markdown instead of text");
  command->add_option("--top", arguments->top, "Rows per table of text and Markdown")->capture_default_str();
  command
      ->add_option("--findings", arguments->limits.findings_seconds,
                   "Time limit of the search for savings in seconds; 0: no findings")
      ->capture_default_str()
      ->check(seconds());
  add_planning_arguments(*command, arguments->planning);
  command->add_flag("--json", context.json, "Print one JSON object");
  add_allow_unknown(*command, context, "a part of the file is missing from the report");
  command->callback([&, arguments] { body = [&, arguments] { return write_report(context, *arguments); }; });
}

}  // namespace arenascope::cli
