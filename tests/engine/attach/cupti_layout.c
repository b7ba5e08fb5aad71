// SPDX-License-Identifier: MIT
// The layouts and numbers that the adapter knows, held against CUDA's own header.
#include <cupti.h>

#include "engine/attach/cuda/cupti_api.h"

#if CUPTI_API_VERSION >= 130000  // whose names of the records these are
#define SAME(ours, field, theirs, their_field) \
  _Static_assert(offsetof(ours, field) == offsetof(theirs, their_field), #theirs "." #their_field)
SAME(cupti_memory, operation, CUpti_ActivityMemory4, memoryOperationType);
SAME(cupti_memory, memory, CUpti_ActivityMemory4, memoryKind);
SAME(cupti_memory, address, CUpti_ActivityMemory4, address);
SAME(cupti_memory, bytes, CUpti_ActivityMemory4, bytes);
SAME(cupti_memory, time, CUpti_ActivityMemory4, timestamp);
SAME(cupti_memory, device, CUpti_ActivityMemory4, deviceId);
SAME(cupti_memory, async, CUpti_ActivityMemory4, isAsync);
SAME(cupti_memory, pool_type, CUpti_ActivityMemory4, memoryPoolConfig.memoryPoolType);
SAME(cupti_memory, pool, CUpti_ActivityMemory4, memoryPoolConfig.address);
SAME(cupti_memory, pool_bytes, CUpti_ActivityMemory4, memoryPoolConfig.pool.size);
SAME(cupti_kernel, start, CUpti_ActivityKernel10, start);
SAME(cupti_kernel, device, CUpti_ActivityKernel10, deviceId);
SAME(cupti_kernel, stream, CUpti_ActivityKernel10, streamId);
SAME(cupti_kernel, name, CUpti_ActivityKernel10, name);
SAME(cupti_graph, start, CUpti_ActivityGraphTrace2, start);
SAME(cupti_graph, device, CUpti_ActivityGraphTrace2, deviceId);
SAME(cupti_graph, graph, CUpti_ActivityGraphTrace2, graphId);
SAME(cupti_graph, context, CUpti_ActivityGraphTrace2, contextId);
SAME(cupti_graph, stream, CUpti_ActivityGraphTrace2, streamId);
SAME(cupti_copy, way, CUpti_ActivityMemcpy6, copyKind);
SAME(cupti_copy, start, CUpti_ActivityMemcpy6, start);
SAME(cupti_copy, stream, CUpti_ActivityMemcpy6, streamId);
SAME(cupti_fill, start, CUpti_ActivityMemset4, start);
SAME(cupti_fill, stream, CUpti_ActivityMemset4, streamId);
_Static_assert((int)CUPTI_ACTIVITY_KIND_MEMORY2 == (int)kCuptiMemory &&
                   (int)CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == (int)kCuptiKernel &&
                   (int)CUPTI_ACTIVITY_KIND_MEMCPY == (int)kCuptiCopy &&
                   (int)CUPTI_ACTIVITY_KIND_MEMSET == (int)kCuptiFill &&
                   (int)CUPTI_ACTIVITY_KIND_GRAPH_TRACE == (int)kCuptiGraph &&
                   (int)CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER == (int)kCuptiZeroedBuffers,
               "kinds of records");
_Static_assert((int)CUPTI_ACTIVITY_MEMORY_KIND_PINNED == (int)kCuptiPinned &&
                   (int)CUPTI_ACTIVITY_MEMORY_KIND_DEVICE == (int)kCuptiDevice &&
                   (int)CUPTI_ACTIVITY_MEMORY_KIND_MANAGED == (int)kCuptiManaged &&
                   (int)CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE == (int)kCuptiRelease &&
                   (int)CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL == (int)kCuptiLocalPool,
               "kinds of memory");
#endif
typedef int not_empty;
