// SPDX-License-Identifier: GPL-3.0-or-later
#include <exception>
#include <new>

#include "app/cli/cli.h"

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
  add_verify(app, context, body);
  add_bench(app, context, body);
  add_convert(app, context, body);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(kUsage, std::string(error.what()) + " (see --help)");
  }
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(kFailed, "no memory is left");
  } catch (const std::exception& error) {
    return fail(kFailed, error.what());
  }
}
