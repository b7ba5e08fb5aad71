// SPDX-License-Identifier: MIT
#include "support/cuda/emulated_backend.h"

#include <fmt/format.h>

#include "engine/backends/cuda/lowering/chains.h"
#include "engine/backends/cuda/lowering/lower.h"
#include "support/cuda/host_libraries.h"
#include "support/cuda/kernel_table.h"

namespace arenascope::cuda::emulated {
namespace {

class HostQueue final : public Queue {
 public:
  explicit HostQueue(const Options& options)
      : options_(options), none_(false), stand_in_(true, options.refuses, options.fuses) {}

  Status launch(KernelId id, const Grid& grid, const void* params, size_t bytes) override {
    const HostKernel& kernel = host_kernel(id);
    if (bytes != kernel.params_bytes)
      return Error{fmt::format("{} takes {} bytes of parameters, not {}", name(id), kernel.params_bytes, bytes)};
    ++kernels_;
    const std::string complaint = run(kernel.run, params, grid, kernel.meets, options_.order);
    if (!complaint.empty()) return Error{fmt::format("{}: {}", name(id), complaint)};
    return {};
  }
  Libraries& libraries() override { return options_.libraries ? stand_in_ : none_; }
  int multiprocessors() const override { return options_.multiprocessors; }
  int library_calls() const { return stand_in_.calls(); }
  int kernels() const { return kernels_; }

 private:
  int kernels_ = 0;
  Options options_;
  HostLibraries none_, stand_in_;
};

class Emulated final : public EmulatedBackend {
 public:
  explicit Emulated(const Options& options) : queue_(options) {}

  std::string_view name() const override { return "cuda"; }
  Device device() const override { return {}; }
  std::string description() const override { return "the kernels of the CUDA backend, emulated on the host"; }
  bool runs_on_host_threads() const override { return true; }
  Status supports(const TensorImpl& node) const override { return cuda::supports(node); }
  int tasks(const TensorImpl&, int) const override { return 1; }
  Bytes work_bytes(const TensorImpl& node, int) const override { return scratch_bytes(node, queue_); }

  Status compute(const TensorImpl& node, const ComputeParams& params) override {
    if (params.ith != 0) return {};
    IndexFault fault;
    const LaunchRequest request{node, queue_, reinterpret_cast<char*>(params.work), params.work_bytes, 1, &fault};
    if (auto ok = lower(request); !ok) return ok;
    if (fault.node != 0) return fault_error(node, fault);
    return {};
  }

  Result<int> run_chained(std::span<const TensorImpl* const> nodes) override {
    const Chains chains(nodes);
    for (const auto& part : chains.parts()) {
      const auto members = nodes.subspan(part.first, part.count);
      std::vector<std::byte> scratch(static_cast<size_t>(scratch_bytes(*members[0], queue_)) + 256);
      std::byte* at = scratch.data() + (256 - reinterpret_cast<uintptr_t>(scratch.data()) % 256) % 256;
      const Bytes bytes = static_cast<Bytes>(scratch.size()) - 256;
      const Status ok = members.size() > 1
                            ? lower_chain(members, {*members[0], queue_, reinterpret_cast<char*>(at), bytes},
                                          [](const TensorImpl&, const auto& queue) { return queue(); })
                            : compute(*members[0], {0, 1, at, bytes});
      if (!ok) return ok.error();
    }
    return chains.longer_than_one();
  }
  int library_calls() const override { return queue_.library_calls(); }
  int kernels() const override { return queue_.kernels(); }

 private:
  mutable HostQueue queue_;
};

}  // namespace

std::unique_ptr<EmulatedBackend> make_emulated_backend(const Options& options) {
  return std::make_unique<Emulated>(options);
}

}  // namespace arenascope::cuda::emulated
