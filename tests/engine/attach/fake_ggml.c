// SPDX-License-Identifier: MIT
// As much of ggml's interface as the adapter meets, over a graph of a few nodes: what a program with ggml as a shared library
// calls, with the calls from within the library that ggml makes too.
#include <stdlib.h>
#include <string.h>

#include "engine/attach/ggml/ggml_api.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct fake_buffer {
  char* base;
  size_t size;
  int usage;
} fake_buffer;
typedef struct fake_graph {
  struct tensor** nodes;
  int count;
} fake_graph;
typedef struct fake_sched {
  eval_callback callback;
  void* data;
} fake_sched;

// FAKE_GGML=gradient: as releases were until the end of 2024.
EXPORT tensor_rest* fake_ggml_rest(const struct tensor* t) {
  const char* mode = getenv("FAKE_GGML");
  const ggml g = {.apart = mode != NULL && strcmp(mode, "gradient") == 0 ? sizeof(void*) : 0};
  return rest_of(&g, t);
}
EXPORT void* ggml_backend_buft_alloc_buffer(void* type, size_t size) {
  fake_buffer* b = (fake_buffer*)calloc(1, sizeof *b);
  (void)type;
  b->base = (char*)malloc(size);
  b->size = size;
  return b;
}
EXPORT void ggml_backend_buffer_free(void* buffer) {
  if (buffer == NULL) return;
  free(((fake_buffer*)buffer)->base);
  free(buffer);
}
EXPORT void ggml_backend_buffer_set_usage(void* buffer, int usage) { ((fake_buffer*)buffer)->usage = usage; }
EXPORT int ggml_backend_buffer_get_usage(void* buffer) { return ((fake_buffer*)buffer)->usage; }
EXPORT void* ggml_backend_buffer_get_base(void* buffer) { return ((fake_buffer*)buffer)->base; }
EXPORT size_t ggml_backend_buffer_get_size(void* buffer) { return ((fake_buffer*)buffer)->size; }
EXPORT const char* ggml_backend_name(void* backend) { return (const char*)backend; }
EXPORT void* ggml_backend_sched_get_tensor_backend(void* sched, struct tensor* t) {
  static char name[] = "FAKE";
  (void)sched, (void)t;
  return name;
}
EXPORT int ggml_graph_n_nodes(void* graph) { return ((fake_graph*)graph)->count; }
EXPORT struct tensor* ggml_graph_node(void* graph, int i) { return ((fake_graph*)graph)->nodes[i]; }
EXPORT const char* ggml_get_name(const struct tensor* t) { return fake_ggml_rest(t)->name; }
EXPORT void* ggml_get_data(const struct tensor* t) { return fake_ggml_rest(t)->data; }
EXPORT const char* ggml_op_desc(const struct tensor* t) {
  return t->op == 1 ? "MUL_MAT" : t->op == 2 ? "RESHAPE" : t->op == 4 ? "CPY" : "ADD";
}
EXPORT const char* ggml_type_name(int type) { return type == 0 ? "f32" : "f16"; }
EXPORT size_t ggml_nbytes(const struct tensor* t) { return (size_t)(t->ne[0] * t->ne[1]) * 4; }
EXPORT int ggml_n_dims(const struct tensor* t) { return t->ne[1] > 1 ? 2 : 1; }
EXPORT void ggml_backend_sched_set_eval_callback(void* sched, eval_callback callback, void* data) {
  ((fake_sched*)sched)->callback = callback;
  ((fake_sched*)sched)->data = data;
}
EXPORT int ggml_backend_graph_compute_async(void* backend, void* graph) {
  (void)backend;
  return ((fake_graph*)graph)->count > 0 ? 0 : -1;
}
// Two splits, or node by node if there is an observer.
EXPORT int ggml_backend_sched_graph_compute_async(void* sched, void* graph) {
  fake_sched* s = (fake_sched*)sched;
  fake_graph* g = (fake_graph*)graph;
  fake_graph first = {g->nodes, 2}, second = {g->nodes + 2, g->count - 2};
  static char name[] = "FAKE";
  int i;
  if (s->callback == NULL)
    return ggml_backend_graph_compute_async(name, &first) != 0 || ggml_backend_graph_compute_async(name, &second) != 0;
  for (i = 0; i < g->count; ++i) {
    fake_graph one = {g->nodes + i, 1};
    const bool observed = s->callback(g->nodes[i], true, s->data);
    if (ggml_backend_graph_compute_async(name, &one) != 0) return -1;
    if (observed && !s->callback(g->nodes[i], false, s->data)) return -1;
  }
  return 0;
}
EXPORT int ggml_backend_sched_graph_compute(void* sched, void* graph) {
  return ggml_backend_sched_graph_compute_async(sched, graph);
}
