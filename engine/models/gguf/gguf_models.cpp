// SPDX-License-Identifier: MIT
// Which architectures of GGUF files there are, and what a file that cannot be run is opened as.
#include <arenascope/models/checkpoint.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/models/gguf/gguf_builder.h"
#include "engine/models/safetensors.h"

namespace arenascope::models {
namespace {

// ggml's MNIST example.
Result<Model> mnist_fc(const GgufFile& file, GgufBuilder& builder, const OpenOptions& options) {
  const StoredTensor* first = file.find_tensor("fc1.weight");
  if (!first || first->sizes.rank() != 2) return Error{"missing tensor 'fc1.weight' of two dimensions"};
  return build_mnist_fc(builder, first->sizes[0], options);
}

Result<Model> mnist_cnn(const GgufFile&, GgufBuilder& builder, const OpenOptions& options) {
  return build_mnist_cnn(builder, options);
}

struct Architecture {
  const char* name;
  Result<Model> (*build)(const GgufFile& file, GgufBuilder& builder, const OpenOptions& options);
};
constexpr Architecture kArchitectures[] = {
    {"llama", build_gguf_llama},  {"qwen2", build_gguf_llama},    {"qwen2moe", build_gguf_llama},
    {"qwen3", build_gguf_llama},  {"qwen3moe", build_gguf_llama}, {"gemma", build_gguf_llama},
    {"gemma2", build_gguf_llama}, {"gemma3", build_gguf_llama},   {"phi3", build_gguf_llama},
    {"gpt2", build_gguf_gpt},     {"falcon", build_gguf_gpt},     {"starcoder2", build_gguf_gpt},
    {"bert", build_gguf_bert},    {"mnist-fc", mnist_fc},         {"mnist-cnn", mnist_cnn}};

// The reasons why a file cannot be run: `problem`, and a tensor of each type that cannot be run.
std::vector<std::string> problems(const GgufFile& file, const std::string& problem) {
  std::vector<std::string> out{problem};
  std::set<const StoredType*> types;
  for (const StoredTensor& tensor : file.tensors())
    if (!tensor.type->loaded_as && types.insert(tensor.type).second)
      if (const std::string why = not_runnable(tensor); !problem.ends_with(why)) out.push_back(why);
  return out;
}

Result<Model> build(const GgufFile& file, const std::string& name, const OpenOptions& options) {
  if (const int64_t files = file.integer("split.count").value_or(1); files > 1)
    return Error{fmt::format("it is file {} of {} of a split model; merge them with 'llama-gguf-split --merge'",
                             std::clamp<int64_t>(file.integer("split.no").value_or(0), 0, files - 1) + 1, files)};
  const std::string arch = file.text("general.architecture").value_or("");
  for (const Architecture& known : kArchitectures)
    if (arch == known.name) {
      GgufBuilder builder(file, name);
      return known.build(file, builder, options);
    }
  return Error{fmt::format("its architecture '{}' is not supported", arch)};
}

}  // namespace

Result<Model> open_gguf(const std::filesystem::path& path, const OpenOptions& options) {
  auto file = GgufFile::open(path);
  if (!file) return file.error();
  const bool checkpoint = file->text("general.architecture") == kCheckpointArchitecture;
  auto model = checkpoint ? open_checkpoint(path, options) : build(*file, name_of(path), options);
  if (!model && checkpoint) return model;
  if (!model) {
    const auto why = problems(*file, model.error().message);
    model = inspected_only("gguf", why, file->tensors());
  }
  if (!model) return model;
  list_file_tensors(file->tensors(), *model);
  model->metadata_keys = std::ssize(file->entries());
  model->name = name_of(path);
  model->path = path;
  return model;
}

}  // namespace arenascope::models
