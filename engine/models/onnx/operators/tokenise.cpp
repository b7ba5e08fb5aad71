// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/tokenise.h"
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"
#include "engine/models/onnx/operators/text.h"
#include "engine/models/tokenizer/utf8.h"

#include <algorithm>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxStrings = int64_t{1} << 20;  // strings of a result
// Bytes that all matches may scan: a match scans up to the end of its string, so that n characters may need n * n / 2 bytes.
constexpr uint64_t kMaxBytesSeen = uint64_t{1} << 31;
constexpr int64_t kMaxPadBytes = int64_t{1} << 26;  // bytes of all padding strings

using Parts = std::vector<std::string_view>;

size_t letters_of(std::string_view text) {
  size_t count = 0;
  for_each_letter(text, [&](const Letter&, std::string_view) { ++count; });
  return count;
}

// The position after a match; after an empty match, one character further.
size_t after(std::string_view text, const Regex::Match& match) {
  if (match.end > match.begin) return match.end;
  return match.begin +
         (match.begin < text.size() ? static_cast<size_t>(first_letter(text.substr(match.begin)).bytes) : 1);
}

class Tokens {
 public:
  explicit Tokens(OpCall& c) : c_(c) {}

  // How strings are split: into characters, by separators, or by a pattern of tokens.
  bool read() {
    const int64_t least = c_.attr_int("mincharnum", 0);
    if (least < 1) return refused(fmt::format("mincharnum is {}: expected at least 1", least));
    min_ = static_cast<size_t>(least);
    const auto* separators = c_.attr("separators");
    const std::string token = c_.attr_string("tokenexp", "");
    std::vector<std::string> patterns;
    if (separators && !separators->strings.empty())
      patterns = separators->strings;
    else if (!token.empty())
      patterns = {token}, by_token_ = true;
    else
      return refused("it has neither separators nor a pattern of its parts");
    by_letter_ = patterns.size() == 1 && patterns[0] == (by_token_ ? "." : "");
    if (by_letter_)
      return min_ == 1 ||
             refused(fmt::format("mincharnum must be 1 if strings are split into characters, not {}", least));
    for (const std::string& pattern : patterns) {
      auto regex = Regex::make(pattern, true);
      if (!regex) return refused(regex.error().message);
      regexes_.push_back(std::move(*regex));
    }
    return true;
  }

  bool split(std::string_view text, Parts& out) {
    if (by_letter_) {
      bool valid = true;
      for_each_letter(text, [&](const Letter& letter, std::string_view bytes) {
        valid = valid && letter.valid;
        out.push_back(bytes);
      });
      return valid || refused(fmt::format("the string '{}' is not valid UTF-8", text.substr(0, 64)));
    }
    if (by_token_)
      matches(text, out);
    else
      between(text, out);
    return c_.ok();
  }

 private:
  bool refused(std::string why) {
    c_.fail(std::move(why));
    return false;
  }

  void keep(std::string_view part, Parts& out) const {
    if (letters_of(part) >= min_) out.push_back(part);
  }

  std::optional<Regex::Match> find(const Regex& regex, std::string_view text, size_t from) {
    seen_ += text.size() - from;
    if (seen_ <= kMaxBytesSeen) return regex.find(text, from);
    c_.fail(fmt::format("its strings are too long for a pattern: one has {} bytes", text.size()));
    return std::nullopt;
  }

  void matches(std::string_view text, Parts& out) {
    for (size_t from = 0; from <= text.size();) {
      const auto match = find(*regexes_[0], text, from);
      if (!match) return;
      keep(text.substr(match->begin, match->end - match->begin), out);
      from = after(text, *match);
    }
  }

  // Splits by one separator after the other. The character at an empty match is dropped.
  void between(std::string_view text, Parts& out) {
    out = {text};
    for (const auto& regex : regexes_) {
      Parts next;
      for (const std::string_view whole : out) {
        size_t from = 0;
        while (from <= whole.size()) {
          const auto match = find(*regex, whole, from);
          keep(whole.substr(from, match ? match->begin - from : whole.npos), next);
          from = match ? after(whole, *match) : whole.size() + 1;
        }
      }
      out = std::move(next);
    }
  }

  OpCall& c_;
  size_t min_ = 1;
  bool by_letter_ = false, by_token_ = false;
  std::vector<std::unique_ptr<Regex>> regexes_;
  uint64_t seen_ = 0;
};

}  // namespace

void tokenise(OpCall& c) {
  Tokens tokens(c);
  const auto texts = c.strings(0);
  if (!texts) return;
  Dims sizes = c.sizes(0);
  if (sizes.rank() < 1 || sizes.rank() > 2)
    return c.fail(fmt::format("its strings have the shape {}: expected 1 or 2 dimensions", to_string(sizes)));
  if (!tokens.read()) return;
  if (texts->empty()) return c.out_strings(0, sizes, {});
  std::vector<Parts> rows(texts->size());
  size_t width = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!tokens.split((*texts)[i], rows[i])) return;
    width = std::max(width, rows[i].size());
    if (static_cast<int64_t>(width) > kMaxStrings / static_cast<int64_t>(rows.size()) - 2)
      return c.fail(fmt::format("splitting {} strings into up to {} parts exceeds the limit", rows.size(), width));
  }
  // Where all strings are empty there are no marks either.
  const bool marks = c.attr_int("mark", 0) != 0 && width > 0;
  if (marks) width += 2;
  sizes.push_back(static_cast<int64_t>(width));
  const std::string pad = c.attr_string("pad_value", "");
  if (static_cast<int64_t>(pad.size()) > kMaxPadBytes / std::max<int64_t>(element_count(sizes), 1))
    return c.fail(
        fmt::format("{} strings with padding of {} bytes exceed the limit", element_count(sizes), pad.size()));
  std::vector<std::string> out;
  for (const Parts& row : rows) {
    const size_t end = out.size() + width;
    if (marks) out.emplace_back("\x02");
    out.insert(out.end(), row.begin(), row.end());
    if (marks) out.emplace_back("\x03");
    out.resize(end, pad);
  }
  c.out_strings(0, sizes, out);
}

}  // namespace arenascope::models
