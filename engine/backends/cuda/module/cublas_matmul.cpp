// SPDX-License-Identifier: MIT
// cuBLASLt is column-major. Row-major out[m][n] is its n × m matrix C; rows of a are its columns of k elements, so C =
// aᵀ·b. For a transposed a or b the transpose flag is inverted.
#include "engine/backends/cuda/module/cublas_matmul.h"
#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace arenascope::cuda {
namespace {

#define ARENASCOPE_TEXT(x) #x
#define ARENASCOPE_TEXT_OF(x) ARENASCOPE_TEXT(x)

cudaDataType_t data_type(DType type) {
  return type == DType::F16 ? CUDA_R_16F : type == DType::BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

// The alignment of an address, as far as kernels use it.
uint32_t alignment_of(const void* p) {
  const auto bits = reinterpret_cast<uintptr_t>(p);
  return bits == 0 ? 256u : 1u << std::min(std::countr_zero(bits), 8);
}

}  // namespace

struct CublasMatmul::Plan {
  const Functions& f;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
  size_t scratch = 0;
  bool refused = false;  // it was chosen, but failed to run

  explicit Plan(const Functions& functions) : f(functions) {}
  ~Plan() {
    if (c) f.layout_destroy(c);
    if (b) f.layout_destroy(b);
    if (a) f.layout_destroy(a);
    if (desc) f.desc_destroy(desc);
  }
};

CublasMatmul::CublasMatmul(int device, bool tf32)
    : device_(device), tf32_(tf32), library_("libcublasLt.so." ARENASCOPE_TEXT_OF(CUBLAS_VER_MAJOR)) {
  library_.find(f_.create, "cublasLtCreate");
  library_.find(f_.destroy, "cublasLtDestroy");
  library_.find(f_.desc_create, "cublasLtMatmulDescCreate");
  library_.find(f_.desc_destroy, "cublasLtMatmulDescDestroy");
  library_.find(f_.desc_set, "cublasLtMatmulDescSetAttribute");
  library_.find(f_.layout_create, "cublasLtMatrixLayoutCreate");
  library_.find(f_.layout_destroy, "cublasLtMatrixLayoutDestroy");
  library_.find(f_.layout_set, "cublasLtMatrixLayoutSetAttribute");
  library_.find(f_.preference_create, "cublasLtMatmulPreferenceCreate");
  library_.find(f_.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  library_.find(f_.preference_set, "cublasLtMatmulPreferenceSetAttribute");
  library_.find(f_.choose, "cublasLtMatmulAlgoGetHeuristic");
  library_.find(f_.multiply, "cublasLtMatmul");
  missing_ = library_.missing();
  if (!missing_.empty()) return;
  const DeviceGuard guard(device_);
  if (const cublasStatus_t code = f_.create(&handle_); code != CUBLAS_STATUS_SUCCESS) {
    missing_ = fmt::format("initialisation failed (status {})", static_cast<int>(code));
    handle_ = nullptr;
  }
}

CublasMatmul::~CublasMatmul() {
  plans_.clear();
  if (handle_) f_.destroy(handle_);
}

std::unique_ptr<CublasMatmul::Plan> CublasMatmul::make_plan(const LibraryMatmul& p, Bytes scratch) {
  auto plan = std::make_unique<Plan>(f_);
  const cudaDataType_t type = data_type(p.type);
  const cublasComputeType_t compute = p.type == DType::F32 && tf32_ ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  if (f_.desc_create(&plan->desc, compute, CUDA_R_32F) != CUBLAS_STATUS_SUCCESS) return nullptr;
  const cublasOperation_t of_a = p.a_transposed ? CUBLAS_OP_N : CUBLAS_OP_T,
                          of_b = p.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  bool all_set = true;
  const auto check = [&](cublasStatus_t code) { all_set = all_set && code == CUBLAS_STATUS_SUCCESS; };
  check(f_.desc_set(plan->desc, CUBLASLT_MATMUL_DESC_TRANSA, &of_a, sizeof of_a));
  check(f_.desc_set(plan->desc, CUBLASLT_MATMUL_DESC_TRANSB, &of_b, sizeof of_b));
  if (p.bias) {
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    const cudaDataType_t bias_type = data_type(p.out_type);
    check(f_.desc_set(plan->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    check(f_.desc_set(plan->desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &bias_type, sizeof bias_type));
    check(f_.desc_set(plan->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p.bias, sizeof p.bias));
  }
  const auto rows = [](bool turned, int64_t outer, int64_t k) { return static_cast<uint64_t>(turned ? outer : k); };
  const auto columns = [](bool turned, int64_t outer, int64_t k) { return static_cast<uint64_t>(turned ? k : outer); };
  if (f_.layout_create(&plan->a, type, rows(p.a_transposed, p.n, p.k), columns(p.a_transposed, p.n, p.k), p.a_row) !=
          CUBLAS_STATUS_SUCCESS ||
      f_.layout_create(&plan->b, type, rows(p.b_transposed, p.m, p.k), columns(p.b_transposed, p.m, p.k), p.b_row) !=
          CUBLAS_STATUS_SUCCESS ||
      f_.layout_create(&plan->c, data_type(p.out_type), static_cast<uint64_t>(p.n), static_cast<uint64_t>(p.m), p.n) !=
          CUBLAS_STATUS_SUCCESS)
    return nullptr;
  if (p.count > 1) {
    const auto count = static_cast<int32_t>(p.count);
    const std::pair<cublasLtMatrixLayout_t, int64_t> batches[] = {
        {plan->a, p.a_batch}, {plan->b, p.b_batch}, {plan->c, p.out_batch}};
    for (const auto& [layout, stride] : batches) {
      check(f_.layout_set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count));
      check(f_.layout_set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
    }
  }
  if (!all_set) return nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  if (f_.preference_create(&preference) != CUBLAS_STATUS_SUCCESS) return nullptr;
  const auto most = static_cast<uint64_t>(scratch);
  // The bias's alignment is taken from the pointer that was set.
  const uint32_t a = alignment_of(p.a), b = alignment_of(p.b), c = alignment_of(p.out);
  check(f_.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most));
  check(f_.preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &a, sizeof a));
  check(f_.preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &b, sizeof b));
  check(f_.preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &c, sizeof c));
  check(f_.preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &c, sizeof c));
  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  const cublasStatus_t code =
      f_.choose(handle_, plan->desc, plan->a, plan->b, plan->c, plan->c, preference, 1, &best, &found);
  f_.preference_destroy(preference);
  if (!all_set || code != CUBLAS_STATUS_SUCCESS || found == 0 || best.state != CUBLAS_STATUS_SUCCESS) return nullptr;
  plan->algorithm = best.algo;
  plan->scratch = best.workspaceSize;
  return plan;
}

CublasMatmul::Plan* CublasMatmul::plan(const LibraryMatmul& p, Bytes scratch) {
  if (!missing_.empty() || p.count > INT32_MAX) return nullptr;
  if (p.type != DType::F32 && p.type != DType::F16 && p.type != DType::BF16) return nullptr;
  const Key key{static_cast<int64_t>(p.type),
                static_cast<int64_t>(p.out_type),
                p.n,
                p.m,
                p.k,
                p.a_row,
                p.b_row,
                p.a_transposed,
                p.b_transposed,
                p.count,
                p.out_batch,
                p.a_batch,
                p.b_batch,
                p.bias != nullptr,
                alignment_of(p.bias),
                alignment_of(p.a),
                alignment_of(p.b),
                alignment_of(p.out),
                scratch};
  const std::lock_guard lock(mutex_);
  const auto [at, added] = plans_.try_emplace(key);
  if (added) {
    const DeviceGuard guard(device_);
    at->second = make_plan(p, scratch);
  }
  return at->second && !at->second->refused ? at->second.get() : nullptr;
}

Status CublasMatmul::run(const LibraryMatmul& p, void* scratch, Bytes bytes, cudaStream_t stream) {
  Plan* found = plan(p, std::min(bytes, kScratch));
  if (!found)
    return Error{fmt::format("cuda:{}: cuBLASLt has no algorithm for a {} x {} x {} matmul", device_, p.n, p.m, p.k)};
  const std::lock_guard lock(mutex_);
  if (p.bias) f_.desc_set(found->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p.bias, sizeof p.bias);
  const float none = 0;
  const cublasStatus_t code =
      f_.multiply(handle_, found->desc, &p.scale, p.a, found->a, p.b, found->b, &none, p.out, found->c, p.out, found->c,
                  &found->algorithm, scratch, found->scratch, stream);
  if (code == CUBLAS_STATUS_SUCCESS) return {};
  if (code == CUBLAS_STATUS_NOT_SUPPORTED || code == CUBLAS_STATUS_ARCH_MISMATCH || code == CUBLAS_STATUS_INVALID_VALUE)
    found->refused = true;
  return Error{fmt::format("cuda:{}: cuBLASLt failed for a {} x {} x {} matmul (status {}){}", device_, p.n, p.m, p.k,
                           static_cast<int>(code), and_why())};
}

}  // namespace arenascope::cuda
