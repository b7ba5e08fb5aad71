// SPDX-License-Identifier: MIT
// Generates tokens with a language model for a lesson, with greedy sampling.
#pragma once
#include <arenascope/lesson/lesson.h>
#include <arenascope/trace/session.h>

#include <memory>

namespace arenascope::lesson {

// Returns a recording of the model `spec` generating tokens. The prompt is processed in one batch (prefill), the other
// tokens one by one (decode). Errors: as Generator's.
Result<std::shared_ptr<trace::Session>> generate_tokens(const std::string& spec, const Settings& settings,
                                                        const Action& action);

}  // namespace arenascope::lesson
