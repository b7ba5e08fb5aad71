// SPDX-License-Identifier: MIT
// The module's entry: which devices there are, or why there is none, and how one is opened.
#include <arenascope/backends/cuda/execution/cuda_backend.h>
#include <arenascope/backends/cuda/module/bench.h>
#include <arenascope/backends/cuda/module/cuda_device.h>
#include <arenascope/runtime/backend_module_entry.h>
#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace {

using namespace arenascope;
using namespace arenascope::cuda;

// Why no device can be used; empty when some can.
std::string why_none(int& count) {
  count = 0;
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    cudaGetLastError();
    return "there is no NVIDIA driver on this machine (libcuda.so.1 was not found)";
  }
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return "";
  cudaGetLastError();
  if (code == cudaErrorInsufficientDriver)
    return fmt::format("the NVIDIA driver is for CUDA {}.{}, this module needs {}.{}", driver / 1000,
                       driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  if (code == cudaErrorNoDevice || code == cudaSuccess) return "the NVIDIA driver finds no GPU";
  return fmt::format("the NVIDIA driver does not start: {}", cudaGetErrorString(code));
}

DeviceStatus describe(int number, int driver) {
  DeviceStatus status{fmt::format("cuda:{}", number), "", "", {}};
  cudaDeviceProp p{};
  if (const cudaError_t code = cudaGetDeviceProperties(&p, number); code != cudaSuccess) {
    cudaGetLastError();
    status.missing = fmt::format("it cannot be asked: {}", cudaGetErrorString(code));
    return status;
  }
  status.description = p.name;
  if (p.major * 10 + p.minor < 75)
    status.missing = fmt::format("its compute capability {}.{} is below 7.5", p.major, p.minor);
  status.facts = {{"memory", fmt::format("{:.1f} GiB", static_cast<double>(p.totalGlobalMem) / (1 << 30))},
                  {"multiprocessors", fmt::format("{}", p.multiProcessorCount)},
                  {"compute capability", fmt::format("{}.{}", p.major, p.minor)},
                  {"driver", fmt::format("CUDA {}.{}", driver / 1000, driver % 1000 / 10)}};
  return status;
}

std::vector<DeviceStatus> list_devices() {
  int count = 0, driver = 0;
  if (std::string missing = why_none(count); !missing.empty()) return {{"", "", std::move(missing), {}}};
  cudaDriverGetVersion(&driver);
  std::vector<DeviceStatus> out;
  for (int i = 0; i < count; ++i) out.push_back(describe(i, driver));
  return out;
}

Result<std::unique_ptr<Backend>> open_device(const BackendOptions& given) {
  int count = 0;
  if (std::string missing = why_none(count); !missing.empty()) return Error{missing};
  const auto options = read_options(given, count);
  if (!options) return options.error();
  auto device = CudaDevice::open(options->device, options->activities);
  if (!device) return device.error();
  auto backend = CudaBackend::make(*device, *options, [tf32 = options->queue.tf32](CudaBackend& b, bool quick) {
    return bench_device(b, tf32, quick);
  });
  if (!backend) return backend.error();
  return std::unique_ptr<Backend>(std::move(*backend));
}

}  // namespace

ARENASCOPE_BACKEND_MODULE("cuda", list_devices, open_device)
