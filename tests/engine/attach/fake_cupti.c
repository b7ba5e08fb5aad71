// SPDX-License-Identifier: MIT
// A driver's start with what it injects, and as much of CUPTI's activities as the adapter meets: records wait in one buffer
// until it is full or flushed.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "engine/attach/cuda/cupti_api.h"

#define EXPORT __attribute__((visibility("default")))
enum { kRecord = 256 };

static cupti_requested request;
static cupti_completed complete;
static cupti_clock now;
static uint64_t enabled;
static uint8_t* buffer;
static size_t size, filled;

EXPORT int cuptiActivityRegisterCallbacks(cupti_requested r, cupti_completed c) {
  request = r;
  complete = c;
  return 0;
}
EXPORT int cuptiActivityEnable(int kind) {
  enabled |= UINT64_C(1) << kind;
  return 0;
}
EXPORT int cuptiActivityRegisterTimestampCallback(cupti_clock clock) {
  now = clock;
  return 0;
}
EXPORT int cuptiActivityFlushPeriod(uint32_t milliseconds) { return milliseconds == 0; }
EXPORT int cuptiActivityGetNumDroppedRecords(void* context, uint32_t stream, size_t* count) {
  (void)context, (void)stream;
  *count = 0;
  return 0;
}
EXPORT int cuptiActivityFlushAll(uint32_t forced) {
  (void)forced;
  if (buffer != NULL) complete(NULL, 0, buffer, size, filled);
  buffer = NULL;
  return 0;
}
EXPORT int cuptiActivityGetNextRecord(uint8_t* of, size_t valid, void** record) {
  uint8_t* following = *record == NULL ? of : (uint8_t*)*record + kRecord;
  if (following + kRecord > of + valid) return 1;
  *record = following;
  return 0;
}

// ---- Activity of the device, reported by the program under test

EXPORT void fake_cuda_start(void) {
  void* injected = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
  int (*begin)(void) = NULL;
  if (injected != NULL) *(void**)&begin = dlsym(injected, "InitializeInjection");
  if (begin == NULL || begin() != 1) abort();
}
EXPORT uint64_t fake_cuda_now(void) { return now != NULL ? now() : 0; }
EXPORT void fake_cuda_did(const void* record, size_t bytes) {
  if ((enabled >> *(const uint32_t*)record & 1) == 0) return;
  if (buffer != NULL && filled + kRecord > size) cuptiActivityFlushAll(0);
  if (buffer == NULL) {
    size_t most = 0;
    request(&buffer, &size, &most);
    filled = 0;
  }
  memset(buffer + filled, 0, kRecord);
  memcpy(buffer + filled, record, bytes);
  filled += kRecord;
}
