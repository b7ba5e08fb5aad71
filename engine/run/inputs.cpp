// SPDX-License-Identifier: MIT
#include <arenascope/run/inputs.h>

#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>

namespace arenascope {

Result<models::Model> open_with_inputs(const std::string& spec, const InputFiles& files, models::OpenOptions& open) {
  const auto take = [&](models::GivenInputs given) {
    for (auto& [name, tensor] : given.tensors) open.inputs[name] = std::move(tensor);
    open.words.merge(given.words);
    open.complex.merge(given.complex);
    open.sequence_lengths.merge(given.sequence_lengths);
  };
  const std::filesystem::path path(spec);
  if (!files.empty()) {
    auto given = models::read_inputs(path, files);
    if (!given) return given.error();
    take(std::move(*given));
  }
  if (open.inputs.empty() && open.sequence_lengths.empty() && !spec.starts_with("zoo:")) {
    std::error_code error;
    auto given = models::first_case_inputs(std::filesystem::is_directory(path, error) ? path : path.parent_path());
    if (given) take(std::move(*given));
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
    if (!taken && open.sequence_lengths.contains(name)) continue;         // its tensors are inputs, NAME[0]
    if (!taken && open.inputs.find(name) == open.inputs.end()) continue;  // an optional value that is not there
    if (!taken) return Error{fmt::format("{} has no input '{}'; it has{}", model.name, name, names)};
    const auto given = open.inputs.find(name);
    if (given == open.inputs.end()) continue;
    const Dims& sizes = given->second.sizes();
    models::ValueInfo held{name, given->second.dtype(), sizes, {}, {}};
    held.complex = open.complex.contains(name);
    if (const auto words = open.words.find(name); words != open.words.end()) held.words = words->second;
    bool fits = std::string_view(held.type_name()) == taken->type_name() && sizes.rank() == taken->sizes.rank();
    for (int d = 0; fits && d < sizes.rank(); ++d) fits = taken->sizes[d] < 0 || taken->sizes[d] == sizes[d];
    if (!fits)
      return Error{fmt::format("{}: input '{}' takes {} {}, the file holds {} {}", file, name, taken->type_name(),
                               to_string(taken->sizes), held.type_name(), to_string(sizes))};
  }
  return {};
}

}  // namespace arenascope
