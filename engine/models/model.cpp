// SPDX-License-Identifier: MIT
#include <arenascope/base/checked.h>
#include <arenascope/models/model.h>
#include <arenascope/models/testcase.h>
#include <arenascope/models/zoo.h>
#include <arenascope/tensor/alignment.h>
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

Status Model::load_weights(ExecutionContext& execution, bool keep, bool lends) {
  loaded = {};
  for (const Weight& weight : weights) {
    TensorImpl& tensor = *weight.tensor;
    const Bytes bytes = tensor.byte_count();
    if (keep && tensor.storage.allocated()) continue;
    if (!weight.source.bytes().empty() && static_cast<Bytes>(weight.source.bytes().size()) != bytes)
      return Error{fmt::format("weight '{}' of '{}' takes {} bytes, but its file has {}", tensor.name, name, bytes,
                               weight.source.bytes().size())};
    if (weight.source.can_borrow()) {
      auto mapped = weight.source.borrow(execution);
      if (!mapped) return mapped.error();
      tensor.storage = std::move(*mapped);
      loaded.borrowed += bytes;
      if (!is_aligned(tensor)) loaded.misaligned += bytes;
      continue;
    }
    if (lends && tensor.has(kFlagWeight) && !tensor.has(kFlagParameter))
      if (Storage mapped_lazily = weight.source.map_lazily(execution, bytes); mapped_lazily.allocated()) {
        tensor.storage = std::move(mapped_lazily);
        loaded.borrowed += bytes;
        continue;
      }
    auto storage = Storage::allocate(execution, Device{}, MemoryKind::Persistent, bytes);
    if (!storage)
      return Error{fmt::format("cannot allocate weight '{}' of '{}': {}", tensor.name, name, storage.error().message)};
    if (bytes > 0)
      if (auto written = weight.source.write(storage->data()); !written) return written;
    loaded.made += bytes;
    tensor.storage = std::move(*storage);
  }
  return {};
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
