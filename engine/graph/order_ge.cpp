// SPDX-License-Identifier: MIT
// The order of CANN's graph engine (GE), from the public description of its Topo optimisation.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <list>
#include <vector>

#include <arenascope/graph/order.h>
#include "engine/graph/order_problem.h"

namespace arenascope {
namespace {

// The ops in a list with labels that grow along it, so that "which stands first" is one comparison.
class LabelledOrder {
 public:
  explicit LabelledOrder(size_t ops) : position_(ops), label_(ops) {
    for (size_t i = 0; i < ops; ++i) position_[i] = order_.insert(order_.end(), static_cast<int32_t>(i));
    relabel();
  }
  int64_t label(int32_t op) const { return label_[static_cast<size_t>(op)]; }
  const std::list<int32_t>& ops() const { return order_; }

  // Takes `op` out and puts it just before `target`.
  void move_before(int32_t op, int32_t target) {
    const auto place = position_[static_cast<size_t>(target)];
    order_.splice(place, order_, position_[static_cast<size_t>(op)]);
    const auto self = position_[static_cast<size_t>(op)];
    const int64_t low = self == order_.begin() ? 0 : label(*std::prev(self));
    const int64_t high = label(target);
    label_[static_cast<size_t>(op)] = low + (high - low) / 2;
    if (high - low < 2) relabel();
  }

 private:
  void relabel() {
    const int64_t gap = (int64_t{1} << 62) / (static_cast<int64_t>(order_.size()) + 1);
    int64_t next = 0;
    for (int32_t op : order_) label_[static_cast<size_t>(op)] = next += gap;
  }
  std::list<int32_t> order_;
  std::vector<std::list<int32_t>::iterator> position_;
  std::vector<int64_t> label_;
};

}  // namespace

// Depth first, then each op, from the last to the first, may move down to just before its first consumer:
//  - by type, when all that it reads is given (constants, variables, inputs): those bytes live on anyway;
//  - by lifetime, when L1 > L2: L1 is where the longest-lived of its inputs dies, L2 where its own result is first
//  read.
Result<std::vector<NodeId>> ge_order(const Graph& graph, const OrderOptions& options) {
  auto made = make_order_problem(graph, false, options.keep_outputs);
  if (!made) return made.error();
  const OrderProblem& p = *made;
  LabelledOrder order(p.op_nodes.size());
  constexpr int32_t kNobody = -1;
  constexpr int64_t kForever = std::numeric_limits<int64_t>::max();
  // The consumer of each result that stands last. Ops only move down, so it only changes when a consumer moves.
  std::vector<int32_t> last_consumer(p.op_nodes.size(), kNobody);
  const auto note_consumer = [&](int32_t op) {
    for (int32_t input : p.preds[op]) {
      int32_t& last = last_consumer[static_cast<size_t>(input)];
      if (last == kNobody || order.label(op) > order.label(last)) last = op;
    }
  };
  for (int32_t op = 0; op < p.op_count(); ++op) note_consumer(op);
  for (int32_t op = p.op_count(); op-- > 0;) {
    const auto consumers = p.succs[op];
    if (consumers.empty()) continue;
    const int32_t first = *std::min_element(consumers.begin(), consumers.end(),
                                            [&](int32_t a, int32_t b) { return order.label(a) < order.label(b); });
    int64_t longest = p.preds[op].empty() ? kForever : 0;
    for (int32_t input : p.preds[op])
      longest = std::max(longest, p.keep[static_cast<size_t>(input)]
                                      ? kForever
                                      : order.label(last_consumer[static_cast<size_t>(input)]));
    if (longest <= order.label(first)) continue;
    order.move_before(op, first);
    note_consumer(op);
  }
  const std::vector<int32_t> ops(order.ops().begin(), order.ops().end());
  return p.expand(ops);
}

}  // namespace arenascope
