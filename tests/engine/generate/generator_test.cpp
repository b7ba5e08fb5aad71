// SPDX-License-Identifier: MIT
#include <arenascope/generate/generator.h>
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "test_data.h"
#include "tests/engine/models/gguf_maker.h"

using namespace arenascope;
using arenascope::models::test::GgufMaker;
using arenascope::test::data_folder;

namespace {

using Ids = std::vector<int32_t>;

// A llama of two layers with seeded weights, whose heads share keys and values by twos.
GgufMaker small_llama(int64_t tokens_in_vocabulary = 40, int64_t width = 32) {
  const int64_t kWidth = width;
  constexpr int64_t kInner = 48, kVocabulary = 40;
  GgufMaker maker;
  maker.text("general.architecture", "llama");
  for (const auto& [key, value] :
       std::map<std::string, uint32_t>{{"block_count", 2},
                                       {"embedding_length", static_cast<uint32_t>(kWidth)},
                                       {"feed_forward_length", kInner},
                                       {"context_length", 48},
                                       {"attention.head_count", 4},
                                       {"attention.head_count_kv", 2},
                                       {"rope.dimension_count", static_cast<uint32_t>(kWidth / 4)}})
    maker.integer("llama." + key, value);
  maker.number("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  std::vector<std::string> texts;
  for (int64_t i = 0; i < tokens_in_vocabulary; ++i) texts.push_back("t" + std::to_string(i));
  maker.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", texts);
  maker.floats("tokenizer.ggml.scores", std::vector<float>(texts.size(), 0));
  uint32_t seed = 1;
  const auto seeded = [&](const std::string& name, const Dims& sizes, float scale, float middle = 0) {
    std::vector<float> values(static_cast<size_t>(element_count(sizes)));
    for (float& value : values) {
      seed = seed * 1664525u + 1013904223u;
      value = middle + scale * (static_cast<float>(seed >> 8) / float(1 << 23) - 1);
    }
    maker.tensor(name, sizes, std::move(values));
  };
  seeded("token_embd.weight", {kVocabulary, kWidth}, 1);
  for (const std::string& at : {std::string("blk.0."), std::string("blk.1.")}) {
    seeded(at + "attn_norm.weight", {kWidth}, 0.1f, 1);
    seeded(at + "attn_q.weight", {kWidth, kWidth}, 0.3f);
    seeded(at + "attn_k.weight", {kWidth / 2, kWidth}, 0.3f);
    seeded(at + "attn_v.weight", {kWidth / 2, kWidth}, 0.3f);
    seeded(at + "attn_output.weight", {kWidth, kWidth}, 0.3f);
    seeded(at + "ffn_norm.weight", {kWidth}, 0.1f, 1);
    seeded(at + "ffn_gate.weight", {kInner, kWidth}, 0.3f);
    seeded(at + "ffn_up.weight", {kInner, kWidth}, 0.3f);
    seeded(at + "ffn_down.weight", {kWidth, kInner}, 0.3f);
  }
  seeded("output_norm.weight", {kWidth}, 0.1f, 1);
  return maker;
}

class MadeModel {
 public:
  explicit MadeModel(const GgufMaker& maker)
      : path_(std::filesystem::temp_directory_path() / "arenascope_generator_test.gguf") {
    const auto bytes = maker.bytes();
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  ~MadeModel() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::unique_ptr<Generator> opened(const std::string& path, int threads = 1, int64_t at_once = 64) {
  GeneratorOptions options;
  options.run.threads = threads;
  options.run.budget_seconds = 0.05;
  options.max_at_once = at_once;
  auto generator = Generator::open(path, options);
  REQUIRE_MESSAGE(generator.ok(), (generator.ok() ? "" : generator.error().message));
  return std::move(*generator);
}

std::vector<float> fed(Generator& generator, const Ids& ids) {
  auto logits = generator.feed(ids);
  REQUIRE_MESSAGE(logits.ok(), (logits.ok() ? "" : logits.error().message));
  return {logits->begin(), logits->end()};
}

int32_t largest(const std::vector<float>& logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

Ids greedy(Generator& generator, const Ids& prompt, int count) {
  Ids out;
  std::vector<float> logits = fed(generator, prompt);
  for (int i = 0; i < count; ++i) {
    out.push_back(largest(logits));
    if (i + 1 < count) logits = fed(generator, {out.back()});
  }
  return out;
}

double furthest(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double(a[i]) - double(b[i])));
  return most;
}

}  // namespace

TEST_CASE("tokens one by one, in chunks and all at once give the same logits") {
  const MadeModel model(small_llama());
  const Ids prompt{3, 17, 5, 30, 9, 9, 22, 1, 0, 38, 11};
  const auto all = fed(*opened(model.path()), prompt);
  CHECK(all.size() == 40);
  for (const int64_t at_once : {2, 3, 4, 11}) {
    CAPTURE(at_once);
    CHECK(furthest(fed(*opened(model.path(), 1, at_once), prompt), all) < 1e-5);
  }
  auto single = opened(model.path());
  std::vector<float> last;
  for (int32_t id : prompt) last = fed(*single, {id});
  CHECK(furthest(last, all) < 1e-5);
  CHECK(single->position() == 11);
  // The graph without a cache gives the same results.
  models::OpenOptions whole;
  whole.prefill = true;
  whole.tokens = 11;
  RunnerOptions run;
  run.open = whole;
  auto runner = Runner::open(model.path(), run);
  REQUIRE(runner.ok());
  const std::vector<int64_t> ids(prompt.begin(), prompt.end());
  REQUIRE((*runner)->set_input("token_ids", std::as_bytes(std::span(ids))).ok());
  REQUIRE((*runner)->run().ok());
  auto bytes = (*runner)->output((*runner)->model().outputs.size() - 1);
  REQUIRE(bytes.ok());
  const auto* numbers = reinterpret_cast<const float*>(bytes->data());
  CHECK(furthest({numbers, numbers + 40}, all) < 1e-5);
}

TEST_CASE("threads, elided barriers and fusion change no token") {
  const MadeModel model(small_llama());
  const Ids tokens = greedy(*opened(model.path()), {4, 8, 15}, 30);
  CHECK(greedy(*opened(model.path(), 2), {4, 8, 15}, 30) == tokens);
  GeneratorOptions options;
  options.run.threads = 2;
  options.run.fuse = true;
  options.run.force_multithreaded = true;
  options.run.execution.independent = true;
  auto generator = Generator::open(model.path(), options);
  REQUIRE(generator.ok());
  CHECK(greedy(**generator, {4, 8, 15}, 30) == tokens);
}

TEST_CASE("the KV cache has its own memory kind, and the graph is prepared once") {
  const MadeModel model(small_llama());
  auto generator = opened(model.path());
  REQUIRE(generator->set_capacity(20).ok());
  fed(*generator, {1, 2, 3});
  fed(*generator, {4});
  const Runner* first = generator->runner();
  fed(*generator, {5});
  CHECK(generator->runner() == first);
  // Two layers' keys and values of 20 tokens, 2 heads of 8.
  CHECK(generator->peak_bytes().at(MemoryKind::KVCache) >= 2 * 2 * 20 * 2 * 8 * 4);
  CHECK(generator->peak_bytes().at(MemoryKind::KVCache) < 2 * 2 * 20 * 2 * 8 * 4 + 8192);
}

TEST_CASE("f16 and q8_0 caches give nearly the same logits") {
  // A head's 32 numbers fill a block of q8_0.
  const MadeModel model(small_llama(40, 128));
  const Ids prompt{3, 17, 5, 30, 9, 9, 22, 1, 0, 38, 11};
  const auto logits = [&](DType type) {
    GeneratorOptions options;
    options.run.threads = 1;
    options.run.budget_seconds = 0.05;
    options.cache_type = type;
    auto generator = Generator::open(model.path(), options);
    REQUIRE_MESSAGE(generator.ok(), (generator.ok() ? "" : generator.error().message));
    REQUIRE((*generator)->set_capacity(20).ok());
    fed(**generator, prompt);
    auto out = fed(**generator, {7});
    out.push_back(static_cast<float>((*generator)->peak_bytes().at(MemoryKind::KVCache)));
    return out;
  };
  auto whole = logits(DType::F32), half = logits(DType::F16), blocks = logits(DType::Q8_0);
  const double bytes = double(whole.back()), most = double(std::abs(whole[size_t(largest(whole))]));
  CHECK(double(half.back()) <= bytes / 2 + 1024);
  CHECK(double(blocks.back()) <= bytes * 34 / 128 + 1024);
  for (auto* v : {&whole, &half, &blocks}) v->pop_back();
  CHECK(furthest(half, whole) < 0.002 * std::max(most, 1.0));
  CHECK(furthest(blocks, whole) < 0.03 * std::max(most, 1.0));
  GeneratorOptions options;
  options.cache_type = DType::I64;
  CHECK(!Generator::open(model.path(), options).ok());
}

TEST_CASE("sequences with a shared prefix give the tokens of separate ones") {
  const MadeModel model(small_llama());
  GeneratorOptions options;
  options.run.threads = 1;
  options.run.budget_seconds = 0.05;
  options.block = 4;
  auto opened_generator = Generator::open(model.path(), options);
  REQUIRE(opened_generator.ok());
  Generator& generator = **opened_generator;
  REQUIRE(generator.set_capacity(60, 3).ok());
  const Ids prompt{3, 17, 5, 30, 9, 9, 22, 1, 0, 38, 11};
  const auto first = fed(generator, prompt);
  auto b = generator.fork(0), c = generator.fork(0);
  REQUIRE((b.ok() && c.ok()));
  // Two blocks of four are shared by all three; three tokens were computed again by each.
  CHECK(generator.table().owners(generator.table().blocks(0)[1]) == 3);
  CHECK(generator.table().free_rows() == 60 - 8 - 3 * 4);
  std::vector<Ids> written{{4, 1}, {8, 2}, {15, 3}};
  std::vector<float> together;
  for (size_t i = 0; i < 2; ++i) {
    const Generator::Next next[] = {{0, written[0][i]}, {*b, written[1][i]}, {*c, written[2][i]}};
    auto logits = generator.step(next);
    REQUIRE_MESSAGE(logits.ok(), (logits.ok() ? "" : logits.error().message));
    together.assign(logits->begin(), logits->end());
  }
  REQUIRE(together.size() == 120);
  for (size_t t = 0; t < 3; ++t) {
    Ids alone = prompt;
    alone.insert(alone.end(), written[t].begin(), written[t].end());
    const auto logits = fed(*opened(model.path()), alone);
    CHECK(furthest({together.begin() + ptrdiff_t(40 * t), together.begin() + ptrdiff_t(40 * t + 40)}, logits) < 1e-5);
  }
  generator.end(*b);
  CHECK(generator.tokens(*c).size() == 13);
  const Generator::Next wrong[] = {{0, 40}};
  CHECK(!generator.step(wrong).ok());
  CHECK(!generator.step({}).ok());
}

TEST_CASE("a full context drops its older half like a new text of the remaining tokens") {
  const MadeModel model(small_llama());
  auto generator = opened(model.path());
  Ids all;
  for (int i = 0; i < 48; ++i) all.push_back((7 * i + 3) % 40);
  fed(*generator, all);
  CHECK(!generator->feed(Ids{1}).ok());
  auto shifted = generator->shift(1);
  REQUIRE_MESSAGE(shifted.ok(), (shifted.ok() ? "" : shifted.error().message));
  CHECK(generator->position() == 25);
  Ids rest{all[0]};
  rest.insert(rest.end(), all.end() - 24, all.end());
  CHECK(generator->tokens() == rest);
  CHECK(furthest({shifted->begin(), shifted->end()}, fed(*opened(model.path()), rest)) < 1e-5);
  CHECK(generator->feed(Ids{1}).ok());
}

TEST_CASE("invalid prompts are errors") {
  const MadeModel model(small_llama());
  auto generator = opened(model.path());
  CHECK(generator->context() == 48);
  CHECK(!generator->set_capacity(49).ok());
  CHECK(!generator->set_capacity(0).ok());
  REQUIRE(generator->set_capacity(4).ok());
  CHECK(!generator->feed({}).ok());
  CHECK(!generator->feed(Ids{40}).ok());
  CHECK(!generator->feed(Ids{-1}).ok());
  CHECK(!generator->feed(Ids{1, 2, 3, 4, 5}).ok());
  fed(*generator, {1, 2, 3, 4});
  CHECK(!generator->feed(Ids{5}).ok());
  const MadeModel other(small_llama(41));
  auto wrong = Generator::open(other.path(), {});
  REQUIRE(!wrong.ok());
  CHECK(wrong.error().message.find("41 tokens") != std::string::npos);
  CHECK(!Generator::open("zoo:squeezenet", {}).ok());
}

TEST_CASE("stories260K generates the expected text") {
  ARENASCOPE_NEEDS_DATA("models/llm_stories260K");
  const auto folder = data_folder() / "models" / "llm_stories260K";
  std::ifstream file(folder / "expected_greedy.json");
  const auto expected = nlohmann::json::parse(file);
  for (const char* kind : {"F32", "F16", "Q8_0", "Q4_0"}) {
    CAPTURE(kind);
    const std::string path = (folder / (std::string("stories260K-") + kind + ".gguf")).string();
    const bool exact = std::string(kind)[0] == 'F';
    for (const std::string& run : {std::string("llama_cpp_"), std::string("llama_cpp_prompt_")}) {
      const Ids prompt = expected[run + kind]["prompt_ids"], expected_ids = expected[run + kind]["ids"];
      const int count = exact ? std::min<int>(199, static_cast<int>(expected_ids.size())) : 20;
      const Ids got = greedy(*opened(path, 2), prompt, count);
      CHECK(got == Ids(expected_ids.begin(), expected_ids.begin() + count));
    }
  }
}
