// SPDX-License-Identifier: MIT
#include <arenascope/base/output_file.h>
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>
#include <fmt/format.h>
#include "engine/models/mapped_file.h"
#include "engine/models/onnx/onnx_ir.h"

#include <algorithm>
#include <cctype>
#include <charconv>

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

namespace {

Result<NamedTensor> read_data(const ir::TensorData& data, const std::filesystem::path& path) {
  if (!data.dtype && !data.strings)
    return Error{fmt::format("{} has type {}: expected a tensor of numbers", path.string(), ir::type_name(data.type))};
  auto tensor = host_tensor(data.sizes, data.dtype.value_or(DType::I64));
  if (!tensor) return Error{fmt::format("{}: {}", path.string(), tensor.error().message)};
  if (data.byte_count > 0)
    if (auto written = data.source.write((*tensor)->data()); !written) return written.error();
  tensor->set_name(data.name);
  return NamedTensor{data.name, std::move(*tensor), data.strings, data.type == ir::kComplex64};
}

// Inputs of models that decode images are the bytes of image files.
bool is_image(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* known :
       {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".jp2", ".j2k", ".pnm", ".ppm", ".pgm", ".pbm"})
    if (ending == known) return true;
  return false;
}

Result<NamedTensor> read_plain(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  const auto bytes = (*file)->bytes();
  auto tensor = host_tensor({static_cast<int64_t>(bytes.size())}, DType::U8);
  if (!tensor) return tensor.error();
  std::copy(bytes.begin(), bytes.end(), (*tensor)->data());
  return NamedTensor{"", std::move(*tensor)};
}

// A model's inputs and outputs, which determine how the files of its cases are read. If the model cannot be read: tensors.
struct Interface {
  std::vector<ir::ValueType> inputs, outputs;
};
Interface interface_of(const std::filesystem::path& model) {
  auto file = ir::read_onnx(model);
  if (!file) return {};
  return {std::move(file->graph.inputs), std::move(file->graph.outputs)};
}

// The tensors of one file; `length` of a sequence, or -1.
Result<std::vector<NamedTensor>> read_case_file(const std::filesystem::path& path, const ir::ValueType& type,
                                                int64_t& length) {
  length = -1;
  std::vector<NamedTensor> out;
  if (type.kind == ir::ValueType::Kind::Tensor || type.kind == ir::ValueType::Kind::Other ||
      path.extension() != ".pb") {
    auto tensor = read_tensor_file(path);
    if (!tensor) return tensor.error();
    out.push_back(std::move(*tensor));
    return out;
  }
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  auto parsed = ir::parse_value(*file, type.kind);
  if (!parsed) return Error{fmt::format("{}: {}", path.string(), parsed.error().message)};
  if (parsed->sequence) length = static_cast<int64_t>(parsed->tensors.size());
  for (size_t i = 0; i < parsed->tensors.size(); ++i) {
    auto tensor = read_data(parsed->tensors[i], path);
    if (!tensor) return tensor.error();
    tensor->name = parsed->sequence ? fmt::format("{}[{}]", type.name, i) : type.name;
    if (type.kind == ir::ValueType::Kind::Map && i == 1) tensor->name = GivenInputs::keys_of(type.name);
    out.push_back(std::move(*tensor));
  }
  return out;
}

void add_given(NamedTensor tensor, GivenInputs& out) {
  if (tensor.strings) out.strings[tensor.name] = tensor.strings;
  if (tensor.complex) out.complex.insert(tensor.name);
  out.tensors[tensor.name] = std::move(tensor.tensor);
}

}  // namespace

Result<NamedTensor> read_tensor_pb(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  auto data = ir::parse_tensor(*file);
  if (!data) return Error{fmt::format("{}: {}", path.string(), data.error().message)};
  return read_data(*data, path);
}

Status write_tensor_pb(const std::filesystem::path& path, const std::string& name, const Tensor& tensor,
                       const StringTable& strings, bool complex) {
  if (!tensor || !tensor->contiguous() || (tensor->element_count() > 0 && !tensor->data()))
    return Error{fmt::format("{}: only a contiguous tensor on the host can be written", path.string())};
  const auto bytes =
      ir::serialize_tensor(name, tensor.dtype(), tensor.sizes(),
                           {tensor->data(), static_cast<size_t>(tensor->byte_count())}, strings, complex);
  return OutputFile::write_all(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<NamedTensor> read_tensor_file(const std::filesystem::path& path) {
  if (path.extension() == ".pb") return read_tensor_pb(path);
  if (is_image(path)) return read_plain(path);
  bool complex = false;
  auto tensor = read_npy(path, &complex);
  if (!tensor) return tensor.error();
  return NamedTensor{"", std::move(*tensor), nullptr, complex};
}

Result<std::vector<TestCase>> read_test_cases(const std::filesystem::path& model_folder) {
  std::vector<TestCase> cases;
  const Interface interface = interface_of(model_folder / "model.onnx");
  for (const auto& [number, folder] : numbered_entries(model_folder, "test_data_set_", {""})) {
    TestCase one;
    one.name = folder.filename().string();
    for (const auto& [prefix, list] : {std::pair{"input_", &one.inputs}, std::pair{"output_", &one.outputs}})
      for (const auto& [place, path] : numbered_entries(folder, prefix, {".pb", ".npy"})) {
        const auto& types = list == &one.inputs ? interface.inputs : interface.outputs;
        int64_t length = -1;
        auto tensors = read_case_file(
            path, static_cast<size_t>(place) < types.size() ? types[static_cast<size_t>(place)] : ir::ValueType(),
            length);
        if (!tensors) return tensors.error();
        for (NamedTensor& tensor : *tensors) list->push_back(std::move(tensor));
      }
    cases.push_back(std::move(one));
  }
  return cases;
}

Result<GivenInputs> first_case_inputs(const std::filesystem::path& model_folder) {
  GivenInputs out;
  const auto folders = numbered_entries(model_folder, "test_data_set_", {""});
  if (folders.empty()) return out;
  const Interface interface = interface_of(model_folder / "model.onnx");
  for (const auto& [place, path] : numbered_entries(folders[0].second, "input_", {".pb"})) {
    const auto at = static_cast<size_t>(place);
    const ir::ValueType type = at < interface.inputs.size() ? interface.inputs[at] : ir::ValueType();
    int64_t length = -1;
    auto tensors = read_case_file(path, type, length);
    if (!tensors) continue;
    if (length >= 0) out.sequence_lengths[type.name] = length;
    for (NamedTensor& tensor : *tensors)
      if (!tensor.name.empty()) add_given(std::move(tensor), out);
  }
  return out;
}

Result<GivenInputs> read_inputs(const std::filesystem::path& model, const std::map<std::string, std::string>& files) {
  GivenInputs out;
  std::error_code problem;
  const auto path = std::filesystem::is_directory(model, problem) ? model / "model.onnx" : model;
  const bool asks = path.extension() == ".onnx" &&
                    std::any_of(files.begin(), files.end(), [](const auto& f) { return f.second.ends_with(".pb"); });
  const Interface interface = asks ? interface_of(path) : Interface();
  for (const auto& [name, file] : files) {
    ir::ValueType type;
    for (const ir::ValueType& input : interface.inputs)
      if (input.name == name) type = input;
    type.name = name;
    int64_t length = -1;
    auto tensors = read_case_file(file, type, length);
    if (!tensors) return tensors.error();
    if (length >= 0) out.sequence_lengths[name] = length;
    const bool one = type.kind == ir::ValueType::Kind::Tensor || type.kind == ir::ValueType::Kind::Other;
    for (NamedTensor& tensor : *tensors) {
      if (one) tensor.name = name;
      add_given(std::move(tensor), out);
    }
  }
  return out;
}

}  // namespace arenascope::models
