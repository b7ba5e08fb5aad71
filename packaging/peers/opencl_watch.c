// SPDX-License-Identifier: MIT
// Preloaded into an OpenCL program: counts live bytes independently of Arenascope's layer and writes the sum, as eight
// bytes, to $OPENCL_WATCH after each creation or destruction of a memory object.
//
//     cc -O2 -shared -fPIC opencl_watch.c -o opencl_watch.so -lOpenCL -ldl
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t live;
static FILE* out;

static void changed(int64_t bytes) {
  const char* path = getenv("OPENCL_WATCH");
  pthread_mutex_lock(&mutex);
  if (out == NULL && path != NULL && (out = fopen(path, "wb")) != NULL) setvbuf(out, NULL, _IONBF, 0);
  live += bytes;
  if (out != NULL) fwrite(&live, sizeof live, 1, out);
  pthread_mutex_unlock(&mutex);
}
static void CL_CALLBACK destroyed(cl_mem object, void* bytes) {
  (void)object;
  changed(-(int64_t)(intptr_t)bytes);
}
static cl_mem made(cl_mem object) {
  size_t bytes = 0;
  cl_mem of = NULL;
  if (object == NULL) return object;
  clGetMemObjectInfo(object, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL);
  clGetMemObjectInfo(object, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  if (of != NULL) return object;  // a sub-buffer has no memory of its own
  changed((int64_t)bytes);
  clSetMemObjectDestructorCallback(object, destroyed, (void*)(intptr_t)bytes);
  return object;
}

#define WRAP(function, types, names)              \
  cl_mem function types {                         \
    cl_mem(*real) types = NULL;                   \
    *(void**)&real = dlsym(RTLD_NEXT, #function); \
    return made(real names);                      \
  }
// clang-format off
#define FORMAT cl_mem_flags flags, const cl_image_format* format
WRAP(clCreateBuffer, (cl_context c, cl_mem_flags flags, size_t size, void* host, cl_int* error), (c, flags, size, host, error))
WRAP(clCreateBufferWithProperties, (cl_context c, const cl_mem_properties* p, cl_mem_flags flags, size_t size, void* host,
     cl_int* error), (c, p, flags, size, host, error))
WRAP(clCreateImage, (cl_context c, FORMAT, const cl_image_desc* desc, void* host, cl_int* error),
     (c, flags, format, desc, host, error))
WRAP(clCreateImageWithProperties, (cl_context c, const cl_mem_properties* p, FORMAT, const cl_image_desc* desc, void* host,
     cl_int* error), (c, p, flags, format, desc, host, error))
WRAP(clCreateImage2D, (cl_context c, FORMAT, size_t w, size_t h, size_t pitch, void* host, cl_int* error),
     (c, flags, format, w, h, pitch, host, error))
WRAP(clCreateImage3D, (cl_context c, FORMAT, size_t w, size_t h, size_t d, size_t row, size_t slice, void* host,
     cl_int* error), (c, flags, format, w, h, d, row, slice, host, error))
// clang-format on
