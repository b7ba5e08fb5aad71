// SPDX-License-Identifier: MIT
// Lines of elements, as reductions, selections, running sums, softmax and normalisations look along them. A line is what
// remains when the other dimensions are fixed; it may have several dimensions and any strides.
#pragma once
#include <math.h>

#include "engine/backends/cuda/kernels/numbers.h"
#include "engine/backends/cuda/kernels/places.h"
#include "engine/backends/cuda/kernels/team.h"

namespace arenascope::cuda {

enum class LineDo : int32_t {
  Sum,
  Mean,
  Max,
  Min,
  Prod,
  L2,  // reduce
  Norm,
  RmsNorm,
  SoftMax,
  LogSoftMax,
};

inline constexpr int kKept = 4;  // vectors of a line that a thread keeps in registers

struct LineWork {
  Places<4> lines, along;  // arrays: 0 the result, 1 the source, 2 and 3 a mask, gain or bias
  char* out = nullptr;
  const char* in[3] = {};
  DType out_type = DType::F32;
  DType types[3] = {};
  int32_t inputs = 1;
  LineDo what = LineDo::Sum;
  TeamKind team = TeamKind::Warp;
  bool kept = false;    // the line is contiguous, aligned, and fits in the team's registers
  bool values = false;  // the k largest themselves, not their places
  bool largest = false, last = false, exclusive = false, reverse = false;
  double number = 0;  // epsilon, or the softmax's scale
  int64_t k = 0;
};

// A line's elements: where it starts in each array.
struct Line {
  int64_t start[4];
};
ARENASCOPE_DEVICE Line line_at(const LineWork& p, int64_t number) {
  Line line;
  places_of(p.lines, number, line.start);
  return line;
}
ARENASCOPE_CALLED int64_t along_several(const LineWork& p, int array, int64_t i) { return place(p.along, array, i); }
ARENASCOPE_DEVICE int64_t along(const LineWork& p, const Line& line, int array, int64_t i) {
  return line.start[array] + (p.along.rank < 2 ? i * p.along.strides[array][0] : along_several(p, array, i));
}
template <class N>
ARENASCOPE_DEVICE N source(const LineWork& p, const Line& line, int input, int64_t i) {
  return get_one<N>(p.types[input], p.in[input], along(p, line, input + 1, i));
}

}  // namespace arenascope::cuda
