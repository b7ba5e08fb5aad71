// SPDX-License-Identifier: MIT
#include <oneapi/dnnl/dnnl.h>

#include <arenascope/backends/cpu/kernels/one_thread.h>
#include "engine/backends/cpu/onednn/onednn.h"

namespace arenascope::cpu {
namespace {

// BLAS description of a matrix of `lines` vectors of `depth` elements: its leading dimension, and whether the vectors
// are its rows.
struct Leading {
  bool lines_are_rows;
  int64_t dimension;  // 0: the layout is not supported
};
Leading leading(const Lines& m, int64_t lines, int64_t depth) {
  if (m.type != DType::F32) return {true, 0};
  if (m.stride == 1 && m.line_stride >= depth) return {true, m.line_stride};
  if (m.line_stride == 1 && m.stride >= lines) return {false, m.stride};
  return {true, 0};
}

}  // namespace

bool onednn_present() { return true; }

bool onednn_matmul(Range rows, Range columns, int64_t depth, const Lines& left, const Lines& right, float* c,
                   int64_t c_stride) try {
  const Leading l = leading(left, rows.end, depth), r = leading(right, columns.end, depth);
  if (l.dimension == 0 || r.dimension == 0 || depth == 0 || c_stride < columns.end) return false;
  const float* a = reinterpret_cast<const float*>(left.data) + rows.begin * left.line_stride;
  const float* b = reinterpret_cast<const float*>(right.data) + columns.begin * right.line_stride;
  const OneThread one;
  return dnnl_sgemm(l.lines_are_rows ? 'N' : 'T', r.lines_are_rows ? 'T' : 'N', rows.size(), columns.size(), depth,
                    1.0f, a, l.dimension, b, r.dimension, 0.0f, c + rows.begin * c_stride + columns.begin,
                    c_stride) == dnnl_success;
} catch (const dnnl::error&) {
  return false;
}

}  // namespace arenascope::cpu
