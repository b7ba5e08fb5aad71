// SPDX-License-Identifier: MIT
// Tracks tensors whose bytes are written in place (SET_ROWS, OPTIMIZER_STEP). Each write creates a new version: the
// writing node denotes it, earlier tensors denote older versions. Readers of an older version run before the write only
// because of extra sources (op_params.h, `after`), so a transform must neither remove such a reader nor add one. The
// newest version is an ordinary tensor.
#pragma once
#include <unordered_map>
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

class MutationAnalysis {
 public:
  // The graph must outlive it.
  explicit MutationAnalysis(const Graph& graph);

  // The tensors whose bytes the node writes.
  static std::vector<const TensorImpl*> written_by(const TensorImpl& node);
  bool any() const { return !writes_.empty(); }
  // True if any node writes into the tensor's bytes.
  bool written(const TensorImpl& tensor) const;
  // True if it denotes an older version: a later node writes into its bytes.
  bool passing(const TensorImpl& tensor) const;
  // True if the node must not change: it writes, denotes an older version or reads one.
  bool pinned(const TensorImpl& node) const;

 private:
  const Graph& graph_;
  std::unordered_map<const TensorImpl*, int> writes_;  // number of writes into the bytes of this tensor
  std::vector<int> version_;                           // by node: number of writes before it
};

}  // namespace arenascope
