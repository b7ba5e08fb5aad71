// SPDX-License-Identifier: MIT
// The module's entry: lists the devices, or the reason why there is none, and opens one.
#include <arenascope/base/format_bytes.h>
#include <arenascope/runtime/backend_module_entry.h>
#include <fmt/format.h>
#include "engine/backends/cuda/execution/absence.h"
#include "engine/backends/cuda/execution/cuda_backend.h"
#include "engine/backends/cuda/module/bench.h"
#include "engine/backends/cuda/module/cuda_device.h"

namespace {

using namespace arenascope;
using namespace arenascope::cuda;

// The reason why no device can be used; empty if one can.
std::string why_none(int& count, int& driver) {
  count = driver = 0;
  DriverFacts facts;
  facts.runtime = CUDART_VERSION;
  const cudaError_t asked = cudaDriverGetVersion(&driver);
  facts.driver = asked == cudaSuccess ? driver : 0;
  const cudaError_t code = asked == cudaErrorStubLibrary ? asked : cudaGetDeviceCount(&count);
  cudaGetLastError();
  facts.devices = count;
  facts.answer = code == cudaSuccess                   ? DriverAnswer::Devices
                 : code == cudaErrorInsufficientDriver ? DriverAnswer::TooOld
                 : code == cudaErrorNoDevice           ? DriverAnswer::NoDevice
                 : code == cudaErrorStubLibrary        ? DriverAnswer::StubLibrary
                                                       : DriverAnswer::Failed;
  facts.said = cudaGetErrorString(code);
  return why_no_device(facts);
}

DeviceStatus describe(int number, int driver) {
  DeviceStatus status{fmt::format("cuda:{}", number), "", "", {}};
  cudaDeviceProp p{};
  if (const cudaError_t code = cudaGetDeviceProperties(&p, number); code != cudaSuccess) {
    status.missing = cuda_error(number, "describe itself", code).message;
    return status;
  }
  status.description = p.name;
  status.missing = why_not_this_device(number, p.name, p.major, p.minor);
  status.facts = {{"memory", format_bytes(static_cast<Bytes>(p.totalGlobalMem))},
                  {"multiprocessors", fmt::format("{}", p.multiProcessorCount)},
                  {"compute capability", fmt::format("{}.{}", p.major, p.minor)},
                  {"driver", "CUDA " + cuda_version(driver)}};
  return status;
}

std::vector<DeviceStatus> list_devices() {
  int count = 0, driver = 0;
  if (std::string missing = why_none(count, driver); !missing.empty()) return {{"", "", std::move(missing), {}}};
  std::vector<DeviceStatus> out;
  for (int i = 0; i < count; ++i) out.push_back(describe(i, driver));
  return out;
}

Result<CudaOptions> usable_options(const BackendOptions& given) {
  int count = 0, driver = 0;
  if (std::string missing = why_none(count, driver); !missing.empty()) return Error{missing};
  return read_options(given, count);
}

Result<std::unique_ptr<CudaBackend>> open_cuda(const CudaOptions& options) {
  auto device = CudaDevice::open(options.device, options.activities);
  if (!device) return device.error();
  return CudaBackend::make(*device, options);
}

Result<std::unique_ptr<Backend>> open_device(const BackendOptions& given) {
  const auto options = usable_options(given);
  if (!options) return options.error();
  auto backend = open_cuda(*options);
  if (!backend) return backend.error();
  return std::unique_ptr<Backend>(std::move(*backend));
}

Status measure_device(const BackendOptions& given, bool quick, const Report& report) {
  const auto options = usable_options(given);
  if (!options) return options.error();
  auto backend = open_cuda(*options);
  if (!backend) return backend.error();
  return bench_device(**backend, options->queue.tf32, quick, report);
}

}  // namespace

ARENASCOPE_BACKEND_MODULE("cuda", list_devices, open_device, measure_device)
