// SPDX-License-Identifier: GPL-3.0-or-later
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include <arenascope/models/mapped_files.h>
#include <fmt/format.h>

#include "app/cli/cli.h"

namespace {

// A word where a command should stand is named, with the commands that there are.
std::string wrong_usage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (!app.get_subcommands().empty() || argc < 2 || argv[1][0] == '-')
    return fmt::format("{} (see --help)", error.what());
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names += fmt::format(" {}", command->get_name());
  return fmt::format("there is no command '{}'; there are:{}", argv[1], names);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace arenascope::cli;
  CLI::App app{"Arenascope: see how a tensor graph runs and lives in memory", "arenascope-cli"};
  app.set_version_flag("--version", "arenascope-cli " ARENASCOPE_VERSION);
  app.require_subcommand(1);
  Context context;
  Body body;
  add_devices(app, context, body);
  add_info(app, context, body);
  add_plan(app, context, body);
  add_run(app, context, body);
  add_generate(app, context, body);
  add_train(app, context, body);
  add_verify(app, context, body);
  add_bench(app, context, body);
  add_convert(app, context, body);
  add_audit(app, context, body);
  add_replay(app, context, body);
  add_attach(app, context, body);
  try {
    put_host_behind_dashes(argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(kUsage, wrong_usage(app, error, argc, argv));
  }
  try {
    if (auto ok = arenascope::models::survive_lost_pages(); !ok) return fail(kFailed, ok.error().message);
    const int status = body();
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      return fail(kFailed, fmt::format("standard output could not be written: {}", std::strerror(errno)));
    return status;
  } catch (const std::bad_alloc&) {
    return fail(kFailed, "no memory is left");
  } catch (const std::exception& error) {
    return fail(kFailed, error.what());
  }
}
