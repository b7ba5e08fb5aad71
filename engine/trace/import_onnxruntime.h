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
  // A node is identified by its name, its op (args.op_name) and args.node_index; a profile may lack each of them.
  struct Node {
    std::string name, op, index;
  };
  // Adds the event if it is a node's kernel; false otherwise.
  bool add(const std::string& category, const std::string& name, const std::string& op, const std::string& index,
           const std::string& thread, Nanoseconds begin, Nanoseconds end);
  bool empty() const { return kernels_.empty(); }

  std::vector<size_t> add_tracks(ImportBuilder& builder) const;  // one per thread that ran kernels
  // Passes graph, runs, steps and work to the sink. Runs are the profile's model_run events. Kernels outside of them
  // belong to runs of which the profile has no end, or to the only run if it has no model_run event.
  void replay(const std::string& model, const std::vector<size_t>& tracks, Sink& sink);

 private:
  struct Kernel {
    Nanoseconds begin, end;
    int32_t identity;  // index in identities_
    size_t thread;     // index in threads_
  };
  struct ModelRun {
    Nanoseconds begin, end;
    std::string thread;
    bool ended = true;
    std::vector<size_t> kernels{};  // by begin
  };
  void assign_runs();
  std::vector<std::vector<int32_t>> find_nodes(GraphInfo& graph) const;
  static TensorInfo described(const Node& node);

  std::vector<Kernel> kernels_;
  std::vector<ModelRun> runs_;
  std::unordered_map<std::string, int32_t> identity_of_;
  std::vector<Node> identities_;
  std::unordered_map<std::string, size_t> thread_of_;
  std::vector<std::string> threads_;  // that ran kernels
};

}  // namespace arenascope::trace
