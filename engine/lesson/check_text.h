// SPDX-License-Identifier: MIT
// Checks of the figures and words in the text of a step, besides those of its claims.
#pragma once
#include <arenascope/lesson/facts.h>
#include <arenascope/lesson/lesson.h>

namespace arenascope::lesson {

// Sentences about the figures of a step: names that are empty, different values with the same text, the answer to the
// question in the text. `scene.known` has the values.
std::vector<std::string> figure_problems(const Scene& scene, const LessonStep& step);
// Counts in English words, as in "five tensors" or "half", that no value of `expected` backs.
std::vector<std::string> unbacked_words(const LessonStep& step, const std::vector<Value>& expected);

}  // namespace arenascope::lesson
