// SPDX-License-Identifier: MIT
// OpenCL memory objects and shared virtual memory, from creation to destruction.
#pragma once
#include "engine/attach/arenascope_client.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

static const cl_icd_dispatch* next;                        // the loader's dispatch table below this layer
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // guards all state of the adapter

// OpenCL objects have no addresses, and their handles are closer together than their sizes. Each object is assigned the
// lowest free range of a virtual address space. The ranges are sorted and disjoint. Shared virtual memory has real
// addresses.
typedef struct place {
  uint64_t begin, end;
} place;
typedef struct places {
  uint32_t space;
  int has_addresses;
  place* taken;
  size_t count, room;
} places;
#define PLACE_UNIT 4096u

typedef struct device_spaces {
  cl_device_id handle;
  uint32_t device;
  places buffers, images, svm;
} device_spaces;
static device_spaces devices[64];
static uint32_t device_count, block_count;
static arenascope_ring* memory_track;

// Keyed by handle or, for shared virtual memory, by address.
typedef struct memory {
  const void *key, *of;  // `of`: the parent object
  struct memory* next;
  places* in;
  uint64_t at;
  int64_t bytes;
  uint32_t number;
  uint32_t sequence, leaf;  // the sequence that used it last, and its leaf index there
  int is_owned;             // whether an owner was recorded
} memory;
static memory* memories[4096];

static memory** place_of(const void* key) {
  memory** at = memories + (((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 52);
  while (*at != NULL && (*at)->key != key) at = &(*at)->next;
  return at;
}
static void unlink_memory(memory* m) {
  memory** at = place_of(m->key);
  while (*at != NULL && *at != m) at = &(*at)->next;
  if (*at != NULL) *at = m->next;
}

// The caller holds the mutex.
static uint64_t take_place(places* p, int64_t bytes) {
  const uint64_t length = ((uint64_t)bytes / PLACE_UNIT + 1) * PLACE_UNIT;
  uint64_t begin = PLACE_UNIT;
  size_t i;
  if (p->count == p->room) {
    const size_t room = 2 * p->room + 64;
    place* more = (place*)realloc(p->taken, room * sizeof *more);
    if (more == NULL) return PLACE_UNIT;
    p->taken = more;
    p->room = room;
  }
  for (i = 0; i < p->count && p->taken[i].begin < begin + length; ++i) begin = p->taken[i].end;
  memmove(p->taken + i + 1, p->taken + i, (p->count - i) * sizeof *p->taken);
  p->taken[i].begin = begin;
  p->taken[i].end = begin + length;
  ++p->count;
  return begin;
}
static void leave_place(places* p, uint64_t begin) {
  size_t low = 0, high = p->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (p->taken[middle].begin < begin)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == p->count || p->taken[low].begin != begin) return;
  --p->count;
  memmove(p->taken + low, p->taken + low + 1, (p->count - low) * sizeof *p->taken);
}

static device_spaces* spaces_of_device(cl_device_id handle) {
  char name[256] = "OpenCL device", text[300];
  cl_ulong bytes = 0;
  cl_device_type type = 0;
  device_spaces* d;
  uint32_t i;
  for (i = 0; i < device_count; ++i)
    if (devices[i].handle == handle) return devices + i;
  if (device_count == sizeof devices / sizeof *devices) return devices;
  next->clGetDeviceInfo(handle, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
  next->clGetDeviceInfo(handle, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  next->clGetDeviceInfo(handle, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  d = devices + device_count++;
  d->handle = handle;
  d->device = arenascope_device(name, "opencl", (int64_t)bytes, (type & CL_DEVICE_TYPE_CPU) != 0);
  snprintf(text, sizeof text, "buffers on %s", name);
  d->buffers.space = arenascope_space(text, ARENASCOPE_DEFAULT, d->device);
  snprintf(text, sizeof text, "images on %s", name);
  d->images.space = arenascope_space(text, ARENASCOPE_DEFAULT, d->device);
  snprintf(text, sizeof text, "shared virtual memory on %s", name);
  d->svm.has_addresses = 1;
  d->svm.space = arenascope_space(text, ARENASCOPE_DEFAULT, d->device);
  if (memory_track == NULL) memory_track = arenascope_track("OpenCL memory", ARENASCOPE_OTHER, ARENASCOPE_NONE);
  return d;
}
static device_spaces* spaces_of_context(cl_context context) {
  cl_device_id known[64] = {NULL};
  if (next->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof known, known, NULL) != CL_SUCCESS) return NULL;
  return spaces_of_device(known[0]);
}

// The caller holds the mutex. A sub-object, whose parent is `of`, has no range of its own.
static memory* add_memory(const void* key, const void* of, places* in, int64_t bytes) {
  memory* m = (memory*)calloc(1, sizeof *m);
  memory** at = place_of(key);
  if (m == NULL) return NULL;
  m->key = key;
  m->of = of;
  m->next = *at;
  m->in = in;
  m->bytes = bytes;
  m->number = ++block_count;
  *at = m;
  if (of != NULL) return m;
  m->at = in->has_addresses ? (uintptr_t)key : take_place(in, bytes);
  arenascope_alloc_on(memory_track, in->space, ARENASCOPE_DEFAULT, m->at, bytes, m->number);
  return m;
}
static void drop_memory(memory* m) {
  if (m->of == NULL) arenascope_free_on(memory_track, m->in->space, ARENASCOPE_DEFAULT, m->at, m->bytes, m->number);
  if (m->of == NULL && !m->in->has_addresses) leave_place(m->in, m->at);
  unlink_memory(m);
  free(m);
}

static void CL_CALLBACK destroyed(cl_mem object, void* data) {
  (void)object;
  pthread_mutex_lock(&mutex);
  drop_memory((memory*)data);
  pthread_mutex_unlock(&mutex);
}

static cl_mem created(cl_context context, cl_mem object, int is_image) {
  size_t bytes = 0;
  cl_mem of = NULL;
  device_spaces* spaces;
  memory* m;
  if (object == NULL || !arenascope_connected()) return object;
  next->clGetMemObjectInfo(object, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL);
  next->clGetMemObjectInfo(object, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  pthread_mutex_lock(&mutex);
  spaces = spaces_of_context(context);
  if (spaces != NULL &&
      (m = add_memory(object, of, is_image ? &spaces->images : &spaces->buffers, (int64_t)bytes)) != NULL &&
      next->clSetMemObjectDestructorCallback(object, destroyed, m) != CL_SUCCESS)
    drop_memory(m);
  pthread_mutex_unlock(&mutex);
  return object;
}

// The functions that create memory objects: parameters with types, parameter names, and whether the result is an image
// with its own memory.
// clang-format off
#define FORMAT cl_mem_flags flags, const cl_image_format* format
#define CREATE(function, types, names, is_image) \
  static cl_mem CL_API_CALL layer_##function types { return created(context, next->function names, is_image); }
CREATE(clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* error),
       (context, flags, size, host, error), 0)
CREATE(clCreateBufferWithProperties,
       (cl_context context, const cl_mem_properties* p, cl_mem_flags flags, size_t size, void* host, cl_int* error),
       (context, p, flags, size, host, error), 0)
CREATE(clCreateImage, (cl_context context, FORMAT, const cl_image_desc* desc, void* host, cl_int* error),
       (context, flags, format, desc, host, error), 1)
CREATE(clCreateImageWithProperties,
       (cl_context context, const cl_mem_properties* p, FORMAT, const cl_image_desc* desc, void* host, cl_int* error),
       (context, p, flags, format, desc, host, error), 1)
CREATE(clCreateImage2D, (cl_context context, FORMAT, size_t w, size_t h, size_t pitch, void* host, cl_int* error),
       (context, flags, format, w, h, pitch, host, error), 1)
CREATE(clCreateImage3D,
       (cl_context context, FORMAT, size_t w, size_t h, size_t d, size_t row, size_t slice, void* host, cl_int* error),
       (context, flags, format, w, h, d, row, slice, host, error), 1)
// clang-format on

static cl_mem CL_API_CALL create_part(cl_mem of, cl_mem_flags flags, cl_buffer_create_type type, const void* region,
                                      cl_int* error) {
  cl_context context = NULL;
  next->clGetMemObjectInfo(of, CL_MEM_CONTEXT, sizeof context, &context, NULL);
  return created(context, next->clCreateSubBuffer(of, flags, type, region, error), 0);
}

static void* CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  void* at = next->clSVMAlloc(context, flags, size, alignment);
  device_spaces* spaces;
  if (at == NULL || !arenascope_connected()) return at;
  pthread_mutex_lock(&mutex);
  spaces = spaces_of_context(context);
  if (spaces != NULL) add_memory(at, NULL, &spaces->svm, (int64_t)size);
  pthread_mutex_unlock(&mutex);
  return at;
}
static void CL_API_CALL svm_free(cl_context context, void* at) {
  memory* m;
  pthread_mutex_lock(&mutex);
  if (at != NULL && (m = *place_of(at)) != NULL) drop_memory(m);
  pthread_mutex_unlock(&mutex);
  next->clSVMFree(context, at);
}
