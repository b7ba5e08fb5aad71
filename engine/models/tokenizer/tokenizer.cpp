// SPDX-License-Identifier: MIT
#include <arenascope/models/tokenizer.h>

#include <fmt/format.h>

#include <algorithm>

#include "engine/models/tokenizer/token_model.h"

namespace arenascope::models {
namespace {

class GgufTokenizer final : public Tokenizer {
 public:
  explicit GgufTokenizer(Vocabulary vocabulary) : v_(std::move(vocabulary)) {}

  // Errors: those of Tokenizer::open(), without the file's name.
  Status set_up(const GgufFile& file) {
    auto model = v_.model == "llama"  ? make_score_bpe(v_)
                 : v_.model == "t5"   ? make_unigram(v_, file)
                 : v_.model == "gpt2" ? make_merge_bpe(v_, file)
                 : v_.model == "bert" ? make_word_piece(v_)
                                      : Error{fmt::format("its tokenizer '{}' is not supported; there are: llama t5 "
                                                          "gpt2 bert",
                                                          v_.model)};
    if (!model) return model.error();
    model_ = std::move(*model);
    return {};
  }

  std::string kind() const override {
    return v_.pre_tokenizer.empty() ? v_.model : fmt::format("{} ({})", v_.model, v_.pre_tokenizer);
  }
  int32_t size() const override { return v_.size(); }

  std::vector<int32_t> encode(std::string_view text, const EncodeOptions& options) const override {
    std::vector<int32_t> out;
    if (options.add_special && v_.add_begin && v_.begin >= 0) out.push_back(v_.begin);
    bool first = true;
    size_t done = 0;
    for (size_t at = 0; at < text.size();) {
      const int32_t special = special_at(text.substr(at), options.parse_special);
      if (special < 0) {
        ++at;
        continue;
      }
      if (at > done) model_->encode(text.substr(done, at - done), first, out);
      out.push_back(special);
      first = true;
      at += v_.texts[static_cast<size_t>(special)].size();
      done = at;
    }
    if (done < text.size()) model_->encode(text.substr(done), first, out);
    if (options.add_special && v_.add_end && v_.end >= 0) out.push_back(v_.end);
    return out;
  }

  std::string bytes_of(int32_t id) const override {
    if (!v_.has(id)) return {};
    const TokenType type = v_.types[static_cast<size_t>(id)];
    return type == TokenType::Control || type == TokenType::Unknown ? std::string() : model_->bytes_of(id);
  }

  std::string name_of(int32_t id) const override {
    return v_.has(id) ? v_.texts[static_cast<size_t>(id)] : fmt::format("[{}]", id);
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::string bytes;
    for (int32_t id : ids) bytes += bytes_of(id);
    const bool prefixed = v_.add_space_prefix || v_.model == "bert";
    std::string_view text = bytes;
    if (prefixed && text.starts_with(' ')) text.remove_prefix(1);
    Utf8Stream letters;
    std::string out = letters.add(text);
    return out + letters.finish();
  }

  bool ends(int32_t id) const override { return std::find(v_.ends.begin(), v_.ends.end(), id) != v_.ends.end(); }
  int32_t begin_of_text() const override { return v_.begin; }

 private:
  // The special token at the start of a text; user-defined ones are always parsed, others only with `all`.
  int32_t special_at(std::string_view text, bool all) const {
    for (int32_t id : v_.specials) {
      if (!all && v_.types[static_cast<size_t>(id)] != TokenType::UserDefined) continue;
      if (text.starts_with(v_.texts[static_cast<size_t>(id)])) return id;
    }
    return -1;
  }

  Vocabulary v_;
  std::unique_ptr<TokenModel> model_;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> Tokenizer::open(const std::filesystem::path& path) {
  auto file = GgufFile::open(path);
  if (!file) return file.error();
  const auto named = [&](const Error& error) { return Error{fmt::format("{}: {}", path.string(), error.message)}; };
  auto vocabulary = Vocabulary::read(*file);
  if (!vocabulary) return named(vocabulary.error());
  auto tokenizer = std::make_unique<GgufTokenizer>(std::move(*vocabulary));
  if (auto ok = tokenizer->set_up(*file); !ok) return named(ok.error());
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

}  // namespace arenascope::models
