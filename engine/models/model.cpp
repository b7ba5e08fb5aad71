// SPDX-License-Identifier: MIT
#include <arenascope/models/model.h>
#include <arenascope/models/testcase.h>
#include <arenascope/models/zoo.h>
#include <fmt/format.h>
#include "engine/models/gguf/gguf.h"
#include "engine/models/onnx/onnx.h"
#include "engine/models/safetensors.h"

#include <algorithm>
#include <new>

namespace arenascope::models {
namespace {

// Names in files can contain anything; an error message is kept to one line of reasonable length.
std::string one_line(std::string text) {
  constexpr size_t kLongest = 600;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return text;
}

// A directory in the test-case layout: the first case's inputs determine the free dimensions.
Result<Model> open_case_folder(const std::filesystem::path& folder, OpenOptions options) {
  if (options.inputs.empty()) {
    auto inputs = first_case_inputs(folder);
    if (!inputs) return inputs.error();
    options.inputs = std::move(inputs->tensors);
    options.strings = std::move(inputs->strings);
    options.complex = std::move(inputs->complex);
    options.sequence_lengths = std::move(inputs->sequence_lengths);
  }
  return open_onnx(folder / "model.onnx", options);
}

Result<Model> open_file(const std::string& spec, const OpenOptions& options) {
  const std::filesystem::path path(spec);
  std::error_code problem;
  if (spec.empty())
    return Error{
        "no model specified: expected a .onnx, .gguf or .safetensors file, a directory with a model.onnx, or zoo:NAME"};
  if (std::filesystem::is_directory(path, problem)) {
    if (!std::filesystem::exists(path / "model.onnx", problem))
      return Error{fmt::format("{} contains no model.onnx", spec)};
    return open_case_folder(path, options);
  }
  if (!std::filesystem::exists(path, problem)) return Error{fmt::format("{} does not exist", spec)};
  const std::string kind = path.extension().string();
  if (kind == ".onnx") return open_onnx(path, options);
  if (kind == ".gguf") return open_gguf(path, options);
  if (kind == ".safetensors") return open_safetensors(path, options);
  return Error{
      fmt::format("{}: unknown model type; expected a .onnx, .gguf or .safetensors file, a directory with a "
                  "model.onnx, or zoo:NAME",
                  spec)};
}

}  // namespace

std::string name_of(const std::filesystem::path& path) {
  std::string stem = path.stem().string();
  if (stem != "model") return stem;
  std::error_code problem;
  const auto folder = std::filesystem::absolute(path, problem).lexically_normal().parent_path().filename().string();
  return problem || folder.empty() ? stem : folder;
}

std::string LoopSpec::output(size_t place) const {
  return place == 0 ? std::string("goes on") : fmt::format("made {}", place - 1);
}

std::string Model::why_not_runnable() const {
  if (!problems.empty()) return problems.front();
  if (complete()) return fmt::format("{} of its weights have no data: {}", missing.tensors, missing.why);
  return "some of its operators are not supported";
}

Status Model::weights_unchanged() const {
  const MappedFile* asked = nullptr;
  for (const Weight& weight : weights) {
    if (weight.source.file() && weight.source.file() == asked) continue;
    asked = weight.source.file();
    if (auto same = weight.source.unchanged(); !same) return same;
  }
  return {};
}

Result<Model> open_model(const std::string& spec, const OpenOptions& options) {
  try {
    if (options.training && !spec.starts_with("zoo:"))
      return Error{fmt::format("{}: training steps are available for zoo models only", one_line(spec))};
    auto model =
        spec.starts_with("zoo:") ? open_zoo(std::string_view(spec).substr(4), options) : open_file(spec, options);
    if (!model) return Error{one_line(model.error().message)};
    if (auto same = model->weights_unchanged(); !same) return Error{one_line(same.error().message)};
    for (std::string& problem : model->problems) problem = one_line(std::move(problem));
    model->missing.why = one_line(std::move(model->missing.why));
    return model;
  } catch (const std::bad_alloc&) {
    return Error{fmt::format("{}: out of memory while opening the model", one_line(spec))};
  } catch (const std::filesystem::filesystem_error& problem) {
    return Error{one_line(fmt::format("{}: {}", spec, problem.code().message()))};
  }
}

}  // namespace arenascope::models
