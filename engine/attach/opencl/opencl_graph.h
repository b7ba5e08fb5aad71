// SPDX-License-Identifier: MIT
// Represents the commands that an OpenCL program enqueues between two waits for a queue as a run of a graph. Commands
// are nodes, and their buffer arguments connect them. A node that writes into a buffer is a view of it that computes.
// Sequences of the same commands that use buffers of the same sizes in the same way are runs of one graph. All functions
// except gather() require the adapter's mutex.
#pragma once
#include "engine/attach/opencl/opencl_memory.h"

#define ARGUMENTS 32  // maximum number of kernel arguments examined
#define STEPS 1024    // maximum length of a sequence
#define GRAPHS 512

// ---- Kernels and their arguments

typedef struct kernel_info {
  cl_kernel handle;
  struct kernel_info* next;
  char name[96];
  uint32_t known, only_read;         // bit sets of arguments
  const void* arguments[ARGUMENTS];  // the memory of each argument, by key
} kernel_info;
static kernel_info* kernels[1024];

static kernel_info* kernel_of(cl_kernel handle) {
  kernel_info** at = kernels + (((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 54);
  while (*at != NULL && (*at)->handle != handle) at = &(*at)->next;
  if (*at == NULL && (*at = (kernel_info*)calloc(1, sizeof **at)) != NULL) (*at)->handle = handle;
  if (*at != NULL && (*at)->name[0] == 0 &&
      next->clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, sizeof(*at)->name - 1, (*at)->name, NULL) != CL_SUCCESS)
    strcpy((*at)->name, "kernel");
  return *at;
}
// A handle may be reused for another kernel.
static void forget_kernel(cl_kernel handle) {
  kernel_info* k = kernel_of(handle);
  if (k == NULL) return;
  k->name[0] = 0;
  k->known = k->only_read = 0;
  memset(k->arguments, 0, sizeof k->arguments);
}
static void set_argument(cl_kernel handle, cl_uint i, const void* key) {
  kernel_info* k = i < ARGUMENTS ? kernel_of(handle) : NULL;
  cl_kernel_arg_type_qualifier type = 0;
  cl_kernel_arg_address_qualifier where = 0;
  cl_kernel_arg_access_qualifier access = 0;
  if (k == NULL) return;
  k->arguments[i] = key != NULL && *place_of(key) != NULL ? key : NULL;
  if (k->arguments[i] == NULL || (k->known >> i & 1)) return;
  k->known |= 1u << i;
  next->clGetKernelArgInfo(handle, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL);
  next->clGetKernelArgInfo(handle, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof where, &where, NULL);
  next->clGetKernelArgInfo(handle, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL);
  if ((type & CL_KERNEL_ARG_TYPE_CONST) != 0 || where == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
      access == CL_KERNEL_ARG_ACCESS_READ_ONLY)
    k->only_read |= 1u << i;
}

// ---- Sequences

typedef struct use {
  uint32_t leaf;
  int writes;
} use;
typedef struct step {
  char name[96];
  uint32_t first, uses;
  cl_event event;                // until its times are known
  int64_t before, after;         // host times around the enqueuing call
  cl_ulong queued, start, done;  // by the device's clock; 0: unknown
  int64_t begin, end;            // by the host's clock
} step;
typedef struct leaf {
  const void* key;
  uint32_t number;
  int64_t bytes;
  int is_read_first;
} leaf;
typedef struct queue_info {
  cl_command_queue handle;
  arenascope_ring* track;
  int64_t offset;         // host clock minus device clock
  int64_t doubt;          // uncertainty of `offset`
  struct sequence* open;  // commands since the program's last wait
} queue_info;
typedef struct sequence {
  struct sequence* next;
  uint32_t serial, steps, uses, leafs, gathered, capacity;
  queue_info* queue;
  uint64_t hash;
  step* step;
  use* use;  // as many entries as `leaf`
  leaf* leaf;
} sequence;
static uint32_t sequence_count;
static struct {
  uint64_t hash;
  uint32_t graph;
} graphs[GRAPHS];
static uint32_t graph_count;

static uint64_t mixed(uint64_t hash, uint64_t value) { return (hash ^ value) * 1099511628211u; }
static void drop_sequence(sequence* s) {
  free(s->step);
  free(s->use);
  free(s->leaf);
  free(s);
}
static sequence* new_sequence(queue_info* queue) {
  sequence* s = (sequence*)calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->queue = queue;
  s->serial = ++sequence_count;
  s->hash = 1469598103934665603u;
  return s;
}
static int make_room(sequence* s) {
  const uint32_t n = s->capacity == 0 ? 16 : s->capacity * 2;
  step* steps;
  use* uses;
  leaf* leafs;
  if (s->steps < s->capacity) return 1;
  if ((steps = (step*)realloc(s->step, n * sizeof *steps)) == NULL) return 0;
  s->step = steps;
  if ((uses = (use*)realloc(s->use, (size_t)n * ARGUMENTS * sizeof *uses)) == NULL) return 0;
  s->use = uses;
  if ((leafs = (leaf*)realloc(s->leaf, (size_t)n * ARGUMENTS * sizeof *leafs)) == NULL) return 0;
  s->leaf = leafs;
  s->capacity = n;
  return 1;
}
static void add_use(sequence* s, const void* key, int writes) {
  memory* m = key != NULL ? *place_of(key) : NULL;
  step* last = s->step + s->steps - 1;
  uint32_t i;
  if (m != NULL && m->of != NULL) m = *place_of(m->of);
  if (m == NULL || last->uses == ARGUMENTS) return;
  if (m->sequence != s->serial) {
    for (i = 0; i < s->leafs && s->leaf[i].number != m->number; ++i) continue;
    if (i == s->leafs) {
      s->leaf[i].key = m->key;
      s->leaf[i].number = m->number;
      s->leaf[i].bytes = m->bytes;
      s->leaf[i].is_read_first = !writes;
      s->hash = mixed(s->hash, (uint64_t)m->bytes);
      ++s->leafs;
    }
    m->sequence = s->serial;
    m->leaf = i;
  }
  s->use[s->uses].leaf = m->leaf;
  s->use[s->uses++].writes = writes;
  s->hash = mixed(s->hash, (uint64_t)m->leaf << 1 | (uint64_t)writes);
  ++last->uses;
}
// The index of a new step without uses; -1 if the sequence is full.
static int add_step(sequence* s, const char* name) {
  step* last;
  const char* c;
  if (s->steps == STEPS || !make_room(s)) return -1;
  last = s->step + s->steps++;
  memset(last, 0, sizeof *last);
  strncpy(last->name, name, sizeof last->name - 1);
  last->first = s->uses;
  for (c = name; *c != 0; ++c) s->hash = mixed(s->hash, (uint8_t)*c);
  return (int)s->steps - 1;
}

// ---- Recording completed sequences

// Reads the times of finished commands; returns 1 if all are finished. Called without the mutex, because an
// implementation may call back.
static int gather(sequence* s) {
  for (; s->gathered < s->steps; ++s->gathered) {
    step* t = s->step + s->gathered;
    cl_int status = CL_COMPLETE;
    if (t->event == NULL) continue;
    next->clGetEventInfo(t->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (status > CL_COMPLETE) return 0;
    if (status < CL_COMPLETE ||
        next->clGetEventProfilingInfo(t->event, CL_PROFILING_COMMAND_QUEUED, sizeof t->queued, &t->queued, NULL) ||
        next->clGetEventProfilingInfo(t->event, CL_PROFILING_COMMAND_START, sizeof t->start, &t->start, NULL) ||
        next->clGetEventProfilingInfo(t->event, CL_PROFILING_COMMAND_END, sizeof t->done, &t->done, NULL))
      t->done = 0;
    next->clReleaseEvent(t->event);
    t->event = NULL;
  }
  return 1;
}
// A command was queued during its enqueuing call, so a short call gives a precise clock offset.
static void to_host_time(queue_info* q, step* t) {
  if (t->done == 0 || t->start > t->done) return;
  if (t->after - t->before < q->doubt) {
    q->doubt = t->after - t->before;
    q->offset = t->before + q->doubt / 2 - (int64_t)t->queued;
  }
  t->begin = (int64_t)t->start + q->offset;
  t->end = (int64_t)t->done + q->offset;
}

static uint32_t describe_sequence(const sequence* s) {
  const size_t n = s->steps + s->leafs;
  arenascope_tensor* tensors = (arenascope_tensor*)calloc(n, sizeof *tensors);
  char(*names)[112] = (char(*)[112])calloc(n, sizeof *names);
  uint32_t* newest = (uint32_t*)calloc(s->leafs + 1, sizeof *newest);  // latest writer of each leaf
  uint32_t* sources = (uint32_t*)calloc(s->uses + 1, sizeof *sources);
  uint32_t i, u, graph = ARENASCOPE_NONE;
  if (tensors != NULL && names != NULL && newest != NULL && sources != NULL) {
    for (i = 0; i < s->leafs; ++i) {
      arenascope_tensor* t = tensors + s->steps + i;
      snprintf(names[s->steps + i], sizeof *names, "buffer %u", i);
      t->name = names[s->steps + i];
      t->bytes = s->leaf[i].bytes;
      t->flags = s->leaf[i].is_read_first ? ARENASCOPE_INPUT : 0;
      newest[i] = ARENASCOPE_LEAF(i);
    }
    for (i = 0; i < s->steps; ++i) {
      arenascope_tensor* t = tensors + i;
      snprintf(names[i], sizeof *names, "%s %u", s->step[i].name, i);
      t->name = names[i];
      t->op = s->step[i].name;
      t->backend = "opencl";
      t->source = sources + s->step[i].first;
      for (u = s->step[i].first; u < s->step[i].first + s->step[i].uses; ++u)
        sources[s->step[i].first + t->sources++] = newest[s->use[u].leaf];
      for (u = s->step[i].first; u < s->step[i].first + s->step[i].uses; ++u) {
        if (!s->use[u].writes) continue;
        newest[s->use[u].leaf] = i;
        if (t->is_view) continue;
        t->is_view = 1;
        t->view_source = ARENASCOPE_LEAF(s->use[u].leaf);
        t->bytes = s->leaf[s->use[u].leaf].bytes;
        t->flags = ARENASCOPE_WRITES_SOURCE;
      }
    }
    graph = arenascope_graph("OpenCL", tensors, s->steps, tensors + s->steps, s->leafs);
  }
  free(tensors);
  free(names);
  free(newest);
  free(sources);
  return graph;
}
static void tell_owners(const sequence* s, uint32_t graph) {
  uint32_t i;
  for (i = 0; i < s->leafs; ++i) {
    memory* m = *place_of(s->leaf[i].key);
    if (m == NULL || m->number != s->leaf[i].number || m->is_owned) continue;
    m->is_owned = 1;
    arenascope_owner_on(memory_track, m->in->space, m->at, m->bytes, graph, ARENASCOPE_LEAF(i));
  }
}
// Records a sequence as a run of its graph, without the commands whose times are unknown. A single command becomes a
// span instead: otherwise a program that waits after each command would have one run per command.
static void tell_sequence(sequence* s) {
  uint32_t i, at, run = ARENASCOPE_NONE;
  int64_t begin = INT64_MAX, end = 0;
  for (i = 0; i < s->steps; ++i) {
    to_host_time(s->queue, s->step + i);
    if (s->step[i].end == 0) continue;
    if (s->step[i].begin < begin) begin = s->step[i].begin;
    if (s->step[i].end > end) end = s->step[i].end;
  }
  for (at = 0; at < graph_count && graphs[at].hash != s->hash; ++at) continue;
  if (s->steps > 1 && end > 0 && at == graph_count && graph_count < GRAPHS) {
    graphs[at].hash = s->hash;
    graphs[at].graph = describe_sequence(s);
    ++graph_count;
  }
  if (s->steps > 1 && end > 0 && at < graph_count && graphs[at].graph != ARENASCOPE_NONE) {
    run = arenascope_run_begin_at(graphs[at].graph, ARENASCOPE_NONE, 1, "opencl", begin);
    tell_owners(s, graphs[at].graph);
  }
  for (i = 0; i < s->steps; ++i) {
    if (s->step[i].end == 0) continue;
    if (run == ARENASCOPE_NONE) {
      arenascope_span_on(s->queue->track, arenascope_name(s->step[i].name), s->step[i].begin, s->step[i].end, 0);
      continue;
    }
    arenascope_step_on(s->queue->track, run, s->step[i].begin, i, i);
    arenascope_work_on(s->queue->track, run, i, s->step[i].begin, s->step[i].end);
  }
  if (run != ARENASCOPE_NONE) arenascope_run_end_at(run, ARENASCOPE_DONE, end);
  drop_sequence(s);
}
