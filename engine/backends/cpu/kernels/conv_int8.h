// SPDX-License-Identifier: MIT
// The inner loop of 8-bit convolutions (kConvInt8) that needs a CPU with VNNI.
#pragma once
#include <cstdint>

namespace arenascope::cpu {

// Sums of neighbouring positions for up to four blocks of 16 results: to[position·to_stride + 16·block + i].
struct ByteSums {
  const uint8_t* x;                // start of the first position's windows
  const int64_t* taps;             // byte offset of each tap
  int64_t tap_count, quads, step;  // channels / 4, and bytes between positions
  const int8_t* weights;           // [block][tap][channels / 4][16][4]
  const int32_t* start;            // initial values of the sums
  int blocks;
  int64_t places;
  int32_t* to;
  int64_t to_stride;
};
using ByteSumsLoop = void (*)(const ByteSums& s);
ByteSumsLoop byte_sums();  // null: not supported by the CPU, or disabled

// With has_amx_int8(). `suits_amx`: tiles of this shape are full enough to be faster.
bool suits_amx(const ByteSums& s);
void byte_sums_amx(const ByteSums& s);

}  // namespace arenascope::cpu
