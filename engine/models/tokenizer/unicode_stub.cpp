// SPDX-License-Identifier: MIT
// In a build without ICU.
#include "engine/models/tokenizer/pre_tokenizer.h"

namespace arenascope::models {
namespace {

Error absent() { return Error{"its tokenizer needs Unicode's classes, and this build has no ICU"}; }

}  // namespace

Result<std::unique_ptr<PreTokenizer>> PreTokenizer::make(std::string_view) { return absent(); }
Result<std::unique_ptr<LetterClasses>> LetterClasses::make() { return absent(); }

}  // namespace arenascope::models
