// SPDX-License-Identifier: MIT
// Which architectures of GGUF files there are, and what a file that cannot be run is opened as.
#include <arenascope/models/checkpoint.h>
#include <fmt/format.h>

#include "engine/models/gguf/gguf_builder.h"
#include "engine/models/safetensors.h"

namespace arenascope::models {
namespace {

// ggml's MNIST example.
Result<Model> mnist_fc(const GgufFile& file, GgufBuilder& builder, const OpenOptions& options) {
  const GgufTensor* first = file.find_tensor("fc1.weight");
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

}  // namespace

Result<Model> open_gguf(const std::filesystem::path& path, const OpenOptions& options) {
  auto file = GgufFile::open(path);
  if (!file) return file.error();
  const std::string arch = file->text("general.architecture").value_or("");
  if (arch == kCheckpointArchitecture) return open_checkpoint(path, options);
  Result<Model> model = Error{fmt::format("its architecture '{}' is not supported", arch)};
  for (const Architecture& known : kArchitectures)
    if (arch == known.name) {
      GgufBuilder builder(*file, name_of(path));
      model = known.build(*file, builder, options);
    }
  if (!model) {
    // A good file that cannot be run: it opens, and says why.
    Model seen;
    auto context = Context::create({.no_alloc = true});
    if (!context) return context.error();
    seen.context = std::move(*context);
    seen.format = "gguf";
    seen.problems.push_back(model.error().message);
    for (const GgufTensor& tensor : file->tensors()) seen.parameter_bytes += static_cast<Bytes>(tensor.bytes.size());
    model = std::move(seen);
  }
  model->name = name_of(path);
  model->path = path;
  return model;
}

}  // namespace arenascope::models
