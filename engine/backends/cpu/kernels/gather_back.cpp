// SPDX-License-Identifier: MIT
// GATHER_BACK: each chunk owns some rows of the table and scans all indices for them in order, so that sums do not
// depend on the number of chunks.
#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"

namespace arenascope::cpu {
namespace {

template <class T>
void add_rows(const KernelArgs& args, Range rows) {
  const TensorImpl &node = args.node, &dy = args.source(0), &places = args.source(1);
  const int64_t size = node.sizes[0], count = places.sizes[0];
  const int64_t width = size > 0 ? node.element_count() / size : 0;
  T* const out = node.data_as<T>();
  if (args.sources() > 2) {
    load_elements(args.source(2), rows.begin * width, rows.size() * width, out + rows.begin * width);
  } else {
    std::fill(out + rows.begin * width, out + rows.end * width, T{0});
  }
  std::vector<T> line(static_cast<size_t>(width));
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = integer_at(places, i);
    if (row < 0) row += size;
    if (row < rows.begin || row >= rows.end) continue;
    load_elements(dy, i * width, width, line.data());
    T* const to = out + row * width;
    for (int64_t w = 0; w < width; ++w) to[w] += line[static_cast<size_t>(w)];
  }
}

}  // namespace

Status gather_back(const KernelArgs& args) {
  const TensorImpl &node = args.node, &places = args.source(1);
  const int64_t size = node.sizes[0];
  for (int64_t i = 0; i < places.sizes[0]; ++i)
    if (const int64_t row = integer_at(places, i); row < -size || row >= size)
      return refuse(node, fmt::format("index {} is out of range for a table of {} rows", row, size));
  const Range rows = args.part(size);
  node.dtype == DType::F64 ? add_rows<double>(args, rows) : add_rows<float>(args, rows);
  return {};
}

}  // namespace arenascope::cpu
