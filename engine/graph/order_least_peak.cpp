// SPDX-License-Identifier: MIT
// Least peak first, as PyTorch Inductor orders the nodes of a compiled graph.
#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include <arenascope/graph/order.h>
#include "engine/graph/order_problem.h"

namespace arenascope {
namespace {

class LeastPeakFirst {
 public:
  explicit LeastPeakFirst(const OrderProblem& problem)
      : p_(problem), waits_(problem.op_nodes.size()), readers_(problem.op_nodes.size()), net_(problem.op_nodes.size()) {
    for (int32_t op = 0; op < p_.op_count(); ++op) {
      waits_[index(op)] = static_cast<int32_t>(p_.preds[op].size());
      readers_[index(op)] = static_cast<int32_t>(p_.succs[op].size());
    }
    for (int32_t op = 0; op < p_.op_count(); ++op)
      if (waits_[index(op)] == 0) make_ready(op);
  }

  std::vector<int32_t> run() {
    std::vector<int32_t> ops;
    ops.reserve(p_.op_nodes.size());
    while (!by_size_.empty()) {
      ops.push_back(choose());
      execute(ops.back());
    }
    return ops;
  }

 private:
  static size_t index(int32_t op) { return static_cast<size_t>(op); }
  Bytes size(int32_t op) const { return p_.bytes[index(op)]; }

  // The ready op with the least (peak after it, change of the live bytes, number).
  int32_t choose() const {
    const Bytes slack = peak_ - live_;
    if (std::get<0>(*by_size_.begin()) > slack) return std::get<2>(*by_size_.begin());
    for (const auto& [net, op] : by_net_)  // those that do not raise the peak are equal in it
      if (size(op) <= slack) return op;
    return std::get<2>(*by_size_.begin());
  }

  // What the op adds to the live bytes: its result, less the inputs without further readers.
  Bytes net_of(int32_t op) const {
    Bytes net = p_.succs[op].empty() && !p_.keep[index(op)] ? 0 : size(op);
    for (int32_t input : p_.preds[op])
      if (readers_[index(input)] == 1 && !p_.keep[index(input)]) net -= size(input);
    return net;
  }

  void make_ready(int32_t op) {
    net_[index(op)] = net_of(op);
    by_size_.emplace(size(op), net_[index(op)], op);
    by_net_.emplace(net_[index(op)], op);
  }
  void forget(int32_t op) {
    by_size_.erase({size(op), net_[index(op)], op});
    by_net_.erase({net_[index(op)], op});
  }

  void execute(int32_t op) {
    forget(op);
    peak_ = std::max(peak_, live_ + size(op));
    live_ += net_[index(op)];
    waits_[index(op)] = kDone;
    for (int32_t input : p_.preds[op]) {
      if (--readers_[index(input)] != 1) continue;
      // One reader is left; if it is ready, it now frees more.
      for (int32_t reader : p_.succs[input]) {
        if (waits_[index(reader)] != 0) continue;
        forget(reader);
        make_ready(reader);
      }
    }
    for (int32_t user : p_.succs[op])
      if (--waits_[index(user)] == 0) make_ready(user);
  }

  static constexpr int32_t kDone = -1;
  const OrderProblem& p_;
  std::vector<int32_t> waits_;    // an op's inputs that are not there yet; kDone behind it
  std::vector<int32_t> readers_;  // a result's readers that have not run
  std::vector<Bytes> net_;
  std::set<std::tuple<Bytes, Bytes, int32_t>> by_size_;  // ready ops
  std::set<std::pair<Bytes, int32_t>> by_net_;
  Bytes live_ = 0, peak_ = 0;
};

}  // namespace

Result<std::vector<NodeId>> least_peak_first_order(const Graph& graph, const OrderOptions& options) {
  auto problem = make_order_problem(graph, false, options.keep_outputs);
  if (!problem) return problem.error();
  const std::vector<int32_t> ops = LeastPeakFirst(*problem).run();
  return problem->expand(ops);
}

}  // namespace arenascope
