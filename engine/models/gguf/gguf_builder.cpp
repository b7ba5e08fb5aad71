// SPDX-License-Identifier: MIT
#include "engine/models/gguf/gguf_builder.h"

#include <fmt/format.h>

namespace arenascope::models {

GgufBuilder::GgufBuilder(const GgufFile& file, std::string name) : ModelBuilder(std::move(name)), file_(file) {
  model_.format = "gguf";
}

Tensor GgufBuilder::weight(const std::string& name, const Dims& sizes, Range) {
  if (!g().ok()) return {};
  const StoredTensor* found = file_.find_tensor(name);
  if (!found) {
    g().fail(Error{fmt::format("missing tensor '{}'", name)});
    return {};
  }
  // Writers may omit dimensions of size 1.
  if (element_count(found->sizes) != element_count(sizes) || found->sizes.back() != sizes.back()) {
    if (element_count(found->sizes) != element_count(sizes) || sizes.rank() != 1) {
      g().fail(
          Error{fmt::format("tensor '{}' has shape {}, expected {}", name, to_string(found->sizes), to_string(sizes))});
      return {};
    }
  }
  if (!found->type->loaded_as) {
    g().fail(Error{not_runnable(*found)});
    return {};
  }
  // A factor per tensor or expert that llama.cpp multiplies the matmul's result by, for example of nvfp4.
  if (const std::string scale = name.substr(0, name.rfind('.')) + ".scale"; file_.find_tensor(scale)) {
    g().fail(Error{fmt::format("tensor '{}' scales '{}', which is not supported", scale, name)});
    return {};
  }
  Tensor tensor = g().weight(name, sizes, *found->type->loaded_as);
  if (!tensor) return tensor;
  model_.parameter_bytes += static_cast<Bytes>(found->bytes.size());
  model_.weights.push_back({tensor, loaded_source(*found->type, WeightSource(found->bytes, file_.file()),
                                                  static_cast<Bytes>(found->bytes.size()))});
  return tensor;
}

std::string not_runnable(const StoredTensor& tensor) {
  return fmt::format("tensor '{}' is of type {}, which can be inspected but not run", tensor.name, tensor.type->name);
}

Result<int64_t> gguf_count(const GgufFile& file, const std::string& key, int64_t least, int64_t most,
                           std::optional<int64_t> fallback) {
  auto value = file.integer(key);
  if (!value) value = fallback;
  if (!value) return Error{fmt::format("it has no '{}'", key)};
  if (*value < least || *value > most) return Error{fmt::format("its '{}' is {}", key, *value)};
  return *value;
}

Result<Transformer> read_transformer(const GgufFile& file, const std::string& arch, const char* epsilon_key) {
  const StoredTensor* table = file.find_tensor("token_embd.weight");
  if (!table || table->sizes.rank() != 2) return Error{"missing tensor 'token_embd.weight' of two dimensions"};
  const auto tensors = static_cast<int64_t>(file.tensors().size());
  auto layers = gguf_count(file, arch + ".block_count", 1, tensors);
  auto width = gguf_count(file, arch + ".embedding_length", 1, kMaxSize);
  auto heads = gguf_count(file, arch + ".attention.head_count", 1, kMaxSize);
  auto inner = gguf_count(file, arch + ".feed_forward_length", 1, kMaxSize);
  auto context = gguf_count(file, arch + ".context_length", 1, kMaxSize);
  for (const auto* r : {&layers, &width, &heads, &inner, &context})
    if (!r->ok()) return r->error();
  auto kv_heads = gguf_count(file, arch + ".attention.head_count_kv", 1, *heads, *heads);
  if (!kv_heads) return kv_heads.error();
  const bool own_depth = file.find(arch + ".attention.key_length") != nullptr;
  if ((!own_depth && *width % *heads != 0) || *heads % *kv_heads != 0)
    return Error{fmt::format("{} heads and {} of keys do not divide a width of {}", *heads, *kv_heads, *width)};
  for (const char* list : {"tokenizer.ggml.scores", "tokenizer.ggml.token_type"}) {
    const GgufEntry *tokens = file.find("tokenizer.ggml.tokens"), *other = file.find(list);
    if (tokens && other && tokens->count != other->count)
      return Error{fmt::format("'{}' has {} entries for {} tokens", list, other->count, tokens->count)};
  }
  if (const GgufEntry* tokens = file.find("tokenizer.ggml.tokens");
      tokens && tokens->count != static_cast<uint64_t>(table->sizes[0]))
    return Error{
        fmt::format("its vocabulary has {} tokens, its 'token_embd.weight' {} rows", tokens->count, table->sizes[0])};
  const double epsilon = file.number(arch + epsilon_key).value_or(1e-5);
  return Transformer{*layers, *width,          *heads,   *kv_heads,
                     *inner,  table->sizes[0], *context, static_cast<float>(epsilon)};
}

}  // namespace arenascope::models
