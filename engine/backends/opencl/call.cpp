// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/call.h"

#include <algorithm>

#include <fmt/format.h>

namespace arenascope::opencl {

size_t default_group(const DeviceFacts& facts) { return std::min<size_t>(64, facts.max_work_group); }

Result<Operand> operand(KernelContext& ctx, const TensorImpl& tensor) {
  // An empty tensor is not read, but the kernel needs a buffer.
  if (tensor.element_count() == 0) return Operand{ctx.problem, 0};
  if (!tensor.storage.allocated()) return Error{fmt::format("'{}' has no memory", tensor.name)};
  if (tensor.storage.device().type != DeviceType::OpenCl)
    return Error{
        fmt::format("'{}' is on {}, not on the OpenCL device", tensor.name, to_string(tensor.storage.device()))};
  auto place = ctx.runtime.buffers().slice(tensor.storage.data(), tensor.storage.bytes(), ctx.alignment);
  if (!place) return place.error();
  const DTypeInfo& type = info(tensor.dtype);
  if (place->offset % type.block_bytes != 0)
    return Error{fmt::format("'{}' has offset {} in its buffer, which is not a multiple of its element size",
                             tensor.name, place->offset)};
  return Operand{place->buffer, tensor.offset + place->offset / type.block_bytes * type.block_elements};
}

Call::Call(KernelContext& ctx, const char* program, const std::string& options, const char* kernel)
    : ctx_(ctx), name_(std::string(program) + "." + kernel + options), kernel_name_(kernel) {
  auto found = ctx.runtime.kernel(program, options, kernel);
  if (found)
    kernel_ = *found;
  else
    status_ = found.error();
}

void Call::set(size_t bytes, const void* value) {
  if (!status_) return;
  if (const cl_int code = clSetKernelArg(kernel_, next_, bytes, value); code != CL_SUCCESS)
    status_ = Error{fmt::format("cannot set argument {} of kernel {}: {}", next_, kernel_name_, error_name(code))};
  ++next_;
}

Call& Call::tensor(const TensorImpl& tensor, Layout layout) {
  if (!status_) return *this;
  auto found = operand(ctx_, tensor);
  if (!found) {
    status_ = found.error();
    return *this;
  }
  layout.offset += found->offset;
  return buffer(found->buffer).arg(layout);
}

Call& Call::flat(const TensorImpl& tensor) {
  if (!status_) return *this;
  auto found = operand(ctx_, tensor);
  if (!found) {
    status_ = found.error();
    return *this;
  }
  return buffer(found->buffer).arg(static_cast<cl_int>(found->offset));
}

Call& Call::buffer(cl_mem buffer) {
  set(sizeof buffer, &buffer);
  return *this;
}

Call& Call::image(const Storage& storage) {
  if (!status_) return *this;
  auto found = ctx_.runtime.buffers().find(storage.data());
  if (!found)
    status_ = found.error();
  else
    buffer(found->buffer);
  return *this;
}

Call& Call::scratch(const std::byte* place, Bytes bytes) {
  if (!status_) return *this;
  auto found = ctx_.runtime.buffers().slice(place, bytes, ctx_.alignment);
  if (!found)
    status_ = found.error();
  else if (found->offset != 0)
    status_ =
        Error{fmt::format("scratch for {} is not aligned to the device's {} bytes", kernel_name_, ctx_.alignment)};
  else
    buffer(found->buffer);
  return *this;
}

Call& Call::local(size_t bytes) {
  set(bytes, nullptr);
  return *this;
}

Status Call::items(int64_t count, size_t group) {
  if (!status_ || count <= 0) return status_;
  if (group == 0) group = default_group(ctx_.runtime.facts());
  const size_t global = (static_cast<size_t>(count) + group - 1) / group * group;
  return ctx_.runtime.launch(kernel_, kernel_name_, 1, &global, &group);
}

Status Call::groups(int64_t count, size_t group) {
  if (!status_ || count <= 0) return status_;
  const size_t global = static_cast<size_t>(count) * group;
  return ctx_.runtime.launch(kernel_, kernel_name_, 1, &global, &group);
}

Status Call::grid(std::initializer_list<int64_t> counts, std::initializer_list<size_t> local_size) {
  if (!status_) return status_;
  size_t sizes[3] = {1, 1, 1}, local[3] = {1, 1, 1}, global[3];
  std::copy(counts.begin(), counts.end(), sizes);
  for (size_t s : sizes)
    if (s == 0) return {};
  const int dims = static_cast<int>(counts.size());
  if (local_size.size() > 0)
    std::copy(local_size.begin(), local_size.end(), local);
  else
    ctx_.tuner.choose(ctx_.runtime, kernel_, name_, dims, sizes, local);
  for (int d = 0; d < 3; ++d) global[d] = (sizes[d] + local[d] - 1) / local[d] * local[d];
  return ctx_.runtime.launch(kernel_, kernel_name_, dims, global, local);
}

}  // namespace arenascope::opencl
