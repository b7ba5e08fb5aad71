// SPDX-License-Identifier: MIT
// `bench cuda`: matmuls compared with direct cuBLASLt calls, memory-bound kernels with a device copy, the allocator
// with the driver's pool, and the launch cost of a captured graph. All sides are measured interleaved in one run.
#include "engine/backends/cuda/module/bench.h"
#include <arenascope/graph/builder.h>
#include <fmt/format.h>
#include "engine/backends/cuda/module/cublas_matmul.h"

#include <algorithm>
#include <chrono>
#include <functional>

namespace arenascope::cuda {
namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

using Work = std::function<Status()>;

// Work captured `times` times as one graph, so that only device time is measured; queueing a short matmul takes the
// host as long as the matmul itself. The work runs once before, so that it is loaded.
class Captured {
 public:
  explicit Captured(cudaStream_t stream) : stream_(stream) {}
  ~Captured() {
    if (ready_) cudaGraphExecDestroy(ready_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  Status make(const Work& work, int times) {
    if (auto ok = work(); !ok) return ok;
    cudaError_t code = cudaStreamSynchronize(stream_);
    if (code == cudaSuccess) code = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (code != cudaSuccess) return Error{cudaGetErrorString(code)};
    Status queued;
    for (int i = 0; i < times && queued.ok(); ++i) queued = work();
    cudaGraph_t graph = nullptr;
    code = cudaStreamEndCapture(stream_, &graph);
    if (code == cudaSuccess && queued) code = cudaGraphInstantiate(&ready_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    if (!queued) return queued;
    return code == cudaSuccess ? Status() : Status(Error{cudaGetErrorString(code)});
  }
  Status launch() const {
    const cudaError_t code = cudaGraphLaunch(ready_, stream_);
    return code == cudaSuccess ? Status() : Status(Error{cudaGetErrorString(code)});
  }

 private:
  const cudaStream_t stream_;
  cudaGraphExec_t ready_ = nullptr;
};

// Device microseconds of `work`, queued `times` times; median of several interleaved rounds.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Result<double> once(const Work& work, int times) {
    cudaEventRecord(begin_, stream_);
    for (int i = 0; i < times; ++i)
      if (auto ok = work(); !ok) return ok.error();
    cudaEventRecord(end_, stream_);
    if (const cudaError_t code = cudaEventSynchronize(end_); code != cudaSuccess)
      return Error{cudaGetErrorString(code)};
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin_, end_);
    return static_cast<double>(milliseconds) * 1000 / times;
  }
  Result<std::pair<double, double>> both(const Work& a, const Work& b, int rounds, int times) {
    std::vector<double> of_a, of_b;
    for (int i = 0; i < rounds + 2; ++i) {  // the first two are warm-up
      auto x = once(a, times), y = once(b, times);
      if (!x) return x.error();
      if (!y) return y.error();
      if (i < 2) continue;
      of_a.push_back(*x);
      of_b.push_back(*y);
    }
    return std::pair{median(of_a), median(of_b)};
  }
  // The same, with each side's repetitions as one captured graph.
  Result<std::pair<double, double>> both_captured(const Work& a, const Work& b, int rounds, int times) {
    Captured of_a(stream_), of_b(stream_);
    if (auto ok = of_a.make(a, times); !ok) return ok.error();
    if (auto ok = of_b.make(b, times); !ok) return ok.error();
    auto found = both([&] { return of_a.launch(); }, [&] { return of_b.launch(); }, rounds, 1);
    if (!found) return found.error();
    return std::pair{found->first / times, found->second / times};
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

double microseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

// Keeps freed memory in the device's pool, as performance-sensitive programs configure it; by default each
// synchronisation releases it to the device.
class KeptPool {
 public:
  explicit KeptPool(int device) {
    uint64_t all = UINT64_MAX;
    if (cudaDeviceGetDefaultMemPool(&pool_, device) != cudaSuccess ||
        cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &before_) != cudaSuccess ||
        cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all) != cudaSuccess)
      pool_ = nullptr;
  }
  ~KeptPool() {
    if (pool_) cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &before_);
  }
  KeptPool(const KeptPool&) = delete;
  KeptPool& operator=(const KeptPool&) = delete;

 private:
  cudaMemPool_t pool_ = nullptr;
  uint64_t before_ = 0;
};

// Device memory for a node and its inputs.
Status give_memory(std::vector<BlockPtr>& blocks, TensorImpl& tensor, Stream stream,
                   const std::shared_ptr<Allocator>& allocator) {
  for (TensorImpl* source : tensor.sources)
    if (auto ok = give_memory(blocks, *source, stream, allocator); !ok) return ok;
  if (tensor.storage.allocated() || tensor.is_view()) return {};
  auto block = MemoryBlock::allocate(allocator, MemoryKind::Workspace, tensor.byte_count(), 256, stream);
  if (!block) return block.error();
  // Small non-zero values in every float type: multiplying zeros would draw less power.
  if (const cudaError_t code = cudaMemsetAsync((*block)->data(), 0x3c, static_cast<size_t>(tensor.byte_count()),
                                               reinterpret_cast<cudaStream_t>(stream.handle));
      code != cudaSuccess)
    return Error{cudaGetErrorString(code)};
  tensor.storage = Storage(*block);
  blocks.push_back(std::move(*block));
  return {};
}

// Host microseconds to launch a replayed run of a hundred small kernels, including the check for moved tensors; 0: this
// backend does not replay.
Result<double> bench_launch(CudaBackend& backend, int times) {
  constexpr int kNodes = 100;
  auto context = Context::create({.no_alloc = true, .grow = true});
  if (!context) return context.error();
  GraphBuilder g(*context);
  Tensor last = g.input("x", {8, 128}, DType::F32);
  std::vector<TensorImpl*> nodes;
  for (int i = 0; i < kNodes; ++i) {
    last = g.op_with(Op::SoftMax, {last}, SoftMaxParams{1, 1});
    if (!g.ok()) return g.status().error();
    nodes.push_back(last.impl());
  }
  std::vector<BlockPtr> blocks;
  if (auto ok = give_memory(blocks, *last, backend.compute_stream(), backend.memory()); !ok) return ok.error();
  ExecutionContext unused;
  auto prepared = backend.prepare(std::vector<const TensorImpl*>(nodes.begin(), nodes.end()), unused);
  if (!prepared) return prepared.error();
  const auto run = [&](double* began) -> Status {
    const auto begin = std::chrono::steady_clock::now();
    if (auto ok = (*prepared)->begin_run(SubmitMode::WholeGraph); !ok) return ok;
    if (began) *began = microseconds_since(begin);
    for (size_t i = 0; i < nodes.size(); ++i)
      if (auto ok = (**prepared)[i].compute({}); !ok) return ok;
    return backend.synchronize();
  };
  Status ok;
  for (int i = 0; i < 3 && ok.ok(); ++i) ok = run(nullptr);  // eager, captured, replayed
  const int before = backend.replays();
  std::vector<double> launches(static_cast<size_t>(times));
  for (double& launch : launches)
    if (ok) ok = run(&launch);
  const bool replayed = backend.replays() - before == times;
  if (!ok) return ok.error();
  return replayed ? median(launches) : 0;
}

// Measurements of one device.
class Bench {
 public:
  Bench(CudaBackend& backend, bool quick, const Report& report)
      : backend_(backend),
        report_(report),
        quick_(quick),
        rounds_(quick ? 3 : 15),
        times_(quick ? 3 : 20),
        stream_(backend.compute_stream()),
        queue_(reinterpret_cast<cudaStream_t>(stream_.handle)),
        watch_(queue_) {}

  Status start() {
    auto block = MemoryBlock::allocate(std::shared_ptr<Allocator>(backend_.memory()), MemoryKind::Workspace,
                                       CublasMatmul::kScratch * 8, 256, stream_);
    if (!block) return block.error();
    scratch_ = std::move(*block);
    return {};
  }
  Status product(CublasMatmul& direct, DType type, int64_t n);
  Status bound_by_memory(Op op, DType type);
  Status allocator();
  Status launch();

 private:
  Error failed(const char* action, cudaError_t code) const { return cuda_error(backend_.device().index, action, code); }
  Result<std::unique_ptr<PreparedGraph>> prepare(const Tensor& out) {
    const TensorImpl* const nodes[] = {out.impl()};
    return backend_.prepare(nodes, unused_);
  }
  ComputeParams params() const { return {0, 1, scratch_->data(), scratch_->bytes()}; }

  CudaBackend& backend_;
  const Report& report_;
  const bool quick_;
  const int rounds_, times_;
  const Stream stream_;
  const cudaStream_t queue_;
  Stopwatch watch_;
  BlockPtr scratch_;
  ExecutionContext unused_;
};

Status Bench::product(CublasMatmul& direct, DType type, int64_t n) {
  auto context = Context::create({.no_alloc = true, .grow = true});
  if (!context) return context.error();
  GraphBuilder g(*context);
  const Tensor out = g.op_with(Op::MulMat, {g.input("a", {n, n}, type), g.input("b", {n, n}, type)}, MulMatParams{1});
  if (!g.ok()) return g.status().error();
  std::vector<BlockPtr> blocks;
  if (auto ok = give_memory(blocks, *out, stream_, backend_.memory()); !ok) return ok.error();
  LibraryMatmul p;
  p.out = out->data();
  p.a = out->sources[0]->data();
  p.b = out->sources[1]->data();
  p.type = type;
  p.n = p.m = p.k = p.a_row = p.b_row = n;
  auto prepared = prepare(out);
  if (!prepared) return prepared.error();
  auto times = watch_.both_captured([&] { return (**prepared)[0].compute(params()); },
                                    [&] { return direct.run(p, scratch_->data(), CublasMatmul::kScratch, queue_); },
                                    rounds_, times_);
  if (!times) return times.error();
  const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const std::string name = fmt::format("matmul {} {}", arenascope::name(type), n);
  report_({name.c_str(), flops / times->first / 1e6, "TFLOP/s", "cuBLASLt directly", flops / times->second / 1e6, 0.97,
           true});
  return {};
}

Tensor node_of(GraphBuilder& g, Op op, DType type, int64_t lines) {
  const int64_t width = 4096;
  const Tensor x = g.input("x", {lines, width}, type);
  if (op == Op::Add) return g.op(op, {x, g.input("y", {lines, width}, type)});
  if (op == Op::SoftMax) return g.op_with(op, {x}, SoftMaxParams{1, 1});
  if (op == Op::Norm || op == Op::RmsNorm) return g.op_with(op, {x}, NormParams{1, 1e-5f});
  return op == Op::Cont ? g.op(op, {g.transpose(x)}) : g.op(op, {x});
}

// Compared with a device copy of as many bytes.
Status Bench::bound_by_memory(Op op, DType type) {
  auto context = Context::create({.no_alloc = true, .grow = true});
  if (!context) return context.error();
  GraphBuilder g(*context);
  const Tensor out = node_of(g, op, type, quick_ ? 2048 : 16384);
  if (!g.ok()) return g.status().error();
  std::vector<BlockPtr> blocks;
  if (auto ok = give_memory(blocks, *out, stream_, backend_.memory()); !ok) return ok.error();
  for (TensorImpl* source : out->sources)
    if (source->view_source) source->storage = source->view_source->storage;
  const Bytes moved = bytes_moved(*out);
  auto from =
      MemoryBlock::allocate(std::shared_ptr<Allocator>(backend_.memory()), MemoryKind::Workspace, moved, 256, stream_);
  if (!from) return from.error();
  const auto copy = [&]() -> Status {
    std::byte* base = (*from)->data();
    const cudaError_t code =
        cudaMemcpyAsync(base, base + moved / 2, static_cast<size_t>(moved / 2), cudaMemcpyDeviceToDevice, queue_);
    return code == cudaSuccess ? Status() : failed("copy", code);
  };
  auto prepared = prepare(out);
  if (!prepared) return prepared.error();
  auto times = watch_.both([&] { return (**prepared)[0].compute(params()); }, copy, rounds_, times_);
  if (!times) return times.error();
  const std::string name =
      fmt::format("{} {}{}", arenascope::name(op), arenascope::name(type), op == Op::Cont ? " transposed" : "");
  report_({name.c_str(), static_cast<double>(moved) / times->first / 1e3, "GB/s", "device copy",
           static_cast<double>(moved) / times->second / 1e3, 0.90, true});
  return {};
}

// Compared with the driver's own pool.
Status Bench::allocator() {
  const KeptPool kept(backend_.device().index);
  const std::shared_ptr<DeviceCachingAllocator>& memory = backend_.memory();
  const int count = quick_ ? 200 : 5000;
  std::vector<double> ours, theirs;
  for (int round = 0; round < rounds_ + 2; ++round) {  // the first two only fill both pools
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      const Bytes bytes = 512 * (1 + i * 37 % 4096);
      auto taken = memory->allocate_on(stream_, bytes);
      if (!taken) return taken.error();
      memory->deallocate(*taken, bytes);
    }
    const double mine = microseconds_since(begin) / count;
    begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      void* taken = nullptr;
      cudaError_t code = cudaMallocAsync(&taken, static_cast<size_t>(512 * (1 + i * 37 % 4096)), queue_);
      if (code == cudaSuccess) code = cudaFreeAsync(taken, queue_);
      if (code != cudaSuccess) return failed("use cudaMallocAsync", code);
    }
    const double peer = microseconds_since(begin) / count;
    cudaStreamSynchronize(queue_);
    if (round < 2) continue;
    ours.push_back(mine);
    theirs.push_back(peer);
  }
  report_({"allocate and free", median(ours), "us", "cudaMallocAsync", median(theirs), 0.5, false});
  return {};
}

Status Bench::launch() {
  auto launch = bench_launch(backend_, 10 * rounds_);
  if (!launch) return launch.error();
  if (*launch > 0) report_({"launch of a captured graph", *launch, "us", "", 0, 10, false});
  return {};
}

}  // namespace

Status bench_device(CudaBackend& backend, bool tf32, bool quick, const Report& report) {
  const int number = backend.device().index;
  const DeviceGuard guard(number);
  Bench bench(backend, quick, report);
  if (auto ok = bench.start(); !ok) return ok;
  CublasMatmul direct(number, tf32);
  for (DType type : {DType::F32, DType::F16, DType::BF16})
    for (int64_t n : {1024, 4096}) {
      if ((quick && n > 1024) || !direct.missing().empty()) continue;
      if (auto ok = bench.product(direct, type, n); !ok) return ok;
    }
  for (DType type : {DType::F32, DType::F16})
    for (Op op : {Op::Add, Op::Silu, Op::SoftMax, Op::Norm, Op::RmsNorm, Op::Cont})
      if (auto ok = bench.bound_by_memory(op, type); !ok) return ok;
  if (auto ok = bench.allocator(); !ok) return ok;
  return bench.launch();
}

}  // namespace arenascope::cuda
