// SPDX-License-Identifier: MIT
// A program with ggml as a shared library that knows nothing of being watched: w and x into y, its sum with x in x's place,
// a view of that, and o; three times. An argument makes tensors that ggml's getters contradict.
#include <stdlib.h>
#include <string.h>

#include "engine/attach/ggml/ggml_api.h"

void* ggml_backend_buft_alloc_buffer(void*, size_t);
void ggml_backend_buffer_free(void*);
void ggml_backend_buffer_set_usage(void*, int);
void* ggml_backend_buffer_get_base(void*);
int ggml_backend_sched_graph_compute(void*, void*);

static void make(struct tensor* t, const char* name, int op, void* buffer, size_t offset) {
  memset(t, 0, sizeof *t);
  strcpy(t->name, name);
  t->op = op;
  t->ne[0] = 64;
  t->ne[1] = 8;
  t->ne[2] = t->ne[3] = 1;
  t->buffer = buffer;
  t->data = (char*)ggml_backend_buffer_get_base(buffer) + offset;
}

int main(int argc, char** argv) {
  void* weights = ggml_backend_buft_alloc_buffer(NULL, 16384);
  void* compute = ggml_backend_buft_alloc_buffer(NULL, 4096);
  struct tensor w, x, y, sum, view, o;
  struct tensor* nodes[] = {&y, &sum, &view, &o};
  struct {
    struct tensor** nodes;
    int count;
  } graph = {nodes, 4};
  void* sched = calloc(4, sizeof(void*));
  int i, status = 0;
  (void)argv;
  ggml_backend_buffer_set_usage(weights, 1);
  ggml_backend_buffer_set_usage(compute, 2);
  make(&w, "w", 0, weights, 0);
  make(&x, "x", 0, compute, 0);
  make(&y, "y", 1, compute, 2048);
  make(&sum, "sum", 3, compute, 0);
  make(&view, "view", 2, compute, 0);
  make(&o, "o", 3, compute, 2048);
  x.flags = 1;
  o.flags = 2;
  y.src[0] = &w;
  y.src[1] = &x;
  sum.src[0] = &y;
  sum.src[1] = &x;
  view.src[0] = view.view_src = &sum;
  o.src[0] = &view;
  if (argc > 1) y.ne[0] = -7;
  for (i = 0; i < 3; ++i) status |= ggml_backend_sched_graph_compute(sched, &graph);
  ggml_backend_buffer_free(compute);
  ggml_backend_buffer_free(weights);
  free(sched);
  return status;
}
