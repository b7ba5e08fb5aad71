// SPDX-License-Identifier: MIT
// The subset of ggml's interface that the adapter uses: the tensor fields that ggml.h has had since 2024, and functions
// looked up by name. Until the end of 2024 a gradient field preceded a tensor's sources; the position of the name that
// ggml's own getter returns distinguishes the two layouts.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tensor {
  int type;
  void* buffer;
  int64_t ne[4];
  size_t nb[4];
  int op;
  int32_t op_params[16], flags;
};
// The fields after the variable part.
typedef struct tensor_rest {
  struct tensor *src[10], *view_src;
  size_t view_offs;
  void* data;
  char name[64];
} tensor_rest;
typedef bool (*eval_callback)(struct tensor*, bool, void*);

// The functions of one loaded copy of ggml.
// clang-format off
#define FUNCTIONS(F) \
  F(int, sched_compute, (void*, void*), "ggml_backend_sched_graph_compute") \
  F(int, sched_compute_async, (void*, void*), "ggml_backend_sched_graph_compute_async") \
  F(int, compute_async, (void*, void*), "ggml_backend_graph_compute_async") \
  F(void*, alloc_buffer, (void*, size_t), "ggml_backend_buft_alloc_buffer") \
  F(void, free_buffer, (void*), "ggml_backend_buffer_free") \
  F(void, set_usage, (void*, int), "ggml_backend_buffer_set_usage") \
  F(void, set_eval_callback, (void*, eval_callback, void*), "ggml_backend_sched_set_eval_callback") \
  F(void*, base, (void*), "ggml_backend_buffer_get_base") F(size_t, size, (void*), "ggml_backend_buffer_get_size") \
  F(int, usage, (void*), "ggml_backend_buffer_get_usage") F(const char*, backend_name, (void*), "ggml_backend_name") \
  F(void*, backend_of, (void*, struct tensor*), "ggml_backend_sched_get_tensor_backend") \
  F(int, n_nodes, (void*), "ggml_graph_n_nodes") F(struct tensor*, node, (void*, int), "ggml_graph_node") \
  F(const char*, name, (const struct tensor*), "ggml_get_name") \
  F(void*, data, (const struct tensor*), "ggml_get_data") F(const char*, op, (const struct tensor*), "ggml_op_desc") \
  F(const char*, type, (int), "ggml_type_name") F(size_t, bytes, (const struct tensor*), "ggml_nbytes") \
  F(int, dimensions, (const struct tensor*), "ggml_n_dims")
#define MEMBER(result, member, arguments, symbol) result (*member) arguments;
#define FIND(result, member, arguments, symbol) *(void**)&g->member = find(handle, symbol);
#define KNOWN(result, member, arguments, symbol) && g->member != NULL
// clang-format on
typedef struct ggml {
  void* of;      // base address of the calling object
  size_t apart;  // bytes between a tensor's flags and its sources; set by the first tensor that is seen
  FUNCTIONS(MEMBER)
} ggml;

static inline tensor_rest* rest_of(const ggml* g, const struct tensor* t) {
  return (tensor_rest*)(void*)((char*)(uintptr_t)t + sizeof *t + g->apart);
}
// True if this copy of ggml uses a known tensor layout, checked with its own getters on one tensor.
static inline int knows_layout(ggml* g, const struct tensor* t) {
  for (g->apart = 0; g->apart <= sizeof(void*); g->apart += sizeof(void*))
    if (g->name(t) == rest_of(g, t)->name) return g->data(t) == rest_of(g, t)->data && t->ne[0] > 0 && t->ne[3] > 0;
  return g->apart = 0;
}
