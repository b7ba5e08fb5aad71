// SPDX-License-Identifier: MIT
// Graphs of the architectures whose weights come from a GGUF file. Sizes are checked against the table of tensors
// before anything is built from them.
#include <fmt/format.h>
#include "engine/models/gguf.h"
#include "engine/models/zoo_decoders.h"

namespace arenascope::models {
namespace {

// A kit whose weights are those of the file, which must be there in the size that the graph asks for.
class GgufKit final : public ZooKit {
 public:
  GgufKit(const GgufFile& file, std::string name) : ZooKit(std::move(name)), file_(file) { model_.format = "gguf"; }

  Tensor weight(const std::string& name, const Dims& sizes, Range) override {
    if (!g().ok()) return {};
    const GgufTensor* found = file_.find_tensor(name);
    if (!found) {
      g().fail(Error{fmt::format("it has no tensor '{}'", name)});
      return {};
    }
    // Dimensions of 1 are written or left out as the writer likes.
    if (element_count(found->sizes) != element_count(sizes) || found->sizes.back() != sizes.back()) {
      if (element_count(found->sizes) != element_count(sizes) || sizes.rank() != 1) {
        g().fail(Error{fmt::format("its tensor '{}' is {}, not {}", name, to_string(found->sizes), to_string(sizes))});
        return {};
      }
    }
    Tensor tensor = g().weight(name, sizes, found->dtype);
    if (!tensor) return tensor;
    model_.parameter_bytes += tensor->byte_count();
    model_.weights.push_back({tensor, WeightSource(found->bytes, file_.file())});
    return tensor;
  }

  bool has(const std::string& name) const { return file_.find_tensor(name) != nullptr; }

 private:
  const GgufFile& file_;
};

// A number of the metadata within [least, most], or an error that names it.
Result<int64_t> count_of(const GgufFile& file, const std::string& key, int64_t least, int64_t most,
                         std::optional<int64_t> fallback = {}) {
  auto value = file.integer(key);
  if (!value) value = fallback;
  if (!value) return Error{fmt::format("it has no '{}'", key)};
  if (*value < least || *value > most) return Error{fmt::format("its '{}' is {}", key, *value)};
  return *value;
}

constexpr int64_t kLarge = int64_t{1} << 24;

struct Transformer {
  int64_t layers, width, heads, kv_heads, inner, vocabulary, context;
  float epsilon;
};

Result<Transformer> read_transformer(const GgufFile& file, const std::string& arch, const char* epsilon_key) {
  const GgufTensor* table = file.find_tensor("token_embd.weight");
  if (!table || table->sizes.rank() != 2) return Error{"it has no tensor 'token_embd.weight' of two dimensions"};
  const auto tensors = static_cast<int64_t>(file.tensors().size());
  auto layers = count_of(file, arch + ".block_count", 1, tensors);
  auto width = count_of(file, arch + ".embedding_length", 1, kLarge);
  auto heads = count_of(file, arch + ".attention.head_count", 1, kLarge);
  auto inner = count_of(file, arch + ".feed_forward_length", 1, kLarge);
  auto context = count_of(file, arch + ".context_length", 1, kLarge);
  for (const auto* r : {&layers, &width, &heads, &inner, &context})
    if (!r->ok()) return r->error();
  auto kv_heads = count_of(file, arch + ".attention.head_count_kv", 1, *heads, *heads);
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

// What llama's relatives do otherwise, by the name of their architecture.
void apply_family(const GgufFile& file, const std::string& arch, LlamaSizes& s) {
  s.neox = arch != "llama";
  s.qkv_bias = arch == "qwen2";
  s.head_norms = arch == "qwen3";
  s.packed = s.packed_gate = arch == "phi3";
  if (!arch.starts_with("gemma")) return;
  s.scale_embedding = s.gelu = true;
  s.post_norms = arch == "gemma2";
  s.attention_cap = static_cast<float>(file.number(arch + ".attn_logit_softcapping").value_or(0));
  s.logit_cap = static_cast<float>(file.number(arch + ".final_logit_softcapping").value_or(0));
}

// Scaled positions, where they are a factor; windows that attention does not look beyond.
Status apply_positions(const GgufFile& file, const std::string& arch, const OpenOptions& options, LlamaSizes& s) {
  for (const char* factors : {"rope_freqs.weight", "rope_factors_short.weight", "rope_factors_long.weight"})
    if (file.find_tensor(factors))
      return Error{
          fmt::format("its '{}' gives each frequency a factor of its own, which is not computed here", factors)};
  const std::string scaling = file.text(arch + ".rope.scaling.type").value_or("none");
  const double factor = file.number(arch + ".rope.scaling.factor").value_or(1);
  if (scaling == "linear" && factor > 0)
    s.rope_scale = static_cast<float>(1 / factor);
  else if (scaling != "none" && factor != 1)
    return Error{fmt::format("its positions are scaled by '{}', which is not computed here", scaling)};
  const int64_t window = file.integer(arch + ".attention.sliding_window").value_or(0);
  const int64_t seen = std::max(options.cache, options.tokens);
  if (window > 0 && seen > window)
    return Error{fmt::format(
        "{} tokens are more than the {} that its attention sees, beyond which nothing is computed here", seen, window)};
  if (window > 0) s.context = std::min(s.context, window);
  return {};
}

Result<Model> llama_family(const GgufFile& file, GgufKit& kit, const OpenOptions& options) {
  const std::string arch = file.text("general.architecture").value_or("llama");
  auto t = read_transformer(file, arch, ".attention.layer_norm_rms_epsilon");
  if (!t) return t.error();
  auto depth = count_of(file, arch + ".attention.key_length", 1, kLarge, t->width / t->heads);
  if (!depth) return depth.error();
  auto rope = count_of(file, arch + ".rope.dimension_count", 2, *depth, *depth);
  if (!rope) return rope.error();
  if (file.integer(arch + ".expert_count").value_or(0) > 0) return Error{"its mixture of experts is not computed here"};
  LlamaSizes s;
  s.layers = static_cast<int>(t->layers);
  s.width = t->width, s.heads = t->heads, s.kv_heads = t->kv_heads, s.inner = t->inner, s.vocabulary = t->vocabulary;
  s.epsilon = t->epsilon, s.context = t->context, s.depth = *depth;
  s.tied = !kit.has("output.weight");
  s.rope_dims = static_cast<int32_t>(*rope);
  s.rope_base = static_cast<float>(file.number(arch + ".rope.freq_base").value_or(10000));
  apply_family(file, arch, s);
  if (arch == "gemma2" && s.layers == 46) return Error{"its attention is scaled otherwise than its smaller relatives'"};
  if (auto ok = apply_positions(file, arch, options, s); !ok) return ok.error();
  if (options.cache > s.context) return Error{fmt::format("{} tokens, of at most {}", options.cache, s.context)};
  OpenOptions bounded = options;
  if (bounded.tokens == 0) bounded.tokens = std::min<int64_t>(s.context, 512);
  return build_llama(kit, s, bounded);
}

Result<Model> gpt2(const GgufFile& file, GgufKit& kit, const OpenOptions& options) {
  auto t = read_transformer(file, "gpt2", ".attention.layer_norm_epsilon");
  if (!t) return t.error();
  for (const int64_t tokens : {options.tokens, options.cache})
    if (tokens > t->context) return Error{fmt::format("{} tokens, of at most {}", tokens, t->context)};
  kit.language(t->context, t->vocabulary);
  GraphBuilder& g = kit.g();
  OpenOptions bounded = options;
  if (bounded.tokens == 0) bounded.tokens = t->context;
  Decoder decoder(kit, bounded, t->context, {t->heads, t->heads, t->width / t->heads, false});
  const Tensor ids = kit.input("token_ids", {decoder.tokens()}, {0, static_cast<double>(t->vocabulary)}, DType::I64);
  const Tensor positions = decoder.positions();
  const Tensor words = kit.weight("token_embd.weight", {t->vocabulary, t->width}, {});
  const Tensor places = kit.weight("position_embd.weight", {t->context, t->width}, {});
  Tensor x = g.add(g.op_with(Op::Gather, {words, ids}, AxisParams{0}, "inp_embd"),
                   g.op_with(Op::Gather, {places, positions}, AxisParams{0}, "pos_embd"), "embedded");
  for (int i = 0; i < static_cast<int>(t->layers); ++i) {
    const std::string at = fmt::format("blk.{}.", i);
    kit.layer(fmt::format("layer {}", i));
    const Tensor qkv = kit.linear(at + "attn_qkv", kit.layer_norm(at + "attn_norm", x, t->epsilon), 3 * t->width);
    const auto part = [&](int64_t which, const char* name) {
      const Tensor rows = g.slice(qkv, 1, which * t->width, (which + 1) * t->width, 1, at + name);
      return split_heads(kit, rows, t->heads, at + name);
    };
    const Tensor q = part(0, "attn_q"), k = part(1, "attn_k"), v = part(2, "attn_v");
    x = g.add(x, kit.linear(at + "attn_output", decoder.attention(i, q, k, v, at), t->width), at + "attn_add");
    Tensor y = kit.linear(at + "ffn_up", kit.layer_norm(at + "ffn_norm", x, t->epsilon), t->inner);
    y = g.op(Op::GeluTanh, {y}, {}, at + "ffn_gelu");
    x = g.add(x, kit.linear(at + "ffn_down", y, t->width), at + "ffn_add");
  }
  kit.layer("output");
  x = kit.layer_norm("output_norm", decoder.wanted_rows(x), t->epsilon);
  kit.output("logits", kit.has("output.weight") ? kit.linear("output", x, t->vocabulary, false)
                                                : g.mul_mat(words, x, {}, "output"));
  return kit.finish();
}

// ggml's MNIST example.
Result<Model> mnist_fc(const GgufFile& file, GgufKit& kit, const OpenOptions& options) {
  const GgufTensor* first = file.find_tensor("fc1.weight");
  if (!first || first->sizes.rank() != 2) return Error{"it has no tensor 'fc1.weight' of two dimensions"};
  return build_mnist_fc(kit, first->sizes[0], options);
}

Result<Model> mnist_cnn(const GgufFile&, GgufKit& kit, const OpenOptions& options) {
  return build_mnist_cnn(kit, options);
}

struct Architecture {
  const char* name;
  Result<Model> (*build)(const GgufFile& file, GgufKit& kit, const OpenOptions& options);
};
constexpr Architecture kArchitectures[] = {{"llama", llama_family}, {"qwen2", llama_family},  {"qwen3", llama_family},
                                           {"gemma", llama_family}, {"gemma2", llama_family}, {"phi3", llama_family},
                                           {"gpt2", gpt2},          {"mnist-fc", mnist_fc},   {"mnist-cnn", mnist_cnn}};

}  // namespace

Result<Model> open_gguf(const std::filesystem::path& path, const OpenOptions& options) {
  auto file = GgufFile::open(path);
  if (!file) return file.error();
  const std::string arch = file->text("general.architecture").value_or("");
  Result<Model> model = Error{fmt::format("its architecture '{}' is not known here", arch)};
  for (const Architecture& known : kArchitectures)
    if (arch == known.name) {
      GgufKit kit(*file, name_of(path));
      model = known.build(*file, kit, options);
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
