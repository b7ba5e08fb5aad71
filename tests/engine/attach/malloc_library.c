// SPDX-License-Identifier: MIT
// A library whose constructor allocates memory while another thread does: the constructor holds the loader's lock.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int begun;
static void take(size_t bytes) {
  volatile char* at = malloc(bytes);
  if (at != NULL) at[0] = 1;
  free((void*)at);
}
static void* other(void* unused) {
  (void)unused;
  __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
  take(200000);
  return NULL;
}
__attribute__((constructor)) static void begin(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, other, NULL) != 0) return;
  pthread_detach(thread);
  while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) usleep(1000);
  usleep(20000);
  take(300000);
}
