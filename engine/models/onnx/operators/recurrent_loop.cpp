// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/recurrent_loop.h"
#include <fmt/format.h>
#include "engine/models/onnx/operators/decompose.h"
#include "engine/models/onnx/operators/long_recurrence.h"

#include <utility>

namespace arenascope::models {
namespace {

using namespace ir::subgraph;

enum Source : size_t { kX, kW, kR, kBias, kLengths, kFirstH, kFirstCell, kPeepholes, kMemory = 11, kMemoryLengths };

class LongCell {
 public:
  LongCell(OpCall& c, const RecurrentCall& r) : c_(c), r_(r), of_direction_(r.gates == 4 ? r.seen > 0 ? 3 : 2 : 1) {}

  void defer_as_loop() {
    LongRecurrence all;
    all.steps = r_.steps;
    for (int64_t d = 0; d < r_.directions && c_.ok(); ++d) {
      const bool backwards = r_.direction == 1 || d == 1;
      all.sources.push_back({r_.x, 0, backwards});
      all.states.push_back(first_state(kFirstH, d, r_.hidden));
      if (of_direction_ > 1) all.states.push_back(first_state(kFirstCell, d, r_.hidden));
      if (of_direction_ > 2) all.states.push_back(first_state(kSeenBefore, d, r_.seen));
      if (c_.has_output(0)) all.results.push_back({Dims{r_.steps, 1, r_.batch, r_.hidden}, 0, backwards});
      shared_.push_back(own_sources(d));
    }
    if (r_.lengths) {
      lengths_ = name_tensor(c_, r_.lengths, ":lengths_of_all");
      const Tensor none = c_.op(Op::Less, {r_.lengths, c_.scalar(1, DType::I64, ":one_step")}, ":without_steps");
      none_ = name_tensor(c_, c_.reshape(none, {1, r_.batch, 1}, ":without_steps_column"), ":without_steps");
    }
    all.make = [this](Steps& steps) {
      for (int64_t d = 0; d < r_.directions; ++d) make(steps, d);
    };
    all.end = [this](Nodes& n, const std::vector<std::string>& results, const std::vector<std::string>& states) {
      end(n, results, states);
    };
    leave_steps(c_, all);
  }

 private:
  Tensor own(const Tensor& x, int64_t d, const std::string& suffix) {
    return r_.directions == 1 ? x : c_.slice(x, 0, d, d + 1, 1, suffix.c_str());
  }

  Tensor first_state(size_t source, int64_t d, int64_t width) {
    const std::string at = fmt::format(":d{}_first_{}", d, source);
    if (!c_.has(source)) return c_.constant(HostArray::make(DType::F32, {1, r_.batch, width}), at.c_str());
    constexpr int kBatchSecond[] = {1, 0, 2};
    Tensor x = c_.in_f32(source);
    if (r_.transposed && x && source != kSeenBefore) x = c_.permute(x, kBatchSecond, (at + "_batch_second").c_str());
    return own(x, d, at);
  }

  // Those of direction d that all steps share, by name.
  std::vector<std::string> own_sources(int64_t d) {
    std::vector<std::string> out(r_.seen > 0 ? kSeenBefore + 1 : kPeepholes + 1);
    for (size_t i = 0; i < out.size() && c_.ok(); ++i) {
      if (!c_.has(i) || i == kX || i == kLengths || i == kFirstH || i == kFirstCell || i == kSeenBefore) continue;
      const Value& given = c_.value(i);
      const bool whole = r_.directions == 1 || i == kMemory || i == kMemoryLengths;
      if (whole && (i == kMemoryLengths || given.dtype == DType::F32))
        out[i] = name_value(c_, c_.inputs()[i], fmt::format(":d{}_source_{}", d, i));
      else
        out[i] = name_tensor(c_, whole ? c_.in_f32(i) : own(c_.in_f32(i), d, fmt::format(":d{}_own_{}", d, i)),
                             fmt::format(":d{}_source_{}", d, i));
    }
    return out;
  }

  size_t state_of(int64_t d) const { return static_cast<size_t>(d) * of_direction_; }

  void make(Steps& steps, int64_t d) {
    Nodes& n = steps.n;
    const auto name = [&](const char* what) { return fmt::format("d{}_{}", d, what); };
    const bool backwards = r_.direction == 1 || d == 1;
    std::vector<std::string> sources = shared_[static_cast<size_t>(d)], results(of_direction_ + 1);
    sources[kX] = steps.sources[static_cast<size_t>(d)];
    const std::string* states = &steps.states[state_of(d)];
    sources[kFirstH] = states[0];
    if (of_direction_ > 1) sources[kFirstCell] = states[1];
    if (of_direction_ > 2) sources[kSeenBefore] = states[2];
    if (c_.has_output(0)) results[0] = n.name(name("y"));
    for (size_t i = 0; i < of_direction_; ++i) results[i + 1] = n.name(fmt::format("d{}_final_{}", d, i));
    std::string none;
    if (r_.lengths) {
      const std::string zero = n.number(0, name("zero"));
      const std::string left = n.add("Sub", {lengths_, backwards ? steps.first_backwards : steps.first}, name("left"));
      const std::string own =
          n.add("Min", {n.add("Max", {left, zero}, name("not_below")), n.number(steps.count, name("most"))},
                name("own_lengths"));
      sources[kLengths] = n.cast(own, kInt32, name("lengths"));
      none = n.unsqueezed(n.unsqueezed(n.add("Equal", {own, zero}, name("has_none")), 0, name("has_none_row")), 2,
                          name("has_none_column"));
    }
    n.all().push_back(same_node(c_, sources, results, {"direction", "layout"}));
    ir::Node& node = n.all().back();
    node.attributes["direction"] = string_attribute(backwards ? "reverse" : "forward");
    node.attributes["hidden_size"] = int_attribute(r_.hidden);
    const size_t each = r_.functions.size() / static_cast<size_t>(r_.directions);
    if (node.attributes.contains("activations"))
      write_activations(std::span(r_.functions).subspan(static_cast<size_t>(d) * each, each), node);
    if (c_.has_output(0)) steps.results.push_back(results[0]);
    for (size_t i = 0; i < of_direction_; ++i)
      steps.next.push_back(none.empty()
                               ? results[i + 1]
                               : n.add("Where", {none, states[i], results[i + 1]}, fmt::format("d{}_next_{}", d, i)));
  }

  std::string joined(Nodes& n, std::vector<std::string> parts, int64_t axis, const std::string& name) {
    return parts.size() == 1 ? parts[0] : n.add("Concat", std::move(parts), name, along(axis));
  }

  void end(Nodes& n, const std::vector<std::string>& results, const std::vector<std::string>& states) {
    const Value& like = c_.value(kX);
    const auto give = [&](size_t i, std::string x, std::vector<int64_t> batch_first) {
      const std::string name = fmt::format("batch_first_{}", i);
      if (r_.transposed) x = n.add("Transpose", {x}, name, {{"perm", ints_attribute(std::move(batch_first))}});
      give_result(c_, n, i, x, like);
    };
    if (c_.has_output(0)) give(0, joined(n, results, 1, "y"), {2, 0, 1, 3});
    for (size_t i = 0; i < of_direction_ && i < 2; ++i) {
      if (!c_.has_output(i + 1)) continue;
      std::vector<std::string> parts;
      for (int64_t d = 0; d < r_.directions; ++d) parts.push_back(states[state_of(d) + i]);
      std::string x = joined(n, std::move(parts), 0, fmt::format("last_{}", i));
      if (r_.lengths)
        x = n.add("Where", {none_, n.real(0, fmt::format("zero_{}", i)), x}, fmt::format("last_there_{}", i));
      give(i + 1, x, {1, 0, 2});
    }
  }

  OpCall& c_;
  const RecurrentCall& r_;
  const size_t of_direction_;  // states of each
  std::vector<std::vector<std::string>> shared_;
  std::string lengths_, none_;
};

}  // namespace

void leave_recurrence(OpCall& c, const RecurrentCall& r) {
  if (c.ok()) LongCell(c, r).defer_as_loop();
}

}  // namespace arenascope::models
