// SPDX-License-Identifier: MIT
#include "engine/bench/cpu_bench.h"

namespace arenascope::cpu_bench {

std::vector<BenchRow> kernel_rows(const Options& options) {
  Table table(options);
  for (auto* provider : {machine_rows, product_rows, quantised_rows, column_rows, pointwise_rows, line_rows,
                         window_rows, attention_rows, more_rows})
    provider(table);
  return table.take();
}

}  // namespace arenascope::cpu_bench
