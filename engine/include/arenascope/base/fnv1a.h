// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>

namespace arenascope {

// The 64-bit FNV-1a hash of the text. `hash` is that of the text before it.
constexpr uint64_t fnv1a(std::string_view text, uint64_t hash = 0xCBF29CE484222325u) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

}  // namespace arenascope
