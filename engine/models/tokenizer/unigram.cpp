// SPDX-License-Identifier: MIT
// SentencePiece's unigram model (Kudo 2018): of all segmentations of a text the one with the highest sum of
// scores, by the Viterbi algorithm. The text is normalised first, by a table in the file: a trie over
// bytes as a double array (Aoe 1989) whose values are offsets into a block of zero-terminated texts.
#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/models/tokenizer/token_model.h"
#include "engine/models/tokenizer/utf8.h"

namespace arenascope::models {
namespace {

class CharsMap {
 public:
  static Result<CharsMap> read(const GgufFile& file) {
    CharsMap out;
    const GgufEntry* entry = file.find("tokenizer.ggml.precompiled_charsmap");
    if (!entry || entry->bytes.size() <= 4) return out;
    uint32_t bytes = 0;
    std::memcpy(&bytes, entry->bytes.data(), sizeof bytes);
    const bool fits = (entry->element == GgufType::U8 || entry->element == GgufType::I8) && bytes % 4 == 0 &&
                      bytes <= entry->bytes.size() - 4;
    if (!fits) return Error{"its 'tokenizer.ggml.precompiled_charsmap' is damaged"};
    out.units_.resize(bytes / 4);
    std::memcpy(out.units_.data(), entry->bytes.data() + 4, bytes);
    const auto texts = entry->bytes.subspan(4 + bytes);
    out.texts_.assign(reinterpret_cast<const char*>(texts.data()), texts.size());
    return out;
  }

  // The longest prefix of `text` that the table replaces: its size, and the replacement; 0: none.
  size_t longest(std::string_view text, std::string_view& by) const {
    if (units_.empty()) return 0;
    size_t found = 0, node = offset(units_[0]);
    for (size_t i = 0; i < text.size() && text[i] != '\0'; ++i) {
      node ^= static_cast<uint8_t>(text[i]);
      if (node >= units_.size()) break;
      const uint32_t unit = units_[node];
      if ((unit & (1u << 31 | 0xFF)) != static_cast<uint8_t>(text[i])) break;
      node ^= offset(unit);
      if ((unit >> 8 & 1) == 0 || node >= units_.size()) continue;
      const size_t at = units_[node] & ((1u << 31) - 1);
      if (at >= texts_.size()) continue;
      found = i + 1;
      by = std::string_view(texts_).substr(at, std::strlen(texts_.c_str() + at));
    }
    return found;
  }

 private:
  static size_t offset(uint32_t unit) { return (unit >> 10) << ((unit & (1u << 9)) >> 6); }
  std::vector<uint32_t> units_;
  std::string texts_;
};

class Unigram final : public TokenModel {
 public:
  Unigram(const Vocabulary& vocabulary, CharsMap chars) : v_(vocabulary), chars_(std::move(chars)) {
    float least = std::numeric_limits<float>::max();
    for (int32_t id = 0; id < v_.size(); ++id) {
      const auto i = static_cast<size_t>(id);
      longest_ = std::max(longest_, v_.texts[i].size());
      if (v_.types[i] == TokenType::Normal) least = std::min(least, v_.scores[i]);
    }
    unknown_score_ = least - 10;
  }

  void encode(std::string_view fragment, bool, std::vector<int32_t>& out) const override {
    const std::string text = normalised(fragment);
    struct Best {
      double score = -std::numeric_limits<double>::infinity();
      size_t from = 0;
      int32_t id = -1;
    };
    std::vector<Best> best(text.size() + 1);
    best[0].score = 0;
    for (size_t begin = 0; begin < text.size();) {
      const std::string_view rest = std::string_view(text).substr(begin);
      const auto letter = static_cast<size_t>(first_letter(rest).bytes);
      const auto offer = [&](size_t bytes, int32_t id, double score) {
        Best& to = best[begin + bytes];
        if (best[begin].score + score > to.score) to = {best[begin].score + score, begin, id};
      };
      bool single = false;
      for (size_t bytes = 1; bytes <= std::min(longest_, rest.size()); ++bytes) {
        const int32_t id = v_.find(rest.substr(0, bytes));
        if (id < 0) continue;
        const TokenType type = v_.types[static_cast<size_t>(id)];
        if (type != TokenType::Normal && type != TokenType::UserDefined && type != TokenType::Unused) continue;
        single = single || bytes == letter;
        offer(bytes, id,
              type == TokenType::UserDefined ? 0.0 : static_cast<double>(v_.scores[static_cast<size_t>(id)]));
      }
      if (!single) offer(letter, v_.unknown, static_cast<double>(unknown_score_));
      begin += letter;
    }
    const size_t first = out.size();
    bool unknown = false;  // consecutive unknown characters are one token, or their bytes
    for (size_t end = text.size(); end > 0; end = best[end].from) {
      const Best& step = best[end];
      if (step.id != v_.unknown || !unknown || has_bytes()) add(step.id, text, step.from, end, out);
      unknown = step.id == v_.unknown;
    }
    std::reverse(out.begin() + static_cast<ptrdiff_t>(first), out.end());
  }

  std::string bytes_of(int32_t id) const override { return sentence_piece_bytes(v_, id); }

 private:
  bool has_bytes() const { return v_.find("<0x00>") >= 0; }
  // Back to front.
  void add(int32_t id, const std::string& text, size_t begin, size_t end, std::vector<int32_t>& out) const {
    if (id != v_.unknown || !has_bytes()) {
      if (id >= 0) out.push_back(id);
      return;
    }
    for (size_t i = end; i-- > begin;) out.push_back(v_.byte_token(static_cast<uint8_t>(text[i])));
  }

  // Replaces characters by the table and spaces by marks: adds one in front, and removes extra ones if the file requests it.
  std::string normalised(std::string_view text) const {
    std::string plain;
    while (!text.empty()) {
      std::string_view by;
      size_t bytes = chars_.longest(text, by);
      if (bytes == 0) {
        const Letter letter = first_letter(text);
        bytes = static_cast<size_t>(letter.bytes);
        by = letter.valid ? text.substr(0, bytes) : std::string_view("\xEF\xBF\xBD");
      }
      plain += by;
      text.remove_prefix(bytes);
    }
    std::string out;
    bool space = v_.remove_extra_spaces, any = false;
    for (char c : plain) {
      if (c == ' ' && v_.remove_extra_spaces && (space || !any)) continue;
      if (!any && v_.add_space_prefix) out += kSpaceMark;
      any = true;
      space = c == ' ';
      c == ' ' ? out += kSpaceMark : out += c;
    }
    if (v_.remove_extra_spaces && any && space) out.resize(out.size() - kSpaceMark.size());
    return out;
  }

  const Vocabulary& v_;
  CharsMap chars_;
  size_t longest_ = 0;
  float unknown_score_ = 0;
};

}  // namespace

Result<std::unique_ptr<TokenModel>> make_unigram(const Vocabulary& vocabulary, const GgufFile& file) {
  if (vocabulary.scores.empty()) return Error{"its tokenizer weighs by 'tokenizer.ggml.scores', which it has not"};
  auto chars = CharsMap::read(file);
  if (!chars) return chars.error();
  return std::unique_ptr<TokenModel>(std::make_unique<Unigram>(vocabulary, std::move(*chars)));
}

}  // namespace arenascope::models
