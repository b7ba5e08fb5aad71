// SPDX-License-Identifier: MIT
// Which tensors stand for bytes that nodes write where they lie (SET_ROWS, OPTIMIZER_STEP). Each write makes another version of
// them: the node that writes stands for it, the tensors before for an older one. What reads an older version is kept in
// front of the write by sources alone (op_params.h, `after`), so a transform must neither take such a reader out nor make
// others. The newest version is a tensor as any other.
#pragma once
#include <unordered_map>
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

class Versions {
 public:
  // The graph outlives it.
  explicit Versions(const Graph& graph);

  // The tensors whose own bytes the node writes into.
  static std::vector<const TensorImpl*> written_by(const TensorImpl& node);
  bool any() const { return !writes_.empty(); }
  // Whether a node writes into the tensor's bytes, before or behind it.
  bool written(const TensorImpl& tensor) const;
  // Whether a node writes into its bytes behind it: it stands for an older version.
  bool passing(const TensorImpl& tensor) const;
  // Whether the node must stay as it is: it writes, stands for an older version or reads one.
  bool pinned(const TensorImpl& node) const;

 private:
  const Graph& graph_;
  std::unordered_map<const TensorImpl*, int> writes_;  // into the bytes of this one
  std::vector<int> version_;                           // by node: how many of these it has behind it
};

}  // namespace arenascope
