// SPDX-License-Identifier: MIT
// A lesson's draft, from what is open: its figures are there, its sentences are the teacher's.
#pragma once
#include <arenascope/lesson/facts.h>

#include <string>

namespace arenascope::lesson {

// A file that parse() reads and check() finds nothing in, as long as `spec` opens the same thing. Errors: there is
// nothing in the scene to speak of.
Result<std::string> draft(const Scene& scene, const std::string& spec, const std::string& title);

}  // namespace arenascope::lesson
