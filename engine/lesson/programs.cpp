// SPDX-License-Identifier: MIT
#include <arenascope/lesson/programs.h>

#include <fmt/format.h>

#include "engine/lesson/program_context.h"

namespace arenascope::lesson {

std::span<const Program> programs() {
  static const std::vector<Program> all = [] {
    std::vector<Program> out;
    for (const auto list :
         {allocator_programs(), weakness_programs(), thread_programs(), fault_programs(), object_programs()})
      out.insert(out.end(), list.begin(), list.end());
    return out;
  }();
  return all;
}

Result<std::shared_ptr<trace::Session>> run_program(std::string_view name) {
  std::string names;
  for (const Program& program : programs()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", program.name);
    if (program.name != name) continue;
    trace::Recorder recorder;
    auto session = std::make_shared<trace::Session>();
    recorder.add_sink(session);
    auto done = program.run(recorder);
    recorder.drain();
    if (!done) return done.error();
    return session;
  }
  return Error{fmt::format("unknown program '{}'; expected {}", name, names)};
}

}  // namespace arenascope::lesson
