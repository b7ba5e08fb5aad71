// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include <arenascope/models/mapped_files.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/completions.h"
#include "app/cli/reference.h"
#include "app/cli/report.h"
#include "app/common/process_setup.h"

namespace {

// Names an unknown command and lists the available ones.
std::string wrong_usage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (!app.get_subcommands().empty() || argc < 2) return fmt::format("{} (see --help)", error.what());
  if (argv[1][0] == '-') return fmt::format("unknown option '{}' before a command (see --help)", argv[1]);
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names += fmt::format(" {}", command->get_name());
  return fmt::format("unknown command '{}'; available:{}", argv[1], names);
}

// CLI11 appends "{false}" to flags that disable something.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    return arenascope::cli::without_flag_values(CLI::Formatter::make_option_name(option, positional));
  }
};

// Memory may run out a second time while an error is unwound: the destructor of nlohmann::json, in which results are
// collected, allocates. The process then ends here, with the same message and status as for other refused memory.
[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kMessage = "arenascope-cli: out of memory\n";
    (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
    ::_exit(arenascope::cli::kFailed);
  } catch (...) {
  }
  std::abort();
}

// Hidden: prints the documentation that packaging/generate-docs stores.
void add_reference(CLI::App& app, arenascope::cli::Body& body) {
  using namespace arenascope::cli;
  auto* reference = app.add_subcommand("reference", "Reference of all commands, for the documentation")->group("");
  auto man = std::make_shared<bool>(false);
  reference->add_flag("--man", *man, "As a man page");
  auto shell = std::make_shared<std::string>();
  reference->add_option("--completions", *shell, "As completions of bash, zsh or fish");
  reference->callback([&app, &body, man, shell] {
    body = [&app, man, shell] {
      if (!shell->empty()) {
        const auto text = completions(app, *shell);
        if (!text) return fail(kUsage, text.error().message);
        fmt::print("{}", *text);
        return static_cast<int>(kDone);
      }
      fmt::print("{}", *man ? man_page(app, ARENASCOPE_VERSION) : markdown_reference(app));
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace

int main(int argc, char** argv) {
  using namespace arenascope::cli;
  arenascope::app::hold_standard_streams();
  arenascope::app::load_unwinder();
  (void)arenascope::app::prepare_for_address_limit(0);
  std::set_terminate(on_terminate);
  CLI::App app{"Arenascope: memory visualizer, profiler and step debugger for tensor programs", "arenascope-cli"};
  app.set_version_flag("--version", "arenascope-cli " ARENASCOPE_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  Context context;
  Body body;
  add_devices(app, context, body);
  add_info(app, context, body);
  add_compile(app, context, body);
  add_plan(app, context, body);
  add_run(app, context, body);
  add_generate(app, context, body);
  add_train(app, context, body);
  add_verify(app, context, body);
  add_bench(app, context, body);
  add_convert(app, context, body);
  add_audit(app, context, body);
  add_diff(app, context, body);
  add_query(app, context, body);
  add_replay(app, context, body);
  add_report(app, context, body);
  add_serve(app, body);
  add_attach(app, context, body);
  add_reference(app, body);
  try {
    move_host_after_dashes(argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(kUsage, wrong_usage(app, error, argc, argv));
  }
  try {
    if (auto ok = arenascope::models::survive_lost_pages(); !ok) return fail(kFailed, ok.error().message);
    if (context.json) context.report = report_of(*app.get_subcommands().front());
    int status = body();
    if (status == kDone && !context.incomplete.empty() && !context.allow_unknown)
      status = fail(kFailed, context.incomplete + "; --allow-unknown accepts it");
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      return fail(kFailed, fmt::format("cannot write standard output: {}", std::strerror(errno)));
    return status;
  } catch (const std::bad_alloc&) {
    return fail(kFailed, "out of memory");
  } catch (const std::exception& error) {
    return fail(kFailed, error.what());
  }
}
