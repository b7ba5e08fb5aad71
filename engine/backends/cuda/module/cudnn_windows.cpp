// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/module/cudnn_windows.h"

#define CUDNN_DISABLE_DEPRECATED 1
#include <cudnn.h>
#include <fmt/format.h>

#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

// cuDNN 9 deprecates the single-layer functions; they select and run an algorithm without building a graph.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace arenascope::cuda {
namespace {

#define ARENASCOPE_TEXT(x) #x
#define ARENASCOPE_TEXT_OF(x) ARENASCOPE_TEXT(x)
// clang-format off
#define ARENASCOPE_CUDNN(X) \
  X(cudnnCreate) \
  X(cudnnDestroy) \
  X(cudnnSetStream) \
  X(cudnnCreateTensorDescriptor) \
  X(cudnnDestroyTensorDescriptor) \
  X(cudnnSetTensorNdDescriptor) \
  X(cudnnCreateFilterDescriptor) \
  X(cudnnDestroyFilterDescriptor) \
  X(cudnnSetFilterNdDescriptor) \
  X(cudnnCreateConvolutionDescriptor) \
  X(cudnnDestroyConvolutionDescriptor) \
  X(cudnnSetConvolutionNdDescriptor) \
  X(cudnnSetConvolutionGroupCount) \
  X(cudnnSetConvolutionMathType) \
  X(cudnnGetConvolutionForwardAlgorithm_v7) \
  X(cudnnGetConvolutionBackwardDataAlgorithm_v7) \
  X(cudnnGetConvolutionForwardWorkspaceSize) \
  X(cudnnGetConvolutionBackwardDataWorkspaceSize) \
  X(cudnnConvolutionForward) \
  X(cudnnCreateActivationDescriptor) \
  X(cudnnDestroyActivationDescriptor) \
  X(cudnnSetActivationDescriptor) \
  X(cudnnConvolutionBiasActivationForward) \
  X(cudnnConvolutionBackwardData) \
  X(cudnnCreatePoolingDescriptor) \
  X(cudnnDestroyPoolingDescriptor) \
  X(cudnnSetPoolingNdDescriptor) \
  X(cudnnPoolingForward)
// clang-format on

struct Functions {
#define X(name) decltype(&::name) name = nullptr;
  ARENASCOPE_CUDNN(X)
#undef X
};

constexpr Bytes kMaxScratch = Bytes{256} << 20;

std::optional<cudnnDataType_t> data_type(DType type) {
  switch (type) {
    case DType::F32: return CUDNN_DATA_FLOAT;
    case DType::F16: return CUDNN_DATA_HALF;
    case DType::BF16: return CUDNN_DATA_BFLOAT16;
    case DType::F64: return CUDNN_DATA_DOUBLE;
    default: return std::nullopt;
  }
}

// True if the library does not support the problem, as opposed to a failure.
bool is_refusal(cudnnStatus_t code) {
#if CUDNN_MAJOR >= 9
  const int category = static_cast<int>(code) / 1000 * 1000;
  return category == CUDNN_STATUS_BAD_PARAM || category == CUDNN_STATUS_NOT_SUPPORTED;
#else
  return code == CUDNN_STATUS_BAD_PARAM || code == CUDNN_STATUS_NOT_SUPPORTED || code == CUDNN_STATUS_ARCH_MISMATCH;
#endif
}

// The descriptors of one problem.
struct Plan {
  const Functions& f;
  cudnnTensorDescriptor_t x = nullptr, out = nullptr, bias = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  cudnnPoolingDescriptor_t pool = nullptr;
  cudnnActivationDescriptor_t relu = nullptr;
  cudnnConvolutionFwdAlgo_t forward{};
  cudnnConvolutionBwdDataAlgo_t backward{};
  size_t scratch = 0;
  bool refused = false;             // it was described, but failed to run
  std::atomic<bool> fuses = false;  // the same call may add a bias and a tensor, and apply ReLU

  explicit Plan(const Functions& functions) : f(functions) {}
  ~Plan() {
    for (cudnnTensorDescriptor_t t : {x, out, bias})
      if (t) f.cudnnDestroyTensorDescriptor(t);
    if (w) f.cudnnDestroyFilterDescriptor(w);
    if (convolution) f.cudnnDestroyConvolutionDescriptor(convolution);
    if (pool) f.cudnnDestroyPoolingDescriptor(pool);
    if (relu) f.cudnnDestroyActivationDescriptor(relu);
  }

  bool tensor(cudnnTensorDescriptor_t& to, cudnnDataType_t type, int rank, const int64_t* sizes) {
    int dims[5], strides[5];
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      if (sizes[d] > INT32_MAX || stride > INT32_MAX) return false;
      dims[d] = static_cast<int>(sizes[d]);
      strides[d] = static_cast<int>(stride);
      stride *= sizes[d];
    }
    return stride <= INT32_MAX && f.cudnnCreateTensorDescriptor(&to) == CUDNN_STATUS_SUCCESS &&
           f.cudnnSetTensorNdDescriptor(to, type, rank, dims, strides) == CUDNN_STATUS_SUCCESS;
  }
};

class Windows final : public CudnnWindows {
 public:
  Windows(int device, bool tf32)
      : device_(device), tf32_(tf32), library_("libcudnn.so." ARENASCOPE_TEXT_OF(CUDNN_MAJOR)) {
#define X(name) library_.find(f_.name, #name);
    ARENASCOPE_CUDNN(X)
#undef X
    missing_ = library_.missing();
    if (!missing_.empty()) return;
    const DeviceGuard guard(device_);
    if (const cudnnStatus_t code = f_.cudnnCreate(&handle_); code != CUDNN_STATUS_SUCCESS) {
      missing_ = fmt::format("initialisation failed (status {})", static_cast<int>(code));
      handle_ = nullptr;
    }
  }
  ~Windows() override {
    plans_.clear();
    if (handle_) f_.cudnnDestroy(handle_);
  }

  const std::string& missing() const override { return missing_; }
  bool takes(const LibraryConvolution& c) override {
    const Plan* found = plan(c);
    return found && (!c.relu || found->fuses);
  }
  bool takes(const LibraryPool& p) override { return plan(p) != nullptr; }
  Bytes scratch(const LibraryConvolution& c) override {
    const Plan* found = plan(c);
    return found ? static_cast<Bytes>(found->scratch) : 0;
  }

  Status run(const LibraryConvolution& c, void* scratch, Bytes bytes, cudaStream_t stream) override {
    Plan* found = plan(c);
    if (!found || static_cast<Bytes>(found->scratch) > bytes)
      return Error{fmt::format("cuda:{}: {} bytes of scratch are not enough for a convolution", device_, bytes)};
    const std::lock_guard lock(mutex_);
    const Factors one(c.type, 1), none(c.type, 0);
    cudnnStatus_t code = f_.cudnnSetStream(handle_, stream);
    if (code == CUDNN_STATUS_SUCCESS && c.relu) {
      code = f_.cudnnConvolutionBiasActivationForward(
          handle_, one.get(), found->x, c.x, found->w, c.w, found->convolution, found->forward, scratch, found->scratch,
          c.added ? one.get() : none.get(), found->out, c.added ? c.added : c.out, found->bias, c.bias, found->relu,
          found->out, c.out);
      found->fuses = !is_refusal(code);
      return check("convolution with ReLU", code);
    }
    if (code == CUDNN_STATUS_SUCCESS && c.transposed)
      code = f_.cudnnConvolutionBackwardData(handle_, one.get(), found->w, c.w, found->x, c.x, found->convolution,
                                             found->backward, scratch, found->scratch, none.get(), found->out, c.out);
    else if (code == CUDNN_STATUS_SUCCESS)
      code = f_.cudnnConvolutionForward(handle_, one.get(), found->x, c.x, found->w, c.w, found->convolution,
                                        found->forward, scratch, found->scratch, none.get(), found->out, c.out);
    found->refused = is_refusal(code);
    return check("convolution", code);
  }

  Status run(const LibraryPool& p, cudaStream_t stream) override {
    Plan* found = plan(p);
    if (!found) return Error{fmt::format("cuda:{}: cuDNN does not support this pool", device_)};
    const std::lock_guard lock(mutex_);
    const Factors one(p.type, 1), none(p.type, 0);
    cudnnStatus_t code = f_.cudnnSetStream(handle_, stream);
    if (code == CUDNN_STATUS_SUCCESS)
      code = f_.cudnnPoolingForward(handle_, found->pool, one.get(), found->x, p.x, none.get(), found->out, p.out);
    found->refused = is_refusal(code);
    return check("pool", code);
  }

 private:
  using Key = std::vector<int64_t>;

  // A scaling factor in the type that the library expects.
  struct Factors {
    Factors(DType type, int value) : wide(value), narrow(static_cast<float>(value)), is_wide(type == DType::F64) {}
    const void* get() const { return is_wide ? static_cast<const void*>(&wide) : static_cast<const void*>(&narrow); }
    double wide;
    float narrow;
    bool is_wide;
  };

  Status check(const char* what, cudnnStatus_t code) const {
    if (code == CUDNN_STATUS_SUCCESS) return {};
    return Error{
        fmt::format("cuda:{}: cuDNN failed for a {} (status {}){}", device_, what, static_cast<int>(code), and_why())};
  }

  template <class Problem, class Make>
  Plan* kept(const Problem& problem, Key key, Make make) {
    if (!missing_.empty() || !data_type(problem.type)) return nullptr;
    for (int d = 0; d < problem.spatial + 2; ++d) {
      key.push_back(problem.x_sizes[d]);
      key.push_back(problem.out_sizes[d]);
    }
    for (int d = 0; d < problem.spatial; ++d) {
      key.push_back(problem.strides[d]);
      key.push_back(problem.pads[d]);
    }
    const std::lock_guard lock(mutex_);
    const auto [at, added] = plans_.try_emplace(std::move(key));
    if (added) {
      const DeviceGuard guard(device_);
      auto made = std::make_unique<Plan>(f_);
      if (make(*made)) at->second = std::move(made);
    }
    return at->second && !at->second->refused ? at->second.get() : nullptr;
  }

  Plan* plan(const LibraryConvolution& c) {
    Key key{0, static_cast<int64_t>(c.type), c.transposed, c.spatial, c.groups};
    for (int d = 0; d < c.spatial; ++d) key.insert(key.end(), {c.w_sizes[d + 2], c.dilations[d]});
    key.insert(key.end(), {c.w_sizes[0], c.w_sizes[1]});
    return kept(c, std::move(key), [&](Plan& made) {
      made.fuses = describe_fused(c, made);
      return describe(c, made) && choose(c, made);
    });
  }

  Plan* plan(const LibraryPool& p) {
    Key key{1, static_cast<int64_t>(p.type), p.largest, p.count_pads, p.spatial};
    for (int d = 0; d < p.spatial; ++d) {
      if (p.pads[d] >= p.kernel[d]) return nullptr;
      key.push_back(p.kernel[d]);
    }
    return kept(p, std::move(key), [&](Plan& made) {
      const cudnnPoolingMode_t mode = p.largest      ? CUDNN_POOLING_MAX
                                      : p.count_pads ? CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                                                     : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
      const cudnnDataType_t type = *data_type(p.type);
      return made.tensor(made.x, type, p.spatial + 2, p.x_sizes) &&
             made.tensor(made.out, type, p.spatial + 2, p.out_sizes) &&
             f_.cudnnCreatePoolingDescriptor(&made.pool) == CUDNN_STATUS_SUCCESS &&
             f_.cudnnSetPoolingNdDescriptor(made.pool, mode, CUDNN_NOT_PROPAGATE_NAN, p.spatial, p.kernel, p.pads,
                                            p.strides) == CUDNN_STATUS_SUCCESS;
    });
  }

  bool describe(const LibraryConvolution& c, Plan& made) {
    const cudnnDataType_t type = *data_type(c.type), sums = c.type == DType::F64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    const int rank = c.spatial + 2;
    int filter[5];
    for (int d = 0; d < rank; ++d) filter[d] = static_cast<int>(c.w_sizes[d]);
    const bool narrow = c.type == DType::F16 || c.type == DType::BF16;
    const cudnnMathType_t math = exact(c) ? CUDNN_FMA_MATH : narrow ? CUDNN_TENSOR_OP_MATH : CUDNN_DEFAULT_MATH;
    return made.tensor(made.x, type, rank, c.x_sizes) && made.tensor(made.out, type, rank, c.out_sizes) &&
           f_.cudnnCreateFilterDescriptor(&made.w) == CUDNN_STATUS_SUCCESS &&
           f_.cudnnSetFilterNdDescriptor(made.w, type, CUDNN_TENSOR_NCHW, rank, filter) == CUDNN_STATUS_SUCCESS &&
           f_.cudnnCreateConvolutionDescriptor(&made.convolution) == CUDNN_STATUS_SUCCESS &&
           f_.cudnnSetConvolutionNdDescriptor(made.convolution, c.spatial, c.pads, c.strides, c.dilations,
                                              CUDNN_CROSS_CORRELATION, sums) == CUDNN_STATUS_SUCCESS &&
           f_.cudnnSetConvolutionGroupCount(made.convolution, static_cast<int>(c.groups)) == CUDNN_STATUS_SUCCESS &&
           f_.cudnnSetConvolutionMathType(made.convolution, math) == CUDNN_STATUS_SUCCESS;
  }

  // Only for f32: f16 kernels that add and apply ReLU need another layout, and converting to it takes longer than a second
  // pass.
  // NaN passes ReLU, as in the other backends.
  bool describe_fused(const LibraryConvolution& c, Plan& made) {
    const int64_t sizes[5] = {1, c.out_sizes[1], 1, 1, 1};
    return !c.transposed && c.type == DType::F32 && made.tensor(made.bias, CUDNN_DATA_FLOAT, c.spatial + 2, sizes) &&
           f_.cudnnCreateActivationDescriptor(&made.relu) == CUDNN_STATUS_SUCCESS &&
           f_.cudnnSetActivationDescriptor(made.relu, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN,
                                           std::numeric_limits<double>::max()) == CUDNN_STATUS_SUCCESS;
  }

  // True if f32 products must keep full precision: the descriptor then allows nothing else.
  bool exact(const LibraryConvolution& c) const { return c.type == DType::F32 && !tf32_; }

  // The fastest algorithm, by the library's estimate, that is deterministic and within our scratch limit. The scratch
  // size depends on the descriptor's math type, so it is queried with the one that will run.
  bool choose(const LibraryConvolution& c, Plan& made) {
    int count = 0;
    const auto pick = [&](const auto* found, auto& algorithm, const auto& scratch_of) {
      for (int i = 0; i < count; ++i) {
        if (found[i].status != CUDNN_STATUS_SUCCESS || found[i].determinism != CUDNN_DETERMINISTIC) continue;
        const cudnnMathType_t math = exact(c) ? CUDNN_FMA_MATH : found[i].mathType;
        size_t bytes = 0;
        if (f_.cudnnSetConvolutionMathType(made.convolution, math) != CUDNN_STATUS_SUCCESS ||
            scratch_of(found[i].algo, bytes) != CUDNN_STATUS_SUCCESS || bytes > static_cast<size_t>(kMaxScratch))
          continue;
        algorithm = found[i].algo;
        made.scratch = bytes;
        return true;
      }
      return false;
    };
    if (c.transposed) {
      cudnnConvolutionBwdDataAlgoPerf_t found[CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT];
      if (f_.cudnnGetConvolutionBackwardDataAlgorithm_v7(handle_, made.w, made.x, made.convolution, made.out,
                                                         CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT, &count,
                                                         found) != CUDNN_STATUS_SUCCESS)
        return false;
      return pick(found, made.backward, [&](cudnnConvolutionBwdDataAlgo_t algorithm, size_t& bytes) {
        return f_.cudnnGetConvolutionBackwardDataWorkspaceSize(handle_, made.w, made.x, made.convolution, made.out,
                                                               algorithm, &bytes);
      });
    }
    cudnnConvolutionFwdAlgoPerf_t found[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
    if (f_.cudnnGetConvolutionForwardAlgorithm_v7(handle_, made.x, made.w, made.convolution, made.out,
                                                  CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &count,
                                                  found) != CUDNN_STATUS_SUCCESS)
      return false;
    return pick(found, made.forward, [&](cudnnConvolutionFwdAlgo_t algorithm, size_t& bytes) {
      return f_.cudnnGetConvolutionForwardWorkspaceSize(handle_, made.x, made.w, made.convolution, made.out, algorithm,
                                                        &bytes);
    });
  }

  const int device_;
  const bool tf32_;
  Library library_;
  Functions f_;
  std::string missing_;
  cudnnHandle_t handle_ = nullptr;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Plan>> plans_;
};

}  // namespace

std::unique_ptr<CudnnWindows> CudnnWindows::make(int device, bool tf32) {
  return std::make_unique<Windows>(device, tf32);
}

}  // namespace arenascope::cuda
