// SPDX-License-Identifier: MIT
// The node events of an ONNX Runtime profile: the kernels of each run become work of a graph's nodes, so that the
// views treat them as their own. Owned by the Chrome JSON importer.
#pragma once
#include "engine/trace/import_builder.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace arenascope::trace {

class OnnxRuntimeNodes {
 public:
  // Whether the event is a node's kernel and was added. `op` is args.op_name, `index` args.node_index: names of nodes may
  // repeat in a model.
  bool add(const std::string& category, const std::string& name, const std::string& op, const std::string& index,
           const std::string& thread, Nanoseconds begin, Nanoseconds end);
  bool empty() const { return kernels_.empty(); }

  std::vector<size_t> add_tracks(ImportBuilder& builder) const;  // one for each thread of kernels
  // Graph, runs, steps and work. Runs are the profile's model_run events; without any, there is one run.
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
