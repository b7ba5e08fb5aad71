// SPDX-License-Identifier: MIT
#include "engine/lesson/lens.h"

#include <arenascope/lesson/stage.h>
#include <arenascope/schedule/restore.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/parse_graph.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {

std::span<const LensExperiment> lens_experiments() {
  static const std::vector<LensExperiment> all = [] {
    std::vector<LensExperiment> out;
    for (const auto list :
         {tensor_lenses(), block_lenses(), pool_lenses(), object_lenses(), memory_lenses(), storage_lenses(),
          stream_lenses(), thread_lenses(), size_lenses(), device_lenses(), plan_lenses(), network_lenses()})
      out.insert(out.end(), list.begin(), list.end());
    return out;
  }();
  return all;
}

namespace {

// Before the first operation, the strips that later operations fill are shown without cells.
void complete_start(std::vector<LensFrame>& frames) {
  std::vector<LensStrip>& start = frames.front().strips;
  for (const LensFrame& frame : frames)
    for (const LensStrip& later : frame.strips) {
      const auto known = std::ranges::find(start, later.title, &LensStrip::title);
      if (known == start.end())
        start.push_back({later.title, later.unit, later.length, {}});
      else if (known->cells.empty())
        known->length = std::max(known->length, later.length);
    }
}

Result<Lesson> lens_lesson(const std::string& lines) {
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
  return lesson;
}

Status check_tensors(size_t tensors) {
  if (tensors <= kMaxLensTensors) return {};
  return Error{fmt::format("graph: expected at most {} tensors, found {}", kMaxLensTensors, tensors)};
}

}  // namespace

LensFrames run_lens(std::string_view experiment, LensInput input, LensProblem* problem) {
  std::vector<std::string> names;
  for (const LensExperiment& lens : lens_experiments()) {
    names.emplace_back(lens.name);
    if (lens.name != experiment) continue;
    for (const auto& [name, value] : input)
      if (std::ranges::none_of(lens.parameters, [&](const LensParameter& p) { return p.name == name; }))
        return Error{fmt::format("the experiment '{}' has no parameter '{}'", experiment, name)};
    for (const LensParameter& parameter : lens.parameters) input.try_emplace(parameter.name, parameter.value);
    LensRun run{std::move(input), {}};
    auto frames = lens.run(run);
    if (frames)
      complete_start(*frames);
    else if (problem != nullptr)
      *problem =
          run.problem.message == frames.error().message ? run.problem : LensProblem{{}, {}, {}, frames.error().message};
    return frames;
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

Error lens_expected(LensRun& run, std::string_view name, std::string_view syntax, std::string_view found) {
  run.problem = {LensProblem::Kind::Expected,
                 std::string(name),
                 {std::string(syntax), std::string(found)},
                 fmt::format("{}: expected {}, found '{}'", name, syntax, found)};
  return {run.problem.message};
}

Error lens_count(LensRun& run, std::string_view name, size_t least, size_t most, size_t found) {
  run.problem = {LensProblem::Kind::Count,
                 std::string(name),
                 {std::to_string(least), std::to_string(most), std::to_string(found)},
                 fmt::format("{}: expected {} to {} entries, found {}", name, least, most, found)};
  return {run.problem.message};
}

Result<int64_t> lens_integer(LensRun& run, std::string_view name, int64_t least, int64_t most) {
  auto one = lens_integers(run, lens_value(run, name), name, 1, least, most);
  return one ? Result<int64_t>(one->front()) : Result<int64_t>(one.error());
}

Result<std::vector<int64_t>> lens_integers(LensRun& run, std::string_view text, std::string_view name, size_t count,
                                           int64_t least, int64_t most) {
  std::vector<int64_t> out;
  for (const std::string& token : split(text, " ,")) {
    const auto n = parse_integer(token);
    if (!n || *n < least || *n > most) {
      run.problem = {LensProblem::Kind::Integer,
                     std::string(name),
                     {std::to_string(least), std::to_string(most), token},
                     fmt::format("{}: expected an integer from {} to {}, found '{}'", name, least, most, token)};
      return Error{run.problem.message};
    }
    out.push_back(*n);
  }
  if (out.empty() || out.size() > count) return lens_count(run, name, 1, count, out.size());
  return out;
}

Result<models::Model> lens_model(const std::string& lines) {
  auto lesson = lens_lesson(lines);
  if (!lesson) return lesson.error();
  if (!lesson->computes()) return Error{"graph: expected NAME = OP INPUTS, separated by semicolons"};
  return lesson_model(*lesson);
}

Result<models::Model> small_lens_model(const std::string& lines) {
  auto model = lens_model(lines);
  if (!model) return model.error();
  if (auto good = check_tensors(model->graph.nodes().size() + model->graph.leafs().size()); !good) return good.error();
  return model;
}

Result<Graph> lens_graph(const std::string& lines) {
  auto lesson = lens_lesson(lines);
  if (!lesson) return lesson.error();
  if (lesson->graph.empty()) return Error{"graph: expected NAME BYTES <- SOURCES or NAME = OP INPUTS, found nothing"};
  if (auto good = check_tensors(lesson->graph.size()); !good) return good.error();
  if (lesson->computes()) {
    auto model = lesson_model(*lesson);
    if (!model) return model.error();
    return std::move(model->graph);
  }
  auto session = lesson_session(*lesson);
  if (!session) return session.error();
  return restore_graph(*(*session)->snapshot()->graphs.back());
}

}  // namespace arenascope::lesson
