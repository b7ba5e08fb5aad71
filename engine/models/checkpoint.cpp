// SPDX-License-Identifier: MIT
#include <arenascope/base/output_file.h>
#include <arenascope/models/checkpoint.h>

#include <fmt/format.h>

#include <set>

#include "engine/models/gguf/gguf.h"
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

// The safetensors header as JSON, padded with spaces to a multiple of 8 bytes.
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
    if (!type)
      return Error{fmt::format("'{}' is {}, which safetensors does not support", tensor.name, name(tensor.dtype))};
    if (!names.insert(tensor.name).second) return Error{fmt::format("duplicate tensor '{}'", tensor.name)};
    out += fmt::format(",{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", quoted(tensor.name), type,
                       fmt::join(tensor.sizes.begin(), tensor.sizes.end(), ","), at, at + tensor.bytes.size());
    at += tensor.bytes.size();
  }
  out += "}";
  out.resize((out.size() + 7) / 8 * 8, ' ');
  return out;
}

}  // namespace

namespace {

// Integers and floats in GGUF's little-endian format.
template <class T>
void put(std::string& out, T number) {
  for (size_t i = 0; i < sizeof number; ++i) out += static_cast<char>(static_cast<uint64_t>(number) >> (8 * i));
}
void put_text(std::string& out, const std::string& text) {
  put(out, static_cast<uint64_t>(text.size()));
  out += text;
}

constexpr size_t kGgufAlignment = 32;
size_t gguf_aligned(size_t at) { return (at + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment; }

// Everything before the tensor data, which starts at its end; each tensor is aligned.
Result<std::string> gguf_head(std::span<const CheckpointTensor> tensors,
                              const std::map<std::string, std::string>& metadata) {
  constexpr uint32_t kText = 8;
  std::string out = "GGUF";
  put(out, uint32_t{3});
  put(out, static_cast<uint64_t>(tensors.size()));
  put(out, static_cast<uint64_t>(metadata.size() + 1));
  const auto entry = [&](const std::string& key, const std::string& value) {
    put_text(out, key);
    put(out, kText);
    put_text(out, value);
  };
  entry("general.architecture", kCheckpointArchitecture);
  for (const auto& [key, value] : metadata) entry(key, value);
  std::set<std::string> names;
  size_t at = 0;
  for (const CheckpointTensor& tensor : tensors) {
    const auto code = gguf_type(tensor.dtype);
    if (!code || tensor.sizes.rank() > kGgufRank)
      return Error{fmt::format("'{}' is {} {}, which GGUF does not support", tensor.name, name(tensor.dtype),
                               to_string(tensor.sizes))};
    if (!names.insert(tensor.name).second) return Error{fmt::format("duplicate tensor '{}'", tensor.name)};
    put_text(out, tensor.name);
    put(out, static_cast<uint32_t>(std::max(tensor.sizes.rank(), 1)));
    if (tensor.sizes.rank() == 0) put(out, uint64_t{1});
    for (int i = tensor.sizes.rank(); i-- > 0;) put(out, static_cast<uint64_t>(tensor.sizes[i]));
    put(out, *code);
    put(out, static_cast<uint64_t>(at));
    at = gguf_aligned(at + tensor.bytes.size());
  }
  out.resize(gguf_aligned(out.size()), '\0');
  return out;
}

Result<std::string> safetensors_head(std::span<const CheckpointTensor> tensors,
                                     const std::map<std::string, std::string>& metadata) {
  auto table = table_of(tensors, metadata);
  if (!table) return table;
  std::string out;
  put(out, static_cast<uint64_t>(table->size()));
  return out + *table;
}

}  // namespace

Status write_checkpoint(const std::filesystem::path& path, std::span<const CheckpointTensor> tensors,
                        const std::map<std::string, std::string>& metadata) {
  const bool gguf = path.extension() == ".gguf";
  auto head = gguf ? gguf_head(tensors, metadata) : safetensors_head(tensors, metadata);
  if (!head) return Error{fmt::format("{}: {}", path.string(), head.error().message)};
  auto file = OutputFile::open(path);
  if (!file) return file.error();
  if (auto ok = (*file)->write(*head); !ok) return ok;
  for (const CheckpointTensor& tensor : tensors) {
    const size_t size = tensor.bytes.size();
    if (auto ok = (*file)->write({reinterpret_cast<const char*>(tensor.bytes.data()), size}); !ok) return ok;
    constexpr char kNothing[kGgufAlignment] = {};
    if (gguf)
      if (auto ok = (*file)->write({kNothing, gguf_aligned(size) - size}); !ok) return ok;
  }
  return (*file)->close();
}

const CheckpointTensor* Checkpoint::find(const std::string& name) const {
  for (const CheckpointTensor& tensor : tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

namespace {

// Adds the tensors of a GGUF or safetensors file. Error: a type without a DType.
Status add_tensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors, Checkpoint& out) {
  for (const StoredTensor& tensor : tensors) {
    const auto dtype = native_dtype(*tensor.type);
    if (!dtype)
      return Error{fmt::format("{}: tensor '{}' is of type {}, which a checkpoint cannot have", path.string(),
                               tensor.name, tensor.type->name)};
    out.tensors.push_back({tensor.name, *dtype, tensor.sizes, tensor.bytes});
  }
  return {};
}

Result<Checkpoint> read_gguf_checkpoint(const std::filesystem::path& path) {
  auto file = GgufFile::open(path);
  if (!file) return file.error();
  Checkpoint out;
  for (const GgufEntry& entry : file->entries())
    if (auto text = file->text(entry.key)) out.metadata.emplace(entry.key, *text);
  if (auto ok = add_tensors(path, file->tensors(), out); !ok) return ok.error();
  out.file = file->file();
  return out;
}

}  // namespace

Result<Checkpoint> read_checkpoint(const std::filesystem::path& path) {
  if (path.extension() == ".gguf") return read_gguf_checkpoint(path);
  auto file = SafetensorsFile::open(path);
  if (!file) return file.error();
  Checkpoint out;
  for (const auto& [key, value] : file->metadata()) out.metadata.emplace(key, value);
  if (auto ok = add_tensors(path, file->tensors(), out); !ok) return ok.error();
  out.file = file->file();
  return out;
}

namespace {

// GGUF stores a scalar as a tensor of one element.
bool same_shape(const Dims& found, const Dims& expected) {
  return found == expected || (expected.rank() == 0 && found.rank() == 1 && found[0] == 1);
}

}  // namespace

Result<Model> open_checkpoint(const std::filesystem::path& path, const OpenOptions& options) {
  const auto fail = [&](const std::string& why) { return Error{fmt::format("{}: {}", path.string(), why)}; };
  auto checkpoint = read_checkpoint(path);
  if (!checkpoint) return checkpoint.error();
  const std::string named = checkpoint->metadata[kCheckpointModel];
  const std::filesystem::path beside(named);
  const bool zoo = named.starts_with("zoo:");
  if (!zoo && (beside.filename() != beside || beside.extension() == ".safetensors" || named == path.filename()))
    return fail(fmt::format("it is a checkpoint of '{}', but there is no such model next to it", named));
  auto model = open_model(zoo ? named : (path.parent_path() / beside).string(), options);
  if (!model) return fail(fmt::format("cannot open the model of this checkpoint: {}", model.error().message));
  for (Weight& weight : model->weights) {
    const TensorImpl& tensor = *weight.tensor;
    const CheckpointTensor* found = checkpoint->find(tensor.name.str());
    if (!found) return fail(fmt::format("tensor '{}', which '{}' needs, is missing", tensor.name, named));
    if (found->dtype != tensor.dtype || !same_shape(found->sizes, Dims(tensor.sizes.span())))
      return fail(fmt::format("tensor '{}' is {} {}, expected {} {}", tensor.name, name(found->dtype),
                              to_string(found->sizes), name(tensor.dtype), to_string(tensor.sizes)));
    weight.source = WeightSource(found->bytes, std::static_pointer_cast<const MappedFile>(checkpoint->file));
  }
  model->name = name_of(path);
  model->path = path;
  model->format = path.extension() == ".gguf" ? "gguf" : "safetensors";
  return model;
}

}  // namespace arenascope::models
