// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/runtime.h"

#include <algorithm>
#include <cstring>

#include <arenascope/base/fnv1a.h>
#include <fmt/format.h>

#include "engine/backends/opencl/kernel_sources.h"

namespace arenascope::opencl {
namespace {

std::string build_log(cl_program program, cl_device_id device) {
  size_t bytes = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  if (bytes > 0) clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  log.resize(std::strlen(log.c_str()));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  constexpr size_t kLongest = 2000;
  if (log.size() > kLongest) log = log.substr(0, kLongest) + "…";
  return log;
}

std::vector<uint8_t> binary_of(cl_program program) {
  size_t bytes = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS) return {};
  std::vector<uint8_t> binary(bytes);
  unsigned char* to = binary.data();
  if (bytes == 0 || clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr) != CL_SUCCESS) return {};
  return binary;
}

}  // namespace

std::vector<cl_queue_properties> queue_properties(const DeviceFacts& facts, bool profiling, Power power) {
  std::vector<cl_queue_properties> out{CL_QUEUE_PROPERTIES,
                                       profiling ? CL_QUEUE_PROFILING_ENABLE : cl_queue_properties{0}};
  const auto add = [&](bool there, cl_queue_properties key, cl_queue_properties high, cl_queue_properties low) {
    if (there && power != Power::Normal) out.insert(out.end(), {key, power == Power::High ? high : low});
  };
  add(facts.priority_hints, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_LOW_KHR);
  add(facts.throttle_hints, CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_HIGH_KHR, CL_QUEUE_THROTTLE_LOW_KHR);
  out.push_back(0);
  return out;
}

bool Runtime::used_up(std::atomic<int>& count) {
  if (count.load() < 0) return false;
  if (count.load() == 0) return true;
  --count;
  return false;
}

Result<std::unique_ptr<Runtime>> Runtime::create(const RuntimeOptions& options) {
  auto devices = find_devices(options.platform);
  if (!devices) return devices.error();
  if (options.device < 0 || options.device >= static_cast<int>(devices->size()))
    return Error{fmt::format("no OpenCL device {}; found {}, counted from 0", options.device, devices->size())};
  std::unique_ptr<Runtime> runtime(new Runtime(options));
  runtime->facts_ = (*devices)[static_cast<size_t>(options.device)];
  DeviceFacts& facts = runtime->facts_;
  if (options.faults && options.faults->no_images) facts.image_width = facts.image_height = 0;
  if (options.faults && !options.faults->packed_dots.empty()) facts.integer_dot = facts.fast_dot8_packed = true;
  cl_int code = CL_SUCCESS;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(facts.platform), 0};
  runtime->context_ = ContextHandle(clCreateContext(properties, 1, &facts.device, nullptr, nullptr, &code));
  if (code != CL_SUCCESS)
    return Error{fmt::format("cannot create an OpenCL context on {}: {}", facts.name, error_name(code))};
  const auto queue = queue_properties(facts, options.profiling, options.power);
  runtime->queue_ =
      QueueHandle(clCreateCommandQueueWithProperties(runtime->context(), facts.device, queue.data(), &code));
  if (code != CL_SUCCESS)
    return Error{fmt::format("cannot create a command queue on {}: {}", facts.name, error_name(code))};
  runtime->cache_ = std::make_unique<ProgramCache>(options.cache_folder, facts);
  if (!options.import_cache.empty())
    if (auto ok = runtime->cache_->import_from(options.import_cache); !ok) return ok.error();
  return runtime;
}

Runtime::~Runtime() {
  if (queue_ && !is_lost_) clFinish(queue_.get());
  for (const Launched& l : take_launched())
    if (l.event) clReleaseEvent(l.event);
  // A driver that compiles for each local size has more to cache now than when the program was built.
  for (auto& [name, built] : programs_)
    if (built.program && !is_lost_ && (!built.from_cache || facts_.vendor == Vendor::Pocl))
      if (const auto binary = binary_of(built.program.get()); !binary.empty())
        cache_->store(name.substr(0, name.find(' ')), built.key, binary);
  if (cache_ && !options_.export_cache.empty())
    if (auto ok = cache_->export_to(options_.export_cache); !ok) log(ok.error().message);
}

Status Runtime::build(Built& built, const std::string& name, const std::string& options) {
  const std::string_view text = kernel_text(name);
  if (text.empty()) return Error{fmt::format("no OpenCL program '{}'", name)};
  std::string source = kernel_prelude();
  if (options_.faults) source += options_.faults->packed_dots;
  source += text;
  if (options_.faults && options_.faults->broken_program == name)
    source += "\n#error this program was broken by a test\n";
  std::string all = options + " -cl-std=CL1.2 -cl-mad-enable";
  if (options_.precision == Precision::Normal) all += " -cl-unsafe-math-optimizations";
  if (options_.precision == Precision::Low) all += " -DSATURATE";
  if (facts_.fp64) all += " -DHAS_FP64";
  built.key = fmt::format("{}\n{}\n{:016x}", name, all, fnv1a(source));
  cl_int code = CL_SUCCESS;
  bool damaged = false;
  if (auto binary = cache_->load(name, built.key, damaged)) {
    const unsigned char* bytes = binary->data();
    const size_t size = binary->size();
    cl_int status = CL_SUCCESS;
    built.program =
        ProgramHandle(clCreateProgramWithBinary(context(), 1, &facts_.device, &size, &bytes, &status, &code));
    if (code == CL_SUCCESS && status == CL_SUCCESS &&
        clBuildProgram(built.program.get(), 1, &facts_.device, all.c_str(), nullptr, nullptr) == CL_SUCCESS) {
      built.from_cache = true;
      return {};
    }
    damaged = true;
  }
  if (damaged) log(fmt::format("the cached binary of OpenCL program '{}' is not usable; rebuilding", name));
  const char* lines = source.c_str();
  const size_t size = source.size();
  built.program = ProgramHandle(clCreateProgramWithSource(context(), 1, &lines, &size, &code));
  if (code != CL_SUCCESS) return Error{fmt::format("cannot create OpenCL program '{}': {}", name, error_name(code))};
  code = clBuildProgram(built.program.get(), 1, &facts_.device, all.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return {};
  const std::string said = build_log(built.program.get(), facts_.device);
  built.program.reset();
  return Error{fmt::format("OpenCL program '{}' ({}) does not build on {}: {}{}{}", name, all, facts_.name,
                           error_name(code), said.empty() ? "" : "; compiler log: ", said)};
}

Result<Runtime::Built*> Runtime::program(const std::string& name, const std::string& options) {
  Built& built = programs_[name + " " + options];
  if (!built.program)
    if (auto ok = build(built, name, options); !ok) return ok.error();
  return &built;
}

Result<cl_kernel> Runtime::kernel(const std::string& program_name, const std::string& options, const char* name) {
  auto built = program(program_name, options);
  if (!built) return built.error();
  KernelHandle& kernel = (*built)->kernels[name];
  if (!kernel) {
    cl_int code = CL_SUCCESS;
    kernel = KernelHandle(clCreateKernel((*built)->program.get(), name, &code));
    if (code != CL_SUCCESS) {
      (*built)->kernels.erase(name);
      return Error{fmt::format("OpenCL program '{}' has no kernel '{}': {}", program_name, name, error_name(code))};
    }
  }
  return kernel.get();
}

Status Runtime::lost(const char* what, cl_int code) {
  // After these errors the state of the device is undefined.
  if (code == CL_DEVICE_NOT_AVAILABLE || code == CL_OUT_OF_RESOURCES || code == CL_INVALID_COMMAND_QUEUE ||
      code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
    is_lost_ = true;
    return Error{fmt::format("{} is lost: {} failed with {}", facts_.name, what, error_name(code))};
  }
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY)
    return Error{fmt::format("{} is out of memory: {} failed with {}", facts_.name, what, error_name(code))};
  return Error{fmt::format("{} on {} failed with {}", what, facts_.name, error_name(code))};
}

Status Runtime::launch(cl_kernel kernel, const char* name, int dims, const size_t* global, const size_t* local) {
  if (is_lost_) return Error{fmt::format("{} is lost; reopen the backend", facts_.name)};
  if (options_.faults && used_up(options_.faults->launches)) return lost(name, CL_DEVICE_NOT_AVAILABLE);
  if (recorder_) {
    const cl_int recorded = recorder_->record(kernel, dims, global, local);
    return recorded == CL_SUCCESS ? Status() : lost(name, recorded);
  }
  cl_event event = nullptr;
  const cl_int code = clEnqueueNDRangeKernel(queue_.get(), kernel, static_cast<cl_uint>(dims), nullptr, global, local,
                                             0, nullptr, keep_ ? &event : nullptr);
  if (code != CL_SUCCESS) return lost(name, code);
  if (keep_) launched_.push_back({event, node_, 0, false, name});
  return {};
}

double Runtime::measure(cl_kernel kernel, int dims, const size_t* global, const size_t* local, int rounds) {
  double best = -1;
  if (!options_.profiling || is_lost_) return best;
  for (int i = 0; i <= rounds; ++i) {  // the first one compiles
    cl_event event = nullptr;
    if (clEnqueueNDRangeKernel(queue_.get(), kernel, static_cast<cl_uint>(dims), nullptr, global, local, 0, nullptr,
                               &event) != CL_SUCCESS)
      return -1;
    EventHandleCl held(event);
    cl_ulong begin = 0, end = 0;
    if (clWaitForEvents(1, &event) != CL_SUCCESS ||
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr) != CL_SUCCESS ||
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) != CL_SUCCESS)
      return -1;
    const double seconds = static_cast<double>(end - begin) * 1e-9;
    if (i > 0 && (best < 0 || seconds < best)) best = seconds;
  }
  return best;
}

Runtime::NewBuffer Runtime::make_buffer(Bytes bytes, cl_int& code) const {
  const auto size = static_cast<size_t>(bytes);
  if (!options_.svm) {
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (facts_.unified_memory ? CL_MEM_ALLOC_HOST_PTR : 0);
    return {MemHandle(clCreateBuffer(context(), flags, size, nullptr, &code)), nullptr};
  }
  void* shared = clSVMAlloc(context(), CL_MEM_READ_WRITE, size, 0);
  code = shared ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (!shared) return {};
  MemHandle buffer(clCreateBuffer(context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, shared, &code));
  // The driver keeps a released buffer until the commands that use it have finished, and the memory must last as long.
  struct Shared {
    ContextHandle context;
    void* memory;
  };
  clRetainContext(context());
  auto kept = std::make_unique<Shared>(Shared{ContextHandle(context()), shared});
  const auto free_shared = [](cl_mem, void* data) {
    const std::unique_ptr<Shared> gone(static_cast<Shared*>(data));
    clSVMFree(gone->context.get(), gone->memory);
  };
  if (code == CL_SUCCESS) code = clSetMemObjectDestructorCallback(buffer.get(), free_shared, kept.get());
  if (code == CL_SUCCESS) {
    kept.release();
    return {std::move(buffer), static_cast<std::byte*>(shared)};
  }
  buffer.reset();
  clSVMFree(context(), shared);
  return {};
}

void* Runtime::map(const BufferMap::Place& place, Bytes bytes, cl_map_flags how, cl_event* event, cl_int& code) {
  const auto size = static_cast<size_t>(bytes);
  if (!place.host)
    return clEnqueueMapBuffer(queue_.get(), place.buffer, CL_TRUE, how, static_cast<size_t>(place.offset), size, 0,
                              nullptr, event, &code);
  code = clEnqueueSVMMap(queue_.get(), CL_TRUE, how, place.host, size, 0, nullptr, event);
  return place.host;
}

cl_int Runtime::unmap(const BufferMap::Place& place, void* mapped) {
  return place.host ? clEnqueueSVMUnmap(queue_.get(), mapped, 0, nullptr, nullptr)
                    : clEnqueueUnmapMemObject(queue_.get(), place.buffer, mapped, 0, nullptr, nullptr);
}

Status Runtime::before_copy() {
  if (is_lost_) return Error{fmt::format("{} is lost; reopen the backend", facts_.name)};
  const cl_int code = recorder_ ? recorder_->cut() : CL_SUCCESS;
  return code == CL_SUCCESS ? Status() : lost("queueing a command buffer", code);
}

Status Runtime::write(const BufferMap::Place& to, const std::byte* from, Bytes bytes) {
  if (auto ok = before_copy(); !ok) return ok;
  cl_event event = nullptr;
  if (facts_.unified_memory || options_.svm) {
    cl_int code = CL_SUCCESS;
    void* mapped = map(to, bytes, CL_MAP_WRITE, keep_ ? &event : nullptr, code);
    if (code != CL_SUCCESS) return lost("mapping for an upload", code);
    std::memcpy(mapped, from, static_cast<size_t>(bytes));
    code = unmap(to, mapped);
    if (code != CL_SUCCESS) return lost("unmapping after an upload", code);
  } else {
    const cl_int code = clEnqueueWriteBuffer(queue_.get(), to.buffer, CL_TRUE, static_cast<size_t>(to.offset),
                                             static_cast<size_t>(bytes), from, 0, nullptr, keep_ ? &event : nullptr);
    if (code != CL_SUCCESS) return lost("an upload", code);
  }
  if (keep_) launched_.push_back({event, node_, bytes, true, "upload"});
  return {};
}

Status Runtime::read(std::byte* to, const BufferMap::Place& from, Bytes bytes) {
  if (auto ok = before_copy(); !ok) return ok;
  cl_event event = nullptr;
  if (facts_.unified_memory || options_.svm) {
    cl_int code = CL_SUCCESS;
    void* mapped = map(from, bytes, CL_MAP_READ, keep_ ? &event : nullptr, code);
    if (code != CL_SUCCESS) return lost("mapping for a download", code);
    std::memcpy(to, mapped, static_cast<size_t>(bytes));
    code = unmap(from, mapped);
    if (code != CL_SUCCESS) return lost("unmapping after a download", code);
  } else {
    const cl_int code = clEnqueueReadBuffer(queue_.get(), from.buffer, CL_TRUE, static_cast<size_t>(from.offset),
                                            static_cast<size_t>(bytes), to, 0, nullptr, keep_ ? &event : nullptr);
    if (code != CL_SUCCESS) return lost("a download", code);
  }
  if (keep_) launched_.push_back({event, node_, bytes, false, "download"});
  return {};
}

Status Runtime::finish() {
  if (is_lost_) return Error{fmt::format("{} is lost; reopen the backend", facts_.name)};
  const cl_int code = clFinish(queue_.get());
  return code == CL_SUCCESS ? Status() : lost("waiting for the queue", code);
}

std::vector<Launched> Runtime::take_launched() {
  std::vector<Launched> out;
  out.swap(launched_);
  return out;
}

}  // namespace arenascope::opencl
