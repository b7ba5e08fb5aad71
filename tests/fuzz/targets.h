// SPDX-License-Identifier: MIT
// Fuzz targets: each reads bytes as one kind of untrusted input and checks what must hold of the result. `packaging/fuzz`
// runs them under libFuzzer with sanitizers; the suite runs them on their seeds and on mutants of these.
#pragma once
#include <arenascope/trace/wire.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::fuzz {

struct Target {
  std::string_view name;
  void (*run)(trace::ByteSpan input);
  std::vector<std::string> (*seeds)();  // valid inputs
};

std::span<const Target> model_targets();
std::span<const Target> trace_targets();
std::span<const Target> text_targets();
std::vector<Target> all_targets();

// Ends the process with a message if `holds` is false, in all builds.
void require(bool holds, const char* what);

// A file with these contents, at a path that is the same for each input of the process; its folder contains nothing else.
std::string input_file(trace::ByteSpan contents, std::string_view extension);

}  // namespace arenascope::fuzz
