// SPDX-License-Identifier: MIT
// Watching on the host's threads. The backend under observation wraps the CPU backend and logs each chunk that a thread
// computes.
#include <doctest/doctest.h>

#include <map>
#include <mutex>

#include <arenascope/backends/cpu/cpu_backend.h>
#include "watched_run.h"

namespace arenascope::test {
namespace {

struct Chunk {
  const TensorImpl* node;
  int parts;
};
// Chunks by their number, each list in the order of computing. Chunk i of a node without work stealing is thread i's.
class ChunkLog {
 public:
  void add(const TensorImpl& node, const ComputeParams& params) {
    const std::lock_guard lock(mutex_);
    chunks_[params.ith].push_back({&node, params.nth});
  }
  std::vector<std::string> take(const std::byte* arena) {
    std::vector<std::string> out;
    for (const auto& [ith, list] : std::exchange(chunks_, {}))
      for (const Chunk& chunk : list)
        out.push_back(chunk.node->name.str() + " " + std::to_string(ith) + "/" + std::to_string(chunk.parts) +
                      (arena ? " +" + std::to_string(chunk.node->data() - arena) : ""));
    return out;
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<Chunk>> chunks_;
};

class LoggedNode final : public PreparedNode {
 public:
  LoggedNode(const TensorImpl& node, PreparedNode& inner, ChunkLog& log) : node_(node), inner_(inner), log_(log) {}
  Status compute(const ComputeParams& params) override {
    log_.add(node_, params);
    return inner_.compute(params);
  }
  bool reads_weight(int source, int parts) const override { return inner_.reads_weight(source, parts); }

 private:
  const TensorImpl& node_;
  PreparedNode& inner_;
  ChunkLog& log_;
};

class LoggedGraph final : public PreparedGraph {
 public:
  LoggedGraph(std::span<const TensorImpl* const> nodes, std::unique_ptr<PreparedGraph> inner, ChunkLog& log)
      : inner_(std::move(inner)) {
    for (size_t i = 0; i < nodes.size(); ++i)
      nodes_.push_back(std::make_unique<LoggedNode>(*nodes[i], (*inner_)[i], log));
  }
  Status begin_run(SubmitMode mode) override { return inner_->begin_run(mode); }
  void abort_run() override { inner_->abort_run(); }
  void warm_up(int ith, int nth) override { inner_->warm_up(ith, nth); }
  PackedWeights packed_weights() const override { return inner_->packed_weights(); }

 private:
  const std::unique_ptr<PreparedGraph> inner_;
};

class LoggedCpu final : public Backend {
 public:
  explicit LoggedCpu(ChunkLog& log) : inner_(cpu::make_cpu_backend()), log_(log) {}
  std::string_view name() const override { return inner_->name(); }
  Device device() const override { return inner_->device(); }
  std::string description() const override { return inner_->description(); }
  bool runs_on_host_threads() const override { return true; }
  Status supports(const TensorImpl& node) const override { return inner_->supports(node); }
  int tasks(const TensorImpl& node, int threads) const override { return inner_->tasks(node, threads); }
  int parts(const TensorImpl& node, int tasks) const override { return inner_->parts(node, tasks); }
  Bytes work_bytes(const TensorImpl& node, int tasks) const override { return inner_->work_bytes(node, tasks); }
  using Backend::prepare;
  Result<std::unique_ptr<PreparedGraph>> prepare(std::span<const TensorImpl* const> nodes, ExecutionContext& context,
                                                 const PreparedGraph*) override {
    auto inner = inner_->prepare(nodes, context, nullptr);
    if (!inner) return inner.error();
    return std::unique_ptr<PreparedGraph>(std::make_unique<LoggedGraph>(nodes, std::move(*inner), log_));
  }

 private:
  const std::unique_ptr<Backend> inner_;
  ChunkLog& log_;
};

class ObservedCpu final : public ObservedBackend {
 public:
  Backend& backend() override { return backend_; }
  std::vector<std::string> take_launches(const std::byte* arena) override { return log_.take(arena); }

 private:
  ChunkLog log_;
  LoggedCpu backend_{log_};
};

std::unique_ptr<ObservedBackend> open() { return std::make_unique<ObservedCpu>(); }

}  // namespace

TEST_CASE("cpu: watching random graphs changes no chunk, offset, barrier or result") {
  for (uint32_t seed = 0; seed < random_graphs(300); ++seed) {
    CAPTURE(seed);
    check_watching(
        open, [&](const Backend&) { return random_network(seed); }, two_watches());
  }
}

TEST_CASE("cpu: every way of watching changes nothing under every memory strategy") {
  for (const MemoryStrategy strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None})
    for (uint32_t seed = 0; seed < 10; ++seed) {
      CAPTURE(seed);
      check_watching(
          open, [&](const Backend&) { return random_network(seed); }, all_watches(strategy));
    }
}

TEST_CASE("cpu: watching a model of the zoo changes nothing") {
  int models = 0;
  for (const models::ZooEntry& entry : models::zoo()) {
    CAPTURE(entry.name);
    const auto make = [&](const Backend&) { return zoo_model(entry, 1'000'000'000); };
    if (!make(*cpu::make_cpu_backend())) continue;
    check_watching(open, make, two_watches());
    ++models;
  }
  CHECK(models >= 5);
}

}  // namespace arenascope::test
