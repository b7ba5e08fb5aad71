// SPDX-License-Identifier: GPL-3.0-or-later
// A program that uses llama.cpp's C interface without Arenascope: prefill of a prompt, then greedy decoding.
// `print` prints all nodes, shapes and addresses of each graph by ggml's public interface. With two pipes it can be
// interleaved with other programs: it reads a byte before every second token and writes a byte after the prompt and
// after every two tokens. -DOLD_NAMES: for llama.cpp before 2025.
//
//     ggml_watch MODEL TOKENS PROMPT [print | IN OUT]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ggml-backend.h"
#include "llama.h"

#ifdef OLD_NAMES
#define llama_model_load_from_file llama_load_model_from_file
#define llama_init_from_model llama_new_context_with_model
#define llama_model_free llama_free_model
#define VOCABULARY(model) llama_n_vocab(model)
#else
#define VOCABULARY(model) llama_vocab_n_tokens(llama_model_get_vocab(model))
#endif

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static void say_tensor(const char* what, struct ggml_tensor* t) {
  struct ggml_tensor* root = t;
  ggml_backend_buffer_t buffer;
  while (root->view_src != NULL) root = root->view_src;
  buffer = root->buffer;
  printf("%s|%s|%s|%lld,%lld,%lld,%lld|%s|%zu|%lld|%lld|%p|%zu|%d\n", what, t->name, ggml_op_desc(t),
         (long long)t->ne[0], (long long)t->ne[1], (long long)t->ne[2], (long long)t->ne[3], ggml_type_name(t->type),
         ggml_nbytes(t), (long long)((char*)t->data - (char*)root->data),
         buffer != NULL ? (long long)((char*)root->data - (char*)ggml_backend_buffer_get_base(buffer)) : -1,
         (void*)buffer, buffer != NULL ? ggml_backend_buffer_get_size(buffer) : 0,
         buffer != NULL ? (int)ggml_backend_buffer_get_usage(buffer) : -1);
}
// Called for every node before it is computed; returning false requests no result, so ggml does not split the graph.
static bool at_node(struct ggml_tensor* t, bool ask, void* unused) {
  int i;
  (void)unused;
  if (!ask) return true;
  say_tensor("node", t);
  for (i = 0; i < GGML_MAX_SRC; ++i)
    if (t->src[i] != NULL) say_tensor("source", t->src[i]);
  return false;
}

static void turn(FILE* from, FILE* to) {
  if (from != NULL && fgetc(from) == EOF) exit(1);
  if (to != NULL && (fputc('.', to) == EOF || fflush(to) != 0)) exit(1);
}

int main(int argc, char** argv) {
  FILE *from = argc > 5 ? fopen(argv[4], "r") : NULL, *to = argc > 5 ? fopen(argv[5], "w") : NULL;
  const int tokens = argc > 3 ? atoi(argv[2]) : 0, prompt = argc > 3 ? atoi(argv[3]) : 0;
  struct llama_model_params model_parameters = llama_model_default_params();
  struct llama_context_params parameters = llama_context_default_params();
  struct llama_model* model;
  struct llama_context* context;
  llama_token* text;
  double before, *each, all = 0;
  int i, k;
  if (prompt < 1) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  llama_backend_init();
  model = llama_model_load_from_file(argv[1], model_parameters);
  if (model == NULL) return 1;
  parameters.n_ctx = parameters.n_batch = 512;
  parameters.n_threads = parameters.n_threads_batch = 2;
  if (argc == 5) parameters.cb_eval = at_node;
  context = llama_init_from_model(model, parameters);
  text = malloc(sizeof *text * (size_t)prompt);
  each = malloc(sizeof *each * (size_t)(tokens + 1));
  if (context == NULL || text == NULL || each == NULL) return 1;
  const int words = VOCABULARY(model);
  for (i = 0; i < prompt; ++i) text[i] = 1 + i * 37 % (words - 1);
  for (i = 0; i <= tokens; ++i) {
    float* logits;
    printf("graph %d\n", i);
    if (i % 2 == 1) turn(from, NULL);
    before = now();
    if (llama_decode(context, llama_batch_get_one(text, i == 0 ? prompt : 1)) != 0) return 1;
    logits = llama_get_logits_ith(context, -1);
    for (text[0] = 0, k = 1; k < words; ++k)
      if (logits[k] > logits[text[0]]) text[0] = k;
    each[i] = now() - before;
    printf("token %d\n", text[0]);
    if (i % 2 == 0) turn(NULL, to);
  }
  for (i = 1; i <= tokens; ++i) all += each[i];
  printf("seconds %.6f %.6f", each[0], all);
  qsort(each + 1, (size_t)tokens, sizeof *each, ascending);
  printf(" %.6f\n", tokens > 0 ? each[1 + tokens / 2] : 0);
  llama_free(context);
  llama_model_free(model);
  free(text);
  free(each);
  return 0;
}
