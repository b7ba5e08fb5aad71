// SPDX-License-Identifier: MIT
#include <arenascope/run/inputs.h>

#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>

namespace arenascope {

Result<models::Model> open_with_inputs(const std::string& spec, const InputFiles& files, models::OpenOptions& open) {
  const auto add_inputs = [&](models::GivenInputs given) {
    for (auto& [name, tensor] : given.tensors) open.inputs[name] = std::move(tensor);
    open.strings.merge(given.strings);
    open.complex.merge(given.complex);
    open.sequence_lengths.merge(given.sequence_lengths);
  };
  const std::filesystem::path path(spec);
  if (!files.empty()) {
    auto given = models::read_inputs(path, files);
    if (!given) return given.error();
    add_inputs(std::move(*given));
  }
  if (open.inputs.empty() && open.sequence_lengths.empty() && !spec.starts_with("zoo:")) {
    std::error_code error;
    auto given = models::first_case_inputs(std::filesystem::is_directory(path, error) ? path : path.parent_path());
    if (given) add_inputs(std::move(*given));
  }
  return models::open_model(spec, open);
}

Status check_given_inputs(const models::Model& model, const InputFiles& files, const models::OpenOptions& open) {
  for (const auto& [name, file] : files) {
    const models::ValueInfo* expected = nullptr;
    std::string names;
    for (const auto& input : model.inputs) {
      names += fmt::format(" '{}'", input.name);
      if (input.name == name) expected = &input;
    }
    if (!expected && open.sequence_lengths.contains(name))
      continue;  // a sequence: its tensors are the inputs NAME[0], NAME[1], …
    if (!expected && open.inputs.find(name) == open.inputs.end()) continue;  // an optional value that is absent
    if (!expected) return Error{fmt::format("{} has no input '{}'; it has{}", model.name, name, names)};
    const auto given = open.inputs.find(name);
    if (given == open.inputs.end()) continue;
    const Dims& sizes = given->second.sizes();
    models::ValueInfo held{name, given->second.dtype(), sizes, {}, {}};
    held.complex = open.complex.contains(name);
    if (const auto strings = open.strings.find(name); strings != open.strings.end()) held.strings = strings->second;
    bool fits = std::string_view(held.type_name()) == expected->type_name() && sizes.rank() == expected->sizes.rank();
    for (int d = 0; fits && d < sizes.rank(); ++d) fits = expected->sizes[d] < 0 || expected->sizes[d] == sizes[d];
    if (!fits)
      return Error{fmt::format("{}: input '{}' must be {} {}, but the file contains {} {}", file, name,
                               expected->type_name(), to_string(expected->sizes), held.type_name(), to_string(sizes))};
  }
  return {};
}

}  // namespace arenascope
