// SPDX-License-Identifier: MIT
// Programs that teach: small, real, and recorded while they run. Some are right, some have a fault to be found.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/session.h>

#include <memory>
#include <span>
#include <string_view>

namespace arenascope::lesson {

struct Program {
  const char* name;
  const char* description;
  Status (*run)(trace::Recorder& recorder);
};

std::span<const Program> programs();

// Runs the program and returns its recording. Errors: no such program (the message lists them), out of memory.
Result<std::shared_ptr<trace::Session>> run_program(std::string_view name);

}  // namespace arenascope::lesson
