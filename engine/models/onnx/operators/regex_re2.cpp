// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <re2/re2.h>
#include "engine/models/onnx/operators/text.h"

namespace arenascope::models {
namespace {

class Re2 final : public Regex {
 public:
  explicit Re2(const std::string& pattern) : regex_(pattern, RE2::Quiet) {}
  bool ok() const { return regex_.ok(); }
  const std::string& problem() const { return regex_.error(); }
  bool matches_all_of(std::string_view text) const override {
    return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), regex_);
  }

 private:
  RE2 regex_;
};

}  // namespace

Result<std::unique_ptr<Regex>> Regex::make(const std::string& pattern) {
  auto out = std::make_unique<Re2>(pattern);
  if (!out->ok()) return Error{fmt::format("its pattern '{}': {}", pattern.substr(0, 64), out->problem())};
  return std::unique_ptr<Regex>(std::move(out));
}

}  // namespace arenascope::models
