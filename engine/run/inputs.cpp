// SPDX-License-Identifier: MIT
#include <arenascope/run/inputs.h>

#include <filesystem>

#include <fmt/format.h>

#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>

namespace arenascope {

Result<models::Model> open_with_inputs(const std::string& spec, const InputFiles& files, models::OpenOptions& open) {
  for (const auto& [input, file] : files) {
    auto tensor = models::read_tensor_file(file);
    if (!tensor) return tensor.error();
    open.inputs[input] = std::move(tensor->tensor);
    if (tensor->words) open.words[input] = tensor->words;
  }
  if (open.inputs.empty() && !spec.starts_with("zoo:")) {
    std::error_code error;
    const std::filesystem::path path(spec);
    auto given = models::first_case_inputs(std::filesystem::is_directory(path, error) ? path : path.parent_path());
    if (given) {
      open.inputs = std::move(given->tensors);
      open.words = std::move(given->words);
      open.sequence_lengths = std::move(given->sequence_lengths);
    }
  }
  return models::open_model(spec, open);
}

Status check_given_inputs(const models::Model& model, const InputFiles& files, const models::OpenOptions& open) {
  for (const auto& [name, file] : files) {
    const models::ValueInfo* taken = nullptr;
    std::string names;
    for (const auto& input : model.inputs) {
      names += fmt::format(" '{}'", input.name);
      if (input.name == name) taken = &input;
    }
    if (!taken) return Error{fmt::format("{} has no input '{}'; it has{}", model.name, name, names)};
    const auto given = open.inputs.find(name);
    if (given == open.inputs.end()) continue;
    const Dims& sizes = given->second.sizes();
    bool fits = given->second.dtype() == taken->dtype && sizes.rank() == taken->sizes.rank();
    for (int d = 0; fits && d < sizes.rank(); ++d) fits = taken->sizes[d] < 0 || taken->sizes[d] == sizes[d];
    if (!fits)
      return Error{fmt::format("{}: input '{}' takes {} {}, the file holds {} {}", file, name,
                               arenascope::name(taken->dtype), to_string(taken->sizes),
                               arenascope::name(given->second.dtype()), to_string(sizes))};
  }
  return {};
}

}  // namespace arenascope
