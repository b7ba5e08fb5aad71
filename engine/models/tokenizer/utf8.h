// SPDX-License-Identifier: MIT
// Decoding of UTF-8 characters (RFC 3629). Private to the tokenizers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace arenascope::models {

// One character of a text, or one invalid byte.
struct Letter {
  uint32_t code = 0xFFFD;
  int bytes = 1;
  bool valid = false;
  bool cut = false;  // the text ends within it
};

// The first character of a text that is not empty. Overlong forms, surrogates and codes beyond U+10FFFF are invalid.
Letter first_letter(std::string_view text);
std::string utf8(uint32_t code);

// Visits the characters of a text as byte ranges.
template <class Visit>
void for_each_letter(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    visit(letter, text.substr(0, static_cast<size_t>(letter.bytes)));
    text.remove_prefix(static_cast<size_t>(letter.bytes));
  }
}

}  // namespace arenascope::models
