// SPDX-License-Identifier: MIT
#include <arenascope/run/backend_options.h>

#include <array>

namespace arenascope {
namespace {

constexpr const char *kCpu = "cpu", *kOpenCl = "opencl", *kCuda = "cuda";

constexpr std::array kOptions{
    BackendOptionInfo{kCpu, "weights", "packed widest as-given", "CPU: weights",
                      "Weight layout: packed (fastest layout within 15 % of additional memory), widest (without a "
                      "memory limit) or as-given (not repacked, slower)"},
    BackendOptionInfo{kOpenCl, "memory", "buffer image auto", "OpenCL: memory objects",
                      "Storage of 4-D tensors: buffers, images where kernels support them, or whichever is faster"},
    BackendOptionInfo{kOpenCl, "memory-mode", "low normal high", "OpenCL: memory mode",
                      "Device memory use: low (weights stay quantised), normal (dequantised once) or high (also "
                      "Winograd-transformed convolution weights)"},
    BackendOptionInfo{kOpenCl, "filters", "auto buffer image", "OpenCL: convolution weights of images",
                      "Weights in a buffer, in an image of the static pool, or whichever is faster"},
    BackendOptionInfo{
        kOpenCl, "integer-dot", "auto on off", "OpenCL: integer dot products",
        "Quantise activations to int8 in matmuls with quantised weights; auto: if the hardware supports it"},
    BackendOptionInfo{kOpenCl, "svm", "off on", "OpenCL: shared virtual memory",
                      "Allocate buffers in memory that host and device access by the same address"},
    BackendOptionInfo{kOpenCl, "pool", "bounded any separate", "OpenCL: pool",
                      "Reuse of free blocks: those with little waste, any larger block, or none"},
    BackendOptionInfo{kOpenCl, "sizes", "exact packed subgroups", "OpenCL: buffer sizes",
                      "Exact size of the tensor, or padded channels, rows and columns as in MNN"},
    BackendOptionInfo{kOpenCl, "replay", "on off", "OpenCL: replay",
                      "Record runs that are not observed once and replay them; observed runs are queued kernel by "
                      "kernel to measure each"},
    BackendOptionInfo{kOpenCl, "tuning", "fast none normal wide heavy", "OpenCL: tuning",
                      "Maximum number of work-group sizes to try: 2, 1, 4, 12 or 64"},
    BackendOptionInfo{kOpenCl, "kernels", "fast plain", "OpenCL: kernels",
                      "Kernel set: plain uses one generic kernel for all types and layouts, as a baseline"},
    BackendOptionInfo{kOpenCl, "power", "normal high low", "OpenCL: power",
                      "Power hint for the device queue, where supported"},
    BackendOptionInfo{kOpenCl, "profiling", "on off", "OpenCL: kernel times",
                      "Measure kernel times; required by tuning and the device tracks"},
    BackendOptionInfo{kCuda, "tf32", "0 1", "CUDA: tf32",
                      "Round inputs of matmuls and convolutions to TF32 (10-bit mantissa)"},
    BackendOptionInfo{kCuda, "libraries", "1 0", "CUDA: libraries", "Use cuBLAS and cuDNN if available"},
    BackendOptionInfo{kCuda, "graphs", "1 0", "CUDA: graphs",
                      "Capture runs that are not observed as CUDA graphs and replay them"},
    BackendOptionInfo{kCuda, "chains", "1 0", "CUDA: elementwise fusion",
                      "Fuse consecutive elementwise nodes into one kernel"},
    BackendOptionInfo{kCuda, "activities", "1 0", "CUDA: activity records",
                      "Take kernel times from driver activity records instead of timers"},
};

}  // namespace

std::vector<std::string> BackendOptionInfo::values() const {
  std::vector<std::string> out(1);
  for (const char* c = choices; *c; ++c)
    if (*c == ' ')
      out.emplace_back();
    else
      out.back() += *c;
  return out;
}

std::string BackendOptionInfo::default_value() const {
  const std::string_view all = choices;
  return std::string(all.substr(0, all.find(' ')));
}

std::span<const BackendOptionInfo> backend_options() { return kOptions; }

BackendOptions options_for(std::string_view backend, const BackendOptions& given) {
  BackendOptions out;
  for (const auto& [name, value] : given)
    if (const size_t dot = name.find('.'); dot == std::string::npos)
      out.try_emplace(name, value);
    else if (std::string_view(name).substr(0, dot) == backend)
      out.insert_or_assign(name.substr(dot + 1), value);
  return out;
}

}  // namespace arenascope
