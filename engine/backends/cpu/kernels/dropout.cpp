// SPDX-License-Identifier: MIT
// DROPOUT: elements are kept or become 0 by numbers that are drawn for their places, whoever computes which.
#include <arenascope/graph/dropout_mask.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/rows.h"

namespace arenascope::cpu {
namespace {

template <class C>
void drop_rows(const Job& job) {
  const auto p = job.node.params.get<DropoutParams>();
  const DropoutMask mask(p.ratio, p.sequence, integer_at(job.source(1), 0), integer_at(job.source(1), 1));
  const C factor = static_cast<C>(DropoutMask::factor(p.ratio));
  const Nest nest(job.node, {&job.source(0)});
  Reader<C> source(job.source(0), nest.inner_stride(1));
  Writer<C> out(job.node);
  nest.rows(job.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    const C* const x = source.piece(at[1], n);
    C* const to = out.piece(at[0]);
    for (int64_t i = 0; i < n; ++i) to[i] = mask.keeps(static_cast<uint64_t>(at[0] + i)) ? x[i] * factor : C{0};
    out.done(at[0], n);
  });
}

}  // namespace

Status dropout(const Job& job) {
  if (job.node.dtype == DType::F64)
    drop_rows<double>(job);
  else
    drop_rows<float>(job);
  return {};
}

}  // namespace arenascope::cpu
