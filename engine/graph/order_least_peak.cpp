// SPDX-License-Identifier: MIT
// Greedy list scheduling by the lowest peak, as in PyTorch Inductor (peak-memory reordering of a compiled graph).
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
      readers_[index(op)] = static_cast<int32_t>(p_.consumers[op].size());
    }
    for (int32_t op = 0; op < p_.op_count(); ++op)
      if (waits_[index(op)] == 0) warm_up(op);
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
    for (const auto& [net, op] : by_net_)  // ops that do not raise the peak are compared by net change
      if (size(op) <= slack) return op;
    return std::get<2>(*by_size_.begin());
  }

  // Change of the live bytes by the op: its result minus the inputs without further readers.
  Bytes net_of(int32_t op) const {
    Bytes net = p_.consumers[op].empty() && !p_.keep[index(op)] ? 0 : size(op);
    for (int32_t input : p_.inputs[op])
      if (readers_[index(input)] == 1 && !p_.keep[index(input)]) net -= size(input);
    return net;
  }

  void warm_up(int32_t op) {
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
    for (int32_t input : p_.inputs[op]) {
      if (--readers_[index(input)] != 1) continue;
      // One reader remains; if it is ready, it now frees more.
      for (int32_t reader : p_.consumers[input]) {
        if (waits_[index(reader)] != 0) continue;
        forget(reader);
        warm_up(reader);
      }
    }
    for (int32_t user : p_.succs[op])
      if (--waits_[index(user)] == 0) warm_up(user);
  }

  static constexpr int32_t kDone = -1;
  const OrderProblem& p_;
  std::vector<int32_t> waits_;    // by op: predecessors that have not run; kDone after the op has run
  std::vector<int32_t> readers_;  // a result's readers that have not run
  std::vector<Bytes> net_;
  std::set<std::tuple<Bytes, Bytes, int32_t>> by_size_;  // ready ops
  std::set<std::pair<Bytes, int32_t>> by_net_;
  Bytes live_ = 0, peak_ = 0;
};

// Moves ops down, last ones first: the result of an op that was scheduled early may raise a later peak. An op moves to
// just before its first reader if its inputs stay live until then anyway or are not larger than its result; otherwise
// as far as its inputs are live anyway. A move never raises the peak.
class Late {
 public:
  Late(const OrderProblem& problem, std::vector<int32_t> ops)
      : p_(problem), ops_(std::move(ops)), place_(ops_.size()), peak_(problem.peak(ops_)) {
    number(0, ops_.size());
  }

  std::vector<int32_t> run() {
    const std::vector<int32_t> before = ops_;
    for (size_t i = before.size(); i-- > 0;) sink(before[i]);
    return std::move(ops_);
  }

 private:
  static size_t index(int32_t op) { return static_cast<size_t>(op); }

  void sink(int32_t op) {
    if (p_.succs[op].empty()) return;
    size_t reader = ops_.size();
    for (const int32_t user : p_.succs[op]) reader = std::min(reader, place_[index(user)]);
    size_t free_until = reader;  // up to here no lifetime of an input is extended
    Bytes held = 0;              // bytes of inputs that would be extended to the reader
    for (const int32_t input : p_.inputs[op]) {
      if (p_.keep[index(input)]) continue;
      size_t last = 0;
      for (const int32_t other : p_.consumers[input])
        if (other != op) last = std::max(last, place_[index(other)]);
      if (last >= reader) continue;
      held += p_.bytes[index(input)];
      free_until = std::min(free_until, last);
    }
    if (held <= p_.bytes[index(op)] && free_until < reader) {
      const size_t from = place_[index(op)];
      move(op, reader);
      if (const Bytes peak = p_.peak(ops_); peak <= peak_) {
        peak_ = peak;
        return;
      }
      move_back(op, from);
    }
    move(op, free_until);
  }

  // Moves `op` to just before the op at position `to`.
  void move(int32_t op, size_t to) {
    const size_t from = place_[index(op)];
    if (to <= from + 1) return;
    std::rotate(ops_.begin() + static_cast<std::ptrdiff_t>(from), ops_.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                ops_.begin() + static_cast<std::ptrdiff_t>(to));
    number(from, to);
  }
  void move_back(int32_t op, size_t to) {
    const size_t from = place_[index(op)];
    std::rotate(ops_.begin() + static_cast<std::ptrdiff_t>(to), ops_.begin() + static_cast<std::ptrdiff_t>(from),
                ops_.begin() + static_cast<std::ptrdiff_t>(from) + 1);
    number(to, from + 1);
  }
  void number(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) place_[index(ops_[i])] = i;
  }

  const OrderProblem& p_;
  std::vector<int32_t> ops_;
  std::vector<size_t> place_;
  Bytes peak_;
};

}  // namespace

Result<std::vector<NodeId>> least_peak_first_order(const Graph& graph, const OrderOptions& options) {
  auto problem = make_order_problem(graph, false, options.keep_outputs);
  if (!problem) return problem.error();
  const std::vector<int32_t> ops = LeastPeakFirst(*problem).run();
  return problem->expand(ops);
}

Result<std::vector<NodeId>> least_peak_late_order(const Graph& graph, const OrderOptions& options) {
  auto problem = make_order_problem(graph, false, options.keep_outputs);
  if (!problem) return problem.error();
  const std::vector<int32_t> ops = Late(*problem, LeastPeakFirst(*problem).run()).run();
  return problem->expand(ops);
}

}  // namespace arenascope
