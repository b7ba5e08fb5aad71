// SPDX-License-Identifier: MIT
// The node events of an ONNX Runtime profile: kernels of runs, in rows of their own.
#pragma once
#include "engine/audit/imported_trace.h"

namespace arenascope::audit {

class OnnxRuntimeProfile {
 public:
  struct Kernel {
    std::string thread, name, op, index;  // as in the file; "" if it does not have it
    Nanoseconds begin = 0, end = 0;
  };
  // True if the event is a node's kernel. `event` is the name of the event; that of `kernel` is set from it.
  bool add(const std::string& category, const std::string& event, Kernel kernel);
  // Adds graph, runs and work, if there are kernels.
  void put(Raw& raw, Tables& tables);

 private:
  struct ModelRun {
    std::string thread;
    Nanoseconds begin = 0, end = 0;
    bool ended = true;
    std::vector<const Kernel*> kernels{};
  };
  ModelRun* run_of(const Kernel& kernel, size_t known);
  void find_runs();

  std::vector<Kernel> kernels_;
  std::vector<ModelRun> runs_;
};

}  // namespace arenascope::audit
