// SPDX-License-Identifier: MIT
// Convolutions of 8-bit integers, row by row of images. Input rows are laid out padded, with channels innermost. Sums
// of products are exact: of bytes in 32 bits where the CPU has VNNI, otherwise of floats while they are below 2^24.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

bool supports_int8_conv(const TensorImpl& node, const ConvGeometry& g);
Bytes packed_int8_conv_bytes(const ConvGeometry& g);
void pack_int8_conv(const TensorImpl& node, std::byte* to);
Bytes int8_conv_work(const ConvGeometry& g);  // per chunk
void int8_conv(const KernelArgs& args, const ConvGeometry& g);

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

}  // namespace arenascope::cpu
