// SPDX-License-Identifier: MIT
#include "engine/lesson/check_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr std::pair<std::string_view, double> kNumberWords[] = {
    {"two", 2},     {"three", 3},    {"four", 4},    {"five", 5},        {"six", 6},
    {"seven", 7},   {"eight", 8},    {"nine", 9},    {"ten", 10},        {"eleven", 11},
    {"twelve", 12}, {"sixteen", 16}, {"twenty", 20}, {"thirty-two", 32}, {"sixty-four", 64}};
// Counted by facts.
constexpr std::array<std::string_view, 14> kCountable{"bytes",    "nodes",   "tensors", "buffers",    "blocks",
                                                      "threads",  "runs",    "steps",   "barriers",   "copies",
                                                      "elements", "objects", "views",   "allocations"};
// Ratios, which an expression has to state.
constexpr std::array<std::string_view, 6> kRatios{"half", "twice", "double", "doubled", "halved", "quarter"};

std::string all_text(const LessonStep& step) {
  std::string text = step.text;
  if (!step.question) return text;
  const Question& q = *step.question;
  text += "\n" + q.right;
  for (const std::string& hint : q.hints) text += "\n" + hint;
  for (const Option& option : q.options) text += "\n" + option.text + "\n" + option.why;
  return text;
}

std::vector<std::string> words_of(const LessonStep& step) {
  std::string text;
  for (const TextPart& part : parts_of(all_text(step))) text += part.figure ? " ; " : part.text;
  for (char& c : text)
    c = std::isalpha(static_cast<unsigned char>(c)) || c == '-' ? static_cast<char>(std::tolower(c)) : ' ';
  return split(text, " ");
}

template <class List>
bool holds_word(const List& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

bool has_number(const std::vector<Value>& expected, double number) {
  return std::ranges::any_of(expected, [&](const Value& v) {
    return (v.kind == Value::Kind::Number && v.number == number) ||
           (v.kind == Value::Kind::List && static_cast<double>(v.list.size()) == number);
  });
}

const Value* known_value(const Scene& scene, const std::string& fact) {
  const auto at = scene.known.find(fact);
  return at == scene.known.end() ? nullptr : &at->second;
}

// The answer in figures, or null.
const Value* answer_of(const Scene& scene, const LessonStep& step) {
  if (!step.question) return nullptr;
  const QuestionKind kind = step.question->kind;
  return kind == QuestionKind::Number || kind == QuestionKind::Choice ? known_value(scene, step.question->fact)
                                                                      : nullptr;
}

}  // namespace

std::vector<std::string> figure_problems(const Scene& scene, const LessonStep& step) {
  std::vector<std::string> problems;
  std::map<std::string, std::pair<std::string, double>> shown_as;  // text -> fact and value
  for (const TextPart& part : parts_of(all_text(step))) {
    const Value* value = part.figure ? known_value(scene, part.text) : nullptr;
    if (value == nullptr) continue;
    const std::string text = shown(*value, part.bare);
    if (text.empty() || (value->kind == Value::Kind::List && holds_word(value->list, ""))) {
      problems.push_back(fmt::format("'{}' shows an empty name", part.text));
    } else if (value->kind == Value::Kind::Number) {
      const auto [at, fresh] = shown_as.try_emplace(text, part.text, value->number);
      if (!fresh && at->second.second != value->number)
        problems.push_back(
            fmt::format("'{}' and '{}' differ, and both are shown as {}", at->second.first, part.text, text));
    }
  }
  if (const Value* answer = answer_of(scene, step); answer != nullptr)
    for (const TextPart& part : parts_of(step.text))
      if (const Value* value = part.figure ? known_value(scene, part.text) : nullptr;
          value != nullptr &&
          (part.text == step.question->fact ||  // small counts may be equal by chance
           (answer->unit != Unit::None && value->unit == answer->unit && value->number == answer->number)))
        problems.push_back(fmt::format("the text shows '{}', which is the answer to its question", part.text));
  return problems;
}

std::vector<std::string> unbacked_words(const LessonStep& step, const std::vector<Value>& expected) {
  std::vector<std::string> problems;
  const std::vector<std::string> words = words_of(step);
  const bool computes = std::ranges::any_of(
      step.expects, [](const Expectation& e) { return e.fact.find_first_of("*/+") != std::string::npos; });
  for (size_t i = 0; i < words.size(); ++i) {
    const bool read_twice = words[i] == "twice" && has_number(expected, 2);
    if (holds_word(kRatios, words[i]) && !computes && !read_twice)
      problems.push_back(fmt::format("no expression that is expected backs the word '{}'", words[i]));
    const auto counts = std::ranges::find_if(kNumberWords, [&](const auto& n) { return n.first == words[i]; });
    if (counts == std::end(kNumberWords)) continue;
    const size_t end = std::min(i + 3, words.size());
    const auto counted = std::find_if(words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                      words.begin() + static_cast<std::ptrdiff_t>(end),
                                      [](const std::string& word) { return holds_word(kCountable, word); });
    if (counted != words.begin() + static_cast<std::ptrdiff_t>(end) && !has_number(expected, counts->second))
      problems.push_back(fmt::format("no value that is expected backs the words '{} {}'", words[i], *counted));
  }
  return problems;
}

}  // namespace arenascope::lesson
