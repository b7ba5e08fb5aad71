// SPDX-License-Identifier: MIT
// Two threads of which one is delayed: the executor lets the other one steal the chunks that have not begun.
#include <arenascope/graph/builder.h>
#include <arenascope/runtime/executor.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/lesson/program_context.h"

namespace arenascope::lesson {
namespace {

constexpr int kThreads = 2, kParts = 8;
constexpr int64_t kElements = 1 << 14;
constexpr std::chrono::seconds kLongestDelay{5};
constexpr std::chrono::milliseconds kDelayAfter{10};  // the other thread waits at the barrier meanwhile

// RELU in eight chunks of one millisecond. The first one delays its thread, as a page fault or another process on the
// core would: until the other thread has begun the remaining chunks of its half, however busy the machine is. No other
// chunk begins before the first one.
class HeldUp final : public StatelessBackend {
 public:
  std::string_view name() const override { return "cpu"; }
  Device device() const override { return {}; }
  std::string description() const override { return "RELU with one delayed chunk"; }
  bool runs_on_host_threads() const override { return true; }
  Status supports(const TensorImpl& node) const override {
    return node.op == Op::Relu ? Status() : Status(Error{"only RELU is supported"});
  }
  int tasks(const TensorImpl&, int threads) const override { return threads; }
  int parts(const TensorImpl&, int) const override { return kParts; }
  Bytes work_bytes(const TensorImpl&, int) const override { return 0; }
  Status compute(const TensorImpl& node, const ComputeParams& p) override {
    if (p.ith == 0) {
      begun_ = true;
      const auto latest = std::chrono::steady_clock::now() + kLongestDelay;
      while (stolen_ < kParts / kThreads - 1 && std::chrono::steady_clock::now() < latest)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(kDelayAfter);
    } else if (p.ith < kParts / kThreads) {
      ++stolen_;
    }
    while (!begun_) std::this_thread::yield();
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    const float* in = node.sources[0]->data_as<float>();
    float* out = node.data_as<float>();
    do
      for (int64_t i = kElements * p.ith / p.nth; i < kElements * (p.ith + 1) / p.nth; ++i)
        out[i] = in[i] > 0 ? in[i] : 0;
    while (std::chrono::steady_clock::now() < until);
    return {};
  }

 private:
  std::atomic<bool> begun_{false};
  std::atomic<int> stolen_{0};  // chunks of the delayed thread's half that have begun
};

Status held_up(trace::Recorder& recorder) {
  auto context = Context::create({.no_alloc = true, .grow = true});
  if (!context) return context.error();
  GraphBuilder builder(*context);
  const Tensor x = builder.input("x", {kElements});
  const Tensor active = builder.op(Op::Relu, {x}, {}, "active");
  builder.output(active);
  if (!builder.ok()) return builder.status();
  auto graph = context->new_graph(4);
  if (!graph) return graph.error();
  ARENASCOPE_TRY(graph->expand(active));
  std::vector<float> numbers(kElements, 1);
  auto borrowed = Storage::borrow(numbers.data(), kElements * 4);
  if (!borrowed) return borrowed.error();
  x->storage = std::move(*borrowed);
  HeldUp backend;
  auto memory = plan_memory(*graph, "two-level", "depth-first");
  if (!memory) return memory.error();
  auto plan = ExecutionPlan::make(*graph, std::move(*memory), backend, kThreads);
  if (!plan) return plan.error();
  ExecutorOptions options;
  options.threads = kThreads;
  options.recorder = &recorder;
  options.model = "held up";
  options.force_multithreaded = true;
  auto executor = Executor::create(backend, make_cpu_context(), options);
  if (!executor) return executor.error();
  ARENASCOPE_TRY((*executor)->prepare(std::move(*plan)));
  auto ran = (*executor)->run();
  return ran ? Status() : Status(ran.error());
}

constexpr Program kThreadPrograms[] = {
    {"held_up", "two threads, of which one is delayed in its first chunk", held_up},
};

}  // namespace

std::span<const Program> thread_programs() { return kThreadPrograms; }

}  // namespace arenascope::lesson
