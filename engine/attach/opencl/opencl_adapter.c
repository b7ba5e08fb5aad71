// SPDX-License-Identifier: MIT
// A layer of the OpenCL loader (OPENCL_LAYERS): buffers, images and shared virtual memory with their exact bytes,
// queues as rows of the timeline, kernels and copies on them by the device's own clock. Queues get profiling switched on.
// What a queue is given between two waits is a run of a graph, in which buffers link kernels.
//
// Bytes are those of CL_MEM_SIZE, from creation until the implementation destroys the object (its destructor callback),
// which is later than the last clReleaseMemObject() where a kernel still uses it. Objects have no addresses: each is shown at a
// place of its own.
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include "engine/attach/arenascope_client.h"

#include "engine/attach/opencl/opencl_commands.h"
#include "engine/attach/opencl/opencl_graph.h"

#define EXPORT __attribute__((visibility("default")))
#define MOST 4096

static cl_icd_dispatch layer;

typedef struct queue_info {
  cl_command_queue handle;
  arenascope_ring* track;
  int64_t offset;  // the host's time less the device's
  int64_t doubt;   // how far it may be off
  sequence* open;  // of commands since the program last waited
} queue_info;
// Of a command, until it is done.
typedef struct command {
  cl_command_queue queue;
  sequence* of;
  int step;
  int64_t before, after;  // the call that enqueued it
} command;

static queue_info queues[MOST];
static uint32_t queue_count, pending_count;

// ---- Kernels

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* error) {
  cl_kernel kernel = next->clCreateKernel(program, name, error);
  pthread_mutex_lock(&mutex);
  if (kernel != NULL) forget_kernel(kernel);
  pthread_mutex_unlock(&mutex);
  return kernel;
}
static cl_int CL_API_CALL create_kernels(cl_program program, cl_uint count, cl_kernel* made, cl_uint* number) {
  cl_uint i, n = 0;
  const cl_int status = next->clCreateKernelsInProgram(program, count, made, &n);
  if (number != NULL) *number = n;
  pthread_mutex_lock(&mutex);
  for (i = 0; status == CL_SUCCESS && made != NULL && i < n; ++i) forget_kernel(made[i]);
  pthread_mutex_unlock(&mutex);
  return status;
}
static cl_kernel CL_API_CALL clone_kernel(cl_kernel from, cl_int* error) {
  cl_kernel kernel = next->clCloneKernel(from, error);
  kernel_info *k, *old;
  pthread_mutex_lock(&mutex);
  if (kernel != NULL && (old = kernel_of(from)) != NULL && (k = kernel_of(kernel)) != NULL) {
    memcpy(k->name, old->name, sizeof k->name);
    memcpy(k->arguments, old->arguments, sizeof k->arguments);
    k->known = old->known;
    k->only_read = old->only_read;
  }
  pthread_mutex_unlock(&mutex);
  return kernel;
}
static void argument(cl_kernel kernel, cl_uint i, const void* key) {
  pthread_mutex_lock(&mutex);
  set_argument(kernel, i, key);
  pthread_mutex_unlock(&mutex);
}
static cl_int CL_API_CALL set_kernel_arg(cl_kernel kernel, cl_uint i, size_t size, const void* value) {
  const cl_int status = next->clSetKernelArg(kernel, i, size, value);
  const void* key = NULL;
  if (status != CL_SUCCESS || !arenascope_connected()) return status;
  if (value != NULL && size == sizeof key) memcpy(&key, value, sizeof key);
  argument(kernel, i, key);
  return status;
}
static cl_int CL_API_CALL set_kernel_svm(cl_kernel kernel, cl_uint i, const void* value) {
  const cl_int status = next->clSetKernelArgSVMPointer(kernel, i, value);
  if (status == CL_SUCCESS && arenascope_connected()) argument(kernel, i, value);
  return status;
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
// The program waits for a queue: what it was given is a sequence, told of once it is done. With the mutex.
static void close_sequence(queue_info* q) {
  sequence* s = q != NULL ? q->open : NULL;
  if (s == NULL) return;
  q->open = NULL;
  s->is_closed = 1;
  if (s->pending == 0) tell_sequence(s);
}
static void close_all(void) {
  uint32_t i;
  pthread_mutex_lock(&mutex);
  for (i = 0; i < queue_count; ++i) close_sequence(queues + i);
  pthread_mutex_unlock(&mutex);
}
// What is done already may not have been heard of.
static void at_exit(void) {
  const struct timespec pause = {0, 1000000};
  int tries;
  close_all();
  for (tries = 0; tries < 100 && __atomic_load_n(&pending_count, __ATOMIC_ACQUIRE) > 0; ++tries)
    nanosleep(&pause, NULL);
}
static cl_int CL_API_CALL finish(cl_command_queue queue) {
  const cl_int status = next->clFinish(queue);
  pthread_mutex_lock(&mutex);
  close_sequence(queue_of(queue));
  pthread_mutex_unlock(&mutex);
  return status;
}
static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* list) {
  const cl_int status = next->clWaitForEvents(count, list);
  close_all();
  return status;
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
    c->of->step[c->step].begin = (int64_t)start + q->offset;
    c->of->step[c->step].end = (int64_t)end + q->offset;
  }
  --pending_count;
  if (--c->of->pending == 0 && c->of->is_closed) tell_sequence(c->of);
  pthread_mutex_unlock(&mutex);
  next->clReleaseEvent(event);
  free(c);
}

// A step for what was enqueued, in the sequence that is open. With the mutex.
static int next_step(queue_info* q, const char* name) {
  int number = -1;
  if (q->open == NULL) q->open = new_sequence(q->track);
  if (q->open != NULL && (number = add_step(q->open, name)) < 0) {
    close_sequence(q);
    if ((q->open = new_sequence(q->track)) != NULL) number = add_step(q->open, name);
  }
  return number;
}
// Behind a call that enqueued something: `own` is the event that the layer asked for where the program wanted none.
static cl_int enqueued(cl_int status, cl_command_queue queue, const char* name, kernel_info* kernel, const void* reads,
                       const void* writes, cl_bool waits, int64_t before, cl_event* wanted, cl_event own) {
  const cl_event event = wanted != NULL ? *wanted : own;
  command* c;
  queue_info* q;
  cl_uint i;
  if (status != CL_SUCCESS || event == NULL) return status;
  if (wanted != NULL) next->clRetainEvent(event);
  c = (command*)calloc(1, sizeof *c);
  pthread_mutex_lock(&mutex);
  q = queue_of(queue);
  if (c != NULL && q != NULL && (c->step = next_step(q, name)) >= 0) {
    c->of = q->open;
    ++c->of->pending;
    ++pending_count;
    for (i = 0; kernel != NULL && i < ARGUMENTS; ++i)
      if (kernel->arguments[i] != NULL) add_use(c->of, kernel->arguments[i], !(kernel->only_read >> i & 1));
    add_use(c->of, reads, 0);
    add_use(c->of, writes, 1);
    c->queue = queue;
    c->before = before;
    c->after = arenascope_now();
  }
  pthread_mutex_unlock(&mutex);
  if (c != NULL && c->of != NULL && next->clSetEventCallback(event, CL_COMPLETE, completed, c) != CL_SUCCESS)
    completed(event, -1, c);
  else if (c == NULL || c->of == NULL)
    next->clReleaseEvent(event), free(c);
  if (waits) {
    pthread_mutex_lock(&mutex);
    close_sequence(queue_of(queue));
    pthread_mutex_unlock(&mutex);
  }
  return status;
}
static kernel_info* info_of(cl_kernel handle) {
  kernel_info* k;
  pthread_mutex_lock(&mutex);
  k = kernel_of(handle);
  pthread_mutex_unlock(&mutex);
  return k;
}

static cl_int CL_API_CALL run_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                                     const size_t* global, const size_t* local, cl_uint waits, const cl_event* list,
                                     cl_event* event) {
  cl_event own = NULL, *wanted = event;
  kernel_info* k;
  cl_int status;
  const int64_t before = arenascope_now();
  if (event == NULL && arenascope_connected()) event = &own;
  status = next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, list, event);
  if (!arenascope_connected() || (k = info_of(kernel)) == NULL) return status;
  return enqueued(status, queue, k->name, k, NULL, NULL, 0, before, wanted, own);
}
static cl_int CL_API_CALL run_task(cl_command_queue queue, cl_kernel kernel, WAITS) {
  cl_event own = NULL, *wanted = event;
  kernel_info* k;
  cl_int status;
  const int64_t before = arenascope_now();
  if (event == NULL && arenascope_connected()) event = &own;
  status = next->clEnqueueTask(queue, kernel, waits, list, event);
  if (!arenascope_connected() || (k = info_of(kernel)) == NULL) return status;
  return enqueued(status, queue, k->name, k, NULL, NULL, 0, before, wanted, own);
}

// clang-format off
#define DEFINE(function, text, reads, writes, blocks, types, names) \
  static cl_int CL_API_CALL layer_##function types { \
    cl_event own = NULL, *wanted = event; \
    const int64_t before = arenascope_now(); \
    cl_int status; \
    if (!arenascope_connected()) return next->function names; \
    if (event == NULL) event = &own; \
    status = next->function names; \
    return enqueued(status, queue, text, NULL, reads, writes, blocks, before, wanted, own); \
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
  if (on)
    enqueued(out != NULL ? CL_SUCCESS : CL_MAP_FAILURE, queue, "map buffer", NULL, b, NULL, wait, before, event, own);
  return out;
}
static void* CL_API_CALL map_image(cl_command_queue queue, cl_mem i, cl_bool wait, cl_map_flags flags, sizes at,
                                   sizes region, size_t* row, size_t* slice, WAITS, cl_int* error) {
  cl_event own = NULL;
  const int64_t before = arenascope_now();
  const int on = arenascope_connected();
  void* out = next->clEnqueueMapImage(queue, i, wait, flags, at, region, row, slice, waits, list,
                                      event == NULL && on ? &own : event, error);
  if (on)
    enqueued(out != NULL ? CL_SUCCESS : CL_MAP_FAILURE, queue, "map image", NULL, i, NULL, wait, before, event, own);
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
  layer.clCreateSubBuffer = create_part;
  layer.clSVMAlloc = svm_alloc;
  layer.clSVMFree = svm_free;
  layer.clCreateCommandQueue = create_queue;
  layer.clCreateCommandQueueWithProperties = create_queue_with;
  layer.clCreateKernel = create_kernel;
  layer.clCreateKernelsInProgram = create_kernels;
  layer.clCloneKernel = clone_kernel;
  layer.clSetKernelArg = set_kernel_arg;
  layer.clSetKernelArgSVMPointer = set_kernel_svm;
  layer.clFinish = finish;
  layer.clWaitForEvents = wait_for_events;
  layer.clEnqueueNDRangeKernel = run_kernel;
  layer.clEnqueueTask = run_task;
  layer.clEnqueueMapBuffer = map_buffer;
  layer.clEnqueueMapImage = map_image;
#define PUT(function, text, reads, writes, blocks, types, names) layer.function = layer_##function;
  COMMANDS(PUT)
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target, cl_uint* entries_out,
                                                   const cl_icd_dispatch** out) {
  if (target == NULL || entries_out == NULL || out == NULL) return CL_INVALID_VALUE;
  if (entries < sizeof layer / sizeof(void*)) return CL_INVALID_VALUE;  // an older loader
  if (arenascope_connect(NULL) < 0) fprintf(stderr, "arenascope: %s\n", arenascope_error());
  atexit(at_exit);
  next = target;
  layer = *target;
  put_in_place();
  *out = &layer;
  *entries_out = sizeof layer / sizeof(void*);
  return CL_SUCCESS;
}
