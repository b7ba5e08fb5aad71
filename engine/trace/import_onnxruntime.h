// SPDX-License-Identifier: MIT
// Imports the node events of an ONNX Runtime profile: the kernels of each run become work of graph nodes, so that all
// views show them like native runs. Owned by the Chrome JSON importer.
#pragma once
#include "engine/trace/import_builder.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace arenascope::trace {

class OnnxRuntimeNodes {
 public:
  // Adds the event if it is a node's kernel; false otherwise. `op` is args.op_name. `index` is args.node_index, which
  // distinguishes nodes of the same name.
  bool add(const std::string& category, const std::string& name, const std::string& op, const std::string& index,
           const std::string& thread, Nanoseconds begin, Nanoseconds end);
  bool empty() const { return kernels_.empty(); }

  std::vector<size_t> add_tracks(ImportBuilder& builder) const;  // one per thread that ran kernels
  // Passes graph, runs, steps and work to the sink. Runs are the profile's model_run events; without any, there is one
  // run.
  void replay(const std::string& model, const std::vector<size_t>& tracks, Sink& sink);

 private:
  struct Kernel {
    Nanoseconds begin, end;
    int32_t node;
    size_t thread;
  };
  std::vector<Kernel> kernels_;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> runs_;
  std::unordered_map<std::string, int32_t> node_of_;  // by index and name
  std::vector<TensorInfo> nodes_;
  std::unordered_map<std::string, size_t> thread_of_;
  std::vector<std::string> threads_;
};

}  // namespace arenascope::trace
