// SPDX-License-Identifier: MIT
// ggml as a shared library (whisper.cpp, llama.cpp, stable-diffusion.cpp and their Python wheels): preloaded, this library
// stands before the functions that compute graphs and allocate buffers, and records each graph once with its nodes and
// where they lie, each run with its splits, and every buffer. With ARENASCOPE_GGML_NODES=1 each node has its time; that
// makes the scheduler synchronise behind every node. Programs with ggml linked into them cannot be seen so.
// A release that lays out its tensors otherwise than its own getters say is recognised, and its graphs are left out.
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include "engine/attach/arenascope_client.h"

#include <dlfcn.h>
#include <link.h>

#include "engine/attach/ggml/ggml_api.h"

#define EXPORT __attribute__((visibility("default")))
#define MOST 64
#define GRAPHS 1024

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // of what follows
static ggml copies[MOST];
static uint32_t copy_count, buffer_count, graph_count, buffer_number, node_times, refused;
static struct {
  void* handle;
  uint64_t base;
  int64_t bytes;
  uint32_t space, number;
  int kind;
} buffers[4096];
static struct {
  uint64_t hash;
  uint32_t graph, plan;
} graphs[GRAPHS];
static arenascope_ring* track;  // of memory

// The graph that a thread computes, for splits and nodes within.
static __thread struct {
  const ggml* g;
  uint32_t run;
  void* graph;
  int64_t begin;
  int node, depth;
} now;

// ---- The real functions

static void* find_in(void* handle, const char* name) {
  void* found = handle != NULL ? dlsym(handle, name) : NULL;
  Dl_info it, own;
  if (found == NULL || dladdr(found, &it) == 0 || dladdr((void*)(uintptr_t)&find_in, &own) == 0) return NULL;
  return it.dli_fbase == own.dli_fbase ? NULL : found;
}
static void* find(void* handle, const char* name) {
  struct link_map* map;
  void* found = find_in(handle, name);
  if (found == NULL) found = find_in(RTLD_NEXT, name);
  // Called from an object that does not say what it needs (ctypes, for one): any that has it.
  for (map = _r_debug.r_map; map != NULL && found == NULL; map = map->l_next) {
    void* other = map->l_name[0] != 0 ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (other == NULL) continue;
    found = find_in(other, name);
    dlclose(other);
  }
  return found;
}
static const ggml* ggml_of(void* caller) {
  Dl_info info;
  ggml* g = NULL;
  void* handle;
  uint32_t i;
  if (dladdr(caller, &info) == 0) info.dli_fbase = NULL;
  pthread_mutex_lock(&mutex);
  for (i = 0; i < copy_count && g == NULL; ++i)
    if (copies[i].of == info.dli_fbase) g = copies + i;
  if (g == NULL && copy_count < MOST) {
    g = copies + copy_count++;
    g->of = info.dli_fbase;
    handle = info.dli_fbase != NULL ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    FUNCTIONS(FIND)
  }
  pthread_mutex_unlock(&mutex);
  return g;
}

// ---- Buffers. With the mutex.

// ggml's usages: any, weights, compute.
static int kind_of(int usage) { return usage == 1 || usage == 2 ? usage : ARENASCOPE_DEFAULT; }
static uint32_t find_buffer(void* handle) {
  uint32_t i = buffer_count;
  while (i-- > 0)
    if (buffers[i].handle == handle) return i;
  return ARENASCOPE_NONE;
}
static void add_buffer(const ggml* g, void* handle, int kind) {
  static uint32_t spaces[3];  // by kind
  const uint32_t i = buffer_count;
  if (i == sizeof buffers / sizeof *buffers || g->size == NULL || g->base == NULL) return;
  if (track == NULL) {
    const uint32_t host = arenascope_device("main memory", "ggml", 0, 1);
    track = arenascope_track("ggml buffers", ARENASCOPE_OTHER, host);
    spaces[ARENASCOPE_DEFAULT] = arenascope_space("ggml buffers", ARENASCOPE_DEFAULT, host);
    spaces[ARENASCOPE_PERSISTENT] = arenascope_space("ggml weights", ARENASCOPE_PERSISTENT, host);
    spaces[ARENASCOPE_WORKSPACE] = arenascope_space("ggml compute buffers", ARENASCOPE_WORKSPACE, host);
  }
  buffers[i].handle = handle;
  buffers[i].bytes = (int64_t)g->size(handle);
  buffers[i].base = (uint64_t)(uintptr_t)g->base(handle);
  buffers[i].kind = kind;
  buffers[i].space = spaces[kind];
  buffers[i].number = ++buffer_number;
  ++buffer_count;
  arenascope_alloc_on(track, buffers[i].space, kind, buffers[i].base, buffers[i].bytes, buffers[i].number);
}
static void drop_buffer(uint32_t i) {
  arenascope_free_on(track, buffers[i].space, buffers[i].kind, buffers[i].base, buffers[i].bytes, buffers[i].number);
  buffers[i] = buffers[--buffer_count];
}

EXPORT void* ggml_backend_buft_alloc_buffer(void* type, size_t size) {
  const ggml* g = ggml_of(__builtin_return_address(0));
  void* buffer = g != NULL && g->alloc_buffer != NULL ? g->alloc_buffer(type, size) : NULL;
  if (buffer == NULL || !arenascope_connected()) return buffer;
  pthread_mutex_lock(&mutex);
  add_buffer(g, buffer, ARENASCOPE_DEFAULT);
  pthread_mutex_unlock(&mutex);
  return buffer;
}
EXPORT void ggml_backend_buffer_free(void* buffer) {
  const ggml* g = ggml_of(__builtin_return_address(0));
  uint32_t i;
  pthread_mutex_lock(&mutex);
  if (buffer != NULL && (i = find_buffer(buffer)) != ARENASCOPE_NONE) drop_buffer(i);
  pthread_mutex_unlock(&mutex);
  if (g != NULL && g->free_buffer != NULL) g->free_buffer(buffer);
}
// Only now is known what a buffer is for: it is given back as what it was, and taken as what it is.
EXPORT void ggml_backend_buffer_set_usage(void* buffer, int usage) {
  const ggml* g = ggml_of(__builtin_return_address(0));
  uint32_t i;
  if (g != NULL && g->set_usage != NULL) g->set_usage(buffer, usage);
  pthread_mutex_lock(&mutex);
  if (buffer != NULL && (i = find_buffer(buffer)) != ARENASCOPE_NONE && buffers[i].kind != kind_of(usage)) {
    drop_buffer(i);
    add_buffer(g, buffer, kind_of(usage));
  }
  pthread_mutex_unlock(&mutex);
}

// ---- Graphs. With the mutex.

typedef struct described {
  arenascope_tensor *nodes, *leafs;
  int64_t* shapes;
  uint32_t *sources, *values;
  arenascope_slice* slices;
  struct tensor **leaf_tensors, **keys;  // keys and values: the numbers of tensors, by hash of their addresses
  size_t size;                           // of keys
  uint32_t node_count, leaf_count, slice_count;
} described;
static uint32_t* number_at(described* d, struct tensor* t) {
  size_t at = ((uintptr_t)t >> 4) * 0x9e3779b97f4a7c15u >> 20 & (d->size - 1);
  while (d->keys[at] != NULL && d->keys[at] != t) at = (at + 1) & (d->size - 1);
  if (d->keys[at] == NULL) d->values[at] = ARENASCOPE_NONE;
  d->keys[at] = t;
  return d->values + at;
}
static void tell(const ggml* g, void* sched, struct tensor* t, arenascope_tensor* out, int64_t* shape) {
  const int n = g->dimensions(t);
  void* backend;
  int i;
  for (i = 0; i < n && i < 4; ++i) shape[i] = t->ne[n - 1 - i];
  out->name = t->name;
  out->dtype = g->type(t->type);
  out->shape = shape;
  out->dimensions = (uint32_t)n;
  out->bytes = (int64_t)g->bytes(t);
  out->flags = (uint32_t)t->flags & 7u;
  backend = sched != NULL ? g->backend_of(sched, t) : NULL;
  if (backend != NULL) out->backend = g->backend_name(backend);
}

static struct tensor* root_of(struct tensor* t) {
  while (t->view_src != NULL) t = t->view_src;
  return t;
}
// Everything in one block of memory, which is `nodes`; false: there is none.
static int reserve(described* d, size_t n) {
  const size_t most = n * 12 + 16;  // nodes, and leafs: ten sources and a view's source each
  char* at;
  for (d->size = 64; d->size < most * 2;) d->size *= 2;
  at = (char*)calloc(1, most * (2 * sizeof *d->nodes + 4 * sizeof *d->shapes + sizeof *d->slices + 2 * sizeof at) +
                            n * 10 * sizeof *d->sources + d->size * (sizeof at + sizeof *d->values));
#define PART(member, count) d->member = (__typeof__(d->member))(void*)at, at += (count) * sizeof *d->member
  PART(nodes, most), PART(leafs, most), PART(shapes, most * 4), PART(slices, most), PART(leaf_tensors, most);
  PART(keys, d->size), PART(values, d->size), PART(sources, n * 10);
  return d->nodes != NULL;
}
static uint32_t number_of(const ggml* g, void* sched, described* d, struct tensor* t) {
  uint32_t* at = number_at(d, t);
  arenascope_tensor* leaf = d->leafs + d->leaf_count;
  if (*at != ARENASCOPE_NONE) return *at;
  *at = ARENASCOPE_LEAF(d->leaf_count);
  tell(g, sched, t, leaf, d->shapes + 4 * (d->node_count + d->leaf_count));
  if (t->buffer != NULL && g->usage(t->buffer) == 1) leaf->flags |= ARENASCOPE_WEIGHT;
  d->leaf_tensors[d->leaf_count++] = t;
  return ARENASCOPE_LEAF(d->leaf_count - 1);
}
static int tell_graph(const ggml* g, void* sched, void* graph, described* d) {
  uint32_t i, s;
  for (i = 0; i < d->node_count; ++i) *number_at(d, g->node(graph, (int)i)) = i;
  for (i = 0; i < d->node_count; ++i) {
    struct tensor* t = g->node(graph, (int)i);
    arenascope_tensor* node = d->nodes + i;
    if (g->name(t) != t->name || g->data(t) != t->data || t->ne[0] < 1 || t->ne[3] < 1) return 0;
    tell(g, sched, t, node, d->shapes + 4 * i);
    node->op = g->op(t);
    node->source = d->sources + 10 * (size_t)i;
    for (s = 0; s < 10; ++s)
      if (t->src[s] != NULL) d->sources[10 * (size_t)i + node->sources++] = number_of(g, sched, d, t->src[s]);
    if (t->view_src == NULL) continue;
    node->is_view = 1;
    node->view_source = number_of(g, sched, d, t->view_src);
    node->view_offset = (int64_t)t->view_offs;
  }
  return 1;
}
// Nodes, then leafs.
static uint32_t index_of(const described* d, uint32_t n) {
  return n & 0x80000000u ? d->node_count + (n & 0x7fffffffu) : n;
}
static struct tensor* tensor_at(const ggml* g, void* graph, const described* d, uint32_t i) {
  return i < d->node_count ? g->node(graph, (int)i) : d->leaf_tensors[i - d->node_count];
}
// Where ggml's allocator has put what lives while the graph is computed: from a tensor's step to its last use.
static int64_t tell_places(const ggml* g, void* graph, described* d) {
  void* arena = NULL;
  int64_t most = 0;
  uint32_t i, s, total = d->node_count + d->leaf_count;
  uint32_t* last = (uint32_t*)calloc(total + 1, sizeof *last);
  if (last == NULL) return 0;
  for (i = 0; i < d->node_count; ++i) {
    struct tensor* t = g->node(graph, (int)i);
    uint32_t own = *number_at(d, root_of(t));
    if (own != ARENASCOPE_NONE) last[index_of(d, own)] = i + 1;
    for (s = 0; s < 10; ++s)
      if (t->src[s] != NULL && (own = *number_at(d, root_of(t->src[s]))) != ARENASCOPE_NONE)
        last[index_of(d, own)] = i + 1;
  }
  for (i = 0; i < total; ++i) {  // the largest buffer of those that are for computing
    struct tensor* t = tensor_at(g, graph, d, i);
    if (t->buffer == NULL || g->usage(t->buffer) != 2 || (int64_t)g->size(t->buffer) <= most) continue;
    arena = t->buffer;
    most = (int64_t)g->size(arena);
  }
  for (i = 0; i < total && arena != NULL; ++i) {
    struct tensor* t = tensor_at(g, graph, d, i);
    arenascope_slice* slice = d->slices + d->slice_count;
    if (t->buffer != arena || t->view_src != NULL || last[i] == 0) continue;
    slice->tensor = i < d->node_count ? ARENASCOPE_NODE(i) : ARENASCOPE_LEAF(i - d->node_count);
    slice->offset = (int64_t)((char*)t->data - (char*)g->base(arena));
    slice->bytes = (int64_t)g->bytes(t);
    slice->first = i < d->node_count ? i : 0;
    slice->last = t->flags & 2 ? d->node_count : last[i];  // an output is there at the end
    ++d->slice_count;
  }
  free(last);
  return most;
}

// The graph's number, described where nothing of its structure and places was seen before. With the mutex.
static uint32_t graph_of(const ggml* g, void* sched, void* graph, uint32_t* plan) {
  const uint32_t n = (uint32_t)g->n_nodes(graph);
  uint64_t hash = 1469598103934665603u ^ n;
  described d;
  uint32_t i, at;
  for (i = 0; i < n; ++i) {
    struct tensor* t = g->node(graph, (int)i);
    const char* c;
    hash = (hash ^ (uint64_t)t->op) * 1099511628211u;
    if (t->view_src == NULL) hash = (hash ^ (uint64_t)(uintptr_t)t->data) * 1099511628211u;
    for (c = t->name; *c != 0; ++c) hash = (hash ^ (uint8_t)*c) * 1099511628211u;
  }
  for (at = 0; at < graph_count && graphs[at].hash != hash; ++at) continue;
  if (at == graph_count && graph_count < GRAPHS) {
    memset(&d, 0, sizeof d);
    d.node_count = n;
    graphs[at].hash = hash;
    graphs[at].graph = graphs[at].plan = ARENASCOPE_NONE;
    ++graph_count;
    if (reserve(&d, n) && tell_graph(g, sched, graph, &d)) {
      const int64_t arena = tell_places(g, graph, &d);
      graphs[at].graph = arenascope_graph("ggml", d.nodes, n, d.leafs, d.leaf_count);
      if (d.slice_count > 0)
        graphs[at].plan = arenascope_graph_plan(graphs[at].graph, "ggml", n, arena, d.slices, d.slice_count);
    } else if (!refused++) {
      arenascope_problem(
          "This release of ggml lays its tensors out otherwise than is known: its graphs are not shown.");
    }
    free(d.nodes);
  }
  *plan = at < graph_count ? graphs[at].plan : ARENASCOPE_NONE;
  return at < graph_count ? graphs[at].graph : ARENASCOPE_NONE;
}

// ---- Runs

static int knows_all(const ggml* g) { return g != NULL FUNCTIONS(KNOWN); }
// Whether this call is the outermost of a graph: then a run of it begins.
static int begin_run(const ggml* g, void* sched, void* graph) {
  uint32_t number, plan = ARENASCOPE_NONE;
  if (now.depth++ > 0 || !arenascope_connected() || !knows_all(g)) return 0;
  pthread_mutex_lock(&mutex);
  number = graph_of(g, sched, graph, &plan);
  pthread_mutex_unlock(&mutex);
  now.g = g;
  now.graph = graph;
  now.node = 0;
  now.run = number == ARENASCOPE_NONE ? number : arenascope_run_begin_at(number, plan, 1, "ggml", arenascope_now());
  return 1;
}
static void end_run(int began, int status) {
  --now.depth;
  if (began && now.run != ARENASCOPE_NONE)
    arenascope_run_end(now.run, status == 0 ? ARENASCOPE_DONE : ARENASCOPE_FAILED);
  if (began) now.run = ARENASCOPE_NONE;
}

static bool at_node(struct tensor* t, bool ask, void* unused) {
  const int n = now.g->n_nodes(now.graph);
  (void)unused;
  if (ask) {
    while (now.node < n && now.g->node(now.graph, now.node) != t) ++now.node;
    arenascope_step(now.run, (uint32_t)now.node, (uint32_t)now.node);
    now.begin = arenascope_now();
  } else if (now.node < n) {
    arenascope_work(now.run, (uint32_t)now.node, now.begin, arenascope_now());
  }
  return true;
}

static int compute(const ggml* g, int (*function)(void*, void*), void* sched, void* graph) {
  const int began = begin_run(g, sched, graph);
  int status;
  if (began && node_times) g->set_eval_callback(sched, at_node, NULL);
  status = function(sched, graph);
  if (began && node_times) g->set_eval_callback(sched, NULL, NULL);
  end_run(began, status);
  return status;
}
// clang-format off
#define SCHED(symbol, member) \
  EXPORT int symbol(void* sched, void* graph) { \
    const ggml* g = ggml_of(__builtin_return_address(0)); \
    return g == NULL || g->member == NULL ? -1 : compute(g, g->member, sched, graph); \
  }
SCHED(ggml_backend_sched_graph_compute, sched_compute)
SCHED(ggml_backend_sched_graph_compute_async, sched_compute_async)
// clang-format on
// Of a whole graph by one backend, or, from within the scheduler, of a split (or of a node, where nodes are timed).
EXPORT int ggml_backend_graph_compute_async(void* backend, void* graph) {
  const ggml* g = ggml_of(__builtin_return_address(0));
  const int began = begin_run(g, NULL, graph);
  const int64_t begin = arenascope_now();
  const int status = g == NULL || g->compute_async == NULL ? -1 : g->compute_async(backend, graph);
  char name[96];
  if (arenascope_connected() && knows_all(g) && !node_times) {
    snprintf(name, sizeof name, "%s on %s, %d nodes", began ? "graph" : "split", g->backend_name(backend),
             g->n_nodes(graph));
    arenascope_span(arenascope_name(name), begin, arenascope_now(), 0);
  }
  end_run(began, status);
  return status;
}

__attribute__((constructor)) static void begin(void) {
  const char* told = getenv("ARENASCOPE_GGML_NODES");
  node_times = told != NULL && *told == '1';
  now.run = ARENASCOPE_NONE;
  if (arenascope_connect(NULL) < 0) fprintf(stderr, "arenascope: %s\n", arenascope_error());
}
