// SPDX-License-Identifier: MIT
// Queue commands that copy, fill or map memory.
#pragma once
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#define WAITS cl_uint waits, const cl_event *list, cl_event *event
typedef const size_t* sizes;
// For each command: its function in the dispatch table, its displayed name, the memory that it reads, the memory that
// it writes, whether it may block, its parameters with types, and its parameter names.
// clang-format off
#define COMMANDS(COMMAND) \
  COMMAND(clEnqueueReadBuffer, "read buffer", b, NULL, wait, (cl_command_queue queue, cl_mem b, cl_bool wait, \
    size_t at, size_t size, void* to, WAITS), (queue, b, wait, at, size, to, waits, list, event)) \
  COMMAND(clEnqueueWriteBuffer, "write buffer", NULL, b, wait, (cl_command_queue queue, cl_mem b, cl_bool wait, \
    size_t at, size_t size, const void* from, WAITS), (queue, b, wait, at, size, from, waits, list, event)) \
  COMMAND(clEnqueueCopyBuffer, "copy buffer", a, b, 0, (cl_command_queue queue, cl_mem a, cl_mem b, size_t from, \
    size_t to, size_t size, WAITS), (queue, a, b, from, to, size, waits, list, event)) \
  COMMAND(clEnqueueFillBuffer, "fill buffer", NULL, b, 0, (cl_command_queue queue, cl_mem b, const void* pattern, \
    size_t length, size_t at, size_t size, WAITS), (queue, b, pattern, length, at, size, waits, list, event)) \
  COMMAND(clEnqueueReadBufferRect, "read buffer", b, NULL, wait, (cl_command_queue queue, cl_mem b, cl_bool wait, \
    sizes at, sizes to, sizes region, size_t row, size_t slice, size_t host_row, size_t host_slice, void* host, \
    WAITS), (queue, b, wait, at, to, region, row, slice, host_row, host_slice, host, waits, list, event)) \
  COMMAND(clEnqueueWriteBufferRect, "write buffer", NULL, b, wait, (cl_command_queue queue, cl_mem b, cl_bool wait, \
    sizes at, sizes from, sizes region, size_t row, size_t slice, size_t host_row, size_t host_slice, const void* \
    host, WAITS), (queue, b, wait, at, from, region, row, slice, host_row, host_slice, host, waits, list, event)) \
  COMMAND(clEnqueueCopyBufferRect, "copy buffer", a, b, 0, (cl_command_queue queue, cl_mem a, cl_mem b, sizes \
    from, sizes to, sizes region, size_t row, size_t slice, size_t to_row, size_t to_slice, WAITS), (queue, a, b, \
    from, to, region, row, slice, to_row, to_slice, waits, list, event)) \
  COMMAND(clEnqueueReadImage, "read image", i, NULL, wait, (cl_command_queue queue, cl_mem i, cl_bool wait, sizes \
    at, sizes region, size_t row, size_t slice, void* to, WAITS), (queue, i, wait, at, region, row, slice, to, \
    waits, list, event)) \
  COMMAND(clEnqueueWriteImage, "write image", NULL, i, wait, (cl_command_queue queue, cl_mem i, cl_bool wait, \
    sizes at, sizes region, size_t row, size_t slice, const void* from, WAITS), (queue, i, wait, at, region, row, \
    slice, from, waits, list, event)) \
  COMMAND(clEnqueueFillImage, "fill image", NULL, i, 0, (cl_command_queue queue, cl_mem i, const void* color, \
    sizes at, sizes region, WAITS), (queue, i, color, at, region, waits, list, event)) \
  COMMAND(clEnqueueCopyImage, "copy image", a, b, 0, (cl_command_queue queue, cl_mem a, cl_mem b, sizes from, \
    sizes to, sizes region, WAITS), (queue, a, b, from, to, region, waits, list, event)) \
  COMMAND(clEnqueueCopyImageToBuffer, "copy image", a, b, 0, (cl_command_queue queue, cl_mem a, cl_mem b, sizes \
    from, sizes region, size_t to, WAITS), (queue, a, b, from, region, to, waits, list, event)) \
  COMMAND(clEnqueueCopyBufferToImage, "copy buffer", a, b, 0, (cl_command_queue queue, cl_mem a, cl_mem b, size_t \
    from, sizes to, sizes region, WAITS), (queue, a, b, from, to, region, waits, list, event)) \
  COMMAND(clEnqueueUnmapMemObject, "unmap", NULL, b, 0, (cl_command_queue queue, cl_mem b, void* at, WAITS), \
    (queue, b, at, waits, list, event))
// clang-format on
