// SPDX-License-Identifier: MIT
// A language model writes, for a lesson: the most likely token each time.
#pragma once
#include <arenascope/lesson/lesson.h>
#include <arenascope/trace/session.h>

#include <memory>

namespace arenascope::lesson {

// What was recorded while the model `spec` wrote; the tokens of the prompt go through it together, the others one by one.
// Errors: as Generator's.
Result<std::shared_ptr<trace::Session>> write_tokens(const std::string& spec, const Settings& settings,
                                                     const Action& action);

}  // namespace arenascope::lesson
