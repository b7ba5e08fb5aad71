// SPDX-License-Identifier: MIT
// Rematerialisation and offloading. A graph and its order are edited as a list of executions: a tensor's bytes are
// freed between two uses, and the tensor is recomputed, or reloaded from the host, before the second one. make_graph()
// turns the list into a graph.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

// The list of executions, in order. A value is one execution of a node; a node may have several.
class Rematerialisation {
 public:
  enum class Action : uint8_t { Compute, Offload, Reload };

  struct Value {
    const TensorImpl* origin = nullptr;  // the node that is executed, offloaded or reloaded
    Action action = Action::Compute;
    bool again = false;            // not the first execution of its origin
    int32_t base = -1;             // the value that owns its bytes: itself or a view's source; -1: a given tensor
    std::vector<int32_t> sources;  // values; -1 - k: leaf k of the graph
    size_t read = 0;               // number of sources that are read; the others only order the execution
    std::vector<int32_t> writers;  // nodes that write into given bytes which this one reads; it must run before them
    // A value that is written into while the graph runs (in the arena), or a reader of the version before the write. It
    // cannot be recomputed.
    bool fixed = false;
  };

  // Lifetime of a value's bytes: the positions [first, last) of the list.
  struct Life {
    int32_t first = -1, last = -1;
    bool kept = false;  // an output
  };
  struct Profile {
    std::vector<int32_t> place;  // position of each value
    std::vector<Life> life;      // of each value that owns bytes
    std::vector<Bytes> live;     // live bytes at each position
    Bytes peak = 0;
    int32_t peak_place = 0;
  };

  // Cost of a change, and the nodes that run again.
  struct Change {
    int64_t flops = 0;
    Bytes moved = 0;               // read and written again
    std::vector<NodeId> computed;  // nodes that run again, in order
  };

  // `in_place`: a pointwise op may reuse the bytes of a source, as in MemoryPlanOptions.
  Rematerialisation(const Graph& graph, std::span<const NodeId> order, bool keep_outputs, bool in_place);

  Profile profile() const;
  const std::vector<int32_t>& order() const { return order_; }
  const Value& value(int32_t id) const { return values_[static_cast<size_t>(id)]; }
  Bytes bytes(int32_t id) const;  // arena bytes of a value that owns its bytes; 0 for values outside the arena
  // The positions at which a value's bytes are used, ascending, including its own.
  std::vector<int32_t> uses(int32_t id, const Profile& profile) const;

  // Both free the bytes of `id` and restore the value just before position `to`; uses from `to` on read the new value.
  // offload() frees the bytes after position `from`. Nodes that write into given bytes which are read again are moved
  // after that read, if nothing in between depends on them. False: not possible, nothing was changed. undo() reverts
  // the last change.
  bool rematerialise(int32_t id, int32_t to, const Profile& profile, Change& change);
  bool offload(int32_t id, int32_t from, int32_t to, const Profile& profile, Change& change);
  void undo();

  // A graph whose nodes are in this order. `node_map[k]` is the counterpart of node k of the given graph. Leaf tensors
  // are shared with the given graph. Errors: out of memory.
  Result<Graph> make_graph(std::vector<Tensor>& node_map) const;

 private:
  struct Journal {
    size_t values = 0;
    std::vector<int32_t> order;
    std::vector<std::pair<std::pair<int32_t, int32_t>, int32_t>>
        sources;                 // previous value of sources[index] of a value
    std::vector<int32_t> waits;  // values that got one more source for ordering
  };
  int32_t add(Value value);
  void share_in_place(const Profile& profile, std::span<const uint8_t> outputs, std::vector<Bytes>& change) const;
  int32_t again(int32_t id, int32_t to, const Profile& profile, std::vector<int32_t>& made, Change& change, int& left);
  void redirect(int32_t id, int32_t fresh, int32_t to, std::vector<int32_t>& made);
  bool available(int32_t id, int32_t to, const Profile& profile) const;
  void find_writers();
  bool reads(int32_t reader, int32_t base) const;
  bool put_in(std::span<const int32_t> made, int32_t to, const Profile& profile);

  const Graph graph_;
  bool keep_outputs_, in_place_;
  std::vector<Value> values_;
  std::vector<int32_t> order_;
  Journal journal_;
};

}  // namespace arenascope
