// SPDX-License-Identifier: MIT
// Rematerialisation and offloading: a graph and its order as a list in which a tensor's bytes are released between two
// uses, and the tensor is recomputed, or reloaded from the host, before the second one. In the end the list becomes
// a graph.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

// What is computed, in order. A value is one execution of a node; the same node may have several.
class Rematerialisation {
 public:
  enum class Action : uint8_t { Compute, Offload, Reload };

  struct Value {
    const TensorImpl* origin = nullptr;  // the node that it is an execution of, or that it carries
    Action action = Action::Compute;
    bool again = false;            // not the first of its origin
    int32_t base = -1;             // the value that owns its bytes: itself, a view's source, or none (given bytes)
    std::vector<int32_t> sources;  // values; -1 - k: the graph's leaf k
    size_t read = 0;               // of these: the others are only waited for
    std::vector<int32_t> writers;  // of given bytes that it reads: it stands before them
    // What is written into while the graph runs, in the arena, and what reads it before: neither is made twice.
    bool fixed = false;
  };

  // When a value's bytes are needed: the places [first, last) of the list.
  struct Life {
    int32_t first = -1, last = -1;
    bool kept = false;  // an output
  };
  struct Profile {
    std::vector<int32_t> place;  // of each value
    std::vector<Life> life;      // of each value that owns bytes
    std::vector<Bytes> live;     // at each place
    Bytes peak = 0;
    int32_t peak_place = 0;
  };

  // What it costs, and what runs again.
  struct Change {
    int64_t flops = 0;
    Bytes moved = 0;               // read and written once more
    std::vector<NodeId> computed;  // nodes that run again, in order
  };

  // `in_place`: a pointwise op may take over a source's bytes, as in MemoryPlanOptions.
  Rematerialisation(const Graph& graph, std::span<const NodeId> order, bool keep_outputs, bool in_place);

  Profile profile() const;
  const std::vector<int32_t>& order() const { return order_; }
  const Value& value(int32_t id) const { return values_[static_cast<size_t>(id)]; }
  Bytes bytes(int32_t id) const;  // of an owner: what it takes of the arena; 0 for what lies elsewhere
  // The places at which a value's bytes are used, rising, its own included.
  std::vector<int32_t> uses(int32_t id, const Profile& profile) const;

  // Each releases the bytes of `id` behind the place `from` and makes them anew just before the place `to`, whose
  // uses and all later ones then read the new value. What writes into given bytes that are read for that once more comes
  // behind it, where nothing between waits for it. False, with nothing changed: it cannot be done. Undone by undo().
  bool rematerialise(int32_t id, int32_t to, const Profile& profile, Change& change);
  bool offload(int32_t id, int32_t from, int32_t to, const Profile& profile, Change& change);
  void undo();

  // A graph whose nodes are in this order. `twins[k]` is what the k-th node of the given graph became. Leafs are
  // the given graph's own tensors. Error: no memory.
  Result<Graph> make_graph(std::vector<Tensor>& twins) const;

 private:
  struct Journal {
    size_t values = 0;
    std::vector<int32_t> order;
    std::vector<std::pair<std::pair<int32_t, int32_t>, int32_t>> sources;  // (value, index) had this one
    std::vector<int32_t> waits;                                            // these got one more source to wait for
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
