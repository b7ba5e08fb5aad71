// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli convert: converts between recordings and other tools' formats.
#include <algorithm>
#include <filesystem>

#include <arenascope/trace/convert.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/model_options.h"
#include "app/common/left_out.h"
#include "app/common/trace_open_options.h"

namespace arenascope::cli {
namespace {

int convert(Context& context, const std::string& from, const std::string& to) {
  Progress progress;
  progress.phase("reading");
  trace::Session session;
  auto read = trace::open_trace(from, session, app::trace_open_options());
  if (!read) return fail(kUsage, read.error().message);
  const auto snapshot = session.snapshot();
  context.incomplete = app::left_out(*snapshot, from);
  if (!read->problem.empty() && context.incomplete.empty()) cli::print(stderr, "arenascope-cli: {}\n", read->problem);
  progress.phase("writing");
  auto format = trace::format_of(to);
  if (!format) return fail(kUsage, format.error().message);
  Status written = trace::write(*snapshot, *format, to, {}, {from});
  if (!written) return fail(kFailed, written.error().message);
  if (context.json)
    print_json(context, {{"from", from}, {"to", to}, {"events", snapshot->event_count}});
  else if (*format == trace::Format::Dot)
    cli::print("graph written to {}\n", to);
  else
    cli::print("{} events written to {}\n", snapshot->event_count, to);
  return kDone;
}

}  // namespace

void add_convert(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("convert", "Convert between recordings and other tools' formats");
  auto files = std::make_shared<std::pair<std::string, std::string>>();
  command
      ->add_option("from", files->first, "Recording or trace of another tool; the format is detected from the content")
      ->required();
  command
      ->add_option("to", files->second,
                   "Output file; the extension selects the format: .json (Chrome trace), .csv (spans), .memory.csv, "
                   ".txt, .dot (the graph), .pftrace")
      ->required();
  command->add_flag("--json", context.json, "Print one JSON object");
  add_allow_unknown(*command, context, "some events of the file could not be read");
  command->callback([&, files] { body = [&, files] { return convert(context, files->first, files->second); }; });
}

}  // namespace arenascope::cli
