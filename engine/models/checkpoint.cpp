// SPDX-License-Identifier: MIT
#include <arenascope/models/checkpoint.h>

#include <fmt/format.h>

#include <fstream>
#include <set>

#include "engine/models/safetensors.h"

namespace arenascope::models {
namespace {

const char* type_name(DType type) {
  switch (type) {
    case DType::F64: return "F64";
    case DType::F32: return "F32";
    case DType::F16: return "F16";
    case DType::BF16: return "BF16";
    case DType::I64: return "I64";
    case DType::I32: return "I32";
    case DType::I16: return "I16";
    case DType::I8: return "I8";
    case DType::U8: return "U8";
    case DType::Bool: return "BOOL";
    default: return nullptr;
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

// The table as JSON, padded with spaces to a multiple of 8 bytes.
Result<std::string> table_of(std::span<const CheckpointTensor> tensors,
                             const std::map<std::string, std::string>& metadata) {
  std::string out = "{\"__metadata__\":{";
  for (const auto& [key, value] : metadata)
    out += fmt::format("{}{}:{}", out.back() == '{' ? "" : ",", quoted(key), quoted(value));
  out += "}";
  std::set<std::string> names;
  size_t at = 0;
  for (const CheckpointTensor& tensor : tensors) {
    const char* type = type_name(tensor.dtype);
    if (!type) return Error{fmt::format("'{}' is {}, which safetensors has not", tensor.name, name(tensor.dtype))};
    if (!names.insert(tensor.name).second) return Error{fmt::format("there are two tensors '{}'", tensor.name)};
    out += fmt::format(",{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", quoted(tensor.name), type,
                       fmt::join(tensor.sizes.begin(), tensor.sizes.end(), ","), at, at + tensor.bytes.size());
    at += tensor.bytes.size();
  }
  out += "}";
  out.resize((out.size() + 7) / 8 * 8, ' ');
  return out;
}

}  // namespace

Status write_checkpoint(const std::filesystem::path& path, std::span<const CheckpointTensor> tensors,
                        const std::map<std::string, std::string>& metadata) {
  auto table = table_of(tensors, metadata);
  if (!table) return Error{fmt::format("{}: {}", path.string(), table.error().message)};
  std::filesystem::path part = path;
  part += ".part";
  std::error_code problem;
  {
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    char length[8];
    for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(table->size() >> (8 * i));
    file.write(length, 8);
    file.write(table->data(), static_cast<std::streamsize>(table->size()));
    for (const CheckpointTensor& tensor : tensors)
      file.write(reinterpret_cast<const char*>(tensor.bytes.data()), static_cast<std::streamsize>(tensor.bytes.size()));
    file.close();
    if (!file) {
      std::filesystem::remove(part, problem);
      return Error{fmt::format("{} cannot be written", path.string())};
    }
  }
  std::filesystem::rename(part, path, problem);
  if (problem) return Error{fmt::format("{} cannot be written: {}", path.string(), problem.message())};
  return {};
}

const CheckpointTensor* Checkpoint::find(const std::string& name) const {
  for (const CheckpointTensor& tensor : tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

Result<Checkpoint> read_checkpoint(const std::filesystem::path& path) {
  auto file = SafetensorsFile::open(path);
  if (!file) return file.error();
  Checkpoint out;
  for (const auto& [key, value] : file->metadata()) out.metadata.emplace(key, value);
  for (const SafetensorsTensor& tensor : file->tensors())
    out.tensors.push_back({tensor.name, tensor.dtype, tensor.sizes, tensor.bytes});
  out.file = file->file();
  return out;
}

}  // namespace arenascope::models
