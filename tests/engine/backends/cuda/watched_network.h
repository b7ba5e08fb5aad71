// SPDX-License-Identifier: MIT
#pragma once
#include <arenascope/schedule/describe.h>
#include <arenascope/trace/session.h>
#include "simulated_fixture.h"

namespace arenascope::test {

// A network on the simulated device whose memory a recorder watches from the first allocation on.
struct Watched {
  trace::Recorder recorder;
  std::shared_ptr<trace::Session> session = std::make_shared<trace::Session>();
  std::shared_ptr<SimulatedDriver> driver = std::make_shared<SimulatedDriver>();
  Network net;
  std::shared_ptr<ExecutionContext> context = make_cpu_context();
  std::shared_ptr<AllocationRecorder> allocations;
  std::unique_ptr<CudaBackend> backend;
  std::unique_ptr<Executor> executor;

  Watched() {
    recorder.add_sink(session);
    allocations = make_allocation_recorder(recorder);
    context->set_observer(allocations);
    backend = std::move(*CudaBackend::make(driver, {}));
    REQUIRE(backend->register_memory(*context).ok());
  }
  void prepare(MemoryStrategy strategy) {
    auto plan = net.plan(*backend);
    REQUIRE(plan);
    ExecutorOptions options;
    options.strategy = strategy;
    options.recorder = &recorder;
    options.binding_observer = allocations;
    auto made = Executor::create(*backend, context, options);
    REQUIRE(made);
    executor = std::move(*made);
    REQUIRE(executor->prepare(std::move(*plan)).ok());
  }
  std::shared_ptr<const trace::Snapshot> now() {
    recorder.drain();
    return session->snapshot();
  }
};

}  // namespace arenascope::test
