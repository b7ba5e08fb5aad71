// SPDX-License-Identifier: MIT
#include <arenascope/runtime/split_backend.h>

#include <arenascope/runtime/device_transfer.h>
#include <arenascope/runtime/thread_pool.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace arenascope {
namespace {

bool on_host(const TensorImpl& node) { return node.placement == Placement::Host; }

class SplitBackend final : public Backend {
 public:
  SplitBackend(std::shared_ptr<Backend> device, std::shared_ptr<Backend> host, std::unique_ptr<ThreadPool> pool)
      : device_(std::move(device)), host_(std::move(host)), pool_(std::move(pool)) {}

  std::string_view name() const override { return device_->name(); }
  std::string_view name_for(const TensorImpl& node) const override {
    return on_host(node) && node.op != Op::Copy ? host_->name() : device_->name();
  }
  Device device() const override { return device_->device(); }
  std::string description() const override { return device_->description() + ", with " + host_->description(); }
  bool runs_on_host_threads() const override { return false; }
  bool copies_to_host() const override { return true; }
  Bytes alignment() const override { return device_->alignment(); }
  Status register_memory(ExecutionContext& context) override { return device_->register_memory(context); }

  Status supports(const TensorImpl& node) const override {
    return on_host(node) ? host_->supports(node) : device_->supports(node);
  }
  int tasks(const TensorImpl&, int) const override { return 1; }
  Bytes work_bytes(const TensorImpl& node, int tasks) const override {
    return on_host(node) ? 0 : device_->work_bytes(node, tasks);
  }

  Side packing(const TensorImpl& node, int source) const override { return device_->packing(node, source); }
  Result<Storage> allocate_packed(const TensorImpl& tensor, ExecutionContext& context) override {
    return device_->allocate_packed(tensor, context);
  }
  // What the host does cannot be recorded.
  Status begin_run(bool) override { return device_->begin_run(false); }

  Status compute(const TensorImpl& node, const ComputeParams& params) override {
    const bool here = node.storage.device().is_cpu();
    if (node.op == Op::Copy && node.sources[0]->storage.device().is_cpu() != here)
      return device_->copies_to_host() ? device_->compute(node, params) : copy(node);
    if (!here) return device_->compute(node, params);
    const int tasks = std::clamp(host_->tasks(node, pool_->threads()), 1, pool_->threads());
    const auto bytes = static_cast<size_t>(host_->work_bytes(node, tasks)) + 128;
    if (scratch_.size() < bytes) scratch_.resize(bytes);
    std::byte* aligned = scratch_.data() + (64 - reinterpret_cast<uintptr_t>(scratch_.data()) % 64) % 64;
    Status status;
    std::mutex mutex;
    pool_->run([&](int ith) {
      if (ith >= tasks) return;
      if (auto ok = host_->compute(node, {ith, tasks, aligned, static_cast<Bytes>(bytes - 64)}); !ok) {
        std::lock_guard lock(mutex);
        status = ok;
      }
    });
    return status;
  }

  Status synchronize() override { return device_->synchronize(); }
  Status upload(const Storage& to, const std::byte* from, Bytes bytes) override {
    return device_->upload(to, from, bytes);
  }
  Status download(std::byte* to, const Storage& from, Bytes bytes) override {
    return device_->download(to, from, bytes);
  }
  Status prepare(std::span<TensorImpl* const> nodes, ExecutionContext& context) override {
    std::vector<TensorImpl*> parts[2];
    for (TensorImpl* node : nodes)
      if (!(node->op == Op::Copy && on_host(*node))) parts[on_host(*node) ? 1 : 0].push_back(node);
    if (auto ok = device_->prepare(parts[0], context); !ok) return ok;
    return host_->prepare(parts[1], context);
  }
  void keep_spans(bool keep) override { device_->keep_spans(keep); }
  std::vector<DeviceSpan> take_spans(const std::function<Nanoseconds()>& now) override {
    return device_->take_spans(now);
  }
  BackendNotes take_notes() override { return device_->take_notes(); }
  std::vector<TuningResult> tuning_results() const override { return device_->tuning_results(); }
  std::vector<PoolBlock> pool_blocks() const override { return device_->pool_blocks(); }

 private:
  Status copy(const TensorImpl& node) {
    auto bytes = read_tensor(*device_, *node.sources[0]);
    return bytes ? write_tensor(*device_, node, *bytes) : Status(bytes.error());
  }

  std::shared_ptr<Backend> device_, host_;
  std::unique_ptr<ThreadPool> pool_;
  std::vector<std::byte> scratch_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_split_backend(std::shared_ptr<Backend> device, std::shared_ptr<Backend> host,
                                                    int threads) {
  auto pool = ThreadPool::create(threads);
  if (!pool) return pool.error();
  return std::unique_ptr<Backend>(new SplitBackend(std::move(device), std::move(host), std::move(*pool)));
}

}  // namespace arenascope
