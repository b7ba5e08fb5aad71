// SPDX-License-Identifier: MIT
// Backward rules of LSTM, GRU and RNN: backpropagation through time (Werbos 1990) with recomputed steps.
#include "engine/graph/autodiff_rules.h"

namespace arenascope::autodiff {
namespace {

// Shared by the three rules. A derived class recomputes the steps of a direction and then goes back over them,
// collecting the gradients of each input in `pieces_`.
class Recurrence {
 public:
  Recurrence(Backward& b, int64_t hidden, int32_t direction, int32_t present, bool has_cell)
      : b_(b),
        hidden_(hidden),
        steps_(b.source(0).sizes()[0]),
        batch_(b.source(0).sizes()[1]),
        directions_(b.source(1).sizes()[0]),
        first_reversed_(direction == 1) {
    size_t next = 3;
    if (present & 1) bias_ = next++;
    if (present & 2) h0_ = next++;
    if (has_cell && present & 4) c0_ = next++;
  }
  virtual ~Recurrence() = default;

  void run() {
    for (int64_t d = 0; d < directions_ && b_.g.ok(); ++d) {
      direction_ = d;
      reversed_ = first_reversed_ || d == 1;
      forth();
      back();
    }
    for (size_t i = 0; i < b_.source_count(); ++i) {
      if (!b_.wants(i) || !b_.g.ok()) continue;
      // All directions read the same input; the other inputs have one piece per direction.
      Tensor whole = i == 0 && directions_ > 1 ? b_.add(pieces_[0][0], pieces_[0][1]) : b_.g.concat(pieces_[i], 0);
      b_.give(i, b_.g.reshape(whole, b_.source(i).sizes()));
    }
  }

 protected:
  virtual void forth() = 0;
  virtual void back() = 0;

  int64_t at(int64_t k) const { return reversed_ ? steps_ - 1 - k : k; }
  // The slice of the current direction of an input whose first dimension is the direction.
  Tensor part(size_t i, const Dims& sizes) {
    return b_.g.reshape(b_.g.slice(b_.source(i), 0, direction_, direction_ + 1), sizes);
  }
  Tensor zeros() { return b_.g.op_with(Op::Fill, {}, FillParams{{batch_, hidden_}, DType::F32, 0, 0}); }
  Tensor initial(size_t i) { return i ? part(i, {batch_, hidden_}) : zeros(); }
  Tensor input(int64_t k) {
    return b_.g.reshape(b_.g.slice(b_.source(0), 0, at(k), at(k) + 1), {batch_, b_.source(0).sizes()[2]});
  }
  Tensor gate(const Tensor& all, int64_t k) { return b_.g.slice(all, 1, k * hidden_, (k + 1) * hidden_); }
  // The gradient of one block of the flat result: Y [T, D, B, H], then the last states, then the last cells.
  Tensor given(int64_t block) {
    const int64_t size = batch_ * hidden_;
    return b_.g.reshape(b_.g.slice(b_.dy, 0, block * size, (block + 1) * size), {batch_, hidden_});
  }
  // Gradients before a sigmoid and before a tanh with those results.
  Tensor through(const Tensor& share, const Tensor& s) { return b_.mul(share, b_.sub(s, b_.mul(s, s))); }
  Tensor through_tanh(const Tensor& share, const Tensor& t) { return b_.mul(share, b_.scale(b_.mul(t, t), -1, 1)); }
  Tensor sum(const Tensor& a, const Tensor& more) { return a ? b_.add(a, more) : more; }
  // The gradient of weights that multiplied x [B, n], from that of the result [B, m].
  Tensor weight_share(const Tensor& share, const Tensor& x) {
    return b_.g.mul_mat(b_.g.transpose(x), b_.g.transpose(share));
  }
  Tensor input_share(const Tensor& weights, const Tensor& share) {
    return b_.g.mul_mat(b_.g.transpose(weights), share);
  }
  Tensor over_batch(const Tensor& share) { return b_.g.reduce(Op::ReduceSum, share, {0}, false); }

  // Gradients of the weights and biases of a direction, and of its inputs by time.
  struct Shares {
    Tensor w, r, b;
    std::vector<Tensor> x;
    explicit Shares(int64_t steps) : x(static_cast<size_t>(steps)) {}
  };
  // Adds those of step k, with input x, from the gradient of its gates [B, G·H]; not that of R.
  void add_shares(Shares& s, int64_t k, const Tensor& gates, const Tensor& x, const Tensor& w) {
    if (b_.wants(0)) s.x[static_cast<size_t>(at(k))] = input_share(w, gates);
    if (b_.wants(1)) s.w = sum(s.w, weight_share(gates, x));
    if (bias_ && b_.wants(bias_)) s.b = sum(s.b, over_batch(gates));
  }
  void finish(const Shares& s, const Tensor& recurrent_bias, const Tensor& state) {
    if (b_.wants(0)) pieces_[0].push_back(b_.g.concat(s.x, 0));
    if (b_.wants(1)) pieces_[1].push_back(s.w);
    if (b_.wants(2)) pieces_[2].push_back(s.r);
    if (bias_ && b_.wants(bias_)) pieces_[bias_].insert(pieces_[bias_].end(), {s.b, recurrent_bias});
    if (h0_ && b_.wants(h0_)) pieces_[h0_].push_back(state);
  }

  Backward& b_;
  const int64_t hidden_, steps_, batch_, directions_;
  const bool first_reversed_;
  size_t bias_ = 0, h0_ = 0, c0_ = 0;  // input index; 0: none
  int64_t direction_ = 0;
  bool reversed_ = false;
  std::vector<Tensor> pieces_[6];
};

class Lstm : public Recurrence {
 public:
  Lstm(Backward& b, const LstmParams& p) : Recurrence(b, p.hidden, p.direction, p.present, true) {}

 private:
  struct Step {
    Tensor x, h, c;        // inputs of the step
    Tensor i, o, f, g, t;  // gates, candidate, tanh of the new cell state
  };

  void forth() override {
    const int64_t h = hidden_;
    w_ = part(1, {4 * h, b_.source(0).sizes()[2]}), r_ = part(2, {4 * h, h});
    Tensor bias;
    if (bias_) {
      const Tensor both = part(bias_, {8 * h});
      bias = b_.add(b_.g.slice(both, 0, 0, 4 * h), b_.g.slice(both, 0, 4 * h, 8 * h));
    }
    Tensor state = initial(h0_), cell = initial(c0_);
    walked_.clear();
    for (int64_t k = 0; k < steps_; ++k) {
      Step s;
      s.x = input(k);
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

  void back() override {
    Tensor state = given(steps_ * directions_ + direction_), cell = given((steps_ + 1) * directions_ + direction_);
    Shares shares(steps_);
    for (int64_t k = steps_; k-- > 0 && b_.g.ok();) {
      const Step& s = walked_[static_cast<size_t>(k)];
      state = b_.add(state, given(at(k) * directions_ + direction_));
      cell = b_.add(cell, through_tanh(b_.mul(state, s.o), s.t));
      const Tensor gates[] = {through(b_.mul(cell, s.g), s.i), through(b_.mul(state, s.t), s.o),
                              through(b_.mul(cell, s.c), s.f), through_tanh(b_.mul(cell, s.i), s.g)};
      const Tensor all = b_.g.concat(gates, 1);
      add_shares(shares, k, all, s.x, w_);
      if (b_.wants(2)) shares.r = sum(shares.r, weight_share(all, s.h));
      state = input_share(r_, all);
      cell = b_.mul(cell, s.f);
    }
    finish(shares, shares.b, state);
    if (c0_ && b_.wants(c0_)) pieces_[c0_].push_back(cell);
  }

  Tensor w_, r_;
  std::vector<Step> walked_;
};

class Gru : public Recurrence {
 public:
  Gru(Backward& b, const RecurrentParams& p)
      : Recurrence(b, p.hidden, p.direction, p.present, false), linear_before_reset_(p.linear_before_reset) {}

 private:
  struct Step {
    Tensor x, h;     // inputs of the step
    Tensor z, r, n;  // gates and candidate
    Tensor inner;    // with linear_before_reset, R_h·h + its bias; otherwise r ⊙ h
  };

  void forth() override {
    const int64_t h = hidden_;
    w_ = part(1, {3 * h, b_.source(0).sizes()[2]});
    const Tensor r = part(2, {3 * h, h}), bias = bias_ ? part(bias_, {6 * h}) : Tensor();
    r_zr_ = b_.g.slice(r, 0, 0, 2 * h), r_h_ = b_.g.slice(r, 0, 2 * h, 3 * h);
    const auto biases = [&](int64_t from, int64_t to) {
      return bias ? b_.g.slice(bias, 0, from * h, to * h) : Tensor();
    };
    const Tensor bias_w = biases(0, 3), bias_zr = biases(3, 5), bias_h = biases(5, 6);
    Tensor state = initial(h0_);
    walked_.clear();
    for (int64_t k = 0; k < steps_; ++k) {
      Step s;
      s.x = input(k), s.h = state;
      const Tensor from_x = b_.g.mul_mat(w_, s.x, bias_w), from_h = b_.g.mul_mat(r_zr_, s.h, bias_zr);
      s.z = b_.op(Op::Sigmoid, {b_.add(gate(from_x, 0), gate(from_h, 0))});
      s.r = b_.op(Op::Sigmoid, {b_.add(gate(from_x, 1), gate(from_h, 1))});
      s.inner = linear_before_reset_ ? b_.g.mul_mat(r_h_, s.h, bias_h) : b_.mul(s.r, s.h);
      const Tensor fresh = linear_before_reset_ ? b_.mul(s.r, s.inner) : b_.g.mul_mat(r_h_, s.inner, bias_h);
      s.n = b_.op(Op::Tanh, {b_.add(gate(from_x, 2), fresh)});
      state = b_.add(s.n, b_.mul(s.z, b_.sub(s.h, s.n)));
      walked_.push_back(std::move(s));
    }
  }

  void back() override {
    Tensor state = given(steps_ * directions_ + direction_), dr_zr, dr_h, db;
    Shares shares(steps_);
    for (int64_t k = steps_; k-- > 0 && b_.g.ok();) {
      const Step& s = walked_[static_cast<size_t>(k)];
      state = b_.add(state, given(at(k) * directions_ + direction_));
      const Tensor dn = through_tanh(b_.mul(state, b_.scale(s.z, -1, 1)), s.n);
      const Tensor dz = through(b_.mul(state, b_.sub(s.h, s.n)), s.z);
      // The gradients of the recurrent product for h, and of the reset gate.
      const Tensor of_h = linear_before_reset_ ? b_.mul(dn, s.r) : dn, back_h = input_share(r_h_, of_h);
      const Tensor dr = through(linear_before_reset_ ? b_.mul(dn, s.inner) : b_.mul(back_h, s.h), s.r);
      const Tensor zr_gates[] = {dz, dr}, zr = b_.g.concat(zr_gates, 1), all_gates[] = {dz, dr, dn};
      add_shares(shares, k, b_.g.concat(all_gates, 1), s.x, w_);
      if (b_.wants(2)) {
        dr_zr = sum(dr_zr, weight_share(zr, s.h));
        dr_h = sum(dr_h, weight_share(of_h, linear_before_reset_ ? s.h : s.inner));
      }
      const Tensor recurrent[] = {zr, of_h};
      if (bias_ && b_.wants(bias_)) db = sum(db, over_batch(b_.g.concat(recurrent, 1)));
      const Tensor through_h = linear_before_reset_ ? back_h : b_.mul(back_h, s.r);
      state = b_.add(b_.add(b_.mul(state, s.z), through_h), input_share(r_zr_, zr));
    }
    if (b_.wants(2)) {
      const Tensor both[] = {dr_zr, dr_h};
      shares.r = b_.g.concat(both, 0);
    }
    finish(shares, db, state);
  }

  const bool linear_before_reset_;
  Tensor w_, r_zr_, r_h_;
  std::vector<Step> walked_;
};

class Rnn : public Recurrence {
 public:
  Rnn(Backward& b, const RecurrentParams& p) : Recurrence(b, p.hidden, p.direction, p.present, false) {}

 private:
  void forth() override {
    w_ = part(1, {hidden_, b_.source(0).sizes()[2]}), r_ = part(2, {hidden_, hidden_});
    const Tensor bias = bias_ ? part(bias_, {2 * hidden_}) : Tensor();
    const auto half = [&](int64_t i) { return bias ? b_.g.slice(bias, 0, i * hidden_, (i + 1) * hidden_) : Tensor(); };
    const Tensor bias_w = half(0), bias_r = half(1);
    states_ = {initial(h0_)};
    for (int64_t k = 0; k < steps_; ++k) {
      const Tensor all = b_.add(b_.g.mul_mat(w_, input(k), bias_w), b_.g.mul_mat(r_, states_.back(), bias_r));
      states_.push_back(b_.op(Op::Tanh, {all}));
    }
  }

  void back() override {
    Tensor state = given(steps_ * directions_ + direction_);
    Shares shares(steps_);
    for (int64_t k = steps_; k-- > 0 && b_.g.ok();) {
      const Tensor &before = states_[static_cast<size_t>(k)], &after = states_[static_cast<size_t>(k) + 1];
      const Tensor share = through_tanh(b_.add(state, given(at(k) * directions_ + direction_)), after);
      add_shares(shares, k, share, input(k), w_);
      if (b_.wants(2)) shares.r = sum(shares.r, weight_share(share, before));
      state = input_share(r_, share);
    }
    finish(shares, shares.b, state);
  }

  Tensor w_, r_;
  std::vector<Tensor> states_;  // before each step, and the last one
};

}  // namespace

void lstm(Backward& b) {
  if (b.y->params.get<LstmParams>().quantised_state) return b.refuse("a quantised state is not differentiable");
  Lstm(b, b.y->params.get<LstmParams>()).run();
}

void gru(Backward& b) { Gru(b, b.y->params.get<RecurrentParams>()).run(); }
void rnn(Backward& b) { Rnn(b, b.y->params.get<RecurrentParams>()).run(); }

}  // namespace arenascope::autodiff
