// SPDX-License-Identifier: MIT
// A layer of the OpenCL loader (OPENCL_LAYERS): buffers, images and shared virtual memory with their exact bytes,
// queues as rows of the timeline, kernels and copies on them by the device's own clock. Queues get profiling switched on.
//
// Bytes are those of CL_MEM_SIZE, from creation until the implementation destroys the object (its destructor callback),
// which is later than the last clReleaseMemObject() where a kernel still uses it. An object's address is its handle.
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include "engine/attach/arenascope_client.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#define EXPORT __attribute__((visibility("default")))
#define MOST 4096

static const cl_icd_dispatch* next;
static cl_icd_dispatch layer;

typedef struct queue_info {
  cl_command_queue handle;
  arenascope_ring* track;
  int64_t offset;  // the host's time less the device's
  int64_t doubt;   // how far it may be off
} queue_info;
typedef struct device_spaces {
  cl_device_id handle;
  uint32_t device, buffers, images, svm;
} device_spaces;
typedef struct svm_block {
  void* at;
  int64_t bytes;
  uint32_t space, number;
} svm_block;
// Of a memory object, until it is destroyed; of a command, until it is done.
typedef struct memory {
  int64_t bytes;
  uint64_t address;
  uint32_t space, number;
} memory;
typedef struct command {
  cl_command_queue queue;
  uint32_t name;
  int64_t before, after;  // the call that enqueued it
} command;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // of what follows
static queue_info queues[MOST];
static device_spaces devices[64];
static svm_block svm_blocks[MOST];
static uint32_t queue_count, device_count, svm_count, block_count;
static arenascope_ring* memory_track;

// ---- Devices and memory

// With the mutex.
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
  d->buffers = arenascope_space(text, ARENASCOPE_DEFAULT, d->device);
  snprintf(text, sizeof text, "images on %s", name);
  d->images = arenascope_space(text, ARENASCOPE_DEFAULT, d->device);
  snprintf(text, sizeof text, "shared virtual memory on %s", name);
  d->svm = arenascope_space(text, ARENASCOPE_DEFAULT, d->device);
  if (memory_track == NULL) memory_track = arenascope_track("OpenCL memory", ARENASCOPE_OTHER, ARENASCOPE_NONE);
  return d;
}
static device_spaces* spaces_of_context(cl_context context) {
  cl_device_id known[64] = {NULL};
  if (next->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof known, known, NULL) != CL_SUCCESS) return NULL;
  return spaces_of_device(known[0]);
}

static void CL_CALLBACK destroyed(cl_mem object, void* data) {
  memory* m = (memory*)data;
  (void)object;
  pthread_mutex_lock(&mutex);
  arenascope_free_on(memory_track, m->space, ARENASCOPE_DEFAULT, m->address, m->bytes, m->number);
  pthread_mutex_unlock(&mutex);
  free(m);
}

static cl_mem created(cl_context context, cl_mem object, int is_image) {
  size_t bytes = 0;
  cl_mem of = NULL;
  device_spaces* spaces;
  memory* m;
  if (object == NULL || !arenascope_connected() || (m = (memory*)calloc(1, sizeof *m)) == NULL) return object;
  next->clGetMemObjectInfo(object, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL);
  next->clGetMemObjectInfo(object, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  if (of != NULL) bytes = 0;  // they are another object's
  m->bytes = (int64_t)bytes;
  m->address = (uint64_t)(uintptr_t)object;
  pthread_mutex_lock(&mutex);
  spaces = spaces_of_context(context);
  m->space = spaces == NULL ? 0 : is_image ? spaces->images : spaces->buffers;
  m->number = ++block_count;
  if (spaces == NULL || next->clSetMemObjectDestructorCallback(object, destroyed, m) != CL_SUCCESS) {
    free(m);
  } else {
    arenascope_alloc_on(memory_track, m->space, ARENASCOPE_DEFAULT, m->address, m->bytes, m->number);
  }
  pthread_mutex_unlock(&mutex);
  return object;
}

// What makes a memory object: parameters with their types and without, and whether it is an image with bytes of its own.
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

static void* CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  void* at = next->clSVMAlloc(context, flags, size, alignment);
  device_spaces* spaces;
  if (at == NULL || !arenascope_connected()) return at;
  pthread_mutex_lock(&mutex);
  spaces = spaces_of_context(context);
  if (spaces != NULL && svm_count < MOST) {
    svm_block* b = svm_blocks + svm_count++;
    b->at = at;
    b->bytes = (int64_t)size;
    b->space = spaces->svm;
    b->number = ++block_count;
    arenascope_alloc_on(memory_track, b->space, ARENASCOPE_DEFAULT, (uint64_t)(uintptr_t)at, b->bytes, b->number);
  }
  pthread_mutex_unlock(&mutex);
  return at;
}
static void CL_API_CALL svm_free(cl_context context, void* at) {
  uint32_t i;
  pthread_mutex_lock(&mutex);
  for (i = 0; i < svm_count; ++i) {
    svm_block* b = svm_blocks + i;
    if (b->at != at) continue;
    arenascope_free_on(memory_track, b->space, ARENASCOPE_DEFAULT, (uint64_t)(uintptr_t)at, b->bytes, b->number);
    *b = svm_blocks[--svm_count];
    break;
  }
  pthread_mutex_unlock(&mutex);
  next->clSVMFree(context, at);
}

// ---- Queues

static cl_command_queue opened(cl_command_queue handle, cl_device_id device) {
  char name[64];
  if (handle == NULL || !arenascope_connected()) return handle;
  pthread_mutex_lock(&mutex);
  if (queue_count < MOST) {
    queue_info* q = queues + queue_count;
    snprintf(name, sizeof name, "OpenCL queue %u", queue_count);
    q->handle = handle;
    q->track = arenascope_track(name, ARENASCOPE_DEVICE_QUEUE, spaces_of_device(device)->device);
    q->doubt = INT64_MAX;
    ++queue_count;
  }
  pthread_mutex_unlock(&mutex);
  return handle;
}
static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties, cl_int* error) {
  return opened(next->clCreateCommandQueue(context, device, properties | CL_QUEUE_PROFILING_ENABLE, error), device);
}
static cl_command_queue CL_API_CALL create_queue_with(cl_context context, cl_device_id device,
                                                      const cl_queue_properties* properties, cl_int* error) {
  cl_queue_properties all[64];
  size_t n = 0;
  int found = 0;
  for (; properties != NULL && properties[n] != 0 && n + 4 < sizeof all / sizeof *all; n += 2) {
    all[n] = properties[n];
    all[n + 1] = properties[n + 1];
    if (all[n] != CL_QUEUE_PROPERTIES) continue;
    if ((all[n + 1] & CL_QUEUE_ON_DEVICE) == 0) all[n + 1] |= CL_QUEUE_PROFILING_ENABLE;
    found = 1;
  }
  if (!found) {
    all[n++] = CL_QUEUE_PROPERTIES;
    all[n++] = CL_QUEUE_PROFILING_ENABLE;
  }
  all[n] = 0;
  return opened(next->clCreateCommandQueueWithProperties(context, device, all, error), device);
}

// ---- Commands

// The newest of that handle: an old one's may be used again.
static queue_info* queue_of(cl_command_queue handle) {
  uint32_t i;
  for (i = queue_count; i-- > 0;)
    if (queues[i].handle == handle) return queues + i;
  return NULL;
}

static int profile(cl_event event, cl_profiling_info what, cl_ulong* time) {
  return next->clGetEventProfilingInfo(event, what, sizeof *time, time, NULL) == CL_SUCCESS;
}
static void CL_CALLBACK completed(cl_event event, cl_int status, void* data) {
  command* c = (command*)data;
  cl_ulong queued = 0, start = 0, end = 0;
  queue_info* q;
  const int known = status == CL_COMPLETE && profile(event, CL_PROFILING_COMMAND_QUEUED, &queued) &&
                    profile(event, CL_PROFILING_COMMAND_START, &start) &&
                    profile(event, CL_PROFILING_COMMAND_END, &end);
  pthread_mutex_lock(&mutex);
  q = queue_of(c->queue);
  if (known && q != NULL && start <= end) {
    // It was queued while its call went on: the shorter the call, the better is known how the clocks differ.
    if (c->after - c->before < q->doubt) {
      q->doubt = c->after - c->before;
      q->offset = c->before + q->doubt / 2 - (int64_t)queued;
    }
    arenascope_span_on(q->track, c->name, (int64_t)start + q->offset, (int64_t)end + q->offset, 0);
  }
  pthread_mutex_unlock(&mutex);
  next->clReleaseEvent(event);
  free(c);
}

// Behind a call that enqueued something: `own` is the event that the layer asked for where the program wanted none.
static cl_int enqueued(cl_int status, cl_command_queue queue, const char* name, int64_t before, cl_event* wanted,
                       cl_event own) {
  const cl_event event = wanted != NULL ? *wanted : own;
  command* c;
  if (status != CL_SUCCESS || event == NULL) return status;
  if (wanted != NULL) next->clRetainEvent(event);
  c = (command*)malloc(sizeof *c);
  if (c != NULL) {
    c->queue = queue;
    c->name = arenascope_name(name);
    c->before = before;
    c->after = arenascope_now();
    if (next->clSetEventCallback(event, CL_COMPLETE, completed, c) == CL_SUCCESS) return status;
    free(c);
  }
  next->clReleaseEvent(event);
  return status;
}

static cl_int CL_API_CALL run_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                                     const size_t* global, const size_t* local, cl_uint waits, const cl_event* list,
                                     cl_event* event) {
  char name[256] = "kernel";
  cl_event own = NULL;
  cl_int status;
  const int64_t before = arenascope_now();
  if (!arenascope_connected())
    return next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, list, event);
  next->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
  status = next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, list,
                                        event != NULL ? event : &own);
  return enqueued(status, queue, name, before, event, own);
}

#define WAITS cl_uint waits, const cl_event *list, cl_event *event
typedef const size_t* sizes;
// Commands: the function in the dispatch table, what it is called, its parameters with their types, and without.
// clang-format off
#define COMMANDS(COMMAND) \
  COMMAND(clEnqueueReadBuffer, "read buffer", (cl_command_queue queue, cl_mem b, cl_bool wait, size_t at, size_t \
    size, void* to, WAITS), (queue, b, wait, at, size, to, waits, list, event)) \
  COMMAND(clEnqueueWriteBuffer, "write buffer", (cl_command_queue queue, cl_mem b, cl_bool wait, size_t at, \
    size_t size, const void* from, WAITS), (queue, b, wait, at, size, from, waits, list, event)) \
  COMMAND(clEnqueueCopyBuffer, "copy buffer", (cl_command_queue queue, cl_mem a, cl_mem b, size_t from, size_t \
    to, size_t size, WAITS), (queue, a, b, from, to, size, waits, list, event)) \
  COMMAND(clEnqueueFillBuffer, "fill buffer", (cl_command_queue queue, cl_mem b, const void* pattern, size_t \
    length, size_t at, size_t size, WAITS), (queue, b, pattern, length, at, size, waits, list, event)) \
  COMMAND(clEnqueueReadBufferRect, "read buffer", (cl_command_queue queue, cl_mem b, cl_bool wait, sizes at, \
    sizes to, sizes region, size_t row, size_t slice, size_t host_row, size_t host_slice, void* host, WAITS), \
    (queue, b, wait, at, to, region, row, slice, host_row, host_slice, host, waits, list, event)) \
  COMMAND(clEnqueueWriteBufferRect, "write buffer", (cl_command_queue queue, cl_mem b, cl_bool wait, sizes at, \
    sizes from, sizes region, size_t row, size_t slice, size_t host_row, size_t host_slice, const void* host, \
    WAITS), (queue, b, wait, at, from, region, row, slice, host_row, host_slice, host, waits, list, event)) \
  COMMAND(clEnqueueCopyBufferRect, "copy buffer", (cl_command_queue queue, cl_mem a, cl_mem b, sizes from, sizes \
    to, sizes region, size_t row, size_t slice, size_t to_row, size_t to_slice, WAITS), (queue, a, b, from, to, \
    region, row, slice, to_row, to_slice, waits, list, event)) \
  COMMAND(clEnqueueReadImage, "read image", (cl_command_queue queue, cl_mem i, cl_bool wait, sizes at, sizes \
    region, size_t row, size_t slice, void* to, WAITS), (queue, i, wait, at, region, row, slice, to, waits, \
    list, event)) \
  COMMAND(clEnqueueWriteImage, "write image", (cl_command_queue queue, cl_mem i, cl_bool wait, sizes at, sizes \
    region, size_t row, size_t slice, const void* from, WAITS), (queue, i, wait, at, region, row, slice, from, \
    waits, list, event)) \
  COMMAND(clEnqueueFillImage, "fill image", (cl_command_queue queue, cl_mem i, const void* color, sizes at, \
    sizes region, WAITS), (queue, i, color, at, region, waits, list, event)) \
  COMMAND(clEnqueueCopyImage, "copy image", (cl_command_queue queue, cl_mem a, cl_mem b, sizes from, sizes to, \
    sizes region, WAITS), (queue, a, b, from, to, region, waits, list, event)) \
  COMMAND(clEnqueueCopyImageToBuffer, "copy image", (cl_command_queue queue, cl_mem a, cl_mem b, sizes from, \
    sizes region, size_t to, WAITS), (queue, a, b, from, region, to, waits, list, event)) \
  COMMAND(clEnqueueCopyBufferToImage, "copy buffer", (cl_command_queue queue, cl_mem a, cl_mem b, size_t from, \
    sizes to, sizes region, WAITS), (queue, a, b, from, to, region, waits, list, event)) \
  COMMAND(clEnqueueUnmapMemObject, "unmap", (cl_command_queue queue, cl_mem b, void* at, WAITS), (queue, b, at, \
    waits, list, event)) \
  COMMAND(clEnqueueTask, "task", (cl_command_queue queue, cl_kernel kernel, WAITS), (queue, kernel, waits, list, \
    event))
#define DEFINE(function, text, types, names) \
  static cl_int CL_API_CALL layer_##function types { \
    cl_event own = NULL, *wanted = event; \
    const int64_t before = arenascope_now(); \
    cl_int status; \
    if (!arenascope_connected()) return next->function names; \
    if (event == NULL) event = &own; \
    status = next->function names; \
    return enqueued(status, queue, text, before, wanted, own); \
  }
COMMANDS(DEFINE)
// clang-format on

static void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem b, cl_bool wait, cl_map_flags flags, size_t at,
                                    size_t size, WAITS, cl_int* error) {
  cl_event own = NULL;
  const int64_t before = arenascope_now();
  const int on = arenascope_connected();
  void* out =
      next->clEnqueueMapBuffer(queue, b, wait, flags, at, size, waits, list, event == NULL && on ? &own : event, error);
  if (on) enqueued(out != NULL ? CL_SUCCESS : CL_MAP_FAILURE, queue, "map buffer", before, event, own);
  return out;
}
static void* CL_API_CALL map_image(cl_command_queue queue, cl_mem i, cl_bool wait, cl_map_flags flags, sizes at,
                                   sizes region, size_t* row, size_t* slice, WAITS, cl_int* error) {
  cl_event own = NULL;
  const int64_t before = arenascope_now();
  const int on = arenascope_connected();
  void* out = next->clEnqueueMapImage(queue, i, wait, flags, at, region, row, slice, waits, list,
                                      event == NULL && on ? &own : event, error);
  if (on) enqueued(out != NULL ? CL_SUCCESS : CL_MAP_FAILURE, queue, "map image", before, event, own);
  return out;
}

// ---- The layer

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void* value, size_t* needed) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const char* name = "Arenascope";
  const void* from = what == CL_LAYER_NAME ? (const void*)name : (const void*)&version;
  const size_t bytes = what == CL_LAYER_NAME ? strlen(name) + 1 : sizeof version;
  if (what != CL_LAYER_NAME && what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (value != NULL && size < bytes) return CL_INVALID_VALUE;
  if (value != NULL) memcpy(value, from, bytes);
  if (needed != NULL) *needed = bytes;
  return CL_SUCCESS;
}

static void put_in_place(void) {
  layer.clCreateBuffer = layer_clCreateBuffer;
  layer.clCreateBufferWithProperties = layer_clCreateBufferWithProperties;
  layer.clCreateImage = layer_clCreateImage;
  layer.clCreateImageWithProperties = layer_clCreateImageWithProperties;
  layer.clCreateImage2D = layer_clCreateImage2D;
  layer.clCreateImage3D = layer_clCreateImage3D;
  layer.clSVMAlloc = svm_alloc;
  layer.clSVMFree = svm_free;
  layer.clCreateCommandQueue = create_queue;
  layer.clCreateCommandQueueWithProperties = create_queue_with;
  layer.clEnqueueNDRangeKernel = run_kernel;
  layer.clEnqueueMapBuffer = map_buffer;
  layer.clEnqueueMapImage = map_image;
#define PUT(function, text, types, names) layer.function = layer_##function;
  COMMANDS(PUT)
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target, cl_uint* entries_out,
                                                   const cl_icd_dispatch** out) {
  if (target == NULL || entries_out == NULL || out == NULL) return CL_INVALID_VALUE;
  if (entries < sizeof layer / sizeof(void*)) return CL_INVALID_VALUE;  // an older loader
  if (arenascope_connect(NULL) < 0) fprintf(stderr, "arenascope: %s\n", arenascope_error());
  next = target;
  layer = *target;
  put_in_place();
  *out = &layer;
  *entries_out = sizeof layer / sizeof(void*);
  return CL_SUCCESS;
}
