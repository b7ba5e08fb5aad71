// SPDX-License-Identifier: MIT
// ROPE: pairs of elements are rotated by an angle that grows with the position and falls with the pair index (RoFormer,
// Su et al. 2021). Pairs are (2i, 2i + 1), or (i, i + dims/2) in the GPT-NeoX layout.
#include <cmath>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"

namespace arenascope::cpu {
namespace {

template <class C>
void run(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<RopeParams>();
  const int64_t width = node.sizes.back(), steps = node.sizes.back(1), others = node.element_count() / (width * steps);
  const int64_t pairs = p.dims / 2;
  double* const turn = args.scratch<double>(round_to_line(4 * width * 8));  // frequencies, cosines, sines, a row
  double *const cosine = turn + pairs, *const sine = cosine + pairs;
  C *const row = reinterpret_cast<C*>(sine + pairs), *const result = row + width;
  for (int64_t i = 0; i < pairs; ++i)
    turn[i] = static_cast<double>(p.scale) *
              std::pow(static_cast<double>(p.base), -2.0 * static_cast<double>(i) / static_cast<double>(p.dims));
  // Position by position, so that its sines serve all heads.
  const Range range = args.part(steps * others);
  int64_t known = -1;
  for (int64_t r = range.begin; r < range.end; ++r) {
    const int64_t step = r / others, first = (r % others * steps + step) * width;
    if (step != known) {
      const int64_t position = args.sources() > 1 ? integer_at(args.source(1), step) : step + p.start;
      for (int64_t i = 0; i < pairs; ++i) {
        cosine[i] = std::cos(static_cast<double>(position) * turn[i]);
        sine[i] = std::sin(static_cast<double>(position) * turn[i]);
      }
      known = step;
    }
    const C* x = elements(source, first, width, row);
    C* out = is_native<C>(node.dtype) ? node.data_as<C>() + first : result;
    for (int64_t i = 0; i < pairs; ++i) {
      const int64_t a = p.neox ? i : 2 * i, b = p.neox ? i + pairs : 2 * i + 1;
      const C c = static_cast<C>(cosine[i]), s = static_cast<C>(sine[i]), u = x[a], v = x[b];
      out[a] = u * c - v * s;
      out[b] = u * s + v * c;
    }
    for (int64_t i = p.dims; i < width; ++i) out[i] = x[i];
    if (out == result) store_elements(node, first, width, out);
  }
}

}  // namespace

Bytes rope_work(const TensorImpl& node, int tasks) { return tasks * round_to_line(4 * node.sizes.back() * 8); }

Status rope(const KernelArgs& args) {
  args.node.dtype == DType::F64 ? run<double>(args) : run<float>(args);
  return {};
}

}  // namespace arenascope::cpu
