// SPDX-License-Identifier: MIT
// A program on a simulated device: two streams, three kinds of memory, two memory pools, 10,000 blocks that are
// allocated and freed. It prints the live bytes after each call. Records are delivered out of order, as CUPTI does with
// those of several threads.
#include <inttypes.h>
#include <stdio.h>

#include "engine/attach/cuda/cupti_api.h"

void fake_cuda_start(void);
uint64_t fake_cuda_now(void);
void fake_cuda_did(const void* record, size_t bytes);

static int64_t live;
static cupti_memory held;  // the first of two records, delivered after the second

static void deliver(cupti_memory m, uint32_t operation) {
  const uint64_t bytes = m.bytes;
  m.operation = operation;
  m.time = fake_cuda_now();
  live += operation == kCuptiAllocation ? (int64_t)bytes : -(int64_t)bytes;
  printf("%" PRId64 "\n", live);
  if (held.kind == 0) {
    held = m;
    return;
  }
  fake_cuda_did(&m, sizeof m);
  fake_cuda_did(&held, sizeof held);
  held.kind = 0;
}
static void memory(uint32_t operation, uint32_t kind, uint64_t address, uint64_t bytes) {
  deliver((cupti_memory){.kind = kCuptiMemory, .memory = kind, .address = address, .bytes = bytes}, operation);
}
static void in_pool(uint32_t operation, uint64_t pool, uint64_t reserved, uint64_t address, uint64_t bytes) {
  deliver((cupti_memory){.kind = kCuptiMemory,
                         .memory = kCuptiDevice,
                         .address = address,
                         .bytes = bytes,
                         .async = 1,
                         .pool_type = kCuptiLocalPool,
                         .pool = pool,
                         .pool_bytes = reserved},
          operation);
}
static void run(uint32_t stream, const char* name) {
  cupti_kernel k = {.kind = kCuptiKernel, .stream = stream, .name = name};
  k.start = fake_cuda_now();
  k.end = k.start + 1000;
  fake_cuda_did(&k, sizeof k);
}

int main(void) {
  cupti_copy copy = {.kind = kCuptiCopy, .way = 1, .bytes = 4096, .stream = 7};
  cupti_fill fill = {.kind = kCuptiFill, .bytes = 4096, .stream = 7};
  cupti_memory strange = {.kind = kCuptiMemory, .operation = kCuptiRelease, .memory = kCuptiDevice, .address = 0x77};
  uint64_t i;
  fake_cuda_start();
  fake_cuda_did(&strange, sizeof strange);  // of a block from before
  memory(kCuptiAllocation, kCuptiDevice, 0x10000, 4096);
  memory(kCuptiAllocation, kCuptiPinned, 0x20000, 1 << 20);
  memory(kCuptiAllocation, kCuptiManaged, 0x30000, 12345);
  copy.start = fill.start = fake_cuda_now();
  copy.end = fill.end = copy.start + 10;
  fake_cuda_did(&copy, sizeof copy);
  fake_cuda_did(&fill, sizeof fill);
  for (i = 0; i < 3; ++i) run(7, "_Z5twiceIiEvPf");
  run(8, "add");
  in_pool(kCuptiAllocation, 0xa0, 1 << 25, 0x50000, 1000);
  in_pool(kCuptiAllocation, 0xb0, 1 << 26, 0x60000, 3000);
  in_pool(kCuptiAllocation, 0xa0, 1 << 25, 0x70000, 2000);
  in_pool(kCuptiRelease, 0xa0, 0, 0x50000, 1000);
  for (i = 0; i < 10000; ++i) {  // addresses are used again
    memory(kCuptiAllocation, kCuptiDevice, 0x100000 + 512 * (i % 16), 256 + i);
    memory(kCuptiRelease, kCuptiDevice, 0x100000 + 512 * (i % 16), 256 + i);
  }
  memory(kCuptiRelease, kCuptiManaged, 0x30000, 12345);
  memory(kCuptiRelease, kCuptiPinned, 0x20000, 1 << 20);
  memory(kCuptiAllocation, kCuptiDevice, 0x40000, 512);  // live at the end, as are the first one and two in pools
  return 0;
}
