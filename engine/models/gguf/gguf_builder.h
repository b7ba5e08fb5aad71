// SPDX-License-Identifier: MIT
// Shared by the builders of GGUF architectures: weights that come from the file, and metadata values that are validated
// before anything is built from them.
#pragma once
#include "engine/models/gguf/gguf.h"
#include "engine/models/zoo/model_builder.h"

namespace arenascope::models {

// A model builder with the weights of a file, which must exist in the shapes that the graph needs.
class GgufBuilder final : public ModelBuilder {
 public:
  GgufBuilder(const GgufFile& file, std::string name);
  Tensor weight(const std::string& name, const Dims& sizes, Range range) override;
  bool has(const std::string& name) const { return file_.find_tensor(name) != nullptr; }

 private:
  const GgufFile& file_;
};

// The message for a tensor whose type no DType can hold.
std::string not_runnable(const StoredTensor& tensor);

inline constexpr int64_t kMaxSize = int64_t{1} << 24;

// A metadata integer within [least, most]. Error: it is missing without a fallback, or out of range.
Result<int64_t> gguf_count(const GgufFile& file, const std::string& key, int64_t least, int64_t most,
                           std::optional<int64_t> fallback = {});

// Metadata that every transformer has.
struct Transformer {
  int64_t layers, width, heads, kv_heads, inner, vocabulary, context;
  float epsilon;
};
Result<Transformer> read_transformer(const GgufFile& file, const std::string& arch, const char* epsilon_key);

Result<Model> build_gguf_llama(const GgufFile& file, GgufBuilder& builder, const OpenOptions& options);
Result<Model> build_gguf_gpt(const GgufFile& file, GgufBuilder& builder, const OpenOptions& options);
Result<Model> build_gguf_bert(const GgufFile& file, GgufBuilder& builder, const OpenOptions& options);

}  // namespace arenascope::models
