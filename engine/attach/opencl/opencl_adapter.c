// SPDX-License-Identifier: MIT
// A layer of the OpenCL loader (OPENCL_LAYERS). It records buffers, images and shared virtual memory with their exact
// sizes, and queues as timeline rows with kernels and copies in device times. It enables profiling on all queues. The
// commands that a queue receives between two waits form a run of a graph, in which buffers connect kernels.
//
// Sizes are those of CL_MEM_SIZE. An object lives from its creation until the implementation destroys it (destructor
// callback), which is later than the last clReleaseMemObject() if a kernel still uses it. Objects have no addresses:
// each is shown at a virtual address.
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include "engine/attach/arenascope_client.h"

#include "engine/attach/opencl/opencl_commands.h"
#include "engine/attach/opencl/opencl_graph.h"

#define EXPORT __attribute__((visibility("default")))
#define MOST 4096

static cl_icd_dispatch layer;

static queue_info queues[MOST];
static uint32_t queue_count;
static sequence* closed;  // the program has waited for them; oldest first

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

// The newest queue with this handle, because handles may be reused.
static queue_info* queue_of(cl_command_queue handle) {
  uint32_t i;
  for (i = queue_count; i-- > 0;)
    if (queues[i].handle == handle) return queues + i;
  return NULL;
}
// The program waits for a queue: the commands enqueued so far become a sequence, which is recorded once it is done. The
// caller holds the mutex.
static void close_sequence(queue_info* q) {
  sequence **at = &closed, *s = q != NULL ? q->open : NULL;
  if (s == NULL) return;
  while (*at != NULL) at = &(*at)->next;
  *at = s;
  q->open = NULL;
}
// Records the closed sequences whose commands are done.
static void tell_done(void) {
  sequence *all, *s, *left = NULL, **tail = &left;
  pthread_mutex_lock(&mutex);
  all = closed;
  closed = NULL;
  pthread_mutex_unlock(&mutex);
  if (all == NULL) return;
  for (s = all; s != NULL; s = s->next) gather(s);
  pthread_mutex_lock(&mutex);
  while ((s = all) != NULL) {
    all = s->next;
    s->next = NULL;
    if (s->gathered == s->steps) {
      tell_sequence(s);
    } else {
      *tail = s;
      tail = &s->next;
    }
  }
  *tail = closed;
  closed = left;
  pthread_mutex_unlock(&mutex);
}
static void waited_for(cl_command_queue queue) {
  pthread_mutex_lock(&mutex);
  close_sequence(queue_of(queue));
  pthread_mutex_unlock(&mutex);
  tell_done();
}
static void waited_for_all(void) {
  uint32_t i;
  pthread_mutex_lock(&mutex);
  for (i = 0; i < queue_count; ++i) close_sequence(queues + i);
  pthread_mutex_unlock(&mutex);
  tell_done();
}
// Commands that the program never waited for may still be running.
static void at_exit(void) {
  const struct timespec pause = {0, 1000000};
  int tries;
  waited_for_all();
  for (tries = 0; tries < 100 && closed != NULL; ++tries) {
    nanosleep(&pause, NULL);
    tell_done();
  }
}
static cl_int CL_API_CALL finish(cl_command_queue queue) {
  const cl_int status = next->clFinish(queue);
  waited_for(queue);
  return status;
}
static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* list) {
  const cl_int status = next->clWaitForEvents(count, list);
  waited_for_all();
  return status;
}

// Adds a step for an enqueued command to the open sequence. The caller holds the mutex.
static int next_step(queue_info* q, const char* name) {
  int number = -1;
  if (q->open == NULL) q->open = new_sequence(q);
  if (q->open != NULL && (number = add_step(q->open, name)) < 0) {
    close_sequence(q);
    if ((q->open = new_sequence(q)) != NULL) number = add_step(q->open, name);
  }
  return number;
}
// Called after a function that enqueued a kernel or the command `name`. `own` is the event that the layer requested if
// the program did not.
static cl_int enqueued(cl_int status, cl_command_queue queue, const char* name, cl_kernel kernel, const void* reads,
                       const void* writes, cl_bool waits, int64_t before, cl_event* requested, cl_event own) {
  const cl_event event = requested != NULL ? *requested : own;
  kernel_info* k;
  queue_info* q;
  step* t = NULL;
  int i, number, others;
  if (status != CL_SUCCESS || event == NULL) return status;
  if (requested != NULL) next->clRetainEvent(event);
  pthread_mutex_lock(&mutex);
  q = queue_of(queue);
  k = kernel != NULL ? kernel_of(kernel) : NULL;
  if (q != NULL && (number = next_step(q, k != NULL ? k->name : name)) >= 0) {
    for (i = 0; k != NULL && i < ARGUMENTS; ++i)
      if (k->arguments[i] != NULL) add_use(q->open, k->arguments[i], !(k->only_read >> i & 1));
    add_use(q->open, reads, 0);
    add_use(q->open, writes, 1);
    t = q->open->step + number;
    t->event = event;
    t->before = before;
    t->after = arenascope_now();
  }
  others = closed != NULL;
  pthread_mutex_unlock(&mutex);
  if (t == NULL) next->clReleaseEvent(event);
  if (waits)
    waited_for(queue);
  else if (others)
    tell_done();
  return status;
}

static cl_int CL_API_CALL run_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                                     const size_t* global, const size_t* local, cl_uint waits, const cl_event* list,
                                     cl_event* event) {
  cl_event own = NULL, *requested = event;
  cl_int status;
  const int64_t before = arenascope_now();
  if (event == NULL && arenascope_connected()) event = &own;
  status = next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, list, event);
  if (!arenascope_connected()) return status;
  return enqueued(status, queue, "kernel", kernel, NULL, NULL, 0, before, requested, own);
}
static cl_int CL_API_CALL run_task(cl_command_queue queue, cl_kernel kernel, WAITS) {
  cl_event own = NULL, *requested = event;
  cl_int status;
  const int64_t before = arenascope_now();
  if (event == NULL && arenascope_connected()) event = &own;
  status = next->clEnqueueTask(queue, kernel, waits, list, event);
  if (!arenascope_connected()) return status;
  return enqueued(status, queue, "kernel", kernel, NULL, NULL, 0, before, requested, own);
}

// clang-format off
#define DEFINE(function, text, reads, writes, blocks, types, names) \
  static cl_int CL_API_CALL layer_##function types { \
    cl_event own = NULL, *requested = event; \
    const int64_t before = arenascope_now(); \
    cl_int status; \
    if (!arenascope_connected()) return next->function names; \
    if (event == NULL) event = &own; \
    status = next->function names; \
    return enqueued(status, queue, text, NULL, reads, writes, blocks, before, requested, own); \
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
