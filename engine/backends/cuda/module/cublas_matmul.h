// SPDX-License-Identifier: MIT
// Dense matmul by cuBLASLt, which is loaded at run time. An algorithm is selected once per problem; one that then fails
// to run is not used again.
#pragma once
#include <cublasLt.h>
#include "engine/backends/cuda/lowering/queue.h"
#include "engine/backends/cuda/module/runtime.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace arenascope::cuda {

class CublasMatmul {
 public:
  CublasMatmul(int device, bool tf32);
  ~CublasMatmul();

  const std::string& missing() const { return missing_; }
  bool takes(const LibraryMatmul& product) { return plan(product, kScratch) != nullptr; }
  static constexpr Bytes kScratch = Bytes{32} << 20;  // recommended by NVIDIA for the newest devices
  Status run(const LibraryMatmul& product, void* scratch, Bytes bytes, cudaStream_t stream);

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

  Plan* plan(const LibraryMatmul& product, Bytes scratch);
  std::unique_ptr<Plan> make_plan(const LibraryMatmul& product, Bytes scratch);

  const int device_;
  const bool tf32_;
  Library library_;
  Functions f_;
  std::string missing_;
  cublasLtHandle_t handle_ = nullptr;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Plan>> plans_;  // null: the problem is not supported
};

}  // namespace arenascope::cuda
