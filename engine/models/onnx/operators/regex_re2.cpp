// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <re2/re2.h>
#include "engine/models/onnx/operators/text.h"

namespace arenascope::models {
namespace {

class Re2 final : public Regex {
 public:
  Re2(const std::string& pattern, bool longest) : regex_(pattern, options(longest)) {}
  bool ok() const { return regex_.ok(); }
  const std::string& problem() const { return regex_.error(); }
  bool matches_all_of(std::string_view text) const override {
    return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), regex_);
  }
  std::optional<Match> find(std::string_view text, size_t from) const override {
    if (from > text.size()) return std::nullopt;
    re2::StringPiece found;
    if (!regex_.Match(re2::StringPiece(text.data(), text.size()), from, text.size(), RE2::UNANCHORED, &found, 1))
      return std::nullopt;
    const auto begin = static_cast<size_t>(found.data() - text.data());
    return Match{begin, begin + found.size()};
  }

 private:
  static RE2::Options options(bool longest) {
    RE2::Options out(RE2::Quiet);
    out.set_longest_match(longest);
    return out;
  }

  RE2 regex_;
};

}  // namespace

Result<std::unique_ptr<Regex>> Regex::make(const std::string& pattern, bool longest) {
  auto out = std::make_unique<Re2>(pattern, longest);
  if (!out->ok()) return Error{fmt::format("its pattern '{}': {}", pattern.substr(0, 64), out->problem())};
  return std::unique_ptr<Regex>(std::move(out));
}

}  // namespace arenascope::models
