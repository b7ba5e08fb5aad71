// SPDX-License-Identifier: MIT
#include <arenascope/backends/cpu/cpu_backend.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/channels_last.h"
#include "engine/backends/cpu/kernels/conv_algorithm.h"
#include "engine/backends/cpu/prepared_kernel.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

// Minimum work of a chunk that pays for waking another thread.
constexpr double kMinChunkNanoseconds = 8000;
constexpr double kNanosecondsPerByte = 0.1;

constexpr double kMinCostlyChunkNanoseconds = 500000;
constexpr int kMaxChunksPerTask = 4;
// With fewer rows per chunk a oneDNN convolution takes up to twice as long per row.
constexpr int kMinImageRows = 12;
// Each chunk of an LSTM, a GRU, an RNN or a channels-last transposed convolution reads all weights, so it needs that
// many sequences or positions.
constexpr int kMinSequences = 8, kMinPositions = 2048;

// Rows of a convolution's result, over all images, each with all channels.
int64_t image_rows(const TensorImpl& node) {
  return node.element_count() / std::max<int64_t>(node.sizes[1] * node.sizes.back(), 1);
}

bool is_recurrence(const TensorImpl& node) {
  return anchor_of(node) == Op::Lstm || node.op == Op::Gru || node.op == Op::Rnn;
}

// Over all directions.
int64_t sequences(const TensorImpl& node) { return node.sources[0]->sizes[1] * node.sources[1]->sizes[0]; }

// Nanoseconds on one thread, roughly.
double cost(const TensorImpl& node) {
  double work = static_cast<double>(flops(node)) * kernel(node.op).cost;
  if (node.op == Op::Fused) {
    const auto p = node.params.get<FusedParams>();
    work = p.anchor_op() == Op::None
               ? 0
               : static_cast<double>(info(p.anchor_op()).flops(node)) * kernel(p.anchor_op()).cost;
    for (int i = 0; i < p.steps; ++i)
      work += static_cast<double>(node.element_count()) * kernel(FusedParams::op(p.step[i])).cost;
  }
  return std::max(work, static_cast<double>(bytes_moved(node)) * kNanosecondsPerByte);
}

bool all_f32(const TensorImpl& node) {
  return node.dtype == DType::F32 && std::all_of(node.sources.begin(), node.sources.end(),
                                                 [](const TensorImpl* s) { return s->dtype == DType::F32; });
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "processor";
}

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(const CpuOptions& options) : options_(options) {}
  std::string_view name() const override { return "cpu"; }
  Device device() const override { return {}; }
  std::string description() const override {
    return fmt::format("{}, {} threads, {}", processor(), std::max(1u, std::thread::hardware_concurrency()),
                       simd().name);
  }
  bool runs_on_host_threads() const override { return true; }

  Status supports(const TensorImpl& node) const override {
    const OpFamily family = info(node.op).family;
    if (family == OpFamily::Given || family == OpFamily::View) return {};
    if (family == OpFamily::Unknown) return refuse(node, fmt::format("unknown op {}", static_cast<int>(node.op)));
    const Kernel& k = kernel(anchor_of(node));
    if (!k.compute || (node.op == Op::Fused && anchor_of(node) != Op::Fused && !k.anchors))
      return refuse(node, "no kernel supports this node");
    return k.supports ? k.supports(node) : Status();
  }

  int tasks(const TensorImpl& node, int threads) const override {
    if (!has_work(node)) return 1;
    double most = threads;
    // More chunks would have no work, but each has a share of the work buffer.
    if (is_recurrence(node)) most = std::min(most, static_cast<double>(sequences(node)));
    const double parts = std::min(cost(node) / kMinChunkNanoseconds, most);
    return std::clamp(static_cast<int>(parts), 1, std::max(threads, 1));
  }

  // Matmuls and window ops lose time with each split; other ops only pay a call.
  int parts(const TensorImpl& node, int tasks) const override {
    const double nanoseconds = cost(node);
    const double least = kernel(anchor_of(node)).cuts_cost ? kMinCostlyChunkNanoseconds : kMinChunkNanoseconds;
    double most = kMaxChunksPerTask;
    if (anchor_of(node) == Op::Conv)
      most = std::min(most, static_cast<double>(image_rows(node)) / (kMinImageRows * tasks));
    else if (is_recurrence(node))
      most = std::min(most, static_cast<double>(sequences(node)) / (kMinSequences * tasks));
    else if (anchor_of(node) == Op::ConvTranspose && node.channels_last())
      most = std::min(most, static_cast<double>(image_rows(node) * node.sizes.back()) / (kMinPositions * tasks));
    return std::max(1, static_cast<int>(std::min<double>(nanoseconds / least / tasks, most))) * tasks;
  }

  bool fuses(const TensorImpl& first, const TensorImpl* step) const override {
    if (step && step->op == Op::Cast)
      return is_fused_step(first.op) && step->sources[0]->dtype == DType::F32 && step->dtype != DType::F32 &&
             step->contiguous() && !info(step->dtype).quantised;
    if (step) return all_f32(*step);
    if (is_fused_step(first.op)) return all_f32(first) && first.op != Op::Cast;
    return kernel(first.op).anchors && first.dtype == DType::F32 && supports(first).ok();
  }

  ChannelsLast channels_last(const TensorImpl& node) const override {
    if (!supports(node).ok()) return {};
    const ChannelsLast out = channels_last_of(node);
    // Only packed weights support it, except for depthwise convolutions.
    const bool needs_packing = out.computes && anchor_of(node) == Op::Conv && !options_.packs;
    return needs_packing && find_nhwc_algorithm(node) != &kConvDepthwiseNhwc ? ChannelsLast() : out;
  }

  Bytes work_bytes(const TensorImpl& node, int tasks) const override {
    const Kernel& k = kernel(anchor_of(node));
    return k.work_bytes && has_work(node) ? k.work_bytes(node, tasks) : 0;
  }

  using Backend::prepare;
  Result<std::unique_ptr<PreparedGraph>> prepare(std::span<const TensorImpl* const> nodes, ExecutionContext& context,
                                                 const PreparedGraph* previous) override {
    return prepare_kernels(nodes, context, previous, options_);
  }

 private:
  const CpuOptions options_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(const CpuOptions& options) { return std::make_unique<CpuBackend>(options); }

}  // namespace arenascope::cpu
