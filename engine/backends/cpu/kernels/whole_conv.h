// SPDX-License-Identifier: MIT
// Convolutions of 8-bit whole numbers, of images row by row: rows of the source are laid out with their channels innermost and
// with their padding, and sums of products are exact: in 32 bits, of bytes where
// the processor multiplies these (VNNI), else of floats while they are below 2^24.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

bool takes_whole_conv(const TensorImpl& node, const ConvGeometry& g);
Bytes packed_whole_conv_bytes(const ConvGeometry& g);
void pack_whole_conv(const TensorImpl& node, std::byte* to);
Bytes whole_conv_work(const ConvGeometry& g);  // of a part
void whole_conv(const Job& job, const ConvGeometry& g);

// Sums of neighbouring places for up to four blocks of 16 results: to[place·to_stride + 16·block + i].
struct ByteSums {
  const uint8_t* x;                // where the first place's windows begin
  const int64_t* taps;             // bytes from there to each tap
  int64_t tap_count, quads, step;  // channels / 4, and bytes from place to place
  const int8_t* weights;           // [block][tap][channels / 4][16][4]
  const int32_t* start;            // what sums begin with
  int blocks;
  int64_t places;
  int32_t* to;
  int64_t to_stride;
};
using ByteSumsLoop = void (*)(const ByteSums& s);
ByteSumsLoop byte_sums();  // null: the processor has none, or may not use it

}  // namespace arenascope::cpu
