// SPDX-License-Identifier: MIT
// Weights of 2, 4 or 8 bits with a scale, and optionally a zero point, per block of a row, as in ONNX Runtime's operators;
// converted to block-quantised types for matmul, or to floats.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <optional>
#include <string>
#include <vector>

namespace arenascope::models {

struct BlockwiseWeights {
  int64_t rows = 0, depth = 0, block = 0;  // the last block of a row may reach beyond its depth
  int bits = 4;
  WeightSource codes;  // for each row and block block · bits / 8 bytes, the first code in the lowest bits
  std::shared_ptr<const std::vector<float>> scales;  // rows × blocks()
  std::shared_ptr<const std::vector<float>> zeros;   // the same; null: the middle of all codes
  std::vector<int64_t> groups;                       // of each element of a row its block, where that is not in order

  int64_t blocks() const { return (depth + block - 1) / block; }
  int64_t bytes() const { return rows * blocks() * (block * bits / 8); }
  float middle() const { return static_cast<float>(1 << (bits - 1)); }
  float scale(int64_t at) const;  // as the blocks hold it, in 16 bits
};

// Checks the sizes of the blocks; false, with an error, if they are invalid.
bool check_blocks(OpCall& c, const BlockwiseWeights& specified);
// The `count` elements of input i; empty, with an error, if they are not known or another number.
std::vector<float> known_floats(OpCall& c, size_t i, int64_t count);
// Zero points of input i: rows of packed codes, or of floating-point numbers. As known_floats().
std::vector<float> known_zeros(OpCall& c, size_t i, const BlockwiseWeights& specified);
// Reads the quantised values from input i; false if it is not a constant byte tensor, or with an error if its size is wrong.
bool read_codes(OpCall& c, size_t i, BlockwiseWeights& to);

// A constant that is generated when it is loaded. Undefined, with an error: it is too large, or out of memory.
Tensor weight_tensor(OpCall& c, DType type, const Dims& sizes, WeightSource source, const char* suffix);

// The block-quantised type that represents the codes and scales exactly, ignoring zero points; none: floats are needed.
std::optional<DType> block_type(const BlockwiseWeights& from);
// The weight as a tensor of shape `sizes` (last dimension: K): block-quantised without zero points, or f32 with them.
Tensor blocks_tensor(OpCall& c, const BlockwiseWeights& from, DType type, const Dims& sizes, const char* suffix);
// The zero points' factors of the block sums: (middle - zero) · scale, [rows, blocks].
Tensor zeros_tensor(OpCall& c, const BlockwiseWeights& from, const char* suffix);

// Bytes [.., n] as f32 codes [.., n · 8 / bits], unpacked while it runs.
Tensor unpacked_codes(OpCall& c, const Tensor& bytes, int bits, const char* suffix);

}  // namespace arenascope::models
