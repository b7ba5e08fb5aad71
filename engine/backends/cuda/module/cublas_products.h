// SPDX-License-Identifier: MIT
// Dense products by cuBLASLt, which is looked for at run time. An algorithm is chosen once a problem and kept; one that
// then does not run is not taken again.
#pragma once
#include <cublasLt.h>
#include "engine/backends/cuda/lowering/queue.h"
#include "engine/backends/cuda/module/runtime.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace arenascope::cuda {

class CublasProducts {
 public:
  CublasProducts(int device, bool tf32);
  ~CublasProducts();

  const std::string& missing() const { return missing_; }
  bool takes(const LibraryProduct& product) { return plan(product, kScratch) != nullptr; }
  static constexpr Bytes kScratch = Bytes{32} << 20;  // what NVIDIA recommends for the newest devices
  Status run(const LibraryProduct& product, void* scratch, Bytes bytes, cudaStream_t stream);

 private:
  struct Functions {
    decltype(&cublasLtCreate) create = nullptr;
    decltype(&cublasLtDestroy) destroy = nullptr;
    decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
    decltype(&cublasLtMatmulDescDestroy) desc_destroy = nullptr;
    decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
    decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
    decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
    decltype(&cublasLtMatrixLayoutSetAttribute) layout_set = nullptr;
    decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
    decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
    decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
    decltype(&cublasLtMatmulAlgoGetHeuristic) choose = nullptr;
    decltype(&cublasLtMatmul) multiply = nullptr;
  };
  struct Plan;
  using Key = std::vector<int64_t>;

  Plan* plan(const LibraryProduct& product, Bytes scratch);
  std::unique_ptr<Plan> make_plan(const LibraryProduct& product, Bytes scratch);

  const int device_;
  const bool tf32_;
  Library library_;
  Functions f_;
  std::string missing_;
  cublasLtHandle_t handle_ = nullptr;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Plan>> plans_;  // null: it does not take the problem
};

}  // namespace arenascope::cuda
