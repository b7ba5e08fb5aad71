// SPDX-License-Identifier: MIT
// A plain CUDA program for packaging/verify-cuda: device, pinned and managed memory, the default pool and a pool of its
// own, two streams, a captured graph. Prints one JSON line per checkpoint: the time on the monotonic clock, the bytes
// that it holds by kind, the reserved bytes of both pools, and the free bytes of the device. With `--time N` it prints
// the milliseconds of N rounds of launches instead.
#include <cuda_runtime.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    if (const cudaError_t code = (call); code != cudaSuccess) {                                     \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code)); \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (false)

__global__ void scale(float* x, int64_t n, float by) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < n; i += int64_t{gridDim.x} * blockDim.x)
    x[i] *= by;
}

namespace {

int64_t device_bytes, pinned_bytes, managed_bytes, default_pool_bytes, own_pool_bytes;
cudaMemPool_t default_pool, own_pool;

int64_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}
int64_t reserved(cudaMemPool_t pool) {
  uint64_t bytes = 0;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &bytes));
  return static_cast<int64_t>(bytes);
}
void checkpoint(const char* name) {
  CHECK(cudaDeviceSynchronize());
  size_t available = 0, all = 0;
  CHECK(cudaMemGetInfo(&available, &all));
  std::printf("{\"name\":\"%s\",\"time\":%" PRId64 ",\"device\":%" PRId64 ",\"pinned\":%" PRId64 ",\"managed\":%" PRId64
              ",\"default_pool\":%" PRId64 ",\"own_pool\":%" PRId64 ",\"default_pool_reserved\":%" PRId64
              ",\"own_pool_reserved\":%" PRId64 ",\"used\":%zu}\n",
              name, now(), device_bytes, pinned_bytes, managed_bytes, default_pool_bytes, own_pool_bytes,
              reserved(default_pool), reserved(own_pool), all - available);
  std::fflush(stdout);
}

void allocate_and_free(cudaStream_t a, cudaStream_t b) {
  std::vector<std::pair<void*, int64_t>> blocks;
  for (int i = 1; i <= 64; ++i) {
    blocks.emplace_back(nullptr, int64_t{i} << 21);
    CHECK(cudaMalloc(&blocks.back().first, static_cast<size_t>(blocks.back().second)));
    device_bytes += blocks.back().second;
  }
  void *pinned = nullptr, *managed = nullptr;
  CHECK(cudaMallocHost(&pinned, size_t{32} << 20));
  pinned_bytes += int64_t{32} << 20;
  CHECK(cudaMallocManaged(&managed, size_t{8} << 20));
  managed_bytes += int64_t{8} << 20;
  checkpoint("allocated");
  CHECK(cudaMemcpyAsync(blocks[20].first, pinned, size_t{32} << 20, cudaMemcpyHostToDevice, a));
  CHECK(cudaMemcpyAsync(blocks[40].first, blocks[41].first, size_t{64} << 20, cudaMemcpyDeviceToDevice, b));
  CHECK(cudaMemsetAsync(blocks[30].first, 0, size_t{32} << 20, b));
  for (int i = 0; i < 64; ++i)
    scale<<<264, 256, 0, i % 2 ? a : b>>>(static_cast<float*>(blocks[static_cast<size_t>(i)].first),
                                          blocks[static_cast<size_t>(i)].second / 4, 1.5f);
  CHECK(cudaGetLastError());
  for (size_t i = 0; i < blocks.size(); i += 2) {
    CHECK(cudaFree(blocks[i].first));
    device_bytes -= blocks[i].second;
  }
  checkpoint("half of the blocks freed");
  for (size_t i = 1; i < blocks.size(); i += 2) CHECK(cudaFree(blocks[i].first));
  device_bytes = 0;
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(managed));
  pinned_bytes = managed_bytes = 0;
  checkpoint("all freed");
}

void use_pools(cudaStream_t a, cudaStream_t b) {
  void* in_default[32];
  void* in_own[16];
  for (int i = 0; i < 32; ++i) {
    CHECK(cudaMallocAsync(&in_default[i], static_cast<size_t>(i + 1) << 20, a));
    default_pool_bytes += int64_t{i + 1} << 20;
  }
  for (int i = 0; i < 16; ++i) {
    CHECK(cudaMallocFromPoolAsync(&in_own[i], static_cast<size_t>(i + 1) << 22, own_pool, b));
    own_pool_bytes += int64_t{i + 1} << 22;
  }
  checkpoint("allocated in two pools");
  for (int i = 0; i < 32; i += 2) {
    CHECK(cudaFreeAsync(in_default[i], a));
    default_pool_bytes -= int64_t{i + 1} << 20;
  }
  for (int i = 0; i < 16; ++i) CHECK(cudaFreeAsync(in_own[i], b));
  own_pool_bytes = 0;
  checkpoint("freed in two pools");
  for (int i = 1; i < 32; i += 2) CHECK(cudaFreeAsync(in_default[i], a));
  default_pool_bytes = 0;
  checkpoint("pools empty");
}

cudaGraphExec_t capture(float* x, int64_t n, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 20; ++i) scale<<<132, 256, 0, stream>>>(x, n, 1.0f);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return ready;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc == 3 && std::strcmp(argv[1], "--time") == 0 ? std::atoi(argv[2]) : 0;
  int device = 0;
  cudaStream_t a = nullptr, b = nullptr;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CHECK(cudaDeviceGetDefaultMemPool(&default_pool, device));
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  CHECK(cudaMemPoolCreate(&own_pool, &properties));
  const int64_t n = int64_t{1} << 22;
  float* x = nullptr;
  if (rounds == 0) checkpoint("start");
  CHECK(cudaMalloc(&x, static_cast<size_t>(n) * 4));
  device_bytes += n * 4;
  CHECK(cudaMemset(x, 0, static_cast<size_t>(n) * 4));
  const cudaGraphExec_t graph = capture(x, n, a);
  if (rounds > 0) {
    for (int warm = 0; warm < 2; ++warm) {
      const int64_t begin = now();
      for (int i = 0; i < rounds; ++i) {
        for (int k = 0; k < 20; ++k) scale<<<132, 256, 0, b>>>(x, n, 1.0f);
        CHECK(cudaGraphLaunch(graph, a));
        CHECK(cudaStreamSynchronize(a));
      }
      CHECK(cudaDeviceSynchronize());
      if (warm == 1) std::printf("%.3f\n", static_cast<double>(now() - begin) / 1e6);
    }
  } else {
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(graph, a));
    checkpoint("graph replayed three times");
    CHECK(cudaFree(x));
    device_bytes -= n * 4;
    allocate_and_free(a, b);
    use_pools(a, b);
  }
  CHECK(cudaGraphExecDestroy(graph));
  CHECK(cudaMemPoolDestroy(own_pool));
  CHECK(cudaStreamDestroy(b));
  CHECK(cudaStreamDestroy(a));
  return 0;
}
