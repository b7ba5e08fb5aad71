// SPDX-License-Identifier: MIT
// Heap adapter for any dynamically linked program. When preloaded, this library wraps malloc and related functions and
// records blocks of at least ARENASCOPE_MALLOC_BYTES (65,536 by default). A block's space is its call site: the
// innermost frame outside the C and C++ libraries, "training_step+0x41 (libmodel.so)", or "app+0x1234" for addr2line if
// it has no symbol. For smaller blocks the only cost is reading the size that the allocator stores next to the block.
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include "engine/attach/arenascope_client.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <malloc.h>

#define EXPORT __attribute__((visibility("default")))
#define FRAMES 16
#define SITES 4096
#define BUCKETS 65536

typedef struct block {
  struct block* next;
  uint64_t address;
  int64_t bytes;
  uint32_t space, number;
} block;

static struct {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void (*free)(void*);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  void* (*memalign)(size_t, size_t);
  size_t (*usable)(void*);
} real;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // guards the state below
static block* buckets[BUCKETS];
static struct {
  void* frame;
  uint32_t space;
} sites[SITES];
static uint32_t site_count, block_count, device, other_sites;
static arenascope_ring* track;
static size_t threshold = 65536;

// Memory for allocations by dlsym() before the real functions are resolved. Never freed.
static char early[65536] __attribute__((aligned(16)));
static size_t early_used;
static int is_early(const void* at) { return (const char*)at >= early && (const char*)at < early + sizeof early; }
static void* take_early(size_t bytes) {
  const size_t at = early_used;
  if (bytes > sizeof early - at) return NULL;
  early_used = at + (bytes + 15) / 16 * 16;
  return early + at;
}

static __thread int inside;  // set while this library runs on the thread: allocations that it causes are not recorded

static void find_real(void) {
  static int looking;
  if (real.malloc != NULL || looking) return;
  looking = 1;
  *(void**)&real.calloc = dlsym(RTLD_NEXT, "calloc");
  *(void**)&real.realloc = dlsym(RTLD_NEXT, "realloc");
  *(void**)&real.free = dlsym(RTLD_NEXT, "free");
  *(void**)&real.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  *(void**)&real.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  *(void**)&real.memalign = dlsym(RTLD_NEXT, "memalign");
  *(void**)&real.usable = dlsym(RTLD_NEXT, "malloc_usable_size");
  *(void**)&real.malloc = dlsym(RTLD_NEXT, "malloc");
  looking = 0;
}

static int is_watched(size_t bytes) {
  return bytes >= threshold && arenascope_connected() && !inside && !pthread_equal(pthread_self(), arenascope_.pump);
}

// True for files whose frames are not call sites: wrappers around malloc.
static int is_wrapper(const char* file) {
  static const char* const names[] = {"arenascope-malloc-adapter", "libstdc++.so", "libc++.so", "libc.so", "ld-linux"};
  const char* slash = strrchr(file, '/');
  size_t i;
  if (slash != NULL) file = slash + 1;
  for (i = 0; i < sizeof names / sizeof *names; ++i)
    if (strncmp(file, names[i], strlen(names[i])) == 0) return 1;
  return 0;
}

static uint32_t name_site(void* frame, const Dl_info* info) {
  char name[512];
  const char* slash = strrchr(info->dli_fname, '/');
  const char* file = slash != NULL ? slash + 1 : info->dli_fname;
  if (info->dli_sname != NULL)
    snprintf(name, sizeof name, "%s+0x%lx (%s)", info->dli_sname,
             (unsigned long)((char*)frame - (char*)info->dli_saddr), file);
  else
    snprintf(name, sizeof name, "%s+0x%lx", file, (unsigned long)((char*)frame - (char*)info->dli_fbase));
  return arenascope_space(name, ARENASCOPE_DEFAULT, device);
}

// The space of a known call site; ARENASCOPE_NONE if it is new. Needs no mutex, because sites are only added.
static uint32_t known_site(void* frame) {
  const uint32_t count = __atomic_load_n(&site_count, __ATOMIC_ACQUIRE);
  uint32_t at;
  for (at = 0; at < count; ++at)
    if (sites[at].frame == frame) return sites[at].space;
  return ARENASCOPE_NONE;
}
static uint32_t add_site(void* frame, const Dl_info* info) {
  uint32_t space;
  pthread_mutex_lock(&mutex);
  space = known_site(frame);
  if (space == ARENASCOPE_NONE && site_count < SITES) {
    sites[site_count].frame = frame;
    sites[site_count].space = space = name_site(frame, info);
    __atomic_store_n(&site_count, site_count + 1, __ATOMIC_RELEASE);
  }
  if (space == ARENASCOPE_NONE && other_sites == ARENASCOPE_NONE)
    other_sites = arenascope_space("other call sites", ARENASCOPE_DEFAULT, device);
  if (space == ARENASCOPE_NONE) space = other_sites;
  pthread_mutex_unlock(&mutex);
  return space;
}
// The space of the call site that allocates a block. Called without the mutex: dladdr() takes the loader's lock, and a
// thread that is loading a library holds that lock while the library's initialisers allocate memory.
static uint32_t space_of_caller(void) {
  static const Dl_info nowhere = {"?", NULL, NULL, NULL};
  void* frames[FRAMES];
  const int count = backtrace(frames, FRAMES);
  int i;
  for (i = 0; i < count; ++i) {
    Dl_info info;
    const uint32_t known = known_site(frames[i]);
    if (known != ARENASCOPE_NONE) return known;
    if (dladdr(frames[i], &info) != 0 && info.dli_fname != NULL && !is_wrapper(info.dli_fname))
      return add_site(frames[i], &info);
  }
  return add_site(NULL, &nowhere);
}

static void record_alloc(void* at, size_t bytes) {
  block* b;
  if (at == NULL) return;
  inside = 1;
  b = (block*)real.malloc(sizeof *b);
  if (b != NULL) {
    b->address = (uint64_t)(uintptr_t)at;
    b->bytes = (int64_t)bytes;
    b->space = space_of_caller();
    pthread_mutex_lock(&mutex);
    b->number = ++block_count;
    b->next = buckets[(b->address >> 4) % BUCKETS];
    buckets[(b->address >> 4) % BUCKETS] = b;
    arenascope_alloc_on(track, b->space, ARENASCOPE_DEFAULT, b->address, b->bytes, b->number);
    pthread_mutex_unlock(&mutex);
  }
  inside = 0;
}

// Called before the block is freed: another thread may get the same address immediately afterwards.
static void record_free(void* at) {
  const uint64_t address = (uint64_t)(uintptr_t)at;
  block **place, *found = NULL;
  if (at == NULL || inside || !arenascope_connected() || real.usable == NULL || real.usable(at) < threshold) return;
  inside = 1;
  pthread_mutex_lock(&mutex);
  for (place = &buckets[(address >> 4) % BUCKETS]; *place != NULL; place = &(*place)->next) {
    if ((*place)->address != address) continue;
    found = *place;
    *place = found->next;
    arenascope_free_on(track, found->space, ARENASCOPE_DEFAULT, address, found->bytes, found->number);
    break;
  }
  pthread_mutex_unlock(&mutex);
  if (found != NULL) real.free(found);
  inside = 0;
}

EXPORT void* malloc(size_t bytes) {
  void* at;
  find_real();
  if (real.malloc == NULL) return take_early(bytes);
  at = real.malloc(bytes);
  if (__builtin_expect(is_watched(bytes), 0)) record_alloc(at, bytes);
  return at;
}

EXPORT void* calloc(size_t count, size_t size) {
  void* at;
  size_t bytes;
  find_real();
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
  if (real.calloc == NULL) return take_early(bytes);
  at = real.calloc(count, size);
  if (__builtin_expect(is_watched(bytes), 0)) record_alloc(at, bytes);
  return at;
}

EXPORT void free(void* at) {
  if (at == NULL || is_early(at)) return;
  find_real();
  record_free(at);
  if (real.free != NULL) real.free(at);
}

EXPORT void* realloc(void* at, size_t bytes) {
  void* moved;
  find_real();
  if (is_early(at) || real.realloc == NULL) {
    moved = malloc(bytes);
    if (moved != NULL && at != NULL) {
      const size_t left = (size_t)(early + sizeof early - (char*)at);
      memcpy(moved, at, bytes < left ? bytes : left);
    }
    return moved;
  }
  record_free(at);
  moved = real.realloc(at, bytes);
  if (moved == NULL && at != NULL && bytes > 0) {
    const size_t usable = real.usable != NULL ? real.usable(at) : 0;
    if (is_watched(usable)) record_alloc(at, usable);  // resized at the same address
  } else if (__builtin_expect(is_watched(bytes), 0)) {
    record_alloc(moved, bytes);
  }
  return moved;
}

EXPORT int posix_memalign(void** at, size_t alignment, size_t bytes) {
  int status;
  find_real();
  if (real.posix_memalign == NULL) return ENOMEM;
  status = real.posix_memalign(at, alignment, bytes);
  if (status == 0 && is_watched(bytes)) record_alloc(*at, bytes);
  return status;
}

EXPORT void* aligned_alloc(size_t alignment, size_t bytes) {
  void* at;
  find_real();
  at = real.aligned_alloc != NULL ? real.aligned_alloc(alignment, bytes) : NULL;
  if (is_watched(bytes)) record_alloc(at, bytes);
  return at;
}

EXPORT void* memalign(size_t alignment, size_t bytes) {
  void* at;
  find_real();
  at = real.memalign != NULL ? real.memalign(alignment, bytes) : NULL;
  if (is_watched(bytes)) record_alloc(at, bytes);
  return at;
}

static void before_fork(void) { pthread_mutex_lock(&mutex); }
static void after_fork(void) { pthread_mutex_unlock(&mutex); }

__attribute__((constructor)) static void begin(void) {
  const char* setting = getenv("ARENASCOPE_MALLOC_BYTES");
  void* frames[2];
  inside = 1;
  find_real();
  if (setting != NULL && atoll(setting) > 0) threshold = (size_t)atoll(setting);
  other_sites = ARENASCOPE_NONE;
  backtrace(frames, 2);  // loads the unwinder now
  if (arenascope_connect(NULL) < 0) fprintf(stderr, "arenascope: %s\n", arenascope_error());
  pthread_atfork(before_fork, after_fork, after_fork);
  if (arenascope_connected()) {
    device = arenascope_device("main memory", "host", 0, 1);
    track = arenascope_track("heap", ARENASCOPE_OTHER, device);
  }
  inside = 0;
}
