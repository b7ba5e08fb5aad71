// SPDX-License-Identifier: MIT
// Adapter for ggml as a shared library (whisper.cpp, llama.cpp, stable-diffusion.cpp and their Python wheels). When
// preloaded, this library wraps the functions that compute graphs and allocate buffers. It records each graph once with
// its nodes and their addresses, each run with its splits, and every buffer. With ARENASCOPE_GGML_NODES=1 each node is
// timed; the scheduler then synchronises after every node. Programs with a statically linked ggml are not recorded.
// Releases with an unknown tensor layout are detected by means of ggml's getters, and their graphs are skipped.
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include "engine/attach/arenascope_client.h"

#include "engine/attach/ggml/ggml_copies.h"

#define EXPORT __attribute__((visibility("default")))
#define GRAPHS 1024

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // guards the state below
static uint32_t buffer_count, graph_count, buffer_number, node_times, refused;
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
static arenascope_ring* track;  // for memory events

// The graph that a thread is computing, for its splits and nodes.
static __thread struct {
  ggml* g;
  uint32_t run;
  void* graph;
  int64_t begin;
  int node, depth;
} now;

// ---- Buffers; callers hold the mutex

// ggml's usages: any, weights, compute. A buffer that graphs write to and that is not for compute holds state between
// runs.
static int kind_of(int usage) { return usage == 1 || usage == 2 ? usage : ARENASCOPE_DEFAULT; }
static uint32_t find_buffer(void* handle) {
  uint32_t i = buffer_count;
  while (i-- > 0)
    if (buffers[i].handle == handle) return i;
  return ARENASCOPE_NONE;
}
static void add_buffer(ggml* g, void* handle, int kind) {
  static uint32_t spaces[4];  // by memory kind
  const uint32_t i = buffer_count;
  if (i == sizeof buffers / sizeof *buffers || g->size == NULL || g->base == NULL) return;
  if (track == NULL) {
    const uint32_t host = arenascope_device("main memory", "ggml", 0, 1);
    track = arenascope_track("ggml buffers", ARENASCOPE_OTHER, host);
    spaces[ARENASCOPE_DEFAULT] = arenascope_space("ggml buffers", ARENASCOPE_DEFAULT, host);
    spaces[ARENASCOPE_PERSISTENT] = arenascope_space("ggml weights", ARENASCOPE_PERSISTENT, host);
    spaces[ARENASCOPE_WORKSPACE] = arenascope_space("ggml compute buffers", ARENASCOPE_WORKSPACE, host);
    spaces[ARENASCOPE_KV_CACHE] = arenascope_space("ggml caches", ARENASCOPE_KV_CACHE, host);
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
// The usage of a buffer becomes known after its allocation: it is recorded as freed with its old kind and allocated
// with the new one. A buffer that wraps memory of the program, such as a mapped file, is first seen here.
static void is_for(ggml* g, void* buffer, int kind) {
  const uint32_t i = find_buffer(buffer);
  if (i != ARENASCOPE_NONE && buffers[i].kind == kind) return;
  if (i != ARENASCOPE_NONE) drop_buffer(i);
  add_buffer(g, buffer, kind);
}

EXPORT void* ggml_backend_buft_alloc_buffer(void* type, size_t size) {
  ggml* g = ggml_of(__builtin_return_address(0), &mutex);
  void* buffer = g != NULL && g->alloc_buffer != NULL ? g->alloc_buffer(type, size) : NULL;
  if (buffer == NULL || !arenascope_connected()) return buffer;
  pthread_mutex_lock(&mutex);
  add_buffer(g, buffer, ARENASCOPE_DEFAULT);
  pthread_mutex_unlock(&mutex);
  return buffer;
}
EXPORT void ggml_backend_buffer_free(void* buffer) {
  ggml* g = ggml_of(__builtin_return_address(0), &mutex);
  uint32_t i;
  pthread_mutex_lock(&mutex);
  if (buffer != NULL && (i = find_buffer(buffer)) != ARENASCOPE_NONE) drop_buffer(i);
  pthread_mutex_unlock(&mutex);
  if (g != NULL && g->free_buffer != NULL) g->free_buffer(buffer);
}
EXPORT void ggml_backend_buffer_set_usage(void* buffer, int usage) {
  ggml* g = ggml_of(__builtin_return_address(0), &mutex);
  if (g != NULL && g->set_usage != NULL) g->set_usage(buffer, usage);
  if (g == NULL || buffer == NULL || !arenascope_connected()) return;
  pthread_mutex_lock(&mutex);
  is_for(g, buffer, kind_of(usage));
  pthread_mutex_unlock(&mutex);
}

// ---- Graphs; callers hold the mutex

typedef struct described {
  arenascope_tensor *nodes, *leafs;
  int64_t* shapes;
  uint32_t *sources, *values;
  arenascope_slice* slices;
  struct tensor **leaf_tensors, **keys;  // a hash table from tensor addresses to tensor numbers
  size_t size;                           // of the hash table
  uint32_t node_count, leaf_count, slice_count;
} described;
static uint32_t* number_at(described* d, struct tensor* t) {
  size_t at = ((uintptr_t)t >> 4) * 0x9e3779b97f4a7c15u >> 20 & (d->size - 1);
  while (d->keys[at] != NULL && d->keys[at] != t) at = (at + 1) & (d->size - 1);
  if (d->keys[at] == NULL) d->values[at] = ARENASCOPE_NONE;
  d->keys[at] = t;
  return d->values + at;
}
static void tell(ggml* g, void* sched, struct tensor* t, arenascope_tensor* out, int64_t* shape) {
  const int n = g->dimensions(t);
  void* backend;
  int i;
  for (i = 0; i < n && i < 4; ++i) shape[i] = t->ne[n - 1 - i];
  out->name = rest_of(g, t)->name;
  out->dtype = g->type(t->type);
  out->shape = shape;
  out->dimensions = (uint32_t)n;
  out->bytes = (int64_t)g->bytes(t);
  out->flags = (uint32_t)t->flags & 7u;
  backend = sched != NULL ? g->backend_of(sched, t) : NULL;
  if (backend != NULL) out->backend = g->backend_name(backend);
}

static struct tensor* root_of(ggml* g, struct tensor* t) {
  while (rest_of(g, t)->view_src != NULL) t = rest_of(g, t)->view_src;
  return t;
}
static int usage_of(ggml* g, const struct tensor* t) { return t->buffer != NULL ? g->usage(t->buffer) : -1; }
// Allocates all arrays in one block, `nodes`; returns 0 if memory runs out.
static int reserve(described* d, size_t n) {
  const size_t most = n * 12 + 16;  // nodes and leaf tensors: up to ten sources and a view source each
  char* at;
  for (d->size = 64; d->size < most * 2;) d->size *= 2;
  at = (char*)calloc(1, most * (2 * sizeof *d->nodes + 4 * sizeof *d->shapes + sizeof *d->slices + 2 * sizeof at) +
                            n * 10 * sizeof *d->sources + d->size * (sizeof at + sizeof *d->values));
#define PART(member, count) d->member = (__typeof__(d->member))(void*)at, at += (count) * sizeof *d->member
  PART(nodes, most), PART(leafs, most), PART(shapes, most * 4), PART(slices, most), PART(leaf_tensors, most);
  PART(keys, d->size), PART(values, d->size), PART(sources, n * 10);
  return d->nodes != NULL;
}
static uint32_t number_of(ggml* g, void* sched, described* d, struct tensor* t) {
  uint32_t* at = number_at(d, t);
  arenascope_tensor* leaf = d->leafs + d->leaf_count;
  if (*at != ARENASCOPE_NONE) return *at;
  *at = ARENASCOPE_LEAF(d->leaf_count);
  tell(g, sched, t, leaf, d->shapes + 4 * (d->node_count + d->leaf_count));
  if (usage_of(g, t) == 1) leaf->flags |= ARENASCOPE_WEIGHT;
  d->leaf_tensors[d->leaf_count++] = t;
  return ARENASCOPE_LEAF(d->leaf_count - 1);
}
// Ops that compute in place of their source, such as copies into a tensor and ggml's "inplace" ops, are views to ggml
// too.
static int is_view_op(const char* op) {
  static const char* const views[] = {"NONE", "VIEW", "RESHAPE", "PERMUTE", "TRANSPOSE"};
  size_t i;
  for (i = 0; op != NULL && i < sizeof views / sizeof *views; ++i)
    if (strcmp(op, views[i]) == 0) return 1;
  return 0;
}
static int tell_graph(ggml* g, void* sched, void* graph, described* d) {
  uint32_t i, s;
  for (i = 0; i < d->node_count; ++i) *number_at(d, g->node(graph, (int)i)) = i;
  for (i = 0; i < d->node_count; ++i) {
    struct tensor* t = g->node(graph, (int)i);
    const tensor_rest* rest = rest_of(g, t);
    arenascope_tensor* node = d->nodes + i;
    tell(g, sched, t, node, d->shapes + 4 * i);
    node->op = g->op(t);
    node->source = d->sources + 10 * (size_t)i;
    for (s = 0; s < 10; ++s)
      if (rest->src[s] != NULL) d->sources[10 * (size_t)i + node->sources++] = number_of(g, sched, d, rest->src[s]);
    if (rest->view_src == NULL) continue;
    node->is_view = 1;
    node->view_source = number_of(g, sched, d, rest->view_src);
    node->view_offset = (int64_t)rest->view_offs;
    if (is_view_op(node->op)) continue;
    node->flags |= ARENASCOPE_WRITES_SOURCE;
    if (usage_of(g, root_of(g, t)) == 0) is_for(g, root_of(g, t)->buffer, ARENASCOPE_KV_CACHE);
  }
  return 1;
}
// Index in the description: nodes first, then leaf tensors.
static uint32_t index_of(const described* d, uint32_t n) {
  return n & 0x80000000u ? d->node_count + (n & 0x7fffffffu) : n;
}
static struct tensor* tensor_at(ggml* g, void* graph, const described* d, uint32_t i) {
  return i < d->node_count ? g->node(graph, (int)i) : d->leaf_tensors[i - d->node_count];
}
// Offset of a compute buffer in the arena, in which buffers are placed one after another in the order they are seen;
// -1: not a compute buffer.
typedef struct arena {
  void* buffers[32];
  int64_t begins[32], bytes;
  int count;
} arena;
static int64_t begin_of(ggml* g, arena* a, const struct tensor* t) {
  int i;
  if (usage_of(g, t) != 2) return -1;
  for (i = 0; i < a->count; ++i)
    if (a->buffers[i] == t->buffer) return a->begins[i];
  if (i == 32) return -1;
  a->buffers[a->count] = t->buffer;
  a->begins[a->count++] = a->bytes;
  a->bytes += (int64_t)g->size(t->buffer);
  return a->begins[i];
}
// Describes the addresses that ggml's allocator assigned to tensors that are live during the graph: from a tensor's
// step to its last use.
static int64_t describe_plan(ggml* g, void* graph, described* d) {
  arena a;
  uint32_t i, s, total = d->node_count + d->leaf_count;
  uint32_t* last = (uint32_t*)calloc(total + 1, sizeof *last);
  memset(&a, 0, sizeof a);
  if (last == NULL) return 0;
  for (i = 0; i < d->node_count; ++i) {
    struct tensor* t = g->node(graph, (int)i);
    uint32_t own = *number_at(d, root_of(g, t));
    if (own != ARENASCOPE_NONE) last[index_of(d, own)] = i + 1;
    for (s = 0; s < 10; ++s) {
      struct tensor* source = rest_of(g, t)->src[s];
      if (source != NULL && (own = *number_at(d, root_of(g, source))) != ARENASCOPE_NONE)
        last[index_of(d, own)] = i + 1;
    }
  }
  for (i = 0; i < total; ++i) {
    struct tensor* t = tensor_at(g, graph, d, i);
    arenascope_slice* slice = d->slices + d->slice_count;
    const int64_t begin = rest_of(g, t)->view_src == NULL && last[i] > 0 ? begin_of(g, &a, t) : -1;
    if (begin < 0) continue;
    slice->tensor = i < d->node_count ? ARENASCOPE_NODE(i) : ARENASCOPE_LEAF(i - d->node_count);
    slice->offset = begin + (int64_t)((char*)rest_of(g, t)->data - (char*)g->base(t->buffer));
    slice->bytes = (int64_t)g->bytes(t);
    slice->first = i < d->node_count ? i : 0;
    slice->last = t->flags & 2 ? d->node_count : last[i];  // an output is live until the end
    ++d->slice_count;
  }
  free(last);
  return a.bytes;
}

static uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}
// The lowest bit of the word's first zero byte, or 0 if it has none.
static uint64_t end_in(uint64_t word) {
  const uint64_t ends = (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
  return (ends & (0 - ends)) >> 7;
}
// Prefetches the tensor fields that identify a graph: computing has evicted them from the caches.
static void ask_for(const ggml* g, const struct tensor* t) {
  const tensor_rest* rest = rest_of(g, t);
  __builtin_prefetch(t->ne);
  __builtin_prefetch(&rest->view_src);
  __builtin_prefetch(rest->name + 32);
}
// Returns the graph's id; describes the graph if its structure and addresses are new. The caller holds the mutex.
static uint32_t graph_of(ggml* g, void* sched, void* graph, uint32_t* plan) {
  const uint32_t n = (uint32_t)g->n_nodes(graph);
  uint64_t hash = 1469598103934665603u ^ n;
  described d;
  uint32_t i, at;
  if (n > 0 && !knows_layout(g, g->node(graph, 0))) {
    if (!refused++) arenascope_problem("This release of ggml uses an unknown tensor layout: its graphs are not shown.");
    *plan = ARENASCOPE_NONE;
    return ARENASCOPE_NONE;
  }
  for (i = 0; i < n; ++i) {
    struct tensor* t = g->node(graph, (int)i);
    const tensor_rest* rest = rest_of(g, t);
    uint64_t word, end = 0;
    size_t k;
    if (i + 4 < n) ask_for(g, g->node(graph, (int)i + 4));
    hash = mixed(hash, (uint64_t)t->op);
    for (k = 0; k < 4; ++k) hash = mixed(hash, (uint64_t)t->ne[k]);
    hash = mixed(hash, rest->view_src == NULL ? (uint64_t)(uintptr_t)rest->data : rest->view_offs);
    for (k = 0; end == 0 && k < sizeof rest->name; k += sizeof word) {
      memcpy(&word, rest->name + k, sizeof word);
      end = end_in(word);
      hash = mixed(hash, end != 0 ? word & (end - 1) : word);
    }
  }
  for (at = 0; at < graph_count && graphs[at].hash != hash; ++at) continue;
  if (at == graph_count && graph_count < GRAPHS) {
    memset(&d, 0, sizeof d);
    d.node_count = n;
    graphs[at].hash = hash;
    graphs[at].graph = graphs[at].plan = ARENASCOPE_NONE;
    ++graph_count;
    if (reserve(&d, n) && tell_graph(g, sched, graph, &d)) {
      const int64_t arena_bytes = describe_plan(g, graph, &d);
      graphs[at].graph = arenascope_graph("ggml", d.nodes, n, d.leafs, d.leaf_count);
      if (d.slice_count > 0)
        graphs[at].plan = arenascope_graph_plan(graphs[at].graph, "ggml", n, arena_bytes, d.slices, d.slice_count);
    }
    free(d.nodes);
  }
  *plan = at < graph_count ? graphs[at].plan : ARENASCOPE_NONE;
  return at < graph_count ? graphs[at].graph : ARENASCOPE_NONE;
}

// ---- Runs

static int knows_all(ggml* g) { return g != NULL FUNCTIONS(KNOWN); }
// Begins a run if this call is the outermost one for a graph; returns 1 if it does.
static int begin_run(ggml* g, void* sched, void* graph) {
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

static int compute(ggml* g, int (*function)(void*, void*), void* sched, void* graph) {
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
    ggml* g = ggml_of(__builtin_return_address(0), &mutex); \
    return g == NULL || g->member == NULL ? -1 : compute(g, g->member, sched, graph); \
  }
SCHED(ggml_backend_sched_graph_compute, sched_compute)
SCHED(ggml_backend_sched_graph_compute_async, sched_compute_async)
// clang-format on
// Computes a whole graph on one backend or, when called by the scheduler, a split (or a node if nodes are timed).
EXPORT int ggml_backend_graph_compute_async(void* backend, void* graph) {
  ggml* g = ggml_of(__builtin_return_address(0), &mutex);
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
  const char* setting = getenv("ARENASCOPE_GGML_NODES");
  node_times = setting != NULL && *setting == '1';
  now.run = ARENASCOPE_NONE;
  if (arenascope_connect(NULL) < 0) fprintf(stderr, "arenascope: %s\n", arenascope_error());
}
