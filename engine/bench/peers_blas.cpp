// SPDX-License-Identifier: MIT
// OpenBLAS is loaded on first use: if it were linked, its threads would start and spin in every program.
#include "engine/bench/peers.h"

#include <dlfcn.h>

#include <vector>

namespace arenascope::cpu_bench {
namespace {

// cblas_sgemm() and its constants, which are the same in all CBLAS implementations.
using Product = void (*)(int order, int a_as, int b_as, int m, int n, int k, float alpha, const float* a, int a_row,
                         const float* b, int b_row, float beta, float* c, int c_row);
constexpr int kRowMajor = 101, kAsIs = 111, kTransposed = 112;

Product find_product() {
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return nullptr;
  if (const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads")))
    set_threads(1);
  return reinterpret_cast<Product>(dlsym(library, "cblas_sgemm"));
}

}  // namespace

Peer blas_product(int64_t m, int64_t n, int64_t k, const float* weights, const float* src) {
  static const Product product = find_product();
  if (!product) return {};
  auto dst = std::make_shared<std::vector<float>>(static_cast<size_t>(m * n));
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k);
  return {"OpenBLAS", [=] {
            product(kRowMajor, kAsIs, kTransposed, rows, columns, depth, 1, src, depth, weights, depth, 0, dst->data(),
                    columns);
          }};
}

}  // namespace arenascope::cpu_bench
