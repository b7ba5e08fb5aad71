// SPDX-License-Identifier: MIT
// Backward rule of LSTM: backpropagation through time (Werbos 1990) with recomputed steps.
#include "engine/graph/autodiff_rules.h"

namespace arenascope::autodiff {
namespace {

class Unrolled {
 public:
  explicit Unrolled(Backward& b)
      : b_(b), p_(b.y->params.get<LstmParams>()), steps_(b.source(0).sizes()[0]), batch_(b.source(0).sizes()[1]) {
    size_t next = 3;
    if (p_.present & 1) bias_ = next++;
    if (p_.present & 2) h0_ = next++;
    if (p_.present & 4) c0_ = next++;
  }

  void run() {
    const int64_t directions = b_.source(1).sizes()[0];
    for (int64_t d = 0; d < directions && b_.g.ok(); ++d) {
      direction_ = d;
      reversed_ = p_.direction == 1 || d == 1;
      forth();
      back();
    }
    for (size_t i = 0; i < b_.source_count(); ++i) {
      if (!b_.wants(i) || !b_.g.ok()) continue;
      // All directions read the same input; the other inputs have one piece per direction.
      Tensor whole = i == 0 && directions > 1 ? b_.add(pieces_[0][0], pieces_[0][1]) : b_.g.concat(pieces_[i], 0);
      b_.give(i, b_.g.reshape(whole, b_.source(i).sizes()));
    }
  }

 private:
  struct Step {
    Tensor x, h, c;        // inputs of the step
    Tensor i, o, f, g, t;  // gates, candidate, tanh of the new cell state
  };

  int64_t at(int64_t k) const { return reversed_ ? steps_ - 1 - k : k; }
  // The slice of the current direction of an input whose first dimension is the direction.
  Tensor part(size_t i, const Dims& sizes) {
    return b_.g.reshape(b_.g.slice(b_.source(i), 0, direction_, direction_ + 1), sizes);
  }
  Tensor zeros() { return b_.g.op_with(Op::Fill, {}, FillParams{{batch_, p_.hidden}, DType::F32, 0, 0}); }
  Tensor gate(const Tensor& all, int64_t k) { return b_.g.slice(all, 1, k * p_.hidden, (k + 1) * p_.hidden); }

  void forth() {
    const int64_t h = p_.hidden, input = b_.source(0).sizes()[2];
    w_ = part(1, {4 * h, input}), r_ = part(2, {4 * h, h});
    Tensor bias;
    if (bias_) {
      const Tensor both = part(bias_, {8 * h});
      bias = b_.add(b_.g.slice(both, 0, 0, 4 * h), b_.g.slice(both, 0, 4 * h, 8 * h));
    }
    Tensor state = h0_ ? part(h0_, {batch_, h}) : zeros(), cell = c0_ ? part(c0_, {batch_, h}) : zeros();
    walked_.clear();
    for (int64_t k = 0; k < steps_; ++k) {
      Step s;
      s.x = b_.g.reshape(b_.g.slice(b_.source(0), 0, at(k), at(k) + 1), {batch_, input});
      s.h = state, s.c = cell;
      const Tensor all = b_.add(b_.g.mul_mat(w_, s.x, bias), b_.g.mul_mat(r_, s.h));
      s.i = b_.op(Op::Sigmoid, {gate(all, 0)}), s.o = b_.op(Op::Sigmoid, {gate(all, 1)});
      s.f = b_.op(Op::Sigmoid, {gate(all, 2)}), s.g = b_.op(Op::Tanh, {gate(all, 3)});
      cell = b_.add(b_.mul(s.f, s.c), b_.mul(s.i, s.g));
      s.t = b_.op(Op::Tanh, {cell});
      state = b_.mul(s.o, s.t);
      walked_.push_back(std::move(s));
    }
  }

  // The gradient of one block of the flat result: Y [T, D, B, H], then the last states, then the last cells.
  Tensor given(int64_t block) {
    const int64_t size = batch_ * p_.hidden;
    return b_.g.reshape(b_.g.slice(b_.dy, 0, block * size, (block + 1) * size), {batch_, p_.hidden});
  }
  Tensor through(const Tensor& share, const Tensor& s) { return b_.mul(share, b_.sub(s, b_.mul(s, s))); }
  Tensor sum(const Tensor& a, const Tensor& more) { return a ? b_.add(a, more) : more; }

  void back() {
    const int64_t directions = b_.source(1).sizes()[0];
    Tensor state = given(steps_ * directions + direction_), cell = given((steps_ + 1) * directions + direction_);
    Tensor dw, dr, db;
    std::vector<Tensor> dx(static_cast<size_t>(steps_));
    for (int64_t k = steps_; k-- > 0 && b_.g.ok();) {
      const Step& s = walked_[static_cast<size_t>(k)];
      state = b_.add(state, given(at(k) * directions + direction_));
      cell = b_.add(cell, b_.mul(b_.mul(state, s.o), b_.scale(b_.mul(s.t, s.t), -1, 1)));
      const Tensor gates[] = {through(b_.mul(cell, s.g), s.i), through(b_.mul(state, s.t), s.o),
                              through(b_.mul(cell, s.c), s.f),
                              b_.mul(b_.mul(cell, s.i), b_.scale(b_.mul(s.g, s.g), -1, 1))};
      const Tensor all = b_.g.concat(gates, 1), turned = b_.g.transpose(all);
      if (b_.wants(0)) dx[static_cast<size_t>(at(k))] = b_.g.mul_mat(b_.g.transpose(w_), all);
      if (b_.wants(1)) dw = sum(dw, b_.g.mul_mat(b_.g.transpose(s.x), turned));
      if (b_.wants(2)) dr = sum(dr, b_.g.mul_mat(b_.g.transpose(s.h), turned));
      if (bias_ && b_.wants(bias_)) db = sum(db, b_.g.reduce(Op::ReduceSum, all, {0}, false));
      state = b_.g.mul_mat(b_.g.transpose(r_), all);
      cell = b_.mul(cell, s.f);
    }
    if (b_.wants(0)) pieces_[0].push_back(b_.g.concat(dx, 0));
    if (b_.wants(1)) pieces_[1].push_back(dw);
    if (b_.wants(2)) pieces_[2].push_back(dr);
    if (bias_ && b_.wants(bias_)) pieces_[bias_].insert(pieces_[bias_].end(), {db, db});
    if (h0_ && b_.wants(h0_)) pieces_[h0_].push_back(state);
    if (c0_ && b_.wants(c0_)) pieces_[c0_].push_back(cell);
  }

  Backward& b_;
  const LstmParams p_;
  const int64_t steps_, batch_;
  size_t bias_ = 0, h0_ = 0, c0_ = 0;  // input index; 0: none
  int64_t direction_ = 0;
  bool reversed_ = false;
  Tensor w_, r_;
  std::vector<Step> walked_;
  std::vector<Tensor> pieces_[6];
};

}  // namespace

void lstm(Backward& b) {
  if (b.y->params.get<LstmParams>().quantised_state) return b.refuse("a quantised state is not differentiable");
  Unrolled(b).run();
}

}  // namespace arenascope::autodiff
