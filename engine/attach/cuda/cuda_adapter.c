// SPDX-License-Identifier: MIT
// Adapter for CUDA programs. The driver loads this library at startup (CUDA_INJECTION64_PATH) and calls
// InitializeInjection(). CUPTI activities provide each allocation with its address and size, per device and memory
// kind. Streams become timeline rows with kernels, copies and fills, converted to the host's clock. CUPTI is searched
// for in ARENASCOPE_CUPTI, by the dynamic loader, and at the path that the build found. Without CUPTI a warning is
// recorded and the program continues. ARENASCOPE_CUDA_RECORD=graphs records each launch of a captured graph as one span
// instead of its kernels, =memory records no kernels, copies or fills. CUPTI delays each kernel by about a microsecond.
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include "engine/attach/arenascope_client.h"

#include <dlfcn.h>

#include "engine/attach/cuda/cupti_api.h"

#define EXPORT __attribute__((visibility("default")))
#define BUFFER_BYTES (4u << 20)
#define NAMES (1u << 12)  // cached names of kernels, a power of two
#define SLOTS (1u << 18)  // for live blocks, a power of two

#define MEMBER(member, arguments, symbol) static int(*cupti_##member) arguments;
CUPTI_FUNCTIONS(MEMBER)

typedef struct place {  // a live block; an unset id marks a free slot
  uint64_t address;
  int64_t bytes;
  uint32_t space, number;
  int kind, gone;
} place;
typedef struct stream {
  uint32_t device, context, number;
  arenascope_ring* track;
} stream;

typedef struct pool {  // a pool of cudaMallocAsync()
  uint64_t id;
  int64_t reserved;  // bytes; -1: not reported yet
  uint32_t device, space, counter;
} pool;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // guards the state below
static place* places;
static uint32_t place_count, block_count, stream_count, warned_full;
static stream streams[1024];
static uint32_t devices[64], spaces[64][3];  // ids + 1; by memory kind: device, pinned, managed
static pool pools[256];
static uint32_t pool_count;
static arenascope_ring* memory_track;
static int64_t dropped;
static cupti_memory* pending;  // records that earlier ones may still precede
static size_t pending_count, pending_room;

// ---- Devices, spaces and tracks; callers hold the mutex

static uint32_t device_of(uint32_t ordinal) {
  char name[256] = "", text[300];
  uint64_t bytes = 0;
  void* driver;
  ordinal %= sizeof devices / sizeof *devices;
  if (devices[ordinal] != 0) return devices[ordinal] - 1;
  driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver != NULL) {
    int (*get)(int*, int) = NULL;
    int (*get_name)(char*, int, int) = NULL;
    int (*get_bytes)(size_t*, int) = NULL;
    size_t total = 0;
    int handle = 0;
    *(void**)&get = dlsym(driver, "cuDeviceGet");
    *(void**)&get_name = dlsym(driver, "cuDeviceGetName");
    *(void**)&get_bytes = dlsym(driver, "cuDeviceTotalMem_v2");
    if (get != NULL && get(&handle, (int)ordinal) == 0) {
      if (get_name != NULL) get_name(name, sizeof name - 1, handle);
      if (get_bytes != NULL && get_bytes(&total, handle) == 0) bytes = total;
    }
    dlclose(driver);
  }
  snprintf(text, sizeof text, "%s%sCUDA device %u", name, *name != 0 ? ", " : "", ordinal);
  devices[ordinal] = arenascope_device(text, "cuda", (int64_t)bytes, 0) + 1;
  return devices[ordinal] - 1;
}
static int kind_of(uint32_t memory) {
  return memory == kCuptiPinned     ? ARENASCOPE_HOST_PINNED
         : memory == kCuptiPageable ? ARENASCOPE_HOST_PAGEABLE
                                    : ARENASCOPE_DEFAULT;
}
static uint32_t space_of(uint32_t ordinal, uint32_t memory) {
  static const char* const of[] = {"memory of CUDA device %u", "pinned memory for CUDA device %u",
                                   "managed memory of CUDA device %u"};
  const int which = memory == kCuptiPinned || memory == kCuptiPageable         ? 1
                    : memory == kCuptiManaged || memory == kCuptiManagedStatic ? 2
                                                                               : 0;
  char text[96];
  uint32_t* space = &spaces[ordinal % 64][which];
  if (*space == 0) {
    snprintf(text, sizeof text, of[which], ordinal);
    *space = arenascope_space(text, kind_of(memory), which == 1 ? ARENASCOPE_NONE : device_of(ordinal)) + 1;
  }
  return *space - 1;
}
// NULL for memory without a pool. Pools are numbered in the order in which they are first used.
static pool* pool_of(const cupti_memory* m) {
  char text[96];
  pool* p;
  uint32_t i;
  if (!m->async || m->pool == 0 || m->memory == kCuptiPinned || m->memory == kCuptiPageable) return NULL;
  for (i = 0; i < pool_count; ++i)
    if (pools[i].id == m->pool && pools[i].device == m->device) return pools + i;
  if (pool_count == sizeof pools / sizeof *pools) return NULL;
  p = pools + pool_count++;
  p->id = m->pool;
  p->device = m->device;
  p->reserved = -1;
  snprintf(text, sizeof text, "memory pool %u of CUDA device %u", pool_count, m->device);
  p->space = arenascope_space(text, ARENASCOPE_DEFAULT, device_of(m->device));
  snprintf(text, sizeof text, "reserved by memory pool %u of CUDA device %u", pool_count, m->device);
  p->counter = arenascope_counter(text, "bytes");
  return p;
}
static void count_reserved(pool* p, const cupti_memory* m) {
  const double value = (double)m->pool_bytes;
  int64_t bits;
  if (m->pool_type != kCuptiLocalPool || p->reserved == (int64_t)m->pool_bytes) return;
  p->reserved = (int64_t)m->pool_bytes;
  memcpy(&bits, &value, sizeof bits);
  arenascope_write(memory_track, (int64_t)m->time, bits, 0, p->counter, 13, 0);
}
static arenascope_ring* track_of(uint32_t device, uint32_t context, uint32_t number) {
  char text[96];
  uint32_t i;
  for (i = 0; i < stream_count; ++i)
    if (streams[i].device == device && streams[i].context == context && streams[i].number == number)
      return streams[i].track;
  if (stream_count == sizeof streams / sizeof *streams) return NULL;
  snprintf(text, sizeof text, "CUDA device %u, stream %u", device, number);
  if (context > 1) snprintf(text, sizeof text, "CUDA device %u, context %u, stream %u", device, context, number);
  streams[stream_count].device = device;
  streams[stream_count].context = context;
  streams[stream_count].number = number;
  return streams[stream_count++].track = arenascope_track(text, ARENASCOPE_DEVICE_QUEUE, device_of(device));
}

// ---- Memory; callers hold the mutex

// Finds the slot of the block at this address, or a slot for it. The slots of freed blocks are only reused within the
// same probe sequence; a table that is nearly full accepts no more blocks.
static place* place_of(uint64_t address, int make) {
  size_t at = (size_t)(address >> 8) * 0x9e3779b97f4a7c15u >> 40 & (SLOTS - 1);
  place* empty = NULL;
  while (places[at].number != 0) {
    if (places[at].address == address && !places[at].gone) return places + at;
    if (places[at].gone && empty == NULL) empty = places + at;
    at = (at + 1) & (SLOTS - 1);
  }
  if (!make) return NULL;
  if (empty != NULL) return empty;
  return place_count < SLOTS - SLOTS / 8 ? places + at : NULL;
}
static void take_memory(const cupti_memory* m) {
  pool* of;
  place* p;
  if (m->memory == kCuptiDeviceStatic || m->memory == kCuptiManagedStatic) return;  // part of a module, never freed
  if ((of = pool_of(m)) != NULL) count_reserved(of, m);
  if (m->operation == kCuptiRelease) {
    if ((p = place_of(m->address, 0)) == NULL) return;  // allocated before the recording
    arenascope_write(memory_track, (int64_t)m->time, (int64_t)p->address, p->bytes, p->number, 4,
                     arenascope_memory_(p->space, p->kind));
    p->gone = 1;
    return;
  }
  if (m->operation != kCuptiAllocation || place_of(m->address, 0) != NULL) return;
  if ((p = place_of(m->address, 1)) == NULL) {
    if (!warned_full++) arenascope_problem("Too many live blocks of CUDA memory: some are not shown.");
    return;
  }
  place_count += p->number == 0;
  p->address = m->address;
  p->bytes = (int64_t)m->bytes;
  p->space = of != NULL ? of->space : space_of(m->device, m->memory);
  p->kind = kind_of(m->memory);
  p->number = ++block_count;
  p->gone = 0;
  arenascope_write(memory_track, (int64_t)m->time, (int64_t)p->address, p->bytes, p->number, 3,
                   arenascope_memory_(p->space, p->kind));
}
static int earlier(const void* a, const void* b) {
  const uint64_t x = ((const cupti_memory*)a)->time, y = ((const cupti_memory*)b)->time;
  return x < y ? -1 : x > y;
}
static void hold(const cupti_memory* m) {
  if (pending_count == pending_room) {
    const size_t room = pending_room == 0 ? 1024 : pending_room * 2;
    cupti_memory* more = (cupti_memory*)realloc(pending, room * sizeof *more);
    if (more == NULL) {
      take_memory(m);
      return;
    }
    pending = more;
    pending_room = room;
  }
  pending[pending_count++] = *m;
}
// Threads fill separate buffers, so a later buffer may contain earlier records. Records newer than `patience`
// nanoseconds before the newest one are held back.
static void take_pending(uint64_t patience) {
  size_t i = 0;
  uint64_t newest;
  if (pending_count == 0) return;
  qsort(pending, pending_count, sizeof *pending, earlier);
  newest = pending[pending_count - 1].time;
  for (; i < pending_count && newest - pending[i].time >= patience; ++i) take_memory(pending + i);
  memmove(pending, pending + i, (pending_count - i) * sizeof *pending);
  pending_count -= i;
}

// ---- Records

// The demangler of a C++ library that the process has loaded, even if its symbols are local to a Python module.
static void* find_demangler(void) {
  static const char* const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
  void* found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
  size_t i;
  for (i = 0; found == NULL && i < sizeof libraries / sizeof *libraries; ++i) {
    void* library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) continue;
    found = dlsym(library, "__cxa_demangle");
    dlclose(library);
  }
  return found;
}
// The name without return type and parameters.
static const char* shortened(char* name) {
  size_t length = strlen(name);
  int depth = 0;
  if (length > 0 && name[length - 1] == ')')
    for (size_t i = length; i-- > 0;) {
      depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
      if (depth > 0) continue;
      if (i > 0) name[i] = 0;
      break;
    }
  return strncmp(name, "void ", 5) == 0 ? name + 5 : name;
}
// A kernel's readable name, or its own if no demangler is found.
static uint32_t read_name(const char* name) {
  static char* (*demangle)(const char*, char*, size_t*, int*);
  static int looked;
  char *readable = NULL, text[200];
  uint32_t number;
  int status = 0;
  if (demangle == NULL && looked++ < 100) *(void**)&demangle = find_demangler();
  if (name == NULL) return arenascope_name("kernel");
  if (demangle != NULL && strncmp(name, "_Z", 2) == 0) readable = demangle(name, NULL, NULL, &status);
  snprintf(text, sizeof text, "%s", readable != NULL ? shortened(readable) : name);
  number = arenascope_name(text);
  free(readable);
  return number;
}
// All CUPTI records of a kernel have the same string, so its address is the key of the cache.
static uint32_t name_of_kernel(const char* name) {
  static struct {
    const char* name;
    uint32_t id;
  } known[NAMES];
  const size_t at = (size_t)((uintptr_t)name >> 3) * 0x9e3779b97f4a7c15u >> 52 & (NAMES - 1);
  if (known[at].name != name || name == NULL) {
    known[at].id = read_name(name);
    known[at].name = name;
  }
  return known[at].id;
}
static const char* name_of_copy(uint8_t way) {
  static const char* const names[] = {"copy",
                                      "copy host to device",
                                      "copy device to host",
                                      "copy host to array",
                                      "copy array to host",
                                      "copy array to array",
                                      "copy array to device",
                                      "copy device to array",
                                      "copy within a device",
                                      "copy within the host",
                                      "copy between devices"};
  return names[way < sizeof names / sizeof *names ? way : 0];
}
static void take_record(const void* record) {
  const uint32_t kind = *(const uint32_t*)record;
  if (kind == kCuptiKernel) {
    const cupti_kernel* k = (const cupti_kernel*)record;
    arenascope_span_on(track_of(k->device, k->context, k->stream), name_of_kernel(k->name), (int64_t)k->start,
                       (int64_t)k->end, 0);
  } else if (kind == kCuptiGraph) {
    const cupti_graph* g = (const cupti_graph*)record;
    char text[40];
    snprintf(text, sizeof text, "CUDA graph %u", g->graph);
    arenascope_span_on(track_of(g->device, g->context, g->stream), arenascope_name(text), (int64_t)g->start,
                       (int64_t)g->end, 0);
  } else if (kind == kCuptiCopy) {
    const cupti_copy* c = (const cupti_copy*)record;
    arenascope_span_on(track_of(c->device, c->context, c->stream), arenascope_name(name_of_copy(c->way)),
                       (int64_t)c->start, (int64_t)c->end, 0);
  } else if (kind == kCuptiFill) {
    const cupti_fill* f = (const cupti_fill*)record;
    arenascope_span_on(track_of(f->device, f->context, f->stream), arenascope_name("fill"), (int64_t)f->start,
                       (int64_t)f->end, 0);
  }
}

static void requested(uint8_t** buffer, size_t* bytes, size_t* max_records) {
  *buffer = (uint8_t*)calloc(1, BUFFER_BYTES);
  *bytes = *buffer != NULL ? BUFFER_BYTES : 0;
  *max_records = 0;  // no limit
}
static void completed(void* context, uint32_t stream_number, uint8_t* buffer, size_t bytes, size_t filled) {
  size_t lost = 0;
  void* record = NULL;
  (void)bytes;
  pthread_mutex_lock(&mutex);
  while (arenascope_connected() && cupti_next(buffer, filled, &record) == 0) {
    if (*(const uint32_t*)record != kCuptiMemory)
      take_record(record);
    else
      hold((const cupti_memory*)record);
  }
  take_pending(200000000);
  if (cupti_dropped != NULL && cupti_dropped(context, stream_number, &lost) == 0 && lost > 0 && dropped == 0)
    arenascope_problem("CUPTI dropped some records: the CUDA data is incomplete.");
  dropped += (int64_t)lost;
  pthread_mutex_unlock(&mutex);
  free(buffer);
}

// ---- The start and the end

static uint64_t clock_now(void) { return (uint64_t)arenascope_now(); }
static void flush_all(void) {
  cupti_flush(1);
  pthread_mutex_lock(&mutex);
  if (arenascope_connected()) take_pending(0);
  pthread_mutex_unlock(&mutex);
}

static void* find_cupti(void) {
  const char* setting = getenv("ARENASCOPE_CUPTI");
  void* found = NULL;
  if (setting != NULL && *setting != 0) return dlopen(setting, RTLD_NOW);
  if (found == NULL) found = dlopen("libcupti.so", RTLD_NOW);
  if (found == NULL) found = dlopen("libcupti.so.13", RTLD_NOW);
  if (found == NULL) found = dlopen("libcupti.so.12", RTLD_NOW);
#ifdef ARENASCOPE_CUPTI_FOLDER
  if (found == NULL) found = dlopen(ARENASCOPE_CUPTI_FOLDER "/libcupti.so", RTLD_NOW);
#endif
  if (found == NULL) found = dlopen("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", RTLD_NOW);
  return found;
}

// The number of activity kinds that ARENASCOPE_CUDA_RECORD selects, from the first on. An unknown value is reported.
static size_t activity_count(void) {
  const char* setting = getenv("ARENASCOPE_CUDA_RECORD");
  char problem[256];
  if (setting == NULL || *setting == 0 || strcmp(setting, "kernels") == 0) return 4;
  if (strcmp(setting, "memory") == 0) return 1;
  if (strcmp(setting, "graphs") == 0) return 5;
  snprintf(problem, sizeof problem,
           "ARENASCOPE_CUDA_RECORD: expected kernels, graphs or memory, found '%.64s': kernels are recorded.", setting);
  arenascope_problem(problem);
  return 4;
}

// CUDA's driver calls this function once. Some releases ignore the return value; 1 means success.
EXPORT int InitializeInjection(void) {
  static const int activities[] = {kCuptiMemory, kCuptiKernel, kCuptiCopy, kCuptiFill, kCuptiGraph};
  size_t count, size = sizeof(uint8_t);
  uint8_t zeroed = 1;
  void* library;
  size_t i;
  int failed = 0;
  if (arenascope_connect(NULL) != 0) {
    if (*arenascope_error() != 0) fprintf(stderr, "arenascope: %s\n", arenascope_error());
    return 1;
  }
  library = find_cupti();
#define FIND(member, arguments, symbol) *(void**)&cupti_##member = library != NULL ? dlsym(library, symbol) : NULL;
  CUPTI_FUNCTIONS(FIND)
  if (cupti_register_callbacks == NULL || cupti_enable == NULL || cupti_flush == NULL || cupti_next == NULL) {
    arenascope_problem(library == NULL ? "CUPTI (libcupti.so) was not found; set ARENASCOPE_CUPTI=PATH."
                                       : "This release of CUPTI has no activity interface: CUDA data is not shown.");
    return 1;
  }
  if (cupti_set_clock == NULL) {
    arenascope_problem(
        "This release of CUPTI is too old (before CUDA 11.6): its times cannot be converted to the host's clock.");
    return 1;
  }
  places = (place*)calloc(SLOTS, sizeof *places);
  memory_track = arenascope_track("CUDA memory", ARENASCOPE_OTHER, ARENASCOPE_NONE);
  if (places == NULL || memory_track == NULL) return 1;
  failed |= cupti_set_clock(clock_now);
  failed |= cupti_register_callbacks(requested, completed);
  count = activity_count();
  if (cupti_set_attribute != NULL) cupti_set_attribute(kCuptiZeroedBuffers, &size, &zeroed);
  for (i = 0; i < count; ++i) failed |= cupti_enable(activities[i]);
  if (failed != 0)
    arenascope_problem(
        "Cannot enable CUPTI (another profiler is active, or permissions are missing): CUDA data is incomplete.");
  if (cupti_flush_period != NULL) cupti_flush_period(100);
  atexit(flush_all);
  return 1;
}
