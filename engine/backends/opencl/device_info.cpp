// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/device_info.h"

#include <arenascope/base/format_bytes.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace arenascope::opencl {
namespace {

template <class T>
T number(cl_device_id device, cl_device_info what) {
  T value{};
  return clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

std::string text(cl_device_id device, cl_device_info what) {
  size_t bytes = 0;
  if (clGetDeviceInfo(device, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return "";
  std::string out(bytes, '\0');
  clGetDeviceInfo(device, what, bytes, out.data(), nullptr);
  out.resize(std::strlen(out.c_str()));
  return out;
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  size_t bytes = 0;
  if (clGetPlatformInfo(platform, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return "";
  std::string out(bytes, '\0');
  clGetPlatformInfo(platform, what, bytes, out.data(), nullptr);
  out.resize(std::strlen(out.c_str()));
  return out;
}

bool contains(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

Vendor vendor_of(const DeviceFacts& f) {
  const std::string all = f.platform_name + " " + f.vendor_name + " " + f.name;
  if (contains(all, "Portable Computing Language")) return Vendor::Pocl;
  if (contains(all, "QUALCOMM") || contains(all, "Adreno")) return Vendor::Qualcomm;
  if (contains(all, "Mali") || contains(all, "ARM")) return Vendor::Arm;
  if (contains(all, "PowerVR") || contains(all, "Imagination")) return Vendor::Imagination;
  if (contains(all, "NVIDIA")) return Vendor::Nvidia;
  if (contains(all, "Advanced Micro") || contains(all, "AMD")) return Vendor::Amd;
  if (contains(all, "Intel")) return Vendor::Intel;
  return Vendor::Other;
}

// The device generation of a vendor, as far as the name shows it.
std::string family_of(const DeviceFacts& f) {
  if (f.vendor == Vendor::Arm) {
    for (const char* series : {"Mali-T", "Mali-G", "Immortalis"})
      if (contains(f.name, series)) return series;
    return "Mali";
  }
  if (f.vendor == Vendor::Qualcomm) {
    const size_t at = f.version.find("Adreno");
    return at == std::string::npos ? "Adreno" : f.version.substr(at);
  }
  if (f.vendor == Vendor::Pocl) return (f.type & CL_DEVICE_TYPE_CPU) ? "CPU threads" : "accelerator";
  return (f.type & CL_DEVICE_TYPE_GPU) ? "GPU" : (f.type & CL_DEVICE_TYPE_CPU) ? "CPU" : "accelerator";
}

DeviceFacts read_facts(cl_platform_id platform, cl_device_id device) {
  DeviceFacts f;
  f.platform = platform;
  f.device = device;
  f.platform_name = platform_text(platform, CL_PLATFORM_NAME);
  f.name = text(device, CL_DEVICE_NAME);
  f.vendor_name = text(device, CL_DEVICE_VENDOR);
  f.version = text(device, CL_DEVICE_VERSION);
  f.driver = text(device, CL_DRIVER_VERSION);
  f.c_version = text(device, CL_DEVICE_OPENCL_C_VERSION);
  f.type = number<cl_device_type>(device, CL_DEVICE_TYPE);
  f.compute_units = number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  f.clock_mhz = number<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  f.max_work_group = std::max<size_t>(1, number<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof f.max_work_item, f.max_work_item, nullptr);
  f.memory.global = static_cast<Bytes>(number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE));
  f.memory.cache = static_cast<Bytes>(number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
  f.memory.local = static_cast<Bytes>(number<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE));
  f.memory.max_allocation = static_cast<Bytes>(number<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  f.base_alignment = std::max<Bytes>(64, number<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
  if (number<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT)) {
    f.image_width = number<size_t>(device, CL_DEVICE_IMAGE2D_MAX_WIDTH);
    f.image_height = number<size_t>(device, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  }
  const std::string extensions = text(device, CL_DEVICE_EXTENSIONS);
  f.fp16 = contains(extensions, "cl_khr_fp16");
  f.fp64 = contains(extensions, "cl_khr_fp64") || number<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  f.integer_dot = contains(extensions, "cl_khr_integer_dot_product");
  f.subgroups = contains(extensions, "cl_khr_subgroups") || contains(extensions, "cl_intel_subgroups");
  f.unified_memory = number<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  f.command_buffer = contains(extensions, "cl_khr_command_buffer");
  f.recordable_queues = contains(extensions, "cl_qcom_recordable_queues");
  f.intel_subgroups = contains(extensions, "cl_intel_subgroups");
  f.priority_hints = contains(extensions, "cl_khr_priority_hints");
  f.throttle_hints = contains(extensions, "cl_khr_throttle_hints");
  if (f.integer_dot) {
    const auto dot = number<cl_device_integer_dot_product_acceleration_properties_khr>(
        device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR);
    const auto packed = number<cl_device_integer_dot_product_acceleration_properties_khr>(
        device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR);
    f.fast_dot8 = dot.signed_accelerated != 0;
    f.fast_dot8_packed = packed.signed_accelerated != 0;
  }
  f.float_lanes = std::max<uint32_t>(1, number<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
  f.svm = number<cl_device_svm_capabilities>(device, CL_DEVICE_SVM_CAPABILITIES);
  f.vendor = vendor_of(f);
  f.family = family_of(f);
  return f;
}

}  // namespace

const char* name(Vendor vendor) {
  constexpr const char* kNames[] = {"other", "AMD", "ARM", "Imagination", "Intel", "NVIDIA", "PoCL", "Qualcomm"};
  return kNames[static_cast<int>(vendor)];
}

Result<std::vector<DeviceFacts>> find_devices(const std::string& platform_filter) {
  cl_uint count = 0;
  const cl_int found = clGetPlatformIDs(0, nullptr, &count);
  if (found != CL_SUCCESS || count == 0)
    return Error{fmt::format("no OpenCL driver is installed: no platform found ({})", error_name(found))};
  std::vector<cl_platform_id> platforms(count);
  if (const cl_int code = clGetPlatformIDs(count, platforms.data(), nullptr); code != CL_SUCCESS)
    return Error{fmt::format("cannot list the OpenCL platforms: {}", error_name(code))};
  std::vector<DeviceFacts> devices;
  std::string names;
  for (cl_platform_id platform : platforms) {
    const std::string platform_name = platform_text(platform, CL_PLATFORM_NAME);
    names += (names.empty() ? "" : ", ") + platform_name;
    if (!platform_filter.empty() && !contains(platform_name, platform_filter.c_str())) continue;
    cl_uint n = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) != CL_SUCCESS || n == 0) continue;
    std::vector<cl_device_id> ids(n);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, ids.data(), nullptr) != CL_SUCCESS) continue;
    for (cl_device_id id : ids) devices.push_back(read_facts(platform, id));
  }
  if (devices.empty())
    return Error{platform_filter.empty()
                     ? fmt::format("no device on the OpenCL platforms ({})", names)
                     : fmt::format("no OpenCL platform '{}' with a device; available: {}", platform_filter, names)};
  std::stable_sort(devices.begin(), devices.end(), [](const DeviceFacts& a, const DeviceFacts& b) {
    return (a.type & CL_DEVICE_TYPE_GPU) > (b.type & CL_DEVICE_TYPE_GPU);
  });
  return devices;
}

std::vector<std::pair<std::string, std::string>> describe(const DeviceFacts& f) {
  const auto yes = [](bool b) { return std::string(b ? "yes" : "no"); };
  std::string svm;
  if (f.svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) svm += "coarse buffers ";
  if (f.svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) svm += "fine buffers ";
  if (f.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) svm += "system ";
  if (f.svm & CL_DEVICE_SVM_ATOMICS) svm += "atomics ";
  if (!svm.empty()) svm.pop_back();
  return {{"platform", f.platform_name},
          {"vendor", fmt::format("{} ({})", name(f.vendor), f.vendor_name)},
          {"family", f.family},
          {"version", f.version},
          {"driver", f.driver},
          {"OpenCL C", f.c_version},
          {"compute units", fmt::format("{}", f.compute_units)},
          {"clock", fmt::format("{} MHz", f.clock_mhz)},
          {"floats per instruction", fmt::format("{}", f.float_lanes)},
          {"peak float32 rate", fmt::format("{:.0f} GFLOP/s, with one FMA per unit and cycle",
                                            2e-3 * f.compute_units * f.clock_mhz * f.float_lanes)},
          {"largest work group", fmt::format("{} items", f.max_work_group)},
          {"largest work item sizes",
           fmt::format("{} x {} x {}", f.max_work_item[0], f.max_work_item[1], f.max_work_item[2])},
          {"global memory", format_bytes(f.memory.global)},
          {"global cache", format_bytes(f.memory.cache)},
          {"local memory", format_bytes(f.memory.local)},
          {"largest allocation", format_bytes(f.memory.max_allocation)},
          {"alignment of sub-buffers", fmt::format("{} bytes", f.base_alignment)},
          {"largest 2-D image", f.image_width ? fmt::format("{} x {}", f.image_width, f.image_height) : "none"},
          {"shares host memory", yes(f.unified_memory)},
          {"fp16 arithmetic", yes(f.fp16)},
          {"fp64 arithmetic", yes(f.fp64)},
          {"integer dot product", !f.integer_dot       ? "no"
                                  : f.fast_dot8_packed ? "yes, packed bytes in hardware"
                                  : f.fast_dot8        ? "yes, bytes in hardware"
                                                       : "yes, not in hardware"},
          {"subgroups", f.intel_subgroups ? "yes, Intel's" : yes(f.subgroups)},
          {"recordable queues", yes(f.recordable_queues)},
          {"priority and throttle hints", fmt::format("{}, {}", yes(f.priority_hints), yes(f.throttle_hints))},
          {"shared virtual memory", svm.empty() ? "no" : svm},
          {"command buffers", yes(f.command_buffer)}};
}

}  // namespace arenascope::opencl
