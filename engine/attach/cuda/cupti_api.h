// SPDX-License-Identifier: MIT
// The subset of CUPTI's activity interface that the adapter uses, with the names and layouts of its documentation: the
// leading fields of each record, which are the same in all releases since CUDA 11.2, and functions looked up by name.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Activity kinds.
enum { kCuptiCopy = 1, kCuptiFill = 2, kCuptiKernel = 10, kCuptiMemory = 49, kCuptiGraph = 51 };
// Attributes.
enum { kCuptiZeroedBuffers = 5 };
// Memory operations and memory kinds.
enum { kCuptiAllocation = 1, kCuptiRelease = 2 };
enum { kCuptiLocalPool = 1 };
enum {
  kCuptiPageable = 1,
  kCuptiPinned = 2,
  kCuptiDevice = 3,
  kCuptiArray = 4,
  kCuptiManaged = 5,
  kCuptiDeviceStatic = 6,
  kCuptiManagedStatic = 7
};

typedef struct cupti_memory {
  uint32_t kind, operation, memory, correlation;
  uint64_t address, bytes, time, code;
  uint32_t process, device, context, stream;
  const char* name;
  uint32_t async, gap;                   // whether an API of memory pools was called
  uint32_t pool_type, gap2;              // kCuptiLocalPool: of this process
  uint64_t pool, threshold, pool_bytes;  // identifies the pool; bytes that it has reserved
} cupti_memory;
typedef struct cupti_kernel {
  uint32_t kind;
  uint8_t cache, shared;
  uint16_t registers;
  uint32_t requested, executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3], static_shared, dynamic_shared;
  uint32_t local, local_total, correlation;
  int64_t grid_id;
  const char* name;
} cupti_kernel;
typedef struct cupti_copy {
  uint32_t kind;
  uint8_t way, from, to, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
} cupti_copy;
typedef struct cupti_fill {
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
} cupti_fill;

typedef struct cupti_graph {  // a launch of a captured graph
  uint32_t kind, correlation;
  uint64_t start, end;
  uint32_t device, graph, context, stream;
} cupti_graph;

typedef void (*cupti_requested)(uint8_t** buffer, size_t* bytes, size_t* max_records);
typedef void (*cupti_completed)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t filled);
typedef uint64_t (*cupti_clock)(void);

// All functions return 0 on success.
// clang-format off
#define CUPTI_FUNCTIONS(F) \
  F(register_callbacks, (cupti_requested, cupti_completed), "cuptiActivityRegisterCallbacks") \
  F(enable, (int), "cuptiActivityEnable") F(flush, (uint32_t), "cuptiActivityFlushAll") \
  F(next, (uint8_t*, size_t, void**), "cuptiActivityGetNextRecord") \
  F(dropped, (void*, uint32_t, size_t*), "cuptiActivityGetNumDroppedRecords") \
  F(set_clock, (cupti_clock), "cuptiActivityRegisterTimestampCallback") \
  F(flush_period, (uint32_t), "cuptiActivityFlushPeriod") \
  F(set_attribute, (int, size_t*, void*), "cuptiActivitySetAttribute")
// clang-format on
