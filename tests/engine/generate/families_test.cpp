// SPDX-License-Identifier: MIT
// llama's relatives with seeded weights against their formulas, written plainly in double.
#include <arenascope/generate/generator.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "tests/support/seeded_weights.h"

using namespace arenascope;
using namespace arenascope::test;
using arenascope::models::test::GgufMaker;

namespace {

constexpr int kWidth = 24, kHeads = 4, kShared = 2, kInner = 20, kVocabulary = 30;
constexpr double kBase = 500;

struct Family {
  std::string arch;
  int depth = kWidth / kHeads;
  bool neox = true, qkv_bias = false, head_norms = false, packed = false, post_norms = false, gemma = false;
  double attention_cap = 0, logit_cap = 0, factor = 1;
  bool tied = true;
  int layers = 2;
  int window = 0, period = 1, local = 1;  // the first `local` of `period` layers see `window` tokens
  double local_base = 0;                  // base of their rotation
  std::vector<float> factors;             // frequencies are divided by them
  double yarn = 1, trained = 0;
  int experts = 0, used = 0;
  bool shared_expert = false;

  bool is_local(int layer) const { return window > 0 && layer % period < local; }
};

std::vector<Family> families() {
  Family llama{"llama"}, qwen2{"qwen2"}, qwen3{"qwen3"}, phi3{"phi3"}, gemma{"gemma"}, gemma2{"gemma2"};
  llama.neox = false, llama.tied = false, llama.factor = 4;
  qwen2.qkv_bias = true;
  qwen3.head_norms = true, qwen3.depth = 10;
  phi3.packed = true, phi3.tied = false;
  gemma.gemma = gemma2.gemma = gemma2.post_norms = true;
  gemma.depth = 8;
  gemma2.attention_cap = 3, gemma2.logit_cap = 5;
  gemma2.window = 3, gemma2.period = 2;
  Family gemma3 = gemma2, llama3 = llama, yarn = llama, mistral = llama, mixtral = llama, qwen2moe = qwen2,
         qwen3moe = qwen3;
  gemma3.arch = "gemma3", gemma3.attention_cap = gemma3.logit_cap = 0, gemma3.head_norms = true;
  gemma3.layers = 7, gemma3.period = 6, gemma3.local = 5, gemma3.local_base = 10000, gemma3.factor = 8;
  llama3.factor = yarn.factor = mistral.factor = mixtral.factor = 1;
  llama3.factors = {1, 1.5f, 8};
  yarn.yarn = 4, yarn.trained = 16;
  Family long_phi = phi3;
  long_phi.factors = {1.25f, 2, 4};
  mistral.window = 4;
  mixtral.experts = 4, mixtral.used = 2;
  qwen2moe.arch = "qwen2moe", qwen2moe.experts = 5, qwen2moe.used = 3, qwen2moe.shared_expert = true;
  qwen3moe.arch = "qwen3moe", qwen3moe.experts = 4, qwen3moe.used = 1;
  return {llama,  qwen2, qwen3,    phi3,    gemma,   gemma2,   gemma3,
          llama3, yarn,  long_phi, mistral, mixtral, qwen2moe, qwen3moe};
}

class Made : public SeededWeights {
 public:
  explicit Made(const Family& f) : f_(f) {
    maker().text("general.architecture", f.arch);
    const auto integer = [&](const char* key, int value) {
      maker().integer(f.arch + "." + key, static_cast<uint32_t>(value));
    };
    integer("block_count", f.layers), integer("embedding_length", kWidth), integer("feed_forward_length", kInner);
    integer("context_length", 64), integer("attention.head_count", kHeads);
    integer("attention.head_count_kv", kHeads / kShared), integer("attention.key_length", f.depth);
    maker().number(f.arch + ".attention.layer_norm_rms_epsilon", 1e-5f);
    maker().number(f.arch + ".rope.freq_base", static_cast<float>(kBase));
    if (f.factor != 1)
      maker()
          .text(f.arch + ".rope.scaling.type", "linear")
          .number(f.arch + ".rope.scaling.factor", static_cast<float>(f.factor));
    if (f.attention_cap > 0) {
      maker().number(f.arch + ".attn_logit_softcapping", static_cast<float>(f.attention_cap));
      maker().number(f.arch + ".final_logit_softcapping", static_cast<float>(f.logit_cap));
    }
    if (f.yarn != 1) {
      maker().text(f.arch + ".rope.scaling.type", "yarn");
      maker().number(f.arch + ".rope.scaling.factor", static_cast<float>(f.yarn));
      integer("rope.scaling.original_context_length", static_cast<int>(f.trained));
    }
    if (f.window > 0) integer("attention.sliding_window", f.window);
    if (!f.factors.empty())
      maker().tensor(f.packed ? "rope_factors_short.weight" : "rope_freqs.weight",
                     {static_cast<int64_t>(f.factors.size())}, f.factors);
    if (f.experts > 0) integer("expert_count", f.experts), integer("expert_used_count", f.used);
    const int q = kHeads * f.depth, kv = q / kShared;
    add("token_embd.weight", {kVocabulary, kWidth}, 0.5);
    for (int i = 0; i < f_.layers; ++i) {
      const std::string at = "blk." + std::to_string(i) + ".";
      add(at + "attn_norm.weight", {kWidth}, 0.2, 1), add(at + "ffn_norm.weight", {kWidth}, 0.2, 1);
      if (f.packed) add(at + "attn_qkv.weight", {q + 2 * kv, kWidth}, 0.5);
      for (const auto& [part, width] : std::map<std::string, int>{{"attn_q", q}, {"attn_k", kv}, {"attn_v", kv}}) {
        if (!f.packed) add(at + part + ".weight", {width, kWidth}, 0.5);
        if (f.qkv_bias) add(at + part + ".bias", {width}, 0.5);
        if (f.head_norms && part != "attn_v") add(at + part + "_norm.weight", {f.depth}, 0.3, 1);
      }
      add(at + "attn_output.weight", {kWidth, q}, 0.5);
      if (f.experts > 0) add_experts(at);
      if (!f.packed) add(at + "ffn_gate.weight", {kInner, kWidth}, 0.5);
      add(at + "ffn_up.weight", {f.packed ? 2 * kInner : kInner, kWidth}, 0.5);
      add(at + "ffn_down.weight", {kWidth, kInner}, 0.5);
      if (f.post_norms)
        add(at + "post_attention_norm.weight", {kWidth}, 0.2, 1), add(at + "post_ffw_norm.weight", {kWidth}, 0.2, 1);
    }
    add("output_norm.weight", {kWidth}, 0.2, 1);
    if (!f.tied) add("output.weight", {kVocabulary, kWidth}, 0.5);
  }

  // The logits after the last token.
  Row logits(const std::vector<int32_t>& ids) const {
    Rows x;
    for (int32_t id : ids) {
      const std::vector<float>& table = numbers("token_embd.weight");
      x.emplace_back(table.begin() + id * kWidth, table.begin() + (id + 1) * kWidth);
      if (f_.gemma)
        for (double& value : x.back()) value *= std::sqrt(double(kWidth));
    }
    for (int i = 0; i < f_.layers; ++i) {
      const std::string at = "blk." + std::to_string(i) + ".";
      add_to(x, attention(i, at, x), at + "post_attention_norm");
      Rows fed;
      for (const Row& row : x) fed.push_back(feed_forward(at, norm(row, at + "ffn_norm")));
      add_to(x, fed, at + "post_ffw_norm");
    }
    Row out = times(f_.tied ? "token_embd" : "output", norm(x.back(), "output_norm"));
    if (f_.logit_cap > 0)
      for (double& value : out) value = f_.logit_cap * std::tanh(value / f_.logit_cap);
    return out;
  }

 private:
  void add_experts(const std::string& at) {
    add(at + "ffn_gate_inp.weight", {f_.experts, kWidth}, 0.5);
    for (const char* part : {"ffn_gate_exps", "ffn_up_exps"})
      add(at + part + ".weight", {f_.experts, kInner, kWidth}, 0.5);
    add(at + "ffn_down_exps.weight", {f_.experts, kWidth, kInner}, 0.5);
    if (!f_.shared_expert) return;
    add(at + "ffn_gate_inp_shexp.weight", {kWidth}, 0.5);
    for (const char* part : {"ffn_gate_shexp", "ffn_up_shexp"}) add(at + part + ".weight", {kInner, kWidth}, 0.5);
    add(at + "ffn_down_shexp.weight", {kWidth, kInner}, 0.5);
  }
  Row norm(const Row& x, const std::string& name) const {
    double sum = 0;
    for (double value : x) sum += value * value;
    Row out;
    for (size_t i = 0; i < x.size(); ++i)
      out.push_back(x[i] / std::sqrt(sum / double(x.size()) + 1e-5) * double(numbers(name + ".weight")[i]));
    return out;
  }
  void add_to(Rows& x, const Rows& more, const std::string& post) const {
    for (size_t t = 0; t < x.size(); ++t) {
      const Row row = f_.post_norms ? norm(more[t], post) : more[t];
      for (size_t i = 0; i < row.size(); ++i) x[t][i] += row[i];
    }
  }
  // The angle by which a position rotates the i-th of `half` pairs.
  double frequency(size_t i, size_t half, bool local) const {
    const bool own = local && f_.local_base > 0;
    double turn = std::pow(own ? f_.local_base : kBase, -double(i) / double(half));
    if (own) return turn;
    if (!f_.factors.empty()) turn /= double(f_.factors[i]);
    if (f_.yarn == 1) return turn / f_.factor;
    const auto pair_of = [&](double rotations) {
      return double(half) * std::log(f_.trained / (rotations * 2 * M_PI)) / std::log(kBase);
    };
    const double low = std::max(0.0, std::floor(pair_of(32)));
    const double high = std::min(2 * double(half) - 1, std::ceil(pair_of(1)));
    const double ramp = std::min(1.0, std::max(0.0, (double(i) - low) / std::max(0.001, high - low)));
    return turn * (1 - ramp) + turn / f_.yarn * ramp;
  }
  Row rotated(const Row& head, size_t position, const std::string& name, bool local) const {
    const Row x = f_.head_norms ? norm(head, name + "_norm") : head;
    Row out(x.size());
    const size_t half = x.size() / 2;
    const double size = 1 + 0.1 * std::log(f_.yarn);
    for (size_t i = 0; i < half; ++i) {
      const double angle = double(position) * frequency(i, half, local);
      const size_t a = f_.neox ? i : 2 * i, b = f_.neox ? i + half : 2 * i + 1;
      out[a] = size * (x[a] * std::cos(angle) - x[b] * std::sin(angle));
      out[b] = size * (x[a] * std::sin(angle) + x[b] * std::cos(angle));
    }
    return out;
  }
  Rows attention(int layer, const std::string& at, const Rows& x) const {
    const bool local = f_.is_local(layer);
    const int q_width = kHeads * f_.depth, kv_width = q_width / kShared;
    Rows q, k, v, out;
    for (const Row& row : x) {
      const Row y = norm(row, at + "attn_norm");
      const Row all = f_.packed ? times(at + "attn_qkv", y) : Row();
      q.push_back(f_.packed ? part(all, 0, q_width) : times(at + "attn_q", y));
      k.push_back(f_.packed ? part(all, q_width, kv_width) : times(at + "attn_k", y));
      v.push_back(f_.packed ? part(all, q_width + kv_width, kv_width) : times(at + "attn_v", y));
    }
    for (size_t t = 0; t < x.size(); ++t) {
      Row mixed;
      for (int h = 0; h < kHeads; ++h) {
        const int from = h / kShared * f_.depth;
        const Row query = rotated(part(q[t], h * f_.depth, f_.depth), t, at + "attn_q", local);
        Row scores, head(static_cast<size_t>(f_.depth));
        double sum = 0;
        const size_t first = local && t + 1 > size_t(f_.window) ? t + 1 - size_t(f_.window) : 0;
        for (size_t s = first; s <= t; ++s) {
          const Row key = rotated(part(k[s], from, f_.depth), s, at + "attn_k", local);
          double score = 0;
          for (size_t i = 0; i < key.size(); ++i) score += query[i] * key[i];
          score /= std::sqrt(double(f_.depth));
          if (f_.attention_cap > 0) score = f_.attention_cap * std::tanh(score / f_.attention_cap);
          scores.push_back(std::exp(score));
          sum += scores.back();
        }
        for (size_t s = first; s <= t; ++s)
          for (int i = 0; i < f_.depth; ++i)
            head[static_cast<size_t>(i)] += scores[s - first] / sum * v[s][static_cast<size_t>(from + i)];
        mixed.insert(mixed.end(), head.begin(), head.end());
      }
      out.push_back(times(at + "attn_output", mixed));
    }
    return out;
  }
  // down·(silu(gate·z) ∘ up·z) of the weights' rows from the e-th of so many parts on.
  Row expert(const std::string& at, const std::string& suffix, size_t e, size_t count, const Row& z) const {
    const auto product = [&](const char* name, const Row& x) {
      const std::vector<float>& all = numbers(at + name + suffix + ".weight");
      const size_t each = all.size() / count, rows = each / x.size();
      Row out(rows);
      for (size_t o = 0; o < rows; ++o)
        for (size_t i = 0; i < x.size(); ++i) out[o] += double(all[e * each + o * x.size() + i]) * x[i];
      return out;
    };
    Row gate = product("ffn_gate", z);
    const Row up = product("ffn_up", z);
    for (size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
    return product("ffn_down", gate);
  }
  Row experts(const std::string& at, const Row& z) const {
    Row shares = times(at + "ffn_gate_inp", z);
    double sum = 0;
    for (double& share : shares) sum += share = std::exp(share);
    for (double& share : shares) share /= sum;
    Row sorted = shares;
    std::sort(sorted.rbegin(), sorted.rend());
    double used = 0;
    for (int i = 0; i < f_.used; ++i) used += sorted[size_t(i)];
    Row out(z.size());
    const auto add = [&](const Row& more, double share) {
      for (size_t i = 0; i < out.size(); ++i) out[i] += share * more[i];
    };
    for (size_t e = 0; e < shares.size(); ++e)
      if (shares[e] >= sorted[size_t(f_.used) - 1])
        add(expert(at, "_exps", e, shares.size(), z), shares[e] / (f_.shared_expert ? 1 : used));
    if (f_.shared_expert)
      add(expert(at, "_shexp", 0, 1, z), 1 / (1 + std::exp(-times(at + "ffn_gate_inp_shexp", z)[0])));
    return out;
  }
  Row feed_forward(const std::string& at, const Row& z) const {
    if (f_.experts > 0) return experts(at, z);
    const Row both = times(at + "ffn_up", z);
    const Row gate = f_.packed ? part(both, 0, kInner) : times(at + "ffn_gate", z);
    Row up = f_.packed ? part(both, kInner, kInner) : both;
    for (size_t i = 0; i < up.size(); ++i) {
      const double x = gate[i];
      up[i] *=
          f_.gemma ? x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) : x / (1 + std::exp(-x));
    }
    return times(at + "ffn_down", up);
  }

  const Family f_;
};

std::filesystem::path write(const GgufMaker& maker) {
  const auto path = std::filesystem::temp_directory_path() / "arenascope_families_test.gguf";
  write_gguf(path, maker);
  return path;
}

}  // namespace

TEST_CASE("llama-like architectures give the logits of their formulas, at once and token by token") {
  const std::vector<int32_t> ids{3, 29, 0, 11, 11, 7, 20};
  for (const Family& family : families()) {
    CAPTURE(family.arch);
    const Made made(family);
    const auto path = write(made.maker());
    const Row expected = made.logits(ids);
    for (const bool at_once : {true, false}) {
      GeneratorOptions options;
      options.run.threads = 1;
      options.run.budget_seconds = 0.05;
      auto generator = Generator::open(path.string(), options);
      REQUIRE_MESSAGE(generator.ok(), (generator.ok() ? "" : generator.error().message));
      Result<std::span<const float>> logits = std::span<const float>();
      if (at_once) logits = (*generator)->feed(ids);
      for (size_t i = 0; !at_once && i < ids.size(); ++i) logits = (*generator)->feed({&ids[i], 1});
      REQUIRE_MESSAGE(logits.ok(), (logits.ok() ? "" : logits.error().message));
      REQUIRE(logits->size() == expected.size());
      double worst = 0, largest = 0;
      for (size_t i = 0; i < expected.size(); ++i) {
        worst = std::max(worst, std::abs(double((*logits)[i]) - expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
      }
      CHECK(worst < 2e-6 * largest);
    }
    std::filesystem::remove(path);
  }
}

TEST_CASE("unsupported features of an architecture are errors with their name") {
  const auto refusal = [](const std::function<void(GgufMaker&)>& change, int64_t cache = 1) {
    GgufMaker maker = Made(families()[0]).maker();
    change(maker);
    const auto path = write(maker);
    models::OpenOptions options;
    options.cache = cache;
    auto model = models::open_model(path.string(), options);
    std::filesystem::remove(path);
    REQUIRE(model.ok());
    return model->problems.empty() ? std::string() : model->problems.front();
  };
  CHECK(refusal([](GgufMaker&) {}).empty());
  CHECK(refusal([](GgufMaker& m) {
          m.tensor("rope_freqs.weight", {2}, {1, 1});
        }).find("rope_freqs") != std::string::npos);
  CHECK(refusal([](GgufMaker& m) {
          m.tensor("rope_freqs.weight", {3}, {1, 0, 1});
        }).find("divides by 0") != std::string::npos);
  CHECK(refusal([](GgufMaker& m) { m.integer("llama.expert_count", 8); }).find("expert_used_count") !=
        std::string::npos);
  CHECK(refusal([](GgufMaker& m) { m.integer("llama.attention.sliding_window", 8); }, 9).empty());
}
