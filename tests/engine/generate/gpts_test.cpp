// SPDX-License-Identifier: MIT
// gpt2, falcon and starcoder2 with seeded weights against their formulas, written plainly in double.
#include <arenascope/generate/generator.h>
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "tests/support/seeded_weights.h"

using namespace arenascope;
using namespace arenascope::test;
using arenascope::models::test::GgufMaker;

namespace {

constexpr int kWidth = 24, kHeads = 4, kDepth = kWidth / kHeads, kInner = 20, kVocabulary = 30, kLayers = 2;

struct Family {
  const char *name, *arch;
  int key_heads = kHeads;
  bool places = false, packed = true, bias = true, parallel = false, two_norms = false;
  int window = 0;
};

const Family kFamilies[] = {
    {"gpt2", "gpt2", kHeads, true},
    {"falcon", "falcon", 1, false, true, false, true},
    {"falcon with two norms", "falcon", 2, false, true, false, true, true},
    {"starcoder2", "starcoder2", 2, false, false},
    {"starcoder2 that sees three tokens", "starcoder2", 2, false, false, true, false, false, 3},
};

class Made : public SeededWeights {
 public:
  explicit Made(const Family& f) : f_(f) {
    const std::string arch = f.arch;
    maker().text("general.architecture", arch);
    const auto integer = [&](const char* key, int value) {
      maker().integer(arch + "." + key, static_cast<uint32_t>(value));
    };
    integer("block_count", kLayers), integer("embedding_length", kWidth), integer("feed_forward_length", kInner);
    integer("context_length", 32), integer("attention.head_count", kHeads);
    integer("attention.head_count_kv", f.key_heads);
    maker().number(arch + ".attention.layer_norm_epsilon", 1e-5f);
    if (f.window > 0) integer("attention.sliding_window", f.window);
    add("token_embd.weight", {kVocabulary, kWidth}, 0.5);
    if (f.places) add("position_embd.weight", {32, kWidth}, 0.5);
    const int kv = f.key_heads * kDepth;
    for (int i = 0; i < kLayers; ++i) {
      const std::string at = "blk." + std::to_string(i) + ".";
      norm(at + "attn_norm");
      if (f.two_norms) norm(at + "attn_norm_2");
      if (!f.parallel) norm(at + "ffn_norm");
      if (f.packed)
        product(at + "attn_qkv", kWidth + 2 * kv, kWidth);
      else
        product(at + "attn_q", kWidth, kWidth), product(at + "attn_k", kv, kWidth), product(at + "attn_v", kv, kWidth);
      product(at + "attn_output", kWidth, kWidth);
      product(at + "ffn_up", kInner, kWidth);
      product(at + "ffn_down", kWidth, kInner);
    }
    norm("output_norm");
    add("output.weight", {kVocabulary, kWidth}, 0.5);
  }
  // The logits of the token after the last one.
  Row logits(const std::vector<int32_t>& ids) const {
    Rows x;
    for (size_t t = 0; t < ids.size(); ++t) {
      x.push_back(line("token_embd", ids[t], kWidth));
      if (f_.places) x[t] = sum(x[t], line("position_embd", static_cast<int64_t>(t), kWidth));
    }
    for (int i = 0; i < kLayers; ++i) {
      const std::string at = "blk." + std::to_string(i) + ".";
      const Rows attended = attention(at, x);
      for (size_t t = 0; t < x.size(); ++t) {
        const Row both = sum(x[t], attended[t]);
        x[t] = f_.parallel ? sum(both, hidden(at, normed(at + "attn_norm", x[t])))
                           : sum(both, hidden(at, normed(at + "ffn_norm", both)));
      }
    }
    return times("output", normed("output_norm", x.back()));
  }

 private:
  void norm(const std::string& name) {
    add(name + ".weight", {kWidth}, 0.2, 1);
    add(name + ".bias", {kWidth}, 0.2);
  }
  void product(const std::string& name, int to, int from) {
    add(name + ".weight", {to, from}, 0.5);
    if (f_.bias) add(name + ".bias", {to}, 0.5);
  }

  static Row sum(Row a, const Row& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  Row normed(const std::string& name, const Row& x) const {
    double mean = 0, spread = 0;
    for (double value : x) mean += value / double(x.size());
    for (double value : x) spread += (value - mean) * (value - mean) / double(x.size());
    Row out;
    for (size_t i = 0; i < x.size(); ++i)
      out.push_back((x[i] - mean) / std::sqrt(spread + 1e-5) * double(numbers(name + ".weight")[i]) +
                    double(numbers(name + ".bias")[i]));
    return out;
  }
  Row rotated(Row x, size_t position) const {
    if (f_.places) return x;
    const Row given = x;
    const size_t half = x.size() / 2;
    for (size_t i = 0; i < half; ++i) {
      const double angle = double(position) * std::pow(10000.0, -double(i) / double(half));
      x[i] = given[i] * std::cos(angle) - given[i + half] * std::sin(angle);
      x[i + half] = given[i] * std::sin(angle) + given[i + half] * std::cos(angle);
    }
    return x;
  }
  Rows attention(const std::string& at, const Rows& x) const {
    const int kv = f_.key_heads * kDepth;
    Rows q, k, v, out;
    for (const Row& row : x) {
      const Row y = normed(at + (f_.two_norms ? "attn_norm_2" : "attn_norm"), row);
      const Row all = f_.packed ? times(at + "attn_qkv", y) : Row();
      q.push_back(f_.packed ? part(all, 0, kWidth) : times(at + "attn_q", y));
      k.push_back(f_.packed ? part(all, kWidth, kv) : times(at + "attn_k", y));
      v.push_back(f_.packed ? part(all, kWidth + kv, kv) : times(at + "attn_v", y));
    }
    for (size_t t = 0; t < x.size(); ++t) {
      Row mixed;
      const size_t first = f_.window > 0 && t + 1 > size_t(f_.window) ? t + 1 - size_t(f_.window) : 0;
      for (int h = 0; h < kHeads; ++h) {
        const int from = h / (kHeads / f_.key_heads) * kDepth;
        const Row query = rotated(part(q[t], h * kDepth, kDepth), t);
        Row scores, head(kDepth);
        double total = 0;
        for (size_t s = first; s <= t; ++s) {
          const Row key = rotated(part(k[s], from, kDepth), s);
          double score = 0;
          for (size_t i = 0; i < key.size(); ++i) score += query[i] * key[i];
          scores.push_back(std::exp(score / std::sqrt(double(kDepth))));
          total += scores.back();
        }
        for (size_t s = first; s <= t; ++s)
          for (int i = 0; i < kDepth; ++i)
            head[static_cast<size_t>(i)] += scores[s - first] / total * v[s][static_cast<size_t>(from + i)];
        mixed.insert(mixed.end(), head.begin(), head.end());
      }
      out.push_back(times(at + "attn_output", mixed));
    }
    return out;
  }
  Row hidden(const std::string& at, const Row& z) const {
    Row y = times(at + "ffn_up", z);
    for (double& x : y) x = x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    return times(at + "ffn_down", y);
  }

  const Family f_;
};

}  // namespace

TEST_CASE("gpt2, falcon and starcoder2 give the logits of their formulas, at once and token by token") {
  const std::vector<int32_t> ids{3, 29, 0, 11, 11, 7, 20};
  const auto path = std::filesystem::temp_directory_path() / "arenascope_gpts_test.gguf";
  for (const Family& family : kFamilies) {
    CAPTURE(std::string(family.name));
    const Made made(family);
    write_gguf(path, made.maker());
    const Row expected = made.logits(ids);
    double largest = 0;
    for (double value : expected) largest = std::max(largest, std::abs(value));
    for (const bool at_once : {true, false}) {
      GeneratorOptions options;
      options.run.threads = 1;
      options.run.budget_seconds = 0.05;
      auto generator = Generator::open(path.string(), options);
      REQUIRE_MESSAGE(generator.ok(), (generator ? "" : generator.error().message));
      Result<std::span<const float>> logits = Error{"nothing was fed"};
      if (at_once)
        logits = (*generator)->feed(ids);
      else
        for (const int32_t id : ids) logits = (*generator)->feed({&id, 1});
      REQUIRE(logits.ok());
      REQUIRE(logits->size() == expected.size());
      for (size_t i = 0; i < expected.size(); ++i)
        CHECK(std::abs(static_cast<double>((*logits)[i]) - expected[i]) <= 4e-6 * largest);
    }
  }
  std::filesystem::remove(path);
}

TEST_CASE("a vocabulary that does not match the embeddings is an error") {
  const auto path = std::filesystem::temp_directory_path() / "arenascope_gpts_test.gguf";
  GgufMaker maker = Made(kFamilies[0]).maker();
  maker.texts("tokenizer.ggml.tokens", {"a", "b", "c"});
  write_gguf(path, maker);
  const auto opened = Generator::open(path.string(), {});
  REQUIRE(!opened.ok());
  CHECK(opened.error().message.find("its vocabulary has 3 tokens, its 'token_embd.weight' 30 rows") !=
        std::string::npos);
  std::filesystem::remove(path);
}
