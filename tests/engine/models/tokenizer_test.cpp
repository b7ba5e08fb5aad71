// SPDX-License-Identifier: MIT
#include <arenascope/models/tokenizer.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gguf_maker.h"
#include "test_data.h"

using namespace arenascope;
using namespace arenascope::models;
using arenascope::models::test::GgufMaker;
using arenascope::test::data_folder;

namespace {

using Ids = std::vector<int32_t>;

// A made file under a name of its own, gone at the end.
class MadeFile {
 public:
  MadeFile(const std::string& name, const GgufMaker& maker)
      : path_(std::filesystem::temp_directory_path() / ("arenascope_" + name + ".gguf")) {
    const auto bytes = maker.bytes();
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  ~MadeFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::unique_ptr<Tokenizer> opened(const std::string& name, const GgufMaker& maker) {
  const MadeFile file(name, maker);
  auto tokenizer = Tokenizer::open(file.path());
  REQUIRE_MESSAGE(tokenizer.ok(), (tokenizer.ok() ? "" : tokenizer.error().message));
  return std::move(*tokenizer);
}

std::string unsupported_reason(const GgufMaker& maker) {
  const MadeFile file("refused", maker);
  auto tokenizer = Tokenizer::open(file.path());
  REQUIRE(!tokenizer.ok());
  CHECK(tokenizer.error().message.find("arenascope_refused.gguf") != std::string::npos);
  return tokenizer.error().message;
}

GgufMaker llama_vocabulary() {
  std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
  std::vector<int32_t> types{2, 3, 3};
  for (int byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(byte));
    tokens.emplace_back(text), types.push_back(6);
  }
  for (const char* text : {"\xE2\x96\x81", "a", "b", "ab",
                           "\xE2\x96\x81"
                           "a",
                           "abab"})
    tokens.emplace_back(text), types.push_back(1);
  std::vector<float> scores(tokens.size(), 0);
  const float of_letters[] = {-10, -11, -12, -1, -2, -3};
  std::copy(std::begin(of_letters), std::end(of_letters), scores.end() - 6);
  GgufMaker maker;
  maker.text("general.architecture", "llama").text("tokenizer.ggml.model", "llama");
  maker.texts("tokenizer.ggml.tokens", tokens).floats("tokenizer.ggml.scores", scores);
  maker.integers("tokenizer.ggml.token_type", types);
  return maker;
}

std::vector<std::string> split_by(const std::string& text, const std::string& by) {
  std::vector<std::string> out;
  size_t at = 0;
  for (size_t next; (next = text.find(by, at)) != std::string::npos; at = next + by.size())
    out.push_back(text.substr(at, next - at));
  out.push_back(text.substr(at));
  return out;
}

std::string whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("byte pair merging by score") {
  const auto t = opened("llama", llama_vocabulary());
  CHECK(t->kind() == "llama");
  CHECK(t->size() == 265);
  // 259 is the space's mark, 260 a, 261 b, 262 ab, 263 a space and a, 264 abab. "ab" has a higher score than " a".
  CHECK(t->encode("ab", {false}) == Ids{259, 262});
  CHECK(t->encode("abab") == Ids{1, 259, 264});
  CHECK(t->encode("aa", {false}) == Ids{263, 260});
  CHECK(t->encode("", {false}).empty());
  // Text without tokens is encoded as bytes and decoded from them, invalid UTF-8 too.
  CHECK(t->encode("\xC3\xA9", {false}) == Ids{259, 3 + 0xC3, 3 + 0xA9});
  CHECK(t->decode(t->encode("\xC3\xA9 b")) == "\xC3\xA9 b");
  CHECK(t->encode("\xFF", {false}) == Ids{259, 3 + 0xFF});
  CHECK(t->decode(t->encode("\xFF")) == "\xEF\xBF\xBD");
  // Special tokens are parsed on request.
  CHECK(t->encode("</s>a", {false, true}) == Ids{2, 263});
  CHECK(t->encode("</s>", {false, false}).size() == 5);
  CHECK(t->ends(2));
  CHECK(!t->ends(1));
  CHECK(t->bytes_of(2).empty());
  CHECK(t->name_of(2) == "</s>");
  CHECK(t->bytes_of(-1).empty());
  CHECK(t->bytes_of(265).empty());
}

TEST_CASE("a character split over tokens") {
  Utf8Stream stream;
  CHECK(stream.add("a\xF0\x9F") == "a");
  CHECK(stream.add("\xA6").empty());
  CHECK(stream.add("\x99!") == "\xF0\x9F\xA6\x99!");
  CHECK(stream.add("\xE0").empty());
  CHECK(stream.finish() == "\xEF\xBF\xBD");
  CHECK(stream.finish().empty());
  // Overlong, a surrogate, beyond the last character, a lone continuation byte.
  for (const char* bad : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"}) {
    const std::string out = stream.add(bad);
    CHECK(out.size() == 3 * std::string(bad).size());
    CHECK(out.starts_with("\xEF\xBF\xBD"));
  }
}

TEST_CASE("unigram takes the segmentation with the highest score") {
  GgufMaker maker;
  maker.text("tokenizer.ggml.model", "t5");
  maker.texts("tokenizer.ggml.tokens", {"<pad>", "</s>", "<unk>", "\xE2\x96\x81", "a", "b", "ab", "ba", "aba"});
  maker.floats("tokenizer.ggml.scores", {0, 0, 0, -1, -2, -2, -3, -1, -6});
  maker.integers("tokenizer.ggml.token_type", {3, 3, 2, 1, 1, 1, 1, 1, 1});
  maker.integer("tokenizer.ggml.eos_token_id", 1).boolean("tokenizer.ggml.remove_extra_whitespaces", true);
  const auto t = opened("unigram", maker);
  CHECK(t->encode("aba", {false}) == Ids{3, 4, 7});
  CHECK(t->encode("  ab  ab ") == Ids{3, 6, 3, 6, 1});
  CHECK(t->encode("aXYa", {false}) == Ids{3, 4, 2, 4});
  CHECK(t->decode(Ids{3, 4, 7}) == "aba");
}

TEST_CASE("invalid vocabularies") {
  GgufMaker none;
  CHECK(unsupported_reason(none).find("no vocabulary") != std::string::npos);
  GgufMaker unknown;
  unknown.text("tokenizer.ggml.model", "rwkv").texts("tokenizer.ggml.tokens", {"a"});
  CHECK(unsupported_reason(unknown).find("'rwkv'") != std::string::npos);
  GgufMaker shorter;
  shorter.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", {"a", "b"});
  shorter.floats("tokenizer.ggml.scores", {1});
  CHECK(unsupported_reason(shorter).find("1 entries for 2 tokens") != std::string::npos);
  GgufMaker outside;
  outside.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", {"a", "b"});
  outside.floats("tokenizer.ggml.scores", {1, 2}).integer("tokenizer.ggml.bos_token_id", 2);
  CHECK(unsupported_reason(outside).find("bos_token_id") != std::string::npos);
  GgufMaker unscored;
  unscored.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", {"a"});
  CHECK(unsupported_reason(unscored).find("scores") != std::string::npos);
}

#if ARENASCOPE_HAS_ICU
TEST_CASE("byte-level BPE") {
  GgufMaker maker;
  maker.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "gpt-2");
  // A space is written as U+0120, the byte C3 as U+00C3, A9 as U+00A9.
  maker.texts("tokenizer.ggml.tokens", {"a", "b", "\xC4\xA0",
                                        "\xC4\xA0"
                                        "a",
                                        "ab", "1", "\xC3\x83", "\xC2\xA9", "<|endoftext|>"});
  maker.texts("tokenizer.ggml.merges", {"\xC4\xA0 a", "a b"});
  maker.integers("tokenizer.ggml.token_type", {1, 1, 1, 1, 1, 1, 1, 1, 3});
  const auto t = opened("gpt2", maker);
  CHECK(t->kind() == "gpt2 (gpt-2)");
  CHECK(t->encode("ab ab") == Ids{4, 3, 1});
  CHECK(t->encode("ab1") == Ids{4, 5});
  CHECK(t->encode("\xC3\xA9") == Ids{6, 7});
  CHECK(t->decode(Ids{6, 7, 3}) == "\xC3\xA9 a");
  CHECK(t->decode(Ids{6}) == "\xEF\xBF\xBD");
  CHECK(t->encode("a<|endoftext|>", {true, true}) == Ids{0, 8});
  CHECK(t->ends(8));
  maker = {};
  maker.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "made-up");
  maker.texts("tokenizer.ggml.tokens", {"a"}).texts("tokenizer.ggml.merges", {});
  CHECK(unsupported_reason(maker).find("'made-up'") != std::string::npos);
}

TEST_CASE("pre-tokenizers differ in their splits") {
  const auto strings = [](const char* pre, const char* text) {
    std::vector<std::string> tokens;
    for (char c = '!'; c < 127; ++c) tokens.emplace_back(1, c);
    tokens.emplace_back("\xC4\xA0");
    std::vector<std::string> merges;
    for (char a = '0'; a <= '9'; ++a)
      for (char b = '0'; b <= '9'; ++b) {
        merges.push_back(std::string(1, a) + " " + b);
        tokens.push_back(std::string(1, a) + b);
      }
    GgufMaker maker;
    maker.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", pre);
    maker.texts("tokenizer.ggml.tokens", tokens).texts("tokenizer.ggml.merges", merges);
    maker.boolean("tokenizer.ggml.add_bos_token", false);
    return opened("pre", maker)->encode(text).size();
  };
  CHECK(strings("gpt-2", "123456") == 3);      // 12 34 56
  CHECK(strings("llama-bpe", "123456") == 4);  // 12 3, 45 6
  CHECK(strings("qwen2", "123456") == 6);
  CHECK(strings("starcoder", "123456") == 6);
  CHECK(strings("falcon", "1234567") == 5);  // 12 3, 45 6, 7
}

TEST_CASE("WordPiece") {
  GgufMaker maker;
  maker.text("tokenizer.ggml.model", "bert");
  maker.texts("tokenizer.ggml.tokens", {"[UNK]", "[CLS]", "[SEP]",
                                        "\xE2\x96\x81"
                                        "un",
                                        "believ", "able", "\xE2\x96\x81!", "\xE2\x96\x81\xE6\x97\xA5"});
  maker.integers("tokenizer.ggml.token_type", {3, 3, 3, 1, 1, 1, 1, 1});
  maker.integer("tokenizer.ggml.unknown_token_id", 0).integer("tokenizer.ggml.cls_token_id", 1);
  maker.integer("tokenizer.ggml.seperator_token_id", 2);
  const auto t = opened("bert", maker);
  CHECK(t->encode("Unbeli\xC3\xA9vable!") == Ids{1, 3, 4, 5, 6, 2});
  CHECK(t->encode("unxable !") == Ids{1, 0, 6, 2});
  CHECK(t->encode("\xC3\x9CNBELIEVABLE !") == Ids{1, 3, 4, 5, 6, 2});
  CHECK(t->encode("\xE6\x97\xA5!", {false}) == Ids{7, 6});
  CHECK(t->decode(Ids{1, 3, 4, 5, 6}) == "unbelievable !");
}

// ARENASCOPE_VOCABULARIES names another folder of the same form, for more of them than the data folder has.
TEST_CASE("real vocabularies give the expected ids") {
  const char* other = std::getenv("ARENASCOPE_VOCABULARIES");
  if (!other) ARENASCOPE_NEEDS_DATA("models/tokenizer_vocab_gguf");
  const std::filesystem::path folder = other ? other : data_folder() / "models" / "tokenizer_vocab_gguf";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (std::filesystem::exists(entry.path().string() + ".inp")) names.push_back(entry.path().filename().string());
  CHECK(names.size() >= (other ? 1 : 3));
  for (const std::string& name : names) {
    CAPTURE(name);
    auto t = Tokenizer::open(folder / name);
    REQUIRE_MESSAGE(t.ok(), (t.ok() ? "" : t.error().message));
    const auto texts = split_by(whole(folder / (name + ".inp")), "\n__ggml_vocab_test__\n");
    const auto expected = split_by(whole(folder / (name + ".out")), "\n");
    REQUIRE(expected.size() >= texts.size());
    CHECK(texts.size() > 40);
    for (size_t i = 0; i < texts.size(); ++i) {
      CAPTURE(i);
      CAPTURE(texts[i]);
      std::istringstream numbers(expected[i]);
      Ids reference;
      for (int32_t id; numbers >> id;) reference.push_back(id);
      const Ids ids = (*t)->encode(texts[i], {false});
      CHECK(ids == reference);
      if (!other && name.find("bert") == std::string::npos) CHECK((*t)->decode(ids) == texts[i]);
    }
  }
}
#endif
