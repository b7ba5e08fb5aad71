// SPDX-License-Identifier: MIT
// Decoders of GGUF files: parameters of the builders from the metadata of each architecture.
#include <fmt/format.h>

#include <cstring>

#include "engine/models/gguf/gguf_builder.h"
#include "engine/models/zoo/zoo_decoders.h"

namespace arenascope::models {
namespace {

// Sliding-window attention: the size of the window and the layers that use it.
void apply_window(const GgufFile& file, const std::string& arch, LlamaSizes& s) {
  s.window = std::max<int64_t>(file.integer(arch + ".attention.sliding_window").value_or(0), 0);
  if (arch == "gemma2") s.period = 2, s.local = 1;
  if (arch == "gemma3") s.period = 6, s.local = 5, s.local_base = 10000;
}

// Differences of an architecture from llama.
void apply_family(const GgufFile& file, const std::string& arch, LlamaSizes& s) {
  s.neox = arch != "llama";
  s.qkv_bias = arch == "qwen2" || arch == "qwen2moe";
  s.head_norms = arch == "qwen3" || arch == "qwen3moe" || arch == "gemma3";
  s.packed = s.packed_gate = arch == "phi3";
  if (!arch.starts_with("gemma")) return;
  s.scale_embedding = s.gelu = true;
  s.post_norms = arch != "gemma";
  s.attention_cap = static_cast<float>(file.number(arch + ".attn_logit_softcapping").value_or(0));
  s.logit_cap = static_cast<float>(file.number(arch + ".final_logit_softcapping").value_or(0));
  // The largest models of a family, whose head depth is not width / heads.
  if ((arch == "gemma2" && s.layers == 46) || (arch == "gemma3" && s.layers == 62))
    s.attention_scale = 1 / std::sqrt(static_cast<float>(s.width) / static_cast<float>(s.heads));
}

Status apply_experts(const GgufFile& file, const std::string& arch, LlamaSizes& s) {
  auto count = gguf_count(file, arch + ".expert_count", 0, 1 << 16, 0);
  if (!count) return count.error();
  if (*count == 0) return {};
  auto used = gguf_count(file, arch + ".expert_used_count", 1, *count);
  auto inner = gguf_count(file, arch + ".expert_feed_forward_length", 1, kMaxSize, s.inner);
  if (!used || !inner) return used ? inner.error() : used.error();
  s.experts = {*count, *used, *inner, arch != "qwen2moe", 0};
  if (arch != "qwen2moe") return {};
  auto shared = gguf_count(file, arch + ".expert_shared_feed_forward_length", 1, kMaxSize, s.inner);
  if (!shared) return shared.error();
  s.experts.shared_inner = *shared;
  return {};
}

// Frequency factors of a file for this context length; empty: it has none.
Result<std::vector<double>> rope_factors(const GgufFile& file, int64_t pairs, bool is_long) {
  const StoredTensor* found = file.find_tensor("rope_freqs.weight");
  if (!found) found = file.find_tensor(is_long ? "rope_factors_long.weight" : "rope_factors_short.weight");
  if (!found) return std::vector<double>();
  if (native_dtype(*found->type) != DType::F32 || element_count(found->sizes) != pairs)
    return Error{fmt::format("its '{}' is {} {}, not f32 of {} pairs", found->name, found->type->name,
                             to_string(found->sizes), pairs)};
  std::vector<double> out;
  for (int64_t i = 0; i < pairs; ++i) {
    float factor;
    std::memcpy(&factor, found->bytes.data() + static_cast<size_t>(i) * sizeof factor, sizeof factor);
    if (!(factor > 0)) return Error{fmt::format("its '{}' divides by {}", found->name, factor)};
    out.push_back(static_cast<double>(factor));
  }
  return out;
}

// Scaling of positions: one factor for all frequencies (linear), or one factor per frequency.
Status apply_positions(const GgufFile& file, const std::string& arch, const OpenOptions& options, LlamaSizes& s) {
  const std::string kind = file.text(arch + ".rope.scaling.type").value_or("none");
  if (kind != "none" && kind != "linear" && kind != "yarn" && kind != "longrope" && kind != "llama3")
    return Error{fmt::format("its positions are scaled by '{}', which is not computed here", kind)};
  const double factor = file.number(arch + ".rope.scaling.factor").value_or(1);
  if (!(factor > 0)) return Error{fmt::format("its positions are scaled by {}", factor)};
  auto trained = gguf_count(file, arch + ".rope.scaling.original_context_length", 1, kMaxSize, s.context);
  if (!trained) return trained.error();
  const bool is_long = std::max({options.cache, options.tokens}) > *trained;
  auto factors = rope_factors(file, s.rope_dims / 2, is_long);
  if (!factors) return factors.error();
  if (kind == "linear") s.rope_scale = static_cast<float>(1 / factor);
  if (factors->empty() && (kind != "yarn" || factor == 1)) return {};
  const auto base = static_cast<double>(s.rope_base);
  Rotation& r = s.rotation;
  r.dims = s.rope_dims, r.neox = s.neox;
  r.frequencies = plain_frequencies(r.dims, base);
  for (size_t i = 0; i < factors->size(); ++i) r.frequencies[i] /= (*factors)[i];
  for (double& frequency : r.frequencies) frequency *= static_cast<double>(s.rope_scale);
  r.magnitude = file.number(arch + ".rope.scaling.attn_factor").value_or(1);
  if (kind == "yarn" && factor != 1) apply_yarn(r, base, {factor, 32, 1, static_cast<double>(*trained)});
  return {};
}

}  // namespace

Result<Model> build_gguf_llama(const GgufFile& file, GgufBuilder& builder, const OpenOptions& options) {
  const std::string arch = file.text("general.architecture").value_or("llama");
  auto t = read_transformer(file, arch, ".attention.layer_norm_rms_epsilon");
  if (!t) return t.error();
  auto depth = gguf_count(file, arch + ".attention.key_length", 1, kMaxSize, t->width / t->heads);
  if (!depth) return depth.error();
  auto rope = gguf_count(file, arch + ".rope.dimension_count", 2, *depth, *depth);
  if (!rope) return rope.error();
  LlamaSizes s;
  s.layers = static_cast<int>(t->layers);
  s.width = t->width, s.heads = t->heads, s.kv_heads = t->kv_heads, s.inner = t->inner, s.vocabulary = t->vocabulary;
  s.epsilon = t->epsilon, s.context = t->context, s.depth = *depth;
  s.tied = !builder.has("output.weight");
  s.rope_dims = static_cast<int32_t>(*rope);
  s.rope_base = static_cast<float>(file.number(arch + ".rope.freq_base").value_or(10000));
  apply_family(file, arch, s);
  apply_window(file, arch, s);
  if (auto ok = apply_experts(file, arch, s); !ok) return ok.error();
  if (auto ok = apply_positions(file, arch, options, s); !ok) return ok.error();
  if (options.tokens > s.context)
    return Error{fmt::format("{} tokens exceed the maximum of {}", options.tokens, s.context)};
  OpenOptions bounded = options;
  if (bounded.tokens == 0) bounded.tokens = std::min<int64_t>(s.context, 512);
  return build_llama(builder, s, bounded);
}

Result<Model> build_gguf_gpt(const GgufFile& file, GgufBuilder& builder, const OpenOptions& options) {
  const std::string arch = file.text("general.architecture").value_or("gpt2");
  auto t = read_transformer(file, arch, ".attention.layer_norm_epsilon");
  if (!t) return t.error();
  GptSizes s;
  s.layers = static_cast<int>(t->layers);
  s.width = t->width, s.heads = t->heads, s.kv_heads = t->kv_heads, s.inner = t->inner, s.vocabulary = t->vocabulary;
  s.epsilon = t->epsilon, s.context = t->context;
  s.tied = !builder.has("output.weight");
  s.output_bias = builder.has("output.bias");
  const bool falcon = arch == "falcon";
  if (arch != "gpt2") s.rope_base = static_cast<float>(file.number(arch + ".rope.freq_base").value_or(10000));
  s.packed = arch != "starcoder2";
  s.bias = !falcon;
  s.parallel = falcon, s.two_norms = falcon && builder.has("blk.0.attn_norm_2.weight");
  s.window = std::max<int64_t>(file.integer(arch + ".attention.sliding_window").value_or(0), 0);
  return build_gpt(builder, s, options);
}

}  // namespace arenascope::models
