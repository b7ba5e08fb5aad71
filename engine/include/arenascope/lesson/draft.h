// SPDX-License-Identifier: MIT
// A draft of a lesson from the open documents: it contains the figures, and the teacher writes the text.
#pragma once
#include <arenascope/lesson/facts.h>

#include <string>

namespace arenascope::lesson {

// Drafts a lesson that parse() accepts and check() passes, as long as `spec` opens the same document. Errors: the scene
// has nothing to describe.
Result<std::string> draft(const Scene& scene, const std::string& spec, const std::string& title);

}  // namespace arenascope::lesson
