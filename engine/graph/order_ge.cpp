// SPDX-License-Identifier: MIT
// The execution order of CANN's graph engine (GE), after the public description of its Topo optimisation.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <list>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <arenascope/graph/order_ge.h>
#include "engine/graph/order_problem.h"

namespace arenascope {
namespace {

// A list of ops with increasing labels, so that two positions are compared in constant time.
class LabelledOrder {
 public:
  explicit LabelledOrder(std::span<const int32_t> ops) : position_(ops.size()), label_(ops.size()) {
    for (const int32_t op : ops) position_[static_cast<size_t>(op)] = order_.insert(order_.end(), op);
    relabel();
  }
  int64_t label(int32_t op) const { return label_[static_cast<size_t>(op)]; }
  const std::list<int32_t>& ops() const { return order_; }
  bool stands_just_before(int32_t op, int32_t target) const { return next(op) == target; }
  int32_t next(int32_t op) const { return *std::next(position_[static_cast<size_t>(op)]); }  // of one that has readers

  // Moves `op` to just before `target`.
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

constexpr int32_t kNone = -1;
constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

class Optimiser {
 public:
  Optimiser(const OrderProblem& problem, std::span<const int32_t> base, const GeOptions& ge)
      : p_(problem), ge_(ge), base_(base.begin(), base.end()), order_(base), last_reader_(base.size(), kNone) {
    for (const int32_t op : base_) note_reader(op);
  }

  // The moves, in order of execution.
  std::vector<GeMove> run() {
    std::vector<GeMove> moves;
    for (size_t i = base_.size(); i-- > 0;) {
      const int32_t op = base_[i];
      const int32_t reader = reader_to_move_to(op);
      if (reader == kNone) continue;
      const bool weighed = ge_.peaks || holds_inputs(op);
      const Bytes before = weighed ? p_.peak(ops()) : 0;
      const Step from = ge_.peaks ? place_of(op) : Step();
      const int32_t successor = order_.next(op);
      const std::vector<int32_t> readers = weighed ? last_reader_ : std::vector<int32_t>();
      order_.move_before(op, reader);
      note_reader(op);
      const Bytes after = weighed ? p_.peak(ops()) : 0;
      if (after > before) {
        order_.move_before(op, successor);
        last_reader_ = readers;
        continue;
      }
      GeMove& move = moves.emplace_back();
      move.node = p_.op_nodes[static_cast<size_t>(op)];
      move.reader = p_.op_nodes[static_cast<size_t>(reader)];
      move.rule = p_.preds[op].empty() ? GeRule::Type : GeRule::Lifetime;
      move.bytes = p_.bytes[static_cast<size_t>(op)];
      if (!ge_.peaks) continue;
      move.from = from;
      move.to = place_of(op);
      move.peak_before = before;
      move.peak_after = after;
    }
    return moves;
  }

  std::vector<int32_t> ops() const { return {order_.ops().begin(), order_.ops().end()}; }

 private:
  // Updates the last reader of each result. Ops only move down, so it changes only when a reader moves.
  void note_reader(int32_t op) {
    for (const int32_t input : p_.preds[op]) {
      int32_t& last = last_reader_[static_cast<size_t>(input)];
      if (last == kNone || order_.label(op) > order_.label(last)) last = op;
    }
  }

  // The first reader of its result, if a rule permits the move and the reader is not already next.
  int32_t reader_to_move_to(int32_t op) const {
    const auto readers = p_.succs[op];
    if (readers.empty()) return kNone;
    const bool given = p_.preds[op].empty();
    if (given ? !ge_.by_type : !ge_.by_lifetime) return kNone;
    const int32_t first = *std::min_element(readers.begin(), readers.end(),
                                            [&](int32_t a, int32_t b) { return order_.label(a) < order_.label(b); });
    int64_t longest = given ? kForever : 0;
    for (const int32_t input : p_.preds[op])
      longest = std::max(longest, p_.keep[static_cast<size_t>(input)]
                                      ? kForever
                                      : order_.label(last_reader_[static_cast<size_t>(input)]));
    if (longest <= order_.label(first) || order_.stands_just_before(op, first)) return kNone;
    return first;
  }

  // True if it is the last reader of an input, whose lifetime the move would extend: only then can the peak rise.
  bool holds_inputs(int32_t op) const {
    return std::any_of(p_.preds[op].begin(), p_.preds[op].end(), [&](int32_t input) {
      return last_reader_[static_cast<size_t>(input)] == op && !p_.keep[static_cast<size_t>(input)];
    });
  }

  Step place_of(int32_t op) const {
    const auto& all = order_.ops();
    return Step(static_cast<size_t>(std::distance(all.begin(), std::find(all.begin(), all.end(), op))));
  }

  const OrderProblem& p_;
  const GeOptions& ge_;
  const std::vector<int32_t> base_;
  LabelledOrder order_;
  std::vector<int32_t> last_reader_;
};

}  // namespace

const char* name(GeRule rule) { return rule == GeRule::Type ? "type" : "lifetime"; }

Result<GeOrder> optimise_like_ge(const Graph& graph, const GeOptions& ge, const OrderOptions& options) {
  const OrderInfo* base = find_order(ge.base);
  if (base == nullptr || base->make == ge_order)
    return Error{fmt::format("order '{}' cannot be the base of GE's moves", ge.base)};
  auto usual = base->make(graph, options);
  if (!usual) return usual.error();
  auto problem = make_order_problem(graph, false, options.keep_outputs);
  if (!problem) return problem.error();
  const std::vector<int32_t> ops = problem->contract(*usual);
  Optimiser optimiser(*problem, ops, ge);
  GeOrder out;
  out.moves = optimiser.run();
  const std::vector<int32_t> moved = optimiser.ops();
  out.base_peak = problem->peak(ops);
  out.peak = problem->peak(moved);
  out.taken = out.peak < out.base_peak;
  out.base = problem->expand(ops);
  out.order = out.taken ? problem->expand(moved) : out.base;
  if (!out.taken) out.peak = out.base_peak;
  return out;
}

// Depth-first order with GE's moves, if they lower the peak.
Result<std::vector<NodeId>> ge_order(const Graph& graph, const OrderOptions& options) {
  auto made = optimise_like_ge(graph, {}, options);
  if (!made) return made.error();
  return std::move(made->order);
}

}  // namespace arenascope
