// SPDX-License-Identifier: MIT
#include "engine/models/tokenizer/utf8.h"
#include <arenascope/models/tokenizer.h>

namespace arenascope::models {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

Letter first_letter(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true, false};
  const int length = lead >= 0xC2 && lead <= 0xDF   ? 2
                     : (lead & 0xF0) == 0xE0        ? 3
                     : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                    : 0;
  if (length == 0) return {};
  uint32_t code = lead & (0xFFu >> (length + 1));
  for (int i = 1; i < length; ++i) {
    if (static_cast<size_t>(i) >= text.size()) return {0xFFFD, 1, false, true};
    const uint8_t next = byte(static_cast<size_t>(i));
    // The second byte alone identifies overlong forms, surrogates and codes beyond the last one.
    const uint8_t low = i > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = i > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (next < low || next > high) return {};
    code = code << 6 | (next & 0x3Fu);
  }
  return {code, length, true, false};
}

std::string utf8(uint32_t code) {
  const auto part = [&](int shift, uint32_t mark) { return static_cast<char>(mark | ((code >> shift) & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), part(0, 0x80)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), part(6, 0x80), part(0, 0x80)};
  return {static_cast<char>(0xF0 | code >> 18), part(12, 0x80), part(6, 0x80), part(0, 0x80)};
}

std::string Utf8Stream::add(std::string_view bytes) {
  pending_ += bytes;
  std::string out;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const Letter letter = first_letter(rest);
    if (letter.cut) break;
    out += letter.valid ? rest.substr(0, static_cast<size_t>(letter.bytes)) : kReplacement;
    rest.remove_prefix(static_cast<size_t>(letter.bytes));
  }
  pending_ = std::string(rest);
  return out;
}

std::string Utf8Stream::finish() {
  std::string out;
  if (!pending_.empty()) out = kReplacement;
  pending_.clear();
  return out;
}

}  // namespace arenascope::models
