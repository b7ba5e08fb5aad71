// SPDX-License-Identifier: MIT
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>
#include <fmt/format.h>
#include "engine/models/mapped_file.h"
#include "engine/models/onnx_ir.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace arenascope::models {
namespace {

// "input_12.pb" → 12 for the prefix "input_"; -1 if it is none of these.
int numbered(const std::string& name, const std::string& prefix, std::initializer_list<const char*> endings) {
  if (!name.starts_with(prefix)) return -1;
  int number = -1;
  const char* end = name.data() + name.size();
  const auto [rest, problem] = std::from_chars(name.data() + prefix.size(), end, number);
  if (problem != std::errc() || number < 0) return -1;
  const std::string_view ending(rest, static_cast<size_t>(end - rest));
  for (const char* known : endings)
    if (ending == known) return number;
  return -1;
}

std::vector<std::pair<int, std::filesystem::path>> numbered_entries(const std::filesystem::path& folder,
                                                                    const std::string& prefix,
                                                                    std::initializer_list<const char*> endings) {
  std::vector<std::pair<int, std::filesystem::path>> found;
  std::error_code problem;
  for (std::filesystem::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem))
    if (const int n = numbered(entry->path().filename().string(), prefix, endings); n >= 0)
      found.emplace_back(n, entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<NamedTensor> read_tensor_pb(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  auto data = ir::parse_tensor(*file);
  if (!data) return Error{fmt::format("{}: {}", path.string(), data.error().message)};
  if (!data->dtype)
    return Error{fmt::format("{} is no tensor of numbers but of type {}", path.string(), ir::type_name(data->type))};
  auto tensor = host_tensor(data->sizes, *data->dtype);
  if (!tensor) return Error{fmt::format("{}: {}", path.string(), tensor.error().message)};
  if (data->byte_count > 0)
    if (auto written = data->source.write((*tensor)->data()); !written) return written.error();
  tensor->set_name(data->name);
  return NamedTensor{data->name, std::move(*tensor)};
}

Status write_tensor_pb(const std::filesystem::path& path, const std::string& name, const Tensor& tensor) {
  if (!tensor || !tensor->contiguous() || (tensor->element_count() > 0 && !tensor->data()))
    return Error{fmt::format("{}: only a contiguous tensor on the host can be written", path.string())};
  const auto bytes = ir::serialize_tensor(name, tensor.dtype(), tensor.sizes(),
                                          {tensor->data(), static_cast<size_t>(tensor->byte_count())});
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return Error{fmt::format("{} cannot be written", path.string())};
  return {};
}

Result<NamedTensor> read_tensor_file(const std::filesystem::path& path) {
  if (path.extension() == ".pb") return read_tensor_pb(path);
  auto tensor = read_npy(path);
  if (!tensor) return tensor.error();
  return NamedTensor{"", std::move(*tensor)};
}

Result<std::vector<TestCase>> read_test_cases(const std::filesystem::path& model_folder) {
  std::vector<TestCase> cases;
  for (const auto& [number, folder] : numbered_entries(model_folder, "test_data_set_", {""})) {
    TestCase one;
    one.name = folder.filename().string();
    for (const auto& [prefix, list] : {std::pair{"input_", &one.inputs}, std::pair{"output_", &one.outputs}})
      for (const auto& [place, path] : numbered_entries(folder, prefix, {".pb", ".npy"})) {
        auto tensor = read_tensor_file(path);
        if (!tensor) return tensor.error();
        list->push_back(std::move(*tensor));
      }
    cases.push_back(std::move(one));
  }
  return cases;
}

Result<std::map<std::string, Tensor>> first_case_inputs(const std::filesystem::path& model_folder) {
  std::map<std::string, Tensor> inputs;
  const auto folders = numbered_entries(model_folder, "test_data_set_", {""});
  if (folders.empty()) return inputs;
  for (const auto& [place, path] : numbered_entries(folders[0].second, "input_", {".pb"})) {
    auto tensor = read_tensor_pb(path);
    if (tensor && !tensor->name.empty()) inputs[tensor->name] = tensor->tensor;
  }
  return inputs;
}

}  // namespace arenascope::models
