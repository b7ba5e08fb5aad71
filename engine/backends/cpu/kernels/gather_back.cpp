// SPDX-License-Identifier: MIT
// GATHER_BACK: each part writes some rows of the table, and looks through all places for what belongs to them, in their
// order, so that a sum does not depend on the parts.
#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"

namespace arenascope::cpu {
namespace {

template <class T>
void add_rows(const Job& job, Range rows) {
  const TensorImpl &node = job.node, &dy = job.source(0), &places = job.source(1);
  const int64_t size = node.sizes[0], count = places.sizes[0];
  const int64_t width = size > 0 ? node.element_count() / size : 0;
  T* const out = node.data_as<T>();
  if (job.sources() > 2) {
    load_elements(job.source(2), rows.begin * width, rows.size() * width, out + rows.begin * width);
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

Status gather_back(const Job& job) {
  const TensorImpl &node = job.node, &places = job.source(1);
  const int64_t size = node.sizes[0];
  for (int64_t i = 0; i < places.sizes[0]; ++i)
    if (const int64_t row = integer_at(places, i); row < -size || row >= size)
      return refuse(node, fmt::format("index {} lies outside the {} entries of its table", row, size));
  const Range rows = job.part(size);
  node.dtype == DType::F64 ? add_rows<double>(job, rows) : add_rows<float>(job, rows);
  return {};
}

}  // namespace arenascope::cpu
