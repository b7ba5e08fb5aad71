// SPDX-License-Identifier: MIT
// An unmodified program with ggml as a shared library: y from w and x, its sum with x in place of x, a view of that, o in
// another buffer, and a copy of it in a cache; three times. An argument makes tensors that ggml's getters contradict.
#include <stdlib.h>
#include <string.h>

#include "engine/attach/ggml/ggml_api.h"

void* ggml_backend_buft_alloc_buffer(void*, size_t);
void ggml_backend_buffer_free(void*);
void ggml_backend_buffer_set_usage(void*, int);
void* ggml_backend_buffer_get_base(void*);
int ggml_backend_sched_graph_compute(void*, void*);

tensor_rest* fake_ggml_rest(const struct tensor*);

typedef struct whole {
  struct tensor head;
  void* gradient;  // its offset in releases that have one
  tensor_rest rest;
} whole;

static void make(struct tensor* t, const char* name, int op, void* buffer, size_t offset) {
  memset(t, 0, sizeof(whole));
  strcpy(fake_ggml_rest(t)->name, name);
  t->op = op;
  t->ne[0] = 64;
  t->ne[1] = 8;
  t->ne[2] = t->ne[3] = 1;
  t->buffer = buffer;
  fake_ggml_rest(t)->data = (char*)ggml_backend_buffer_get_base(buffer) + offset;
}

int main(int argc, char** argv) {
  enum { w, x, y, sum, view, o, cache, store, kAll };
  void* weights = ggml_backend_buft_alloc_buffer(NULL, 16384);
  void* compute = ggml_backend_buft_alloc_buffer(NULL, 4096);
  void* more = ggml_backend_buft_alloc_buffer(NULL, 2048);
  void* kept = ggml_backend_buft_alloc_buffer(NULL, 8192);
  whole tensors[kAll];
  struct tensor* t[kAll];
  struct tensor* in_order[5];
  struct {
    struct tensor** nodes;
    int count;
  } graph = {in_order, 5};
  void* sched = calloc(4, sizeof(void*));
  int i, status = 0;
  (void)argv;
  ggml_backend_buffer_set_usage(weights, 1);
  ggml_backend_buffer_set_usage(compute, 2);
  ggml_backend_buffer_set_usage(more, 2);
  for (i = 0; i < kAll; ++i) t[i] = &tensors[i].head;
  make(t[w], "w", 0, weights, 0);
  make(t[x], "x", 0, compute, 0);
  make(t[y], "y", 1, compute, 2048);
  make(t[sum], "sum", 3, compute, 0);
  make(t[view], "view", 2, compute, 0);
  make(t[o], "o", 3, more, 0);
  make(t[cache], "cache", 0, kept, 0);
  make(t[store], "store", 4, kept, 0);
  t[x]->flags = 1;
  t[o]->flags = 2;
  fake_ggml_rest(t[y])->src[0] = t[w];
  fake_ggml_rest(t[y])->src[1] = t[x];
  fake_ggml_rest(t[sum])->src[0] = t[y];
  fake_ggml_rest(t[sum])->src[1] = t[x];
  fake_ggml_rest(t[view])->src[0] = fake_ggml_rest(t[view])->view_src = t[sum];
  fake_ggml_rest(t[o])->src[0] = t[view];
  fake_ggml_rest(t[store])->src[0] = t[o];
  fake_ggml_rest(t[store])->src[1] = fake_ggml_rest(t[store])->view_src = t[cache];
  in_order[0] = t[y], in_order[1] = t[sum], in_order[2] = t[view], in_order[3] = t[o], in_order[4] = t[store];
  if (argc > 1) t[y]->ne[0] = -7;
  for (i = 0; i < 3; ++i) status |= ggml_backend_sched_graph_compute(sched, &graph);
  ggml_backend_buffer_free(kept);
  ggml_backend_buffer_free(more);
  ggml_backend_buffer_free(compute);
  ggml_backend_buffer_free(weights);
  free(sched);
  return status;
}
