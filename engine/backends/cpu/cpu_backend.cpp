// SPDX-License-Identifier: MIT
#include <arenascope/backends/cpu/cpu_backend.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <thread>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/channels_last.h"
#include "engine/backends/cpu/kernels/steps.h"
#include "engine/backends/cpu/kernels/straight.h"
#include "engine/backends/cpu/packed.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

// What a part must at least take for another thread to be worth its barrier.
constexpr double kLeastPartNanoseconds = 8000;
constexpr double kNanosecondsPerByte = 0.1;

constexpr double kLeastCostlyPartNanoseconds = 500000;
constexpr int kMostPartsPerTask = 4;
// A library's convolution of fewer rows of an image takes up to twice as long for each.
constexpr int kLeastImageRows = 12;

// Rows of all images that a convolution makes, of all their channels at once.
int64_t image_rows(const TensorImpl& node) {
  return node.element_count() / std::max<int64_t>(node.sizes[1] * node.sizes.back(), 1);
}

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
    if (family == OpFamily::Unknown) return refuse(node, fmt::format("there is no op {}", static_cast<int>(node.op)));
    const Kernel& k = kernel(anchor_of(node));
    if (!k.compute || (node.op == Op::Fused && anchor_of(node) != Op::Fused && !k.anchors))
      return refuse(node, "no kernel computes it");
    return k.supports ? k.supports(node) : Status();
  }

  int tasks(const TensorImpl& node, int threads) const override {
    if (!has_work(node)) return 1;
    const double parts = std::min(cost(node) / kLeastPartNanoseconds, static_cast<double>(threads));
    return std::clamp(static_cast<int>(parts), 1, std::max(threads, 1));
  }

  // Products and windows lose something with each cut; the rest only a call.
  int parts(const TensorImpl& node, int tasks) const override {
    const double nanoseconds = cost(node);
    const double least = kernel(anchor_of(node)).cuts_cost ? kLeastCostlyPartNanoseconds : kLeastPartNanoseconds;
    double most = kMostPartsPerTask;
    if (anchor_of(node) == Op::Conv)
      most = std::min(most, static_cast<double>(image_rows(node)) / (kLeastImageRows * tasks));
    return std::max(1, static_cast<int>(std::min<double>(nanoseconds / least / tasks, most))) * tasks;
  }

  bool fuses(const TensorImpl& first, const TensorImpl* step) const override {
    if (step) return all_f32(*step);
    if (is_fused_step(first.op)) return all_f32(first);
    return kernel(first.op).anchors && first.dtype == DType::F32 && supports(first).ok();
  }

  ChannelsLast channels_last(const TensorImpl& node) const override {
    return supports(node).ok() ? channels_last_of(node) : ChannelsLast();
  }

  Launch launch(const TensorImpl& node) override {
    if (const auto straight = straight_launch(node)) return {straight, this, &node, &simd()};
    return Backend::launch(node);
  }

  Bytes work_bytes(const TensorImpl& node, int tasks) const override {
    const Kernel& k = kernel(anchor_of(node));
    return k.work_bytes && has_work(node) ? k.work_bytes(node, tasks) : 0;
  }

  Status compute(const TensorImpl& node, const ComputeParams& params) override {
    if (!has_work(node)) return {};
    const Kernel& k = kernel(anchor_of(node));
    if (!k.compute) return refuse(node, "no kernel computes it");
    if (params.work_bytes < work_bytes(node, params.nth))
      return refuse(node, fmt::format("its work buffer has {} bytes and must have {}", params.work_bytes,
                                      work_bytes(node, params.nth)));
    const std::shared_ptr<const Packed> packed = find(node);
    try {
      const Job job{node, params.ith, params.nth, params.work, params.work_bytes, packed.get()};
      return node.op == Op::Fused ? compute_with_steps(k.compute, job) : k.compute(job);
    } catch (const std::bad_alloc&) {
      return refuse(node, "there is not enough memory");
    }
  }

  // Packs constant weights into Persistent memory, and lets go of those that only it still holds.
  Status prepare(std::span<TensorImpl* const> nodes, ExecutionContext& context) override {
    std::unique_lock lock(mutex_);
    std::erase_if(packed_, [](const auto& entry) { return entry.second->orphaned(); });
    for (const TensorImpl* node : nodes) {
      if (!has_work(*node)) continue;
      const TensorImpl* weight = packable_weight(*node);
      if (!weight) continue;
      const auto known = packed_.find(node);
      if (known != packed_.end() && known->second->matches(*node, *weight)) continue;
      auto packed = pack_weight(*node, context);
      if (!packed) return packed.error();
      if (*packed)
        packed_.insert_or_assign(node, std::move(*packed));
      else if (known != packed_.end())
        packed_.erase(known);
    }
    return {};
  }

  bool reads_weight(const TensorImpl& node, int source, int parts) const override {
    const TensorImpl* weight = packable_weight(node);
    if (!weight || source != (anchor_of(node) == Op::Conv ? 1 : 0)) return true;
    const auto packed = find(node);
    return !packed || !packed->serves(node, parts);
  }

 private:
  std::shared_ptr<const Packed> find(const TensorImpl& node) const {
    const TensorImpl* weight = packable_weight(node);
    if (!weight) return nullptr;
    std::shared_lock lock(mutex_);
    const auto found = packed_.find(&node);
    return found != packed_.end() && found->second->matches(node, *weight) ? found->second : nullptr;
  }

  mutable std::shared_mutex mutex_;
  std::unordered_map<const TensorImpl*, std::shared_ptr<const Packed>> packed_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace arenascope::cpu
