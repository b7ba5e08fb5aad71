// SPDX-License-Identifier: MIT
#include "engine/lesson/lens.h"

#include <arenascope/lesson/stage.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/parse_graph.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {

std::span<const LensExperiment> lens_experiments() {
  static const std::vector<LensExperiment> all = [] {
    std::vector<LensExperiment> out;
    for (const auto list : {tensor_lenses(), block_lenses(), pool_lenses(), memory_lenses(), storage_lenses(),
                            stream_lenses(), thread_lenses()})
      out.insert(out.end(), list.begin(), list.end());
    return out;
  }();
  return all;
}

LensFrames run_lens(std::string_view experiment, LensInput input) {
  std::vector<std::string> names;
  for (const LensExperiment& lens : lens_experiments()) {
    names.emplace_back(lens.name);
    if (lens.name != experiment) continue;
    for (const auto& [name, value] : input)
      if (std::ranges::none_of(lens.parameters, [&](const LensParameter& p) { return p.name == name; }))
        return Error{fmt::format("the experiment '{}' has no parameter '{}'", experiment, name)};
    for (const LensParameter& parameter : lens.parameters) input.try_emplace(parameter.name, parameter.value);
    return lens.run(input);
  }
  return Error{fmt::format("unknown experiment '{}'; expected {}", experiment, join(names, ", "))};
}

Result<LensRequest> parse_lens_request(const std::vector<std::string>& arguments) {
  LensRequest request;
  if (arguments.empty()) return Error{"an experiment is required"};
  request.experiment = arguments.front();
  for (size_t i = 1; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].find('=');
    if (equals == 0 || equals == std::string::npos)
      return Error{fmt::format("expected NAME=VALUE, found '{}'", arguments[i])};
    std::string name = arguments[i].substr(0, equals), value = arguments[i].substr(equals + 1);
    std::ranges::replace(name, '_', ' ');
    std::ranges::replace(value, '+', ' ');
    request.input[std::move(name)] = std::move(value);
  }
  return request;
}

Result<int64_t> lens_integer(const LensInput& input, std::string_view name, int64_t least, int64_t most) {
  auto one = lens_integers(lens_value(input, name), name, 1, least, most);
  return one ? Result<int64_t>(one->front()) : Result<int64_t>(one.error());
}

Result<std::vector<int64_t>> lens_integers(std::string_view text, std::string_view name, size_t count, int64_t least,
                                           int64_t most) {
  std::vector<int64_t> out;
  for (const std::string& token : split(text, " ,")) {
    const auto n = parse_integer(token);
    if (!n || *n < least || *n > most)
      return Error{fmt::format("{}: expected an integer from {} to {}, found '{}'", name, least, most, token)};
    out.push_back(*n);
  }
  if (out.empty() || out.size() > count)
    return Error{fmt::format("{}: expected 1 to {} integers, found {}", name, count, out.size())};
  return out;
}

Result<models::Model> lens_model(const std::string& lines) {
  Lesson lesson;
  lesson.file = "graph";
  lesson.title = "byte lens";
  const std::vector<std::string> texts = split(lines, ";");
  if (texts.size() > kMaxLensLines)
    return Error{fmt::format("graph: expected at most {} lines, found {}", kMaxLensLines, texts.size())};
  for (const std::string& text : texts) {
    const int number = static_cast<int>(lesson.graph.size()) + 1;
    auto line = parse_graph_line(text, lesson.graph);
    if (!line) return error_at(lesson, number, line.error().message);
    line->line = number;
    lesson.graph.push_back(std::move(*line));
  }
  if (!lesson.computes()) return Error{"graph: expected NAME = OP INPUTS, separated by semicolons"};
  return lesson_model(lesson);
}

}  // namespace arenascope::lesson
