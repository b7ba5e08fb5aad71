// SPDX-License-Identifier: MIT
// An OpenCL program that counts its live bytes: it prints the sum whenever an object is created or destroyed. When objects
// are destroyed depends on the implementation: a thread of its own may hold one until after clFinish(). Status 77: no OpenCL device.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long live;
static int left;
static void changed(long bytes) { printf("%ld\n", live += bytes); }
static void CL_CALLBACK destroyed(cl_mem object, void* bytes) {
  (void)object;
  changed(-(long)bytes);
  __atomic_sub_fetch(&left, 1, __ATOMIC_RELEASE);
}
static cl_mem made(cl_mem object, long bytes) {
  if (object == NULL || clSetMemObjectDestructorCallback(object, destroyed, (void*)bytes) != CL_SUCCESS) exit(5);
  __atomic_add_fetch(&left, 1, __ATOMIC_RELAXED);
  changed(bytes);
  return object;
}

int main(void) {
  static const char* text =
      "kernel void twice(global float* x, global const float* y) { x[get_global_id(0)] = 2 * y[get_global_id(0)]; }";
  const size_t count = 4096, bytes = count * sizeof(float), few = 256;
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc desc = {CL_MEM_OBJECT_IMAGE2D, 64, 32, 0, 0, 0, 0, 0, 0, {NULL}};
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem x, y, image, part;
  cl_buffer_region region = {0, 1024};
  cl_event event;
  float *values = malloc(bytes), *mapped;
  void* shared;
  size_t i;
  cl_int error;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 77;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) return 77;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  for (i = 0; i < count; ++i) values[i] = (float)i;
  x = made(clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error), (long)bytes);
  y = made(clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, values, &error), (long)bytes);
  part = clCreateSubBuffer(x, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
  if (image != NULL) made(image, 64 * 32 * 16);
  shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 10000, 0);
  if (shared != NULL) changed(10000);
  program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  if (clBuildProgram(program, 1, &device, "-cl-kernel-arg-info", NULL, NULL) != CL_SUCCESS) return 3;
  kernel = clCreateKernel(program, "twice", &error);
  clSetKernelArg(kernel, 0, sizeof x, &x);
  clSetKernelArg(kernel, 1, sizeof y, &y);
  clEnqueueWriteBuffer(queue, y, CL_FALSE, 0, bytes, values, 0, NULL, NULL);
  for (i = 0; i < 3; ++i) clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, i == 1 ? &event : NULL);
  for (i = 0; i < 3; ++i) {
    clFinish(queue);
    clSetKernelArg(kernel, 0, sizeof part, &part);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &few, NULL, 0, NULL, NULL);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &few, NULL, 0, NULL, NULL);
  }
  mapped = clEnqueueMapBuffer(queue, x, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &error);
  if (mapped == NULL || mapped[7] != 14) return 4;
  clEnqueueUnmapMemObject(queue, x, mapped, 0, NULL, NULL);
  clFinish(queue);
  clReleaseEvent(event);
  clReleaseKernel(kernel);
  if (shared != NULL) {
    clSVMFree(context, shared);
    changed(-10000);
  }
  if (image != NULL) clReleaseMemObject(image);
  clReleaseMemObject(y);
  clReleaseMemObject(part);
  clReleaseMemObject(x);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  for (i = 0; __atomic_load_n(&left, __ATOMIC_ACQUIRE) > 0 && i < 10000; ++i) usleep(1000);
  usleep(50000);  // other observers are called after this program's
  free(values);
  return 0;
}
