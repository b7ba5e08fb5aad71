// SPDX-License-Identifier: MIT
#include <arenascope/run/backend_options.h>

#include <array>

namespace arenascope {
namespace {

constexpr const char *kCpu = "cpu", *kOpenCl = "opencl", *kCuda = "cuda";

constexpr std::array kOptions{
    BackendOptionInfo{
        kCpu, "weights", "packed widest as-given", "CPU: weights",
        "packed: copied once into the form that kernels like best, which takes at most 0.15 more; widest: however "
        "much more it takes; as-given: each lies once, which is slower; so it is where memory is preferred"},
    BackendOptionInfo{
        kOpenCl, "memory", "buffer image auto", "OpenCL: memory objects",
        "Four-dimensional tensors lie in buffers, in images where there are kernels for them, or where the "
        "device is faster"},
    BackendOptionInfo{
        kOpenCl, "memory-mode", "low normal high", "OpenCL: memory mode",
        "low: quantised weights stay so on the device; normal: they are unpacked beside them, once; high: "
        "convolutions may also take memory for Winograd's transform"},
    BackendOptionInfo{kOpenCl, "filters", "auto buffer image", "OpenCL: filters of convolutions on images",
                      "In a buffer, in an image of the static pool, or where the device is faster"},
    BackendOptionInfo{
        kOpenCl, "integer-dot", "auto on off", "OpenCL: integer dot products",
        "Matmuls with quantised weights round their rows to bytes as well; auto: where the hardware has such "
        "products"},
    BackendOptionInfo{kOpenCl, "svm", "off on", "OpenCL: shared virtual memory",
                      "Buffers lie where host and device reach them by one address"},
    BackendOptionInfo{kOpenCl, "pool", "bounded any separate", "OpenCL: pool",
                      "Which free block serves a request: one that wastes little, any larger one, none"},
    BackendOptionInfo{kOpenCl, "sizes", "exact packed subgroups", "OpenCL: sizes of buffers",
                      "As large as the tensor, or as MNN's, with room around channels, rows and columns"},
    BackendOptionInfo{
        kOpenCl, "replay", "on off", "OpenCL: replay",
        "Runs that nobody looks into are recorded once and replayed; a run that is recorded for you to see is "
        "queued kernel by kernel, so that each has its times"},
    BackendOptionInfo{kOpenCl, "tuning", "fast none normal wide heavy", "OpenCL: tuning",
                      "How many group sizes are tried before one is used: 2, 1, 4, 12 or 64 at most"},
    BackendOptionInfo{kOpenCl, "kernels", "fast plain", "OpenCL: kernels",
                      "plain: one kernel for all types and layouts, to compare with"},
    BackendOptionInfo{kOpenCl, "power", "normal high low", "OpenCL: power",
                      "What the queue asks of the device, where it has hints for it"},
    BackendOptionInfo{kOpenCl, "profiling", "on off", "OpenCL: times of kernels",
                      "Whether kernels carry times; tuning and what you see of the device need them"},
    BackendOptionInfo{kCuda, "tf32", "0 1", "CUDA: tf32", "Matmuls and convolutions round their sources to 10 bits"},
    BackendOptionInfo{kCuda, "libraries", "1 0", "CUDA: libraries", "cuBLAS and cuDNN where there are"},
    BackendOptionInfo{kCuda, "graphs", "1 0", "CUDA: graphs", "Runs that nobody looks into are captured and replayed"},
    BackendOptionInfo{kCuda, "chains", "1 0", "CUDA: chains", "Elementwise nodes in a row are one kernel"},
    BackendOptionInfo{kCuda, "activities", "1 0", "CUDA: activity records",
                      "Times of kernels from the driver's records rather than from timers"},
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

std::string BackendOptionInfo::usual() const {
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
