// SPDX-License-Identifier: MIT
// An unmodified program: heap allocations from two named call sites, on two threads. With an argument it loads that library
// instead.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noipa)) void* load_weights(size_t bytes) {
  void* at = malloc(bytes);
  memset(at, 1, bytes);
  return at;
}
__attribute__((noipa)) void* make_activations(size_t bytes) {
  void* at = calloc(bytes / 8, 8);
  if (at != NULL) ((volatile char*)at)[0] = 1;
  return at;
}
static void* churn(void* unused) {
  int i;
  (void)unused;
  for (i = 0; i < 200; ++i) {
    void* a = make_activations(100000);
    void* small = malloc(100);
    free(a);
    free(small);
  }
  return NULL;
}
int main(int argc, char** argv) {
  void* weights = load_weights(1000000);
  void* aligned = NULL;
  pthread_t other;
  alarm(20);
  if (argc > 1) return dlopen(argv[1], RTLD_NOW) != NULL ? 0 : 1;
  pthread_create(&other, NULL, churn, NULL);
  churn(NULL);
  pthread_join(other, NULL);
  weights = realloc(weights, 2000000);
  if (weights == NULL || posix_memalign(&aligned, 4096, 300000) != 0) return 1;
  free(aligned);
  free(weights);
  return 0;
}
