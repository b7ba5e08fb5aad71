// SPDX-License-Identifier: MIT
// DROPOUT: the random number that decides about an element depends only on its index, not on the thread.
#include <arenascope/graph/dropout_mask.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/row_io.h"

namespace arenascope::cpu {
namespace {

template <class C>
void drop_rows(const KernelArgs& args) {
  const auto p = args.node.params.get<DropoutParams>();
  const DropoutMask mask(p.ratio, p.sequence, integer_at(args.source(1), 0), integer_at(args.source(1), 1));
  const C factor = static_cast<C>(DropoutMask::factor(p.ratio));
  each_element<C>(args,
                  [&](int64_t place, C x) { return mask.keeps(static_cast<uint64_t>(place)) ? x * factor : C{0}; });
}

}  // namespace

Status dropout(const KernelArgs& args) {
  if (args.node.dtype == DType::F64)
    drop_rows<double>(args);
  else
    drop_rows<float>(args);
  return {};
}

}  // namespace arenascope::cpu
