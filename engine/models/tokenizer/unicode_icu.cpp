// SPDX-License-Identifier: MIT
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uregex.h>

#include <fmt/format.h>

#include "engine/models/tokenizer/pre_tokenizer.h"
#include "engine/models/tokenizer/pre_tokenizer_patterns.h"
#include "engine/models/tokenizer/utf8.h"

namespace arenascope::models {
namespace {

struct CloseRegex {
  void operator()(URegularExpression* regex) const { uregex_close(regex); }
};
using Regex = std::unique_ptr<URegularExpression, CloseRegex>;

// UTF-16 for ICU, with the byte offset of each unit's character. An invalid byte is U+FFFD.
struct Utf16 {
  explicit Utf16(std::string_view text) {
    size_t byte = 0;
    for_each_letter(text, [&](const Letter& letter, std::string_view bytes) {
      if (letter.code >= 0x10000) add(0xD800 + ((letter.code - 0x10000) >> 10), byte);
      add(letter.code >= 0x10000 ? 0xDC00 + ((letter.code - 0x10000) & 0x3FF) : letter.code, byte);
      byte += bytes.size();
    });
    at.push_back(byte);
  }
  void add(uint32_t unit, size_t byte) {
    units.push_back(static_cast<char16_t>(unit));
    at.push_back(byte);
  }
  std::u16string units;
  std::vector<size_t> at;
};

// ICU's \s lacks the vertical tab and U+0085, which Unicode and the tokenizers' own libraries count.
std::u16string with_unicode_space(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    const bool space = rest.starts_with("\\s"), other = rest.starts_with("\\S");
    if (space || other) ++i;
    out += space ? "\\p{White_Space}" : other ? "\\P{White_Space}" : std::string(1, pattern[i]);
  }
  return Utf16(out).units;
}

class IcuPreTokenizer final : public PreTokenizer {
 public:
  static Result<std::unique_ptr<PreTokenizer>> make(const PrePatterns& patterns) {
    auto out = std::make_unique<IcuPreTokenizer>();
    for (std::string_view pattern : patterns.patterns) {
      if (pattern.empty()) continue;
      const std::u16string text = with_unicode_space(pattern);
      UErrorCode status = U_ZERO_ERROR;
      Regex regex(uregex_open(text.data(), static_cast<int32_t>(text.size()), 0, nullptr, &status));
      if (U_FAILURE(status)) return Error{fmt::format("ICU refuses a pre-tokenizer: {}", u_errorName(status))};
      out->regexes_.push_back(std::move(regex));
    }
    return std::unique_ptr<PreTokenizer>(std::move(out));
  }

  std::vector<std::string_view> split(std::string_view text) const override {
    // ICU counts units in 32 bits; a longer text is processed in pieces.
    constexpr size_t kMax = size_t{1} << 28;
    std::vector<std::string_view> strings;
    for (; text.size() > kMax; text.remove_prefix(kMax)) add(text.substr(0, kMax), strings);
    add(text, strings);
    return strings;
  }

 private:
  struct Piece {
    int32_t begin, end;
  };

  void add(std::string_view text, std::vector<std::string_view>& strings) const {
    if (text.empty()) return;
    const Utf16 wide(text);
    std::vector<Piece> pieces{{0, static_cast<int32_t>(wide.units.size())}};
    for (const Regex& regex : regexes_) {
      UErrorCode status = U_ZERO_ERROR;
      const Regex own(uregex_clone(regex.get(), &status));  // a search has a state
      uregex_setText(own.get(), wide.units.data(), static_cast<int32_t>(wide.units.size()), &status);
      std::vector<Piece> next;
      for (const Piece& piece : pieces) cut(own.get(), piece, next);
      pieces = std::move(next);
    }
    for (const Piece& piece : pieces) {
      const size_t begin = wide.at[static_cast<size_t>(piece.begin)], end = wide.at[static_cast<size_t>(piece.end)];
      strings.push_back(text.substr(begin, end - begin));
    }
  }

  static void cut(URegularExpression* regex, const Piece& piece, std::vector<Piece>& out) {
    UErrorCode status = U_ZERO_ERROR;
    uregex_setRegion(regex, piece.begin, piece.end, &status);
    int32_t done = piece.begin;
    while (uregex_findNext(regex, &status) && U_SUCCESS(status)) {
      const int32_t begin = uregex_start(regex, 0, &status), end = uregex_end(regex, 0, &status);
      if (U_FAILURE(status) || end <= begin) break;
      if (begin > done) out.push_back({done, begin});
      out.push_back({begin, end});
      done = end;
    }
    if (done < piece.end) out.push_back({done, piece.end});
  }

  std::vector<Regex> regexes_;
};

bool is_ideograph(uint32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

class IcuClasses final : public LetterClasses {
 public:
  explicit IcuClasses(const UNormalizer2* normaliser) : normaliser_(normaliser) {}

  std::vector<PlainLetter> plain(uint32_t code) const override {
    const auto letter = static_cast<UChar32>(code);
    char16_t parts[32];
    UErrorCode status = U_ZERO_ERROR;
    const int32_t count = unorm2_getDecomposition(normaliser_, letter, parts, 32, &status);
    std::vector<PlainLetter> out;
    if (count <= 0 || U_FAILURE(status)) {
      out.push_back(one(letter));
      return out;
    }
    for (int32_t i = 0; i < count;) {
      UChar32 part = parts[i++];
      if (U16_IS_LEAD(part) && i < count) part = U16_GET_SUPPLEMENTARY(part, parts[i++]);
      out.push_back(one(part));
    }
    return out;
  }

 private:
  static PlainLetter one(UChar32 letter) {
    const auto type = static_cast<UCharCategory>(u_charType(letter));
    if (u_hasBinaryProperty(letter, UCHAR_WHITE_SPACE)) return {LetterKind::Space, {}};
    const bool control = type == U_CONTROL_CHAR || type == U_FORMAT_CHAR || type == U_PRIVATE_USE_CHAR ||
                         type == U_SURROGATE || type == U_UNASSIGNED;
    if (letter == 0 || letter == 0xFFFD || control || type == U_NON_SPACING_MARK) return {};
    const bool alone = u_ispunct(letter) || is_ideograph(static_cast<uint32_t>(letter)) ||
                       (letter < 0x7F && (U_GET_GC_MASK(letter) & U_GC_S_MASK) != 0);
    return {alone ? LetterKind::Alone : LetterKind::Part, utf8(static_cast<uint32_t>(u_tolower(letter)))};
  }

  const UNormalizer2* normaliser_;  // ICU's own
};

}  // namespace

Result<std::unique_ptr<PreTokenizer>> PreTokenizer::make(std::string_view name) {
  if (const PrePatterns* patterns = find_pre_patterns(name)) return IcuPreTokenizer::make(*patterns);
  std::string known;
  for (const PrePatterns& one : kPrePatterns) known += one.names.substr(0, one.names.size() - 1);
  return Error{fmt::format("its pre-tokenizer '{}' is not supported; there are:{}", name, known)};
}

Result<std::unique_ptr<LetterClasses>> LetterClasses::make() {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* normaliser = unorm2_getNFDInstance(&status);
  if (U_FAILURE(status)) return Error{fmt::format("ICU's data is missing: {}", u_errorName(status))};
  return std::unique_ptr<LetterClasses>(std::make_unique<IcuClasses>(normaliser));
}

}  // namespace arenascope::models
