// SPDX-License-Identifier: MIT
#include "engine/bench/peers.h"

#ifdef ARENASCOPE_OPENBLAS
#include <cblas.h>
#endif

#include <vector>

namespace arenascope::cpu_bench {

#ifdef ARENASCOPE_OPENBLAS
Peer blas_product(int64_t m, int64_t n, int64_t k, const float* weights, const float* src) {
  openblas_set_num_threads(1);
  auto dst = std::make_shared<std::vector<float>>(static_cast<size_t>(m * n));
  return {"OpenBLAS", [=] {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(m), static_cast<blasint>(n),
                        static_cast<blasint>(k), 1, src, static_cast<blasint>(k), weights, static_cast<blasint>(k), 0,
                        dst->data(), static_cast<blasint>(n));
          }};
}
#else
Peer blas_product(int64_t, int64_t, int64_t, const float*, const float*) { return {}; }
#endif

}  // namespace arenascope::cpu_bench
