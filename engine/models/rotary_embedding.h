// SPDX-License-Identifier: MIT
// Rotated positions (Su 2021) whose frequencies have factors of their own: llama 3.1's, YaRN's (Peng 2023), LongRoPE's.
// Cosines and sines of each position are weights, in rows that a graph takes by its positions.
#pragma once
#include "engine/models/zoo/model_builder.h"

#include <vector>

namespace arenascope::models {

struct Rotation {
  int64_t dims = 0;                 // rotated elements of a head, from the first on
  bool neox = false;                // halves are rotated against each other, not neighbours
  std::vector<double> frequencies;  // [dims/2]: by what angle a position turns each pair
  double magnitude = 1;             // factor of the result
};

// base^(-2i/dims)
std::vector<double> plain_frequencies(int64_t dims, double base);

// YaRN: frequencies with many rotations in the `trained` tokens are kept, slow ones are divided by `factor`, with a linear
// transition between them; the magnitude is 1 + 0.1·ln(factor).
struct Yarn {
  double factor = 1, fast = 32, slow = 1, trained = 0;
};
void apply_yarn(Rotation& rotation, double base, const Yarn& yarn);

class RotationTable {
 public:
  // Rows for positions 0 to `rows` - 1; `positions` I64 [T].
  RotationTable(ModelBuilder& builder, const std::string& name, Rotation rotation, int64_t rows,
                const Tensor& positions);
  // x [heads, T, depth]
  Tensor rotate(const Tensor& x, const std::string& name) const;

 private:
  ModelBuilder& builder_;
  Rotation rotation_;
  Tensor cosines_, sines_;  // [T, dims/2]
};

}  // namespace arenascope::models
