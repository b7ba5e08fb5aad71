// SPDX-License-Identifier: MIT
// A trained GPT that sorts, compared with the activations that its authors published.
#include <arenascope/models/checkpoint.h>
#include <arenascope/run/runner.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "test_data.h"

using namespace arenascope;
using arenascope::test::data_folder;

namespace {

constexpr int64_t kTexts = 3, kTokens = 11, kHeads = 3;

std::vector<float> numbers(std::span<const std::byte> bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

// Published as [text, head, ..], computed as [head, text, ..].
std::vector<float> heads_first(const std::vector<float>& published) {
  const size_t each = published.size() / (kTexts * kHeads);
  std::vector<float> out;
  for (int64_t h = 0; h < kHeads; ++h)
    for (int64_t t = 0; t < kTexts; ++t) {
      const auto from = published.begin() + (t * kHeads + h) * static_cast<int64_t>(each);
      out.insert(out.end(), from, from + static_cast<int64_t>(each));
    }
  return out;
}

}  // namespace

TEST_CASE("a sorting GPT has all published activations") {
  ARENASCOPE_NEEDS_DATA("models/llm_nano_gpt_sort");
  const auto folder = data_folder() / "models" / "llm_nano_gpt_sort";
  auto expected = models::read_checkpoint(folder / "expected_activations_t0.safetensors");
  REQUIRE(expected.ok());
  const auto published = [&](const char* name) {
    const models::CheckpointTensor* found = expected->find(name);
    REQUIRE_MESSAGE(found, name);
    return numbers(found->bytes);
  };
  RunnerOptions options;
  options.threads = 1;
  options.budget_seconds = 0.05;
  options.open.sequences = kTexts;
  options.open.tokens = kTokens;
  auto runner = Runner::open((folder / "nano_gpt_sort-F32.gguf").string(), options);
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  std::vector<int64_t> ids;
  for (float id : published("idx")) ids.push_back(static_cast<int64_t>(id));
  REQUIRE((*runner)->set_input("token_ids", std::as_bytes(std::span(ids))).ok());
  std::map<std::string, std::vector<float>> seen;
  RunOptions look;
  look.after_node = [&](NodeId id, Step) {
    const TensorImpl& node = (*runner)->plan().graph.node(id);
    if (node.dtype == DType::F32)
      if (auto bytes = (*runner)->read(node)) seen[std::string(node.name)] = numbers(*bytes);
    return true;
  };
  REQUIRE((*runner)->run(look).ok());
  // Views are not steps: their slices are cut here.
  const auto part = [&](size_t which) {
    const std::vector<float>& all = seen.at("blk.0.attn_qkv");
    std::vector<float> out;
    for (size_t h = 0; h < kHeads; ++h)
      for (size_t row = 0; row < kTexts * kTokens; ++row)
        for (size_t d = 0; d < 16; ++d) out.push_back(all[row * 144 + which * 48 + h * 16 + d]);
    return out;
  };
  seen["q"] = part(0), seen["k"] = part(1), seen["v"] = part(2);
  std::vector<float> scores = seen.at("blk.0.kq"), masked = heads_first(published("att"));
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i] /= 4;
    if (std::isinf(masked[i])) masked[i] = scores[i];
  }
  std::vector<float> probabilities;
  for (size_t row = 0; row < kTexts * kTokens; ++row) {
    const float* x = seen.at("logits").data() + 3 * row;
    const float sum = std::exp(x[0]) + std::exp(x[1]) + std::exp(x[2]);
    for (size_t i = 0; i < 3; ++i) probabilities.push_back(std::exp(x[i]) / sum);
  }
  const auto near = [](const char* name, const std::vector<float>& got, const std::vector<float>& reference) {
    CAPTURE(name);
    REQUIRE(got.size() == reference.size());
    double furthest = 0;
    for (size_t i = 0; i < got.size(); ++i)
      furthest = std::max(
          furthest, std::abs(double(got[i]) - double(reference[i])) / std::max(1.0, std::abs(double(reference[i]))));
    CHECK(furthest < 1e-5);
  };
  for (const auto& [name, node] : std::map<const char*, const char*>{{"tok_emb", "inp_embd"},
                                                                     {"x", "embedded"},
                                                                     {"ln1", "blk.0.attn_norm"},
                                                                     {"qkv", "blk.0.attn_qkv"},
                                                                     {"y", "blk.0.kqv_out"},
                                                                     {"yProj", "blk.0.attn_output"},
                                                                     {"attnResid", "blk.0.attn_add"},
                                                                     {"ln2", "blk.0.ffn_norm"},
                                                                     {"fc", "blk.0.ffn_up"},
                                                                     {"gelu", "blk.0.ffn_gelu"},
                                                                     {"mlp", "blk.0.ffn_down"},
                                                                     {"mlpResid", "blk.0.ffn_add"},
                                                                     {"block0", "blk.0.ffn_add"},
                                                                     {"block1", "blk.1.ffn_add"},
                                                                     {"block2", "blk.2.ffn_add"},
                                                                     {"ln_f", "output_norm"},
                                                                     {"lm_head", "logits"}}) {
    // A reshape of contiguous rows is a view: the values are those of its source.
    const std::string made = seen.count(node)                       ? node
                             : std::string(node) == "blk.0.kqv_out" ? "blk.0.kqv_merged_cont"
                                                                    : node;
    REQUIRE_MESSAGE(seen.count(made), made);
    near(name, seen.at(made), published(name));
  }
  near("pos_emb", {seen.at("pos_embd").begin(), seen.at("pos_embd").begin() + kTokens * 48}, published("pos_emb"));
  near("attSm", seen.at("blk.0.kq_soft_max"), heads_first(published("attSm")));
  near("att", scores, masked);
  near("probs", probabilities, published("probs"));
  for (const char* name : {"q", "k", "v"}) near(name, seen.at(name), heads_first(published(name)));
}
