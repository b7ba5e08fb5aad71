// SPDX-License-Identifier: MIT
// Arenascope's client: include this single header in a runtime to show its graph, tensors, memory, spans, waits and
// counters live in Arenascope's window, or to save them as a recording. C99 or later, or C++; GCC or Clang on Linux;
// needs only libc and pthreads. Exactly one source file of a program or library contains
//
//     #define ARENASCOPE_CLIENT_IMPLEMENTATION
//     #include "arenascope_client.h"
//
// and every file that records includes the header. Call arenascope_connect() once at the start; `arenascope-cli attach
// -- PROGRAM` passes the address in the environment. While not connected, each recording function costs one predictable
// branch.
//
// Each thread writes 32-byte events into its own ring, in memory that the receiver maps too. Recording never waits,
// takes no lock and makes no system call, and the events of a killed program are not lost. A pump thread sends the
// events as packets of Arenascope's recording format (Perfetto trace packets with an extension field). Events that do
// not fit into a full ring are counted and reported as lost.
//
// With strict C (-std=c11), include it before other headers: it needs _GNU_SOURCE.
//
// Ids that functions return (names, spaces, graphs, …) stay valid while the program is connected. Strings are UTF-8 and
// are copied. Times are nanoseconds of CLOCK_MONOTONIC. After fork() the child is not connected; it may connect again.
#ifndef ARENASCOPE_CLIENT_H
#define ARENASCOPE_CLIENT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define ARENASCOPE_CLIENT_VERSION 1    // of this header
#define ARENASCOPE_PROTOCOL_VERSION 1  // of the protocol; a receiver of another version rejects the connection

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)  // each library that contains a client has its own instance

typedef struct arenascope_client_options {
  const char* program;   // name shown in the window; NULL: the name of the process
  const char* address;   // "unix:PATH", "tcp:PORT:TOKEN" (of the loopback) or "file:PATH" (%p: the process); NULL: the
                         // environment variable ARENASCOPE_ATTACH
  uint32_t ring_events;  // events per thread; rounded up to a power of two; 0: 65,536
  int hold_back;         // if not 0, a thread with a full ring waits for the receiver instead of losing events
} arenascope_client_options;

// Connects; `options` may be NULL. 0: connected. 1: not requested (no address). -1: failed;
// arenascope_error() returns the reason. The program continues in any case.
int arenascope_connect(const arenascope_client_options* options);
// Sends the remaining events, for at most two seconds, and disconnects. Also called by exit().
void arenascope_disconnect(void);
const char* arenascope_error(void);  // "" or the last error message

extern int arenascope_on_;
static inline int arenascope_connected(void) {
  return __builtin_expect(__atomic_load_n(&arenascope_on_, __ATOMIC_RELAXED), 0);
}
static inline int64_t arenascope_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// ---- Descriptions, sent once. Each returns an id for events, or ARENASCOPE_NONE while not connected.

#define ARENASCOPE_NONE UINT32_MAX

// Kinds of memory.
enum {
  ARENASCOPE_DEFAULT,
  ARENASCOPE_PERSISTENT,
  ARENASCOPE_WORKSPACE,
  ARENASCOPE_KV_CACHE,
  ARENASCOPE_HOST_PINNED,
  ARENASCOPE_HOST_PAGEABLE,
  ARENASCOPE_MAPPED
};
// Kinds of tracks.
enum { ARENASCOPE_WORKER, ARENASCOPE_DEVICE_QUEUE, ARENASCOPE_COPY_ENGINE, ARENASCOPE_OTHER };
// Tensor flags, combined with |.
enum {
  ARENASCOPE_INPUT = 1,
  ARENASCOPE_OUTPUT = 2,
  ARENASCOPE_PARAMETER = 4,
  ARENASCOPE_WEIGHT = 8,
  ARENASCOPE_VIEW = 16,
  ARENASCOPE_NO_WORK = 32,
  ARENASCOPE_OPTIMIZER_STATE = 128,  // state that the optimiser keeps between training steps
  ARENASCOPE_WRITES_SOURCE = 256,    // a view that computes: it writes into its source's memory
  ARENASCOPE_SAVED = 1024            // kept for the backward pass
};
// How a run ended.
enum { ARENASCOPE_DONE, ARENASCOPE_ABORTED, ARENASCOPE_FAILED };

// A tensor of a graph, in the order of execution for nodes: node i is ARENASCOPE_NODE(i), leaf i ARENASCOPE_LEAF(i).
#define ARENASCOPE_NODE(i) ((uint32_t)(i))
#define ARENASCOPE_LEAF(i) ((uint32_t)(i) | 0x80000000u)
typedef struct arenascope_tensor {
  const char* name;
  const char* op;          // NULL for a leaf tensor
  const char* layer;       // the group that the graph view folds it into
  const char* dtype;       // "f32"
  const char* backend;     // the backend that computes it
  const char* parameters;  // displayed text, such as "kernel=3x3"
  const int64_t* shape;    // outermost first
  uint32_t dimensions;
  uint32_t sources;  // number of inputs
  const uint32_t* source;
  int64_t bytes, flops;
  int is_view;  // it shares the memory of `view_source`, starting at `view_offset`
  uint32_t view_source;
  int64_t view_offset;
  uint32_t flags;
} arenascope_tensor;

uint32_t arenascope_name(const char* text);  // equal strings give the same id
uint32_t arenascope_device(const char* name, const char* backend, int64_t memory_bytes, int is_main_memory);
// An address space: an allocator, a pool, a heap. `device` may be ARENASCOPE_NONE. At most 65,535.
uint32_t arenascope_space(const char* name, int memory_kind, uint32_t device);
uint32_t arenascope_counter(const char* name, const char* unit);
uint32_t arenascope_graph(const char* model, const arenascope_tensor* nodes, size_t node_count,
                          const arenascope_tensor* leafs, size_t leaf_count);
// The range and lifetime of a tensor in an arena: live from step `first` until before step `last`. Step i is node i.
typedef struct arenascope_slice {
  uint32_t tensor;  // ARENASCOPE_NODE(i) or ARENASCOPE_LEAF(i)
  uint32_t first, last;
  int64_t offset, bytes;
} arenascope_slice;
// A memory plan for a graph whose nodes are executed in their order.
uint32_t arenascope_graph_plan(uint32_t graph, const char* planner, size_t steps, int64_t arena_bytes,
                               const arenascope_slice* slices, size_t slice_count);
// A run of a graph on `threads` threads. Record all of its events before arenascope_run_end().
uint32_t arenascope_run_begin(uint32_t graph, int threads, const char* backend);
void arenascope_run_end(uint32_t run, int status);
// Like arenascope_run_begin(), with a plan (or ARENASCOPE_NONE) and an explicit time, for runs that began or ended
// earlier.
uint32_t arenascope_run_begin_at(uint32_t graph, uint32_t plan, int threads, const char* backend, int64_t time);
void arenascope_run_end_at(uint32_t run, int status, int64_t time);
void arenascope_problem(const char* message);   // shown in the window
void arenascope_thread_name(const char* name);  // of the calling thread; else its name in the system

// ---- Events of the calling thread

typedef struct arenascope_event {
  int64_t time, a, b;
  uint32_t id, kind_extra;  // the event kind is in the low eight bits
} arenascope_event;

typedef struct arenascope_ring {
  uint64_t head;        // after the newest event
  uint64_t known_tail;  // the writer's copy of `tail`, possibly outdated; it reads `tail` when the ring seems full
  uint64_t lost;        // number of events that did not fit
  uint64_t mask;
  uint64_t begin;  // position of the first event of the current track
  uint32_t track;  // id of the current track
  uint32_t state;  // whether a thread owns the ring
  uint8_t apart[16];
  uint64_t tail;  // written by the pump: position after the newest sent event
  uint8_t apart_too[56];
} arenascope_ring;  // and mask + 1 events

extern __thread arenascope_ring* arenascope_ring_;
arenascope_ring* arenascope_enter_(void);     // assigns a ring to the calling thread; NULL: none available
int arenascope_full_(arenascope_ring* ring);  // true if the ring is full; may wait for the receiver if hold_back is set

// A separate track, such as a device's queue; written by one thread at a time. NULL if none is available.
arenascope_ring* arenascope_track(const char* name, int track_kind, uint32_t device);

static inline void arenascope_write(arenascope_ring* ring, int64_t time, int64_t a, int64_t b, uint32_t id,
                                    uint32_t kind, uint32_t extra) {
  const uint64_t head = ring->head;
  arenascope_event* event = (arenascope_event*)(void*)(ring + 1) + (head & ring->mask);
  if (__builtin_expect(head - ring->known_tail > ring->mask, 0) && arenascope_full_(ring)) return;
  event->time = time;
  event->a = a;
  event->b = b;
  event->id = id;
  event->kind_extra = kind | extra << 8;
  __atomic_store_n(&ring->head, head + 1, __ATOMIC_RELEASE);
}
static inline void arenascope_put_(int64_t time, int64_t a, int64_t b, uint32_t id, uint32_t kind, uint32_t extra) {
  arenascope_ring* ring = arenascope_ring_;
  if (__builtin_expect(ring == NULL, 0) && (ring = arenascope_enter_()) == NULL) return;
  arenascope_write(ring, time, a, b, id, kind, extra);
}

// A thread computed a chunk of a node during [begin, end), in arenascope_now() times.
static inline void arenascope_work(uint32_t run, uint32_t node, int64_t begin, int64_t end) {
  if (arenascope_connected()) arenascope_put_(begin, end, 0, node, 1, run);
}
// A thread waited at the barrier after a node; `generation` is the same for all participants.
static inline void arenascope_wait(uint32_t run, uint32_t node, int64_t arrive, int64_t leave, uint32_t generation) {
  if (arenascope_connected()) arenascope_put_(arrive, leave, generation, node, 2, run);
}
// A run reached a step of its execution order.
static inline void arenascope_step(uint32_t run, uint32_t step, uint32_t node) {
  if (arenascope_connected()) arenascope_put_(arenascope_now(), step, 0, node, 11, run);
}
// A named span; `depth` is 0 for the outermost.
static inline void arenascope_span(uint32_t name, int64_t begin, int64_t end, int depth) {
  if (arenascope_connected()) arenascope_put_(begin, end, depth, name, 16, 0);
}
// A named point in time.
static inline void arenascope_mark(uint32_t name) {
  if (arenascope_connected()) {
    const int64_t now = arenascope_now();
    arenascope_put_(now, now, 0, name, 16, 0);
  }
}
static inline void arenascope_count(uint32_t counter, double value) {
  int64_t bits;
  if (!arenascope_connected()) return;
  memcpy(&bits, &value, sizeof bits);
  arenascope_put_(arenascope_now(), bits, 0, counter, 13, 0);
}
static inline uint32_t arenascope_memory_(uint32_t space, int kind) { return (uint32_t)kind | (space & 0xffff) << 8; }
// An allocation and its free; `block` identifies the allocation, the same in both, or 0.
static inline void arenascope_alloc(uint32_t space, int kind, uint64_t address, int64_t bytes, uint32_t block) {
  if (arenascope_connected())
    arenascope_put_(arenascope_now(), (int64_t)address, bytes, block, 3, arenascope_memory_(space, kind));
}
static inline void arenascope_free(uint32_t space, int kind, uint64_t address, int64_t bytes, uint32_t block) {
  if (arenascope_connected())
    arenascope_put_(arenascope_now(), (int64_t)address, bytes, block, 4, arenascope_memory_(space, kind));
}
// Like arenascope_alloc() on an explicit track. Use one track for an allocator that several threads share under one
// lock: the track keeps the order of its events, whereas the tracks of threads are read one after another.
static inline void arenascope_alloc_on(arenascope_ring* track, uint32_t space, int kind, uint64_t address,
                                       int64_t bytes, uint32_t block) {
  if (arenascope_connected() && track != NULL)
    arenascope_write(track, arenascope_now(), (int64_t)address, bytes, block, 3, arenascope_memory_(space, kind));
}
static inline void arenascope_free_on(arenascope_ring* track, uint32_t space, int kind, uint64_t address, int64_t bytes,
                                      uint32_t block) {
  if (arenascope_connected() && track != NULL)
    arenascope_write(track, arenascope_now(), (int64_t)address, bytes, block, 4, arenascope_memory_(space, kind));
}
// After an allocation on the same track: the tensor that owns the memory, ARENASCOPE_NODE(i) or ARENASCOPE_LEAF(i) of a
// graph.
static inline void arenascope_owner_on(arenascope_ring* track, uint32_t space, uint64_t address, int64_t bytes,
                                       uint32_t graph, uint32_t tensor) {
  if (arenascope_connected() && track != NULL)
    arenascope_write(track, arenascope_now(), (int64_t)address, bytes | (int64_t)(space & 0xffff) << 47, tensor, 22,
                     graph & 0xffffff);
}
// A device's queue reached a step of a run, or computed a node, at times known afterwards.
static inline void arenascope_step_on(arenascope_ring* track, uint32_t run, int64_t time, uint32_t step,
                                      uint32_t node) {
  if (arenascope_connected() && track != NULL) arenascope_write(track, time, step, 0, node, 11, run);
}
static inline void arenascope_work_on(arenascope_ring* track, uint32_t run, uint32_t node, int64_t begin, int64_t end) {
  if (arenascope_connected() && track != NULL) arenascope_write(track, begin, end, 0, node, 1, run);
}
static inline void arenascope_span_on(arenascope_ring* track, uint32_t name, int64_t begin, int64_t end, int depth) {
  if (arenascope_connected() && track != NULL) arenascope_write(track, begin, end, depth, name, 16, 0);
}
// An allocator reserved memory from the system, or released it.
static inline void arenascope_reserve(uint32_t space, int kind, uint64_t address, int64_t bytes) {
  if (arenascope_connected())
    arenascope_put_(arenascope_now(), (int64_t)address, bytes, 0, 5, arenascope_memory_(space, kind));
}
static inline void arenascope_release(uint32_t space, int kind, uint64_t address, int64_t bytes) {
  if (arenascope_connected())
    arenascope_put_(arenascope_now(), (int64_t)address, bytes, 0, 6, arenascope_memory_(space, kind));
}
static inline void arenascope_slice_(uint32_t kind, uint32_t run, uint32_t tensor, int64_t offset, int64_t bytes,
                                     uint32_t step) {
  if (arenascope_connected())
    arenascope_put_(arenascope_now(), offset | (int64_t)(step >> 12 & 0xfff) << 51,
                    bytes | (int64_t)(step & 0xfff) << 51, tensor, kind, run);
}
// An arena range [offset, offset + bytes) starts or stops holding a tensor at a step of a run.
static inline void arenascope_slice_live(uint32_t run, uint32_t tensor, int64_t offset, int64_t bytes, uint32_t step) {
  arenascope_slice_(17, run, tensor, offset, bytes, step);
}
static inline void arenascope_slice_dead(uint32_t run, uint32_t tensor, int64_t offset, int64_t bytes, uint32_t step) {
  arenascope_slice_(18, run, tensor, offset, bytes, step);
}
// Bytes moved between two devices for a node (ARENASCOPE_NONE: for none).
static inline void arenascope_copy(uint32_t node, int64_t begin, int64_t end, int64_t bytes, uint32_t from,
                                   uint32_t to) {
  if (arenascope_connected()) arenascope_put_(begin, end, bytes, node, 10, (from & 0xfff) | (to & 0xfff) << 12);
}

// ---- Memory that the receiver maps: this struct, then a log of descriptions, then the rings

#define ARENASCOPE_SHARED_MAGIC 0x3153435341524145u
#define ARENASCOPE_RINGS 256
#define ARENASCOPE_LOG_BYTES (8u << 20)
#define ARENASCOPE_ENDS 1024

typedef struct arenascope_end {
  int64_t time;
  uint32_t run, status;
} arenascope_end;

typedef struct arenascope_shared {
  uint64_t magic;
  uint32_t version, rings;
  uint64_t ring_events, ring_offset, ring_stride;  // ring i is at ring_offset + i × ring_stride
  uint64_t log_offset, log_bytes;
  uint64_t log_head, log_tail;    // whole packets: end of the log, and end of the sent part
  uint64_t log_lost;              // descriptions that did not fit
  uint64_t ends_head, ends_tail;  // run ends, sent after the runs' events
  arenascope_end ends[ARENASCOPE_ENDS];
} arenascope_shared;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#ifdef ARENASCOPE_CLIENT_IMPLEMENTATION
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

int arenascope_on_ = 0;
__thread arenascope_ring* arenascope_ring_ = NULL;
static __thread int arenascope_ringless_ = 0;

enum { ARENASCOPE_RING_FREE_, ARENASCOPE_RING_USED_, ARENASCOPE_RING_LEFT_ };

// A growing byte buffer; `failed` is set when memory runs out.
typedef struct arenascope_bytes_ {
  uint8_t* data;
  size_t size, capacity;
  int failed;
} arenascope_bytes_;

typedef struct arenascope_text_ {
  char* text;
  uint32_t number;
} arenascope_text_;

static pthread_mutex_t arenascope_mutex_ = PTHREAD_MUTEX_INITIALIZER;  // guards descriptions and the state below
static pthread_mutex_t arenascope_pause_ = PTHREAD_MUTEX_INITIALIZER;  // only for the pump's pauses
static pthread_cond_t arenascope_wake_ = PTHREAD_COND_INITIALIZER;
static int arenascope_file_ = -1;
static struct {
  pthread_key_t key;
  int prepared, used, pumping, stopping, hold_back, is_socket, is_woken;
  int64_t stop_by;
  pthread_t pump;
  arenascope_shared* shared;
  size_t shared_bytes;
  uint64_t ends_due;
  uint64_t reported_lost[ARENASCOPE_RINGS], reported_log_lost;
  uint32_t tracks, names, devices, spaces, counters, graphs, plans, runs;
  uint32_t rings;           // number of rings ever used
  arenascope_text_* table;  // string table of names, open addressing
  size_t table_size;
  arenascope_bytes_ scratch;  // for building a description
  arenascope_bytes_ packet;   // for the pump's packets
  char error[256];
} arenascope_;

// ---- Protocol buffers' wire format

static void arenascope_append_(arenascope_bytes_* out, const void* data, size_t size) {
  if (out->size + size > out->capacity) {
    const size_t capacity = (out->size + size) * 2 + 256;
    uint8_t* grown = (uint8_t*)realloc(out->data, capacity);
    if (grown == NULL) {
      out->failed = 1;
      return;
    }
    out->data = grown;
    out->capacity = capacity;
  }
  if (size > 0) memcpy(out->data + out->size, data, size);
  out->size += size;
}
static void arenascope_varint_(arenascope_bytes_* out, uint64_t v) {
  uint8_t bytes[10];
  size_t n = 0;
  for (; v >= 0x80; v >>= 7) bytes[n++] = (uint8_t)(v | 0x80);
  bytes[n++] = (uint8_t)v;
  arenascope_append_(out, bytes, n);
}
static uint64_t arenascope_zigzag_(int64_t v) { return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63); }
static void arenascope_number_(arenascope_bytes_* out, uint32_t field, uint64_t v) {
  arenascope_varint_(out, (uint64_t)field << 3);
  arenascope_varint_(out, v);
}
static void arenascope_signed_(arenascope_bytes_* out, uint32_t field, int64_t v) {
  arenascope_number_(out, field, arenascope_zigzag_(v));
}
// Writes an id; ARENASCOPE_NONE is omitted.
static void arenascope_id_(arenascope_bytes_* out, uint32_t field, uint32_t id) {
  if (id != ARENASCOPE_NONE) arenascope_signed_(out, field, id);
}
static void arenascope_text_of_(arenascope_bytes_* out, uint32_t field, const char* text) {
  if (text == NULL || *text == 0) return;
  arenascope_varint_(out, (uint64_t)field << 3 | 2);
  arenascope_varint_(out, strlen(text));
  arenascope_append_(out, text, strlen(text));
}
// Begins a nested message; end() fills in its length as a four-byte varint.
static size_t arenascope_begin_(arenascope_bytes_* out, uint32_t field) {
  const uint8_t room[4] = {0, 0, 0, 0};
  arenascope_varint_(out, (uint64_t)field << 3 | 2);
  arenascope_append_(out, room, 4);
  return out->size;
}
static void arenascope_end_(arenascope_bytes_* out, size_t start) {
  const size_t size = out->size - start;
  int i;
  if (out->failed) return;
  for (i = 0; i < 4; ++i) out->data[start - 4 + (size_t)i] = (uint8_t)((size >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0));
}
// A trace packet that contains one message of ours with one field.
typedef struct arenascope_open_ {
  size_t outer, inner, field;
} arenascope_open_;
static arenascope_open_ arenascope_packet_(arenascope_bytes_* out, uint32_t field) {
  arenascope_open_ open;
  out->size = 0;
  out->failed = 0;
  open.outer = arenascope_begin_(out, 1);
  open.inner = arenascope_begin_(out, 2100);
  open.field = field == 0 ? 0 : arenascope_begin_(out, field);
  return open;
}
static void arenascope_close_(arenascope_bytes_* out, arenascope_open_ open) {
  if (open.field != 0) arenascope_end_(out, open.field);
  arenascope_end_(out, open.inner);
  arenascope_end_(out, open.outer);
}

// ---- Errors

static int arenascope_fail_(const char* form, ...) __attribute__((format(printf, 1, 2)));
static int arenascope_fail_(const char* form, ...) {
  va_list list;
  va_start(list, form);
  vsnprintf(arenascope_.error, sizeof arenascope_.error, form, list);
  va_end(list);
  return -1;
}
const char* arenascope_error(void) { return arenascope_.error; }

// ---- The log of descriptions; callers hold the mutex

static void arenascope_copy_in_(const uint8_t* data, size_t size) {
  arenascope_shared* s = arenascope_.shared;
  uint8_t* log = (uint8_t*)s + s->log_offset;
  const size_t at = (size_t)(s->log_head % s->log_bytes);
  const size_t first = size < s->log_bytes - at ? size : (size_t)s->log_bytes - at;
  memcpy(log + at, data, first);
  memcpy(log, data + first, size - first);
}
// Returns 0 if the log is full at the moment.
static int arenascope_log_(const arenascope_bytes_* d) {
  arenascope_shared* s = arenascope_.shared;
  if (d->failed || d->size > s->log_bytes - (s->log_head - __atomic_load_n(&s->log_tail, __ATOMIC_ACQUIRE))) return 0;
  arenascope_copy_in_(d->data, d->size);
  __atomic_store_n(&s->log_head, s->log_head + d->size, __ATOMIC_RELEASE);
  return 1;
}
static void arenascope_wake_pump_(void) {
  pthread_mutex_lock(&arenascope_pause_);
  arenascope_.is_woken = 1;
  pthread_cond_signal(&arenascope_wake_);
  pthread_mutex_unlock(&arenascope_pause_);
}
// Waits for free space, for a tenth of a second unless hold_back is set.
static int arenascope_say_(arenascope_open_ open) {
  arenascope_shared* s = arenascope_.shared;
  const arenascope_bytes_* d = &arenascope_.scratch;
  const struct timespec pause = {0, 500000};
  int tries;
  arenascope_close_(&arenascope_.scratch, open);
  for (tries = 0; !d->failed && d->size <= s->log_bytes / 2 && (tries < 200 || arenascope_.hold_back); ++tries) {
    if (arenascope_log_(d)) return 1;
    if (!arenascope_connected()) break;
    arenascope_wake_pump_();
    nanosleep(&pause, NULL);
  }
  __atomic_store_n(&s->log_lost, s->log_lost + 1, __ATOMIC_RELAXED);
  return 0;
}
// Begins a description; the caller holds the mutex. The field is 2 + the index in the recording's list.
static arenascope_open_ arenascope_describe_(uint32_t field) { return arenascope_packet_(&arenascope_.scratch, field); }
static int arenascope_lock_(void) {
  if (!arenascope_connected()) return 0;
  pthread_mutex_lock(&arenascope_mutex_);
  if (arenascope_connected()) return 1;
  pthread_mutex_unlock(&arenascope_mutex_);
  return 0;
}
// Ends a description's packet and unlocks the mutex. Returns the assigned id, or ARENASCOPE_NONE on failure.
static uint32_t arenascope_said_(arenascope_open_ open, uint32_t* number) {
  const uint32_t mine = arenascope_say_(open) ? (*number)++ : ARENASCOPE_NONE;
  pthread_mutex_unlock(&arenascope_mutex_);
  return mine;
}

// The slot of this string in the table of names, or the free slot for it.
static arenascope_text_* arenascope_place_(arenascope_text_* table, size_t size, const char* text) {
  uint64_t hash = 1469598103934665603u;
  const char* c;
  size_t at;
  for (c = text; *c != 0; ++c) hash = (hash ^ (uint8_t)*c) * 1099511628211u;
  for (at = (size_t)(hash ^ hash >> 32) & (size - 1); table[at].text != NULL; at = (at + 1) & (size - 1))
    if (strcmp(table[at].text, text) == 0) break;
  return table + at;
}
static int arenascope_grow_table_(void) {
  const size_t size = arenascope_.table_size == 0 ? 256 : arenascope_.table_size * 2;
  arenascope_text_* table = (arenascope_text_*)calloc(size, sizeof *table);
  size_t i;
  if (table == NULL) return 0;
  for (i = 0; i < arenascope_.table_size; ++i)
    if (arenascope_.table[i].text != NULL)
      *arenascope_place_(table, size, arenascope_.table[i].text) = arenascope_.table[i];
  free(arenascope_.table);
  arenascope_.table = table;
  arenascope_.table_size = size;
  return 1;
}

uint32_t arenascope_name(const char* text) {
  arenascope_bytes_* out = &arenascope_.scratch;
  arenascope_text_* place;
  arenascope_open_ open;
  uint32_t number = ARENASCOPE_NONE;
  if (text == NULL || !arenascope_lock_()) return ARENASCOPE_NONE;
  if ((arenascope_.names + 1) * (size_t)2 <= arenascope_.table_size || arenascope_grow_table_()) {
    place = arenascope_place_(arenascope_.table, arenascope_.table_size, text);
    if (place->text != NULL) {
      number = place->number;
    } else {
      open = arenascope_describe_(11);
      arenascope_id_(out, 1, arenascope_.names);
      arenascope_text_of_(out, 2, text);
      if (arenascope_say_(open) && (place->text = strdup(text)) != NULL) number = place->number = arenascope_.names;
      if (!out->failed && number != ARENASCOPE_NONE) ++arenascope_.names;
    }
  }
  pthread_mutex_unlock(&arenascope_mutex_);
  return number;
}

uint32_t arenascope_device(const char* name, const char* backend, int64_t memory_bytes, int is_main_memory) {
  arenascope_bytes_* out = &arenascope_.scratch;
  arenascope_open_ open;
  if (!arenascope_lock_()) return ARENASCOPE_NONE;
  open = arenascope_describe_(8);
  arenascope_id_(out, 1, arenascope_.devices);
  arenascope_text_of_(out, 2, name);
  arenascope_text_of_(out, 3, backend);
  arenascope_signed_(out, 5, memory_bytes);
  if (is_main_memory) arenascope_number_(out, 6, 1);
  return arenascope_said_(open, &arenascope_.devices);
}

uint32_t arenascope_space(const char* name, int memory_kind, uint32_t device) {
  arenascope_bytes_* out = &arenascope_.scratch;
  arenascope_open_ open;
  if (arenascope_.spaces >= 0xffff || !arenascope_lock_()) return ARENASCOPE_NONE;
  open = arenascope_describe_(9);
  arenascope_number_(out, 1, arenascope_.spaces);
  arenascope_text_of_(out, 2, name);
  arenascope_number_(out, 3, (uint64_t)memory_kind);
  arenascope_id_(out, 4, device);
  return arenascope_said_(open, &arenascope_.spaces);
}

uint32_t arenascope_counter(const char* name, const char* unit) {
  arenascope_bytes_* out = &arenascope_.scratch;
  arenascope_open_ open;
  if (!arenascope_lock_()) return ARENASCOPE_NONE;
  open = arenascope_describe_(10);
  arenascope_id_(out, 1, arenascope_.counters);
  arenascope_text_of_(out, 2, name);
  arenascope_text_of_(out, 3, unit);
  return arenascope_said_(open, &arenascope_.counters);
}

static void arenascope_tensor_(arenascope_bytes_* out, uint32_t field, const arenascope_tensor* t) {
  const size_t start = arenascope_begin_(out, field);
  size_t list, i;
  arenascope_text_of_(out, 1, t->name);
  arenascope_text_of_(out, 2, t->op);
  arenascope_text_of_(out, 3, t->layer);
  arenascope_text_of_(out, 4, t->dtype);
  if (t->dimensions > 0) {
    list = arenascope_begin_(out, 5);
    for (i = 0; i < t->dimensions; ++i) arenascope_varint_(out, arenascope_zigzag_(t->shape[i]));
    arenascope_end_(out, list);
  }
  arenascope_signed_(out, 7, t->bytes);
  arenascope_signed_(out, 8, t->flops);
  if (t->sources > 0) {
    list = arenascope_begin_(out, 9);
    for (i = 0; i < t->sources; ++i) arenascope_varint_(out, (uint32_t)(t->source[i] + 1));
    arenascope_end_(out, list);
  }
  if (t->is_view) {
    arenascope_number_(out, 10, (uint32_t)(t->view_source + 1));
    arenascope_signed_(out, 11, t->view_offset);
  }
  arenascope_text_of_(out, 12, t->backend);
  arenascope_text_of_(out, 13, t->parameters);
  arenascope_number_(out, 16, t->flags | (t->is_view ? (uint32_t)ARENASCOPE_VIEW : 0u));
  arenascope_end_(out, start);
}

uint32_t arenascope_graph(const char* model, const arenascope_tensor* nodes, size_t node_count,
                          const arenascope_tensor* leafs, size_t leaf_count) {
  arenascope_bytes_* out = &arenascope_.scratch;
  arenascope_open_ open;
  int64_t edges = 0;
  size_t i;
  if (!arenascope_lock_()) return ARENASCOPE_NONE;
  open = arenascope_describe_(2);
  arenascope_id_(out, 1, arenascope_.graphs);
  arenascope_text_of_(out, 2, model);
  for (i = 0; i < node_count; ++i) {
    arenascope_tensor_(out, 3, nodes + i);
    edges += nodes[i].sources;
  }
  for (i = 0; i < leaf_count; ++i) arenascope_tensor_(out, 4, leafs + i);
  arenascope_signed_(out, 5, edges);
  return arenascope_said_(open, &arenascope_.graphs);
}

uint32_t arenascope_graph_plan(uint32_t graph, const char* planner, size_t steps, int64_t arena_bytes,
                               const arenascope_slice* slices, size_t slice_count) {
  arenascope_bytes_* out = &arenascope_.scratch;
  arenascope_open_ open;
  size_t i, part;
  if (!arenascope_lock_()) return ARENASCOPE_NONE;
  open = arenascope_describe_(3);
  arenascope_id_(out, 1, arenascope_.plans);
  arenascope_id_(out, 2, graph);
  arenascope_text_of_(out, 3, planner);
  part = arenascope_begin_(out, 5);
  for (i = 0; i < steps; ++i) arenascope_varint_(out, arenascope_zigzag_((int64_t)i));
  arenascope_end_(out, part);
  arenascope_signed_(out, 6, arena_bytes);
  for (i = 0; i < slice_count; ++i) {
    part = arenascope_begin_(out, 11);
    arenascope_number_(out, 1, (uint32_t)(slices[i].tensor + 1));
    arenascope_signed_(out, 2, slices[i].offset);
    arenascope_signed_(out, 3, slices[i].bytes);
    arenascope_signed_(out, 4, slices[i].first);
    arenascope_signed_(out, 5, slices[i].last);
    arenascope_end_(out, part);
  }
  return arenascope_said_(open, &arenascope_.plans);
}

uint32_t arenascope_run_begin(uint32_t graph, int threads, const char* backend) {
  return arenascope_run_begin_at(graph, ARENASCOPE_NONE, threads, backend, arenascope_now());
}
uint32_t arenascope_run_begin_at(uint32_t graph, uint32_t plan, int threads, const char* backend, int64_t time) {
  arenascope_bytes_* out = &arenascope_.scratch;
  arenascope_open_ open;
  if (arenascope_.runs >= 0xfffffe || !arenascope_lock_()) return ARENASCOPE_NONE;
  open = arenascope_describe_(5);
  arenascope_id_(out, 1, arenascope_.runs);
  arenascope_id_(out, 2, graph);
  arenascope_id_(out, 3, plan);
  arenascope_signed_(out, 4, time);
  arenascope_signed_(out, 5, threads);
  arenascope_text_of_(out, 6, backend);
  return arenascope_said_(open, &arenascope_.runs);
}

void arenascope_run_end(uint32_t run, int status) { arenascope_run_end_at(run, status, arenascope_now()); }
void arenascope_run_end_at(uint32_t run, int status, int64_t time) {
  arenascope_shared* s;
  arenascope_end* end;
  const struct timespec pause = {0, 500000};
  int tries = 0;
  if (run == ARENASCOPE_NONE || !arenascope_lock_()) return;
  s = arenascope_.shared;
  while (s->ends_head - __atomic_load_n(&s->ends_tail, __ATOMIC_ACQUIRE) >= ARENASCOPE_ENDS && ++tries < 200)
    nanosleep(&pause, NULL);
  if (tries < 200) {
    end = &s->ends[s->ends_head % ARENASCOPE_ENDS];
    end->time = time;
    end->run = run;
    end->status = (uint32_t)status;
    __atomic_store_n(&s->ends_head, s->ends_head + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&arenascope_mutex_);
}

// Begins a warning; the caller holds the mutex.
static arenascope_open_ arenascope_describe_problem_(const char* sentence) {
  const arenascope_open_ open = arenascope_describe_(12);
  arenascope_number_(&arenascope_.scratch, 1, 1);
  arenascope_text_of_(&arenascope_.scratch, 2, sentence);
  arenascope_signed_(&arenascope_.scratch, 3, arenascope_now());
  return open;
}
void arenascope_problem(const char* sentence) {
  if (!arenascope_lock_()) return;
  arenascope_say_(arenascope_describe_problem_(sentence));
  pthread_mutex_unlock(&arenascope_mutex_);
}

// ---- Rings

static arenascope_ring* arenascope_ring_at_(const arenascope_shared* s, size_t i) {
  return (arenascope_ring*)(void*)((uint8_t*)(uintptr_t)s + s->ring_offset + i * s->ring_stride);
}
// The caller holds the mutex.
static int arenascope_describe_track_(uint32_t track, const char* name, int kind, uint32_t device, int64_t thread) {
  arenascope_bytes_* out = &arenascope_.scratch;
  const arenascope_open_ open = arenascope_describe_(7);
  arenascope_id_(out, 1, track);
  arenascope_text_of_(out, 2, name);
  arenascope_number_(out, 3, (uint64_t)kind);
  arenascope_id_(out, 4, device);
  arenascope_signed_(out, 5, getpid());
  arenascope_signed_(out, 6, thread);
  return arenascope_say_(open);
}
// Makes the writer check for the receiver after `events` more events, at the latest when the ring is full.
static void arenascope_check_for_receiver_(arenascope_ring* ring, uint64_t events) {
  ring->known_tail = ring->head + events - 1 - ring->mask;
}
static arenascope_ring* arenascope_take_ring_(const char* name, int kind, uint32_t device, int64_t thread) {
  size_t i;
  for (i = 0; i < ARENASCOPE_RINGS; ++i) {
    arenascope_ring* ring = arenascope_ring_at_(arenascope_.shared, i);
    if (__atomic_load_n(&ring->state, __ATOMIC_ACQUIRE) != ARENASCOPE_RING_FREE_) continue;
    if (!arenascope_describe_track_(arenascope_.tracks, name, kind, device, thread)) return NULL;
    ring->mask = arenascope_.shared->ring_events - 1;
    ring->begin = ring->head;
    arenascope_check_for_receiver_(ring, ring->mask / 2 + 1);
    ring->lost = 0;
    ring->track = arenascope_.tracks++;
    arenascope_.reported_lost[i] = 0;
    __atomic_store_n(&ring->state, ARENASCOPE_RING_USED_, __ATOMIC_RELEASE);
    if (i >= arenascope_.rings) __atomic_store_n(&arenascope_.rings, (uint32_t)i + 1, __ATOMIC_RELEASE);
    return ring;
  }
  return NULL;
}
// Finds a ring for a thread or a queue. Rings of ended threads become free once the pump has read them, so the pump is
// woken.
static arenascope_ring* arenascope_find_ring_(const char* name, int kind, uint32_t device, int64_t thread) {
  const struct timespec pause = {0, 500000};
  arenascope_ring* ring = NULL;
  int tries;
  for (tries = 0; ring == NULL && tries < 100 && arenascope_lock_(); ++tries) {
    ring = arenascope_take_ring_(name, kind, device, thread);
    pthread_mutex_unlock(&arenascope_mutex_);
    if (ring == NULL) arenascope_wake_pump_();
    if (ring == NULL) nanosleep(&pause, NULL);
  }
  return ring;
}
static void arenascope_left_(void* value) {
  arenascope_ring* ring = (arenascope_ring*)value;
  if (ring != arenascope_ring_) return;  // set by a parent process
  arenascope_ring_ = NULL;
  __atomic_store_n(&ring->state, ARENASCOPE_RING_LEFT_, __ATOMIC_RELEASE);
}
arenascope_ring* arenascope_enter_(void) {
  char name[17] = "";
  arenascope_ring* ring;
  if (arenascope_ringless_) return NULL;
  prctl(PR_GET_NAME, name, 0, 0, 0);
  ring = arenascope_find_ring_(name, ARENASCOPE_WORKER, ARENASCOPE_NONE, (int64_t)syscall(SYS_gettid));
  if (ring == NULL) {
    arenascope_ringless_ = 1;
    arenascope_problem("More than 256 threads recorded at the same time; the events of the others are missing.");
    return NULL;
  }
  arenascope_ring_ = ring;
  pthread_setspecific(arenascope_.key, ring);
  return ring;
}
arenascope_ring* arenascope_track(const char* name, int track_kind, uint32_t device) {
  return arenascope_find_ring_(name, track_kind, device, 0);
}
void arenascope_thread_name(const char* name) {
  if (!arenascope_connected() || (arenascope_ring_ == NULL && arenascope_enter_() == NULL) || !arenascope_lock_())
    return;
  arenascope_describe_track_(arenascope_ring_->track, name, ARENASCOPE_WORKER, ARENASCOPE_NONE,
                             (int64_t)syscall(SYS_gettid));
  pthread_mutex_unlock(&arenascope_mutex_);
}
// Called when the ring may be full. A half-full ring wakes the pump, whose pause may be longer than a burst takes to
// fill the other half.
int arenascope_full_(arenascope_ring* ring) {
  const struct timespec pause = {0, 100000};
  const uint64_t half = ring->mask / 2 + 1;
  do {
    const uint64_t used = ring->head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    if (used < half) {
      arenascope_check_for_receiver_(ring, half - used);
      return 0;
    }
    if (used <= ring->mask) {
      arenascope_wake_pump_();
      arenascope_check_for_receiver_(ring, ring->mask + 1 - used < half / 2 ? ring->mask + 1 - used : half / 2);
      return 0;
    }
    if (arenascope_.hold_back) arenascope_wake_pump_();
    if (arenascope_.hold_back) nanosleep(&pause, NULL);
  } while (arenascope_.hold_back && arenascope_connected());
  __atomic_store_n(&ring->lost, ring->lost + 1, __ATOMIC_RELAXED);
  return 1;
}

// ---- The pump

// Sends all bytes. Returns 0 if the receiver has disconnected, or did not read for too long while the program is
// ending.
static int arenascope_send_(const uint8_t* data, size_t size) {
  while (size > 0) {
    const ssize_t n =
        arenascope_.is_socket ? send(arenascope_file_, data, size, MSG_NOSIGNAL) : write(arenascope_file_, data, size);
    if (n > 0) {
      data += n;
      size -= (size_t)n;
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
      return 0;
    } else if (__atomic_load_n(&arenascope_.stopping, __ATOMIC_ACQUIRE) && arenascope_now() > arenascope_.stop_by) {
      return 0;
    }
  }
  return 1;
}
static int arenascope_send_packet_(arenascope_open_ open) {
  arenascope_bytes_* out = &arenascope_.packet;
  arenascope_close_(out, open);
  return !out->failed && arenascope_send_(out->data, out->size);
}
static int arenascope_send_log_(uint64_t until) {
  arenascope_shared* s = arenascope_.shared;
  const uint8_t* log = (const uint8_t*)s + s->log_offset;
  while (s->log_tail != until) {
    const size_t at = (size_t)(s->log_tail % s->log_bytes);
    const uint64_t left = until - s->log_tail;
    const size_t size = left < s->log_bytes - at ? (size_t)left : (size_t)s->log_bytes - at;
    if (!arenascope_send_(log + at, size)) return 0;
    __atomic_store_n(&s->log_tail, s->log_tail + size, __ATOMIC_RELEASE);
  }
  return 1;
}
// Encodes one column of an event packet: kinds, times, a, b or ids.
static uint64_t arenascope_column_(const arenascope_event* e, uint32_t column, int64_t* last) {
  const uint32_t kind = e->kind_extra & 0xff;
  const int is_span = kind == 1 || kind == 2 || kind == 10 || kind == 16;
  uint64_t delta;
  switch (column) {
    case 3: return e->kind_extra;
    case 4:
      delta = (uint64_t)e->time - (uint64_t)*last;
      *last = e->time;
      return arenascope_zigzag_((int64_t)delta);
    case 5: return arenascope_zigzag_((int64_t)((uint64_t)e->a - (is_span ? (uint64_t)e->time : 0)));
    case 6: return arenascope_zigzag_(e->b);
    default: return e->id;
  }
}
static int arenascope_send_events_(arenascope_ring* ring, uint64_t until) {
  arenascope_bytes_* out = &arenascope_.packet;
  const arenascope_event* events = (const arenascope_event*)(const void*)(ring + 1);
  const uint64_t most = 512;
  while (ring->tail != until) {
    const uint64_t tail = ring->tail, left = until - tail;
    const uint64_t count = left < most ? left : most;
    const arenascope_open_ open = arenascope_packet_(out, 14);
    uint32_t column;
    arenascope_id_(out, 1, ring->track);
    arenascope_number_(out, 2, count);
    for (column = 3; column <= 7; ++column) {
      const size_t start = arenascope_begin_(out, column);
      int64_t last = 0;
      uint64_t i;
      for (i = 0; i < count; ++i)
        arenascope_varint_(out, arenascope_column_(events + ((tail + i) & ring->mask), column, &last));
      arenascope_end_(out, start);
    }
    if (!arenascope_send_packet_(open)) return 0;
    __atomic_store_n(&ring->tail, tail + count, __ATOMIC_RELEASE);
  }
  return 1;
}
static int arenascope_send_losses_(arenascope_ring* ring, uint64_t* reported) {
  const uint64_t lost = __atomic_load_n(&ring->lost, __ATOMIC_RELAXED);
  arenascope_bytes_* out = &arenascope_.packet;
  arenascope_open_ open;
  if (lost == *reported) return 1;
  open = arenascope_packet_(out, 13);
  arenascope_id_(out, 1, ring->track);
  arenascope_signed_(out, 2, (int64_t)(lost - *reported));
  arenascope_signed_(out, 3, arenascope_now());
  *reported = lost;
  return arenascope_send_packet_(open);
}
static int arenascope_send_ends_(uint64_t until) {
  arenascope_shared* s = arenascope_.shared;
  arenascope_bytes_* out = &arenascope_.packet;
  while (s->ends_tail != until) {
    const arenascope_end* end = &s->ends[s->ends_tail % ARENASCOPE_ENDS];
    const arenascope_open_ open = arenascope_packet_(out, 6);
    arenascope_id_(out, 1, end->run);
    arenascope_signed_(out, 2, end->time);
    arenascope_number_(out, 3, end->status);
    if (!arenascope_send_packet_(open)) return 0;
    __atomic_store_n(&s->ends_tail, s->ends_tail + 1, __ATOMIC_RELEASE);
  }
  return 1;
}
// Also reports it in the log, unless a thread is writing a description and may be waiting for the pump.
static void arenascope_tell_log_losses_(void) {
  char sentence[96];
  arenascope_open_ open;
  const uint64_t lost = __atomic_load_n(&arenascope_.shared->log_lost, __ATOMIC_RELAXED);
  if (lost == arenascope_.reported_log_lost || pthread_mutex_trylock(&arenascope_mutex_) != 0) return;
  snprintf(sentence, sizeof sentence, "%llu descriptions were lost: the receiver did not keep up.",
           (unsigned long long)(lost - arenascope_.reported_log_lost));
  arenascope_.reported_log_lost = lost;
  open = arenascope_describe_(12);
  arenascope_number_(&arenascope_.scratch, 1, 1);
  arenascope_text_of_(&arenascope_.scratch, 2, sentence);
  arenascope_signed_(&arenascope_.scratch, 3, arenascope_now());
  arenascope_close_(&arenascope_.scratch, open);
  if (!arenascope_log_(&arenascope_.scratch)) arenascope_.reported_log_lost = lost - 1;
  pthread_mutex_unlock(&arenascope_mutex_);
}
// Ring heads are read before the log's head, so that descriptions are sent before the events that refer to them. Run
// ends that were logged before the ring heads were read are sent after the events. Returns the number of events sent,
// or -1.
static int64_t arenascope_round_(void) {
  arenascope_shared* s = arenascope_.shared;
  uint64_t heads[ARENASCOPE_RINGS], ends, log_head;
  uint32_t states[ARENASCOPE_RINGS];
  const size_t rings = __atomic_load_n(&arenascope_.rings, __ATOMIC_ACQUIRE);
  int64_t sent = 0;
  size_t i;
  for (i = 0; i < rings; ++i) {
    arenascope_ring* ring = arenascope_ring_at_(s, i);
    states[i] = __atomic_load_n(&ring->state, __ATOMIC_ACQUIRE);
    if (states[i] != ARENASCOPE_RING_FREE_) heads[i] = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  }
  ends = __atomic_load_n(&s->ends_head, __ATOMIC_ACQUIRE);
  log_head = __atomic_load_n(&s->log_head, __ATOMIC_ACQUIRE);
  if (!arenascope_send_log_(log_head)) return -1;
  for (i = 0; i < rings; ++i) {
    arenascope_ring* ring = arenascope_ring_at_(s, i);
    if (states[i] == ARENASCOPE_RING_FREE_) continue;
    sent += (int64_t)(heads[i] - ring->tail);
    if (!arenascope_send_events_(ring, heads[i])) return -1;
    if (!arenascope_send_losses_(ring, &arenascope_.reported_lost[i])) return -1;
    if (states[i] == ARENASCOPE_RING_LEFT_) __atomic_store_n(&ring->state, ARENASCOPE_RING_FREE_, __ATOMIC_RELEASE);
  }
  if (!arenascope_send_ends_(arenascope_.ends_due)) return -1;
  arenascope_.ends_due = ends;
  arenascope_tell_log_losses_();
  return sent;
}
// Pauses longer when there is little to send: on a fully loaded machine, each wakeup delays a working thread.
static void arenascope_rest_(int64_t sent) {
  const int much = sent > (int64_t)(arenascope_.shared->ring_events / 16);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += much ? 5000000 : 100000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&arenascope_pause_);
  if (!arenascope_.is_woken) pthread_cond_timedwait(&arenascope_wake_, &arenascope_pause_, &until);
  arenascope_.is_woken = 0;
  pthread_mutex_unlock(&arenascope_pause_);
}
static void* arenascope_pump_(void* unused) {
  int rounds_left = 3;  // when stopping: run ends are sent one round later
  (void)unused;
  prctl(PR_SET_NAME, "arenascope", 0, 0, 0);
  while (rounds_left > 0) {
    const int64_t sent = arenascope_round_();
    if (sent < 0) break;
    if (__atomic_load_n(&arenascope_.stopping, __ATOMIC_ACQUIRE))
      --rounds_left;
    else if (sent <= (int64_t)(arenascope_.shared->ring_events / 4))
      arenascope_rest_(sent);
  }
  __atomic_store_n(&arenascope_on_, 0, __ATOMIC_RELEASE);
  return NULL;
}

// ---- Connecting

static void arenascope_before_fork_(void) { pthread_mutex_lock(&arenascope_mutex_); }
static void arenascope_in_parent_(void) { pthread_mutex_unlock(&arenascope_mutex_); }
static void arenascope_in_child_(void) {
  arenascope_on_ = 0;
  arenascope_ring_ = NULL;
  if (arenascope_file_ >= 0) close(arenascope_file_);
  if (arenascope_.shared != NULL) munmap(arenascope_.shared, arenascope_.shared_bytes);
  arenascope_file_ = -1;
  arenascope_.shared = NULL;
  arenascope_.used = arenascope_.pumping = arenascope_.stopping = arenascope_.is_woken = 0;
  pthread_mutex_init(&arenascope_pause_, NULL);  // the parent's pump may have held it
  pthread_cond_init(&arenascope_wake_, NULL);
  pthread_mutex_unlock(&arenascope_mutex_);
}
static void arenascope_prepare_(void) {
  if (arenascope_.prepared) return;
  arenascope_.prepared = 1;
  pthread_key_create(&arenascope_.key, arenascope_left_);
  pthread_atfork(arenascope_before_fork_, arenascope_in_parent_, arenascope_in_child_);
}

// Maps the memory for the rings, from a memory file if the receiver is to map it too. Returns the file descriptor, -1
// without a file, -2 on failure.
static int arenascope_map_(uint64_t ring_events, int share) {
  const uint64_t log_offset = (sizeof(arenascope_shared) + 4095) / 4096 * 4096;
  const uint64_t ring_offset = log_offset + ARENASCOPE_LOG_BYTES;
  const uint64_t stride = (sizeof(arenascope_ring) + ring_events * sizeof(arenascope_event) + 4095) / 4096 * 4096;
  const size_t bytes = (size_t)(ring_offset + stride * ARENASCOPE_RINGS);
  int memory = -1;
  void* at;
  arenascope_shared* s;
  if (share) {
    memory = (int)syscall(SYS_memfd_create, "arenascope", 3u);  // close on exec, sealing allowed
    if (memory < 0 || ftruncate(memory, (off_t)bytes) != 0 ||
        fcntl(memory, 1033, 7) != 0) {  // the size can no longer change
      if (memory >= 0) close(memory);
      return -2;
    }
  }
  at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | (share ? 0 : MAP_ANONYMOUS), memory, 0);
  if (at == MAP_FAILED) {
    if (memory >= 0) close(memory);
    return -2;
  }
  s = (arenascope_shared*)at;
  s->magic = ARENASCOPE_SHARED_MAGIC;
  s->version = ARENASCOPE_PROTOCOL_VERSION;
  s->rings = ARENASCOPE_RINGS;
  s->ring_events = ring_events;
  s->ring_offset = ring_offset;
  s->ring_stride = stride;
  s->log_offset = log_offset;
  s->log_bytes = ARENASCOPE_LOG_BYTES;
  arenascope_.shared = s;
  arenascope_.shared_bytes = bytes;
  return memory;
}

static int arenascope_open_file_(const char* path) {
  char name[4096];
  const char* at = strstr(path, "%p");
  if (at != NULL)
    snprintf(name, sizeof name, "%.*s%d%s", (int)(at - path), path, (int)getpid(), at + 2);
  else
    snprintf(name, sizeof name, "%s", path);
  arenascope_.is_socket = 0;
  arenascope_file_ = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  return arenascope_file_ >= 0 ? 0 : arenascope_fail_("cannot write %s: %s", name, strerror(errno));
}
static int arenascope_open_socket_(const char* address, char* token, size_t token_size) {
  struct sockaddr_un local;
  struct sockaddr_in loopback;
  const int is_unix = strncmp(address, "unix:", 5) == 0;
  const char* rest = address + (is_unix ? 5 : 4);
  const struct sockaddr* to =
      is_unix ? (const struct sockaddr*)(const void*)&local : (const struct sockaddr*)(const void*)&loopback;
  memset(&local, 0, sizeof local);
  memset(&loopback, 0, sizeof loopback);
  local.sun_family = AF_UNIX;
  loopback.sin_family = AF_INET;
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (is_unix) {
    if (strlen(rest) >= sizeof local.sun_path) return arenascope_fail_("the socket path %s is too long", rest);
    strcpy(local.sun_path, rest);
  } else {
    char* end = NULL;
    const long port = strtol(rest, &end, 10);
    if (port <= 0 || port > 65535 || end == NULL || *end != ':' || strlen(end + 1) >= token_size)
      return arenascope_fail_("invalid address \"%s\": expected tcp:PORT:TOKEN", address);
    loopback.sin_port = htons((uint16_t)port);
    strcpy(token, end + 1);
  }
  arenascope_.is_socket = 1;
  arenascope_file_ = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (arenascope_file_ < 0 || connect(arenascope_file_, to, is_unix ? sizeof local : sizeof loopback) != 0)
    return arenascope_fail_("cannot connect to %s: %s", address, strerror(errno));
  return 0;
}

// This process's rank in a distributed job, from the launcher's environment variables; -1: none.
static int64_t arenascope_rank_(void) {
  static const char* const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; ++i) {
    const char* value = getenv(names[i]);
    char* end = NULL;
    const long rank = value != NULL && *value >= '0' && *value <= '9' ? strtol(value, &end, 10) : -1;
    if (rank >= 0 && rank < 1 << 24 && *end == 0) return rank;
  }
  return -1;
}
// The first packet: the recording's header and the process's identity, with the file descriptor of the rings' memory.
static int arenascope_greet_(const char* program, const char* token, int memory) {
  arenascope_bytes_* out = &arenascope_.packet;
  const arenascope_open_ open = arenascope_packet_(out, 0);
  union {
    struct cmsghdr align;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec part;
  struct msghdr message;
  size_t hello;
  ssize_t n;
  arenascope_number_(out, 1, 1);
  arenascope_number_(out, 16, 1);
  arenascope_text_of_(out, 15, program);
  hello = arenascope_begin_(out, 100);
  arenascope_number_(out, 1, ARENASCOPE_PROTOCOL_VERSION);
  arenascope_number_(out, 2, (uint64_t)getpid());
  arenascope_text_of_(out, 3, token);
  arenascope_number_(out, 4, ARENASCOPE_CLIENT_VERSION);
  if (arenascope_rank_() >= 0) arenascope_number_(out, 5, (uint64_t)arenascope_rank_() + 1);
  arenascope_end_(out, hello);
  arenascope_close_(out, open);
  if (out->failed) return 0;
  if (memory < 0) return arenascope_send_(out->data, out->size);
  memset(&message, 0, sizeof message);
  memset(&control, 0, sizeof control);
  part.iov_base = out->data;
  part.iov_len = out->size;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.room;
  message.msg_controllen = sizeof control.room;
  control.align.cmsg_level = SOL_SOCKET;
  control.align.cmsg_type = SCM_RIGHTS;
  control.align.cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(&control.align), &memory, sizeof memory);
  n = sendmsg(arenascope_file_, &message, MSG_NOSIGNAL);
  return n > 0 && arenascope_send_(out->data + n, out->size - (size_t)n);
}
static int arenascope_receive_(void* data, size_t size) {
  struct pollfd ready;
  size_t at = 0;
  ready.fd = arenascope_file_;
  ready.events = POLLIN;
  while (at < size) {
    ssize_t n;
    if (poll(&ready, 1, 5000) <= 0) return 0;
    n = recv(arenascope_file_, (char*)data + at, size - at, 0);
    if (n <= 0) return 0;
    at += (size_t)n;
  }
  return 1;
}
// Reads the receiver's answer: "ASCP", its protocol version and the length of an error message (0: accepted),
// little-endian.
static int arenascope_answer_(const char* address) {
  uint8_t head[12];
  uint32_t length;
  char sentence[200];
  if (!arenascope_receive_(head, sizeof head)) return arenascope_fail_("%s does not answer", address);
  if (memcmp(head, "ASCP", 4) != 0) return arenascope_fail_("%s is not an Arenascope receiver", address);
  length = (uint32_t)head[8] | (uint32_t)head[9] << 8 | (uint32_t)head[10] << 16 | (uint32_t)head[11] << 24;
  if (length == 0) return 0;
  if (length >= sizeof sentence) length = sizeof sentence - 1;
  if (!arenascope_receive_(sentence, length)) length = 0;
  sentence[length] = 0;
  return arenascope_fail_("%s refuses: %s", address, sentence);
}

// The caller holds the mutex. Returns 0 if connected.
static int arenascope_open_connection_(const arenascope_client_options* options, const char* address) {
  const struct timeval send_patience = {0, 200000};
  char token[128] = "", name[17] = "";
  uint64_t ring_events = 64;
  int memory, result;
  const char* program = options != NULL ? options->program : NULL;
  if (program == NULL) {
    prctl(PR_GET_NAME, name, 0, 0, 0);
    program = name;
  }
  while (ring_events < (options != NULL && options->ring_events != 0 ? options->ring_events : 65536u) &&
         ring_events < (1u << 24))
    ring_events *= 2;
  if (strncmp(address, "file:", 5) == 0)
    result = arenascope_open_file_(address + 5);
  else if (strncmp(address, "unix:", 5) == 0 || strncmp(address, "tcp:", 4) == 0)
    result = arenascope_open_socket_(address, token, sizeof token);
  else
    return arenascope_fail_("invalid address \"%s\": expected unix:PATH, tcp:PORT:TOKEN or file:PATH", address);
  if (result != 0) return result;
  memory = arenascope_map_(ring_events, strncmp(address, "unix:", 5) == 0);
  if (memory == -2) return arenascope_fail_("cannot allocate the rings: %s", strerror(errno));
  result = arenascope_greet_(program, token, memory)
               ? 0
               : arenascope_fail_("%s closed the connection: %s", address, strerror(errno));
  if (memory >= 0) close(memory);
  if (result == 0 && arenascope_.is_socket) result = arenascope_answer_(address);
  if (result == 0 && arenascope_.is_socket)
    setsockopt(arenascope_file_, SOL_SOCKET, SO_SNDTIMEO, &send_patience, sizeof send_patience);
  arenascope_.hold_back = options != NULL && options->hold_back;
  return result;
}
static int arenascope_start_pump_(void) {
  sigset_t all, before;
  int status;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the pump must not handle the program's signals
  status = pthread_create(&arenascope_.pump, NULL, arenascope_pump_, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status == 0 ? 0 : arenascope_fail_("cannot start the pump thread: %s", strerror(status));
}
static void arenascope_forget_(void) {
  size_t i;
  for (i = 0; i < arenascope_.table_size; ++i) free(arenascope_.table[i].text);
  free(arenascope_.table);
  arenascope_.table = NULL;
  arenascope_.table_size = 0;
  arenascope_.names = arenascope_.tracks = arenascope_.devices = arenascope_.spaces = 0;
  arenascope_.counters = arenascope_.graphs = arenascope_.plans = arenascope_.runs = 0;
  arenascope_.ends_due = arenascope_.reported_log_lost = 0;
  arenascope_.rings = 0;
}

int arenascope_connect(const arenascope_client_options* options) {
  const char* address = options != NULL && options->address != NULL ? options->address : getenv("ARENASCOPE_ATTACH");
  int result;
  if (address == NULL || *address == 0) return 1;
  pthread_mutex_lock(&arenascope_mutex_);
  if (arenascope_.used) {
    result =
        arenascope_connected() ? 0 : arenascope_fail_("cannot connect again: the process has already been connected");
    pthread_mutex_unlock(&arenascope_mutex_);
    return result;
  }
  arenascope_prepare_();
  arenascope_forget_();
  arenascope_.error[0] = 0;
  result = arenascope_open_connection_(options, address);
  if (result == 0) result = arenascope_start_pump_();
  if (result == 0) {
    arenascope_.used = arenascope_.pumping = 1;
    __atomic_store_n(&arenascope_on_, 1, __ATOMIC_RELEASE);
  } else {
    if (arenascope_file_ >= 0) close(arenascope_file_);
    if (arenascope_.shared != NULL) munmap(arenascope_.shared, arenascope_.shared_bytes);
    arenascope_.shared = NULL;
    arenascope_file_ = -1;
  }
  pthread_mutex_unlock(&arenascope_mutex_);
  return result;
}

void arenascope_disconnect(void) {
  int joins;
  pthread_mutex_lock(&arenascope_mutex_);
  joins = arenascope_.pumping;
  arenascope_.pumping = 0;
  arenascope_.stop_by = arenascope_now() + 2000000000;
  __atomic_store_n(&arenascope_.stopping, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&arenascope_mutex_);
  arenascope_wake_pump_();
  if (!joins) return;
  __atomic_store_n(&arenascope_on_, 0, __ATOMIC_RELEASE);
  pthread_join(arenascope_.pump, NULL);
  close(arenascope_file_);  // the rings stay mapped: a thread may still be writing to its ring
  arenascope_file_ = -1;
}
__attribute__((destructor)) static void arenascope_at_exit_(void) { arenascope_disconnect(); }

#ifdef __cplusplus
}
#endif
#endif  // ARENASCOPE_CLIENT_IMPLEMENTATION
#endif  // ARENASCOPE_CLIENT_H
