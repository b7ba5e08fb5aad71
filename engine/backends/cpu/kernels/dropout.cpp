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
  each_element<C>(job,
                  [&](int64_t place, C x) { return mask.keeps(static_cast<uint64_t>(place)) ? x * factor : C{0}; });
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
