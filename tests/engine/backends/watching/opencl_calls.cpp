// SPDX-License-Identifier: MIT
#include "opencl_calls.h"

#include <cstring>
#include <map>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>

#include "engine/backends/opencl/cl.h"

namespace arenascope::test {
namespace {

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

// Arguments by position. Memory objects bear their size and offset instead of their handle.
using Arguments = std::map<cl_uint, std::string>;

struct Log {
  std::map<cl_mem, std::string> memory;
  std::map<cl_kernel, Arguments> arguments;
  std::map<cl_command_buffer_khr, std::vector<std::string>> command_buffers;
  std::vector<std::string> launches;
};
Log& the_log() {
  static Log log;
  return log;
}

std::string sizes(cl_uint dims, const size_t* of) {
  std::string out;
  for (cl_uint d = 0; of && d < dims; ++d) out += fmt::format("{}{}", d ? "x" : "", of[d]);
  return out;
}

std::string launch_text(cl_kernel kernel, cl_uint dims, const size_t* global, const size_t* local) {
  char name[128] = "";
  clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  std::string out = fmt::format("{} {} by {}:", name, sizes(dims, global), sizes(dims, local));
  for (const auto& [position, text] : the_log().arguments[kernel]) out += " " + text;
  return out;
}

clCreateCommandBufferKHR_fn driver_create = nullptr;
clEnqueueCommandBufferKHR_fn driver_enqueue = nullptr;
clCommandNDRangeKernelKHR_fn driver_command = nullptr;

// A handle may be that of a command buffer that was released.
cl_command_buffer_khr create_command_buffer(cl_uint queues, const cl_command_queue* queue,
                                            const cl_command_buffer_properties_khr* properties, cl_int* code) {
  const cl_command_buffer_khr made = driver_create(queues, queue, properties, code);
  the_log().command_buffers[made].clear();
  return made;
}

cl_int enqueue_command_buffer(cl_uint queues, cl_command_queue* queue, cl_command_buffer_khr commands, cl_uint waits,
                              const cl_event* wait_list, cl_event* event) {
  Log& log = the_log();
  const std::vector<std::string>& kernels = log.command_buffers[commands];
  log.launches.push_back(fmt::format("command buffer of {} kernels", kernels.size()));
  log.launches.insert(log.launches.end(), kernels.begin(), kernels.end());
  return driver_enqueue(queues, queue, commands, waits, wait_list, event);
}

cl_int command_kernel(cl_command_buffer_khr commands, cl_command_queue queue,
                      const cl_ndrange_kernel_command_properties_khr* properties, cl_kernel kernel, cl_uint dims,
                      const size_t* offset, const size_t* global, const size_t* local, cl_uint waits,
                      const cl_sync_point_khr* wait_list, cl_sync_point_khr* point, cl_mutable_command_khr* command) {
  the_log().command_buffers[commands].push_back(launch_text(kernel, dims, global, local));
  return driver_command(commands, queue, properties, kernel, dims, offset, global, local, waits, wait_list, point,
                        command);
}

std::string argument_text(size_t bytes, const void* value) {
  if (!value) return fmt::format("{} bytes of local memory", bytes);
  if (bytes == sizeof(cl_mem)) {
    cl_mem memory = nullptr;
    std::memcpy(&memory, value, sizeof memory);
    const auto known = the_log().memory.find(memory);
    if (known != the_log().memory.end()) return known->second;
  }
  std::string out = "0x";
  for (size_t i = 0; i < bytes; ++i) out += fmt::format("{:02x}", static_cast<const unsigned char*>(value)[i]);
  return out;
}

}  // namespace

std::vector<std::string> take_opencl_launches() { return std::exchange(the_log().launches, {}); }

}  // namespace arenascope::test

using arenascope::test::next;
using arenascope::test::the_log;

extern "C" {

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* code) {
  const cl_mem made = next<decltype(clCreateBuffer)>("clCreateBuffer")(context, flags, size, host, code);
  the_log().memory[made] = fmt::format("buffer[{}]", size);
  return made;
}

cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void* region,
                         cl_int* code) {
  const cl_mem made = next<decltype(clCreateSubBuffer)>("clCreateSubBuffer")(buffer, flags, type, region, code);
  const auto& part = *static_cast<const cl_buffer_region*>(region);
  the_log().memory[made] = fmt::format("{}+{}[{}]", the_log().memory[buffer], part.origin, part.size);
  return made;
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                     const cl_image_desc* description, void* host, cl_int* code) {
  const cl_mem made = next<decltype(clCreateImage)>("clCreateImage")(context, flags, format, description, host, code);
  the_log().memory[made] = fmt::format("image[{}x{}]", description->image_width, description->image_height);
  return made;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint position, size_t bytes, const void* value) {
  the_log().arguments[kernel][position] = arenascope::test::argument_text(bytes, value);
  return next<decltype(clSetKernelArg)>("clSetKernelArg")(kernel, position, bytes, value);
}

cl_kernel clCloneKernel(cl_kernel kernel, cl_int* code) {
  const cl_kernel made = next<decltype(clCloneKernel)>("clCloneKernel")(kernel, code);
  the_log().arguments[made] = the_log().arguments[kernel];
  return made;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t* offset,
                              const size_t* global, const size_t* local, cl_uint waits, const cl_event* wait_list,
                              cl_event* event) {
  the_log().launches.push_back(arenascope::test::launch_text(kernel, dims, global, local));
  return next<decltype(clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel")(queue, kernel, dims, offset, global, local,
                                                                          waits, wait_list, event);
}

void* clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
  void* const found = next<decltype(clGetExtensionFunctionAddressForPlatform)>(
      "clGetExtensionFunctionAddressForPlatform")(platform, name);
  if (!found) return found;
  if (std::strcmp(name, "clCreateCommandBufferKHR") == 0) {
    arenascope::test::driver_create = reinterpret_cast<clCreateCommandBufferKHR_fn>(found);
    return reinterpret_cast<void*>(arenascope::test::create_command_buffer);
  }
  if (std::strcmp(name, "clEnqueueCommandBufferKHR") == 0) {
    arenascope::test::driver_enqueue = reinterpret_cast<clEnqueueCommandBufferKHR_fn>(found);
    return reinterpret_cast<void*>(arenascope::test::enqueue_command_buffer);
  }
  if (std::strcmp(name, "clCommandNDRangeKernelKHR") == 0) {
    arenascope::test::driver_command = reinterpret_cast<clCommandNDRangeKernelKHR_fn>(found);
    return reinterpret_cast<void*>(arenascope::test::command_kernel);
  }
  return found;
}

}  // extern "C"
