// SPDX-License-Identifier: MIT
// ONNX's recurrent operators. A plain LSTM is one op; RNN, GRU and an LSTM with peepholes are unrolled step by step.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxSteps = 1024;  // of an unrolled one

class Recurrent {
 public:
  Recurrent(OpCall& c, int64_t gates) : c_(c), gates_(gates) {}

  void run() {
    if (!read()) return;
    const bool lstm = gates_ == 4;
    if (lstm && !c_.has(7)) return whole_lstm();
    if (steps_ > kMaxSteps) return c_.refuse(fmt::format("{} steps are too many to unroll", steps_));
    unroll();
  }

 private:
  bool read() {
    const std::string direction = c_.attr_string("direction", "forward");
    direction_ = direction == "forward" ? 0 : direction == "reverse" ? 1 : 2;
    directions_ = direction_ == 2 ? 2 : 1;
    hidden_ = c_.attr_int("hidden_size", c_.rank(2) == 3 ? c_.sizes(2)[2] : 0);
    turned_ = c_.attr_int("layout", 0) != 0;
    x_ = c_.in(0);
    if (!x_ || x_->rank() != 3 || hidden_ < 1 || hidden_ > (1 << 24))
      return refused("its source needs three dimensions and a hidden size");
    if (!activations_are_usual()) return refused("its activations are not the usual ones");
    if (c_.has_attr("clip")) return refused("it clips");
    if (c_.attr_int("input_forget", 0) != 0) return refused("it couples the input and forget gates");
    if (turned_) x_ = swapped(x_, ":time_first");
    if (!x_) return false;
    steps_ = x_.sizes()[0], batch_ = x_.sizes()[1];
    const int64_t in = x_.sizes()[2];
    if (!(c_.sizes(1) == Dims{directions_, gates_ * hidden_, in}) ||
        !(c_.sizes(2) == Dims{directions_, gates_ * hidden_, hidden_}) ||
        (c_.has(3) && !(c_.sizes(3) == Dims{directions_, 2 * gates_ * hidden_})))
      return refused(fmt::format("its weights {} and {} do not fit {} directions of {} units", to_string(c_.sizes(1)),
                                 to_string(c_.sizes(2)), directions_, hidden_));
    if (c_.has(4)) {
      const auto lengths = c_.ints(4);
      if (!lengths) return false;
      for (int64_t n : *lengths)
        if (n != steps_) return refused("its sequences differ in length");
    }
    for (size_t i : {size_t{5}, size_t{6}})
      if (c_.has(i) &&
          !(c_.sizes(i) == (turned_ ? Dims{batch_, directions_, hidden_} : Dims{directions_, batch_, hidden_})))
        return refused(fmt::format("its initial state is {}", to_string(c_.sizes(i))));
    return c_.ok();
  }

  bool refused(std::string why) {
    c_.refuse(std::move(why));
    return false;
  }

  bool activations_are_usual() const {
    const auto* a = c_.attr("activations");
    if (!a || a->strings.empty()) return true;
    static const std::vector<std::string> kUsual[] = {{"Tanh"}, {}, {"Sigmoid", "Tanh"}, {"Sigmoid", "Tanh", "Tanh"}};
    const auto& usual = kUsual[gates_ - 1];
    for (size_t i = 0; i < a->strings.size(); ++i)
      if (a->strings[i] != usual[i % usual.size()]) return false;
    return true;
  }

  Tensor swapped(const Tensor& x, const char* suffix) {
    const int axes[] = {1, 0, 2, 3};
    return x ? c_.permute(x, std::span<const int>(axes).first(static_cast<size_t>(x->rank())), suffix) : Tensor();
  }

  Tensor state(size_t i, const char* suffix) {
    return turned_ ? c_.g().cont(swapped(c_.in(i), suffix), suffix) : c_.in(i);
  }

  // Y [T, D, B, H], with layout 1 [B, T, D, H]; states [D, B, H], with layout 1 [B, D, H].
  void finish(const Tensor& y, const Tensor& h, const Tensor& cell) {
    const int axes[] = {2, 0, 1, 3};
    if (c_.wants(0)) c_.out(0, turned_ && y ? c_.permute(y, axes, ":batch_first") : y);
    if (c_.wants(1)) c_.out(1, turned_ ? swapped(h, ":h_batch_first") : h);
    if (c_.wants(2)) c_.out(2, turned_ ? swapped(cell, ":c_batch_first") : cell);
  }

  void whole_lstm() {
    std::vector<Tensor> sources{turned_ ? c_.g().cont(x_, c_.name_of(":x")) : x_, c_.in(1), c_.in(2)};
    int32_t present = 0;
    if (c_.has(3)) sources.push_back(c_.in(3)), present |= 1;
    if (c_.has(5)) sources.push_back(state(5, ":h0")), present |= 2;
    if (c_.has(6)) sources.push_back(state(6, ":c0")), present |= 4;
    for (const Tensor& s : sources)
      if (!s) return;
    const Tensor all =
        c_.op_list(Op::Lstm, sources, LstmParams{static_cast<int32_t>(hidden_), direction_, present}, ":all");
    const int64_t one = directions_ * batch_ * hidden_, rows = steps_ * one;
    const Dims sizes{directions_, batch_, hidden_};
    const auto part = [&](int64_t start, int64_t count, const Dims& shape, const char* flat, const char* suffix) {
      return c_.reshape(c_.slice(all, 0, start, start + count, 1, flat), shape, suffix);
    };
    finish(part(0, rows, {steps_, directions_, batch_, hidden_}, ":y_flat", ":y"),
           part(rows, one, sizes, ":h_flat", ":h"), part(rows + one, one, sizes, ":c_flat", ":c"));
  }

  // Rows of direction d of a source [D, rows, …], as [rows, …].
  Tensor of_direction(const Tensor& x, int64_t d, const char* suffix) {
    if (!x) return {};
    Dims sizes;
    for (int i = 1; i < x->rank(); ++i) sizes.push_back(x.sizes()[i]);
    return c_.reshape(directions_ == 1 ? x : c_.slice(x, 0, d, d + 1, 1, suffix), sizes, suffix);
  }

  Tensor part(const Tensor& x, int axis, int64_t i, const std::string& suffix) {
    return c_.slice(x, axis, i * hidden_, (i + 1) * hidden_, 1, suffix.c_str());
  }

  void unroll() {
    std::vector<std::vector<Tensor>> rows(static_cast<size_t>(steps_));  // of each step, by direction
    std::vector<Tensor> last_h, last_c;
    for (int64_t d = 0; d < directions_ && c_.ok(); ++d) {
      const bool backward = direction_ == 1 || d == 1;
      const std::string at = fmt::format(":d{}", d);
      const Tensor w = of_direction(c_.in(1), d, ":w"), r = of_direction(c_.in(2), d, ":r");
      const Tensor b = c_.has(3) ? of_direction(c_.in(3), d, ":b") : Tensor();
      const Tensor wb = b ? c_.slice(b, 0, 0, gates_ * hidden_, 1, ":wb") : Tensor();
      const Tensor rb = b ? c_.slice(b, 0, gates_ * hidden_, 2 * gates_ * hidden_, 1, ":rb") : Tensor();
      const Tensor p = c_.has(7) ? of_direction(c_.in(7), d, ":p") : Tensor();
      Tensor h = initial(5, d, ":h0"), cell = gates_ == 4 ? initial(6, d, ":c0") : Tensor();
      for (int64_t i = 0; i < steps_ && c_.ok(); ++i) {
        const int64_t t = backward ? steps_ - 1 - i : i;
        const std::string step = fmt::format("{}t{}", at, t);
        const Tensor xt = c_.reshape(c_.slice(x_, 0, t, t + 1, 1, (step + "_x").c_str()), {batch_, x_.sizes()[2]},
                                     (step + "_x").c_str());
        const Tensor xw = c_.mul_mat(w, xt, wb, 1, (step + "_xw").c_str());
        if (gates_ == 1)
          h = c_.op(Op::Tanh,
                    {c_.op(Op::Add, {xw, c_.mul_mat(r, h, rb, 1, (step + "_hr").c_str())}, (step + "_sum").c_str())},
                    (step + "_h").c_str());
        else if (gates_ == 3)
          h = gru_step(xw, h, r, rb, step);
        else
          lstm_step(xw, c_.mul_mat(r, h, rb, 1, (step + "_hr").c_str()), p, h, cell, step);
        if (h) rows[static_cast<size_t>(t)].push_back(c_.reshape(h, {1, 1, batch_, hidden_}, (step + "_row").c_str()));
      }
      if (!c_.ok()) return;
      last_h.push_back(c_.reshape(h, {1, batch_, hidden_}, (at + "_last_h").c_str()));
      if (cell) last_c.push_back(c_.reshape(cell, {1, batch_, hidden_}, (at + "_last_c").c_str()));
    }
    std::vector<Tensor> steps;
    for (size_t t = 0; t < rows.size(); ++t) steps.push_back(joined(rows[t], 1, fmt::format(":t{}", t)));
    finish(c_.wants(0) ? joined(steps, 0, ":y") : Tensor(), joined(last_h, 0, ":h"),
           gates_ == 4 ? joined(last_c, 0, ":c") : Tensor());
  }

  Tensor joined(const std::vector<Tensor>& parts, int axis, const std::string& suffix) {
    if (parts.empty()) c_.refuse("it has no steps");
    if (parts.size() == 1) return parts[0];
    return c_.op_list(Op::Concat, parts, AxisParams{axis}, suffix.c_str());
  }

  Tensor initial(size_t i, int64_t d, const char* suffix) {
    if (c_.has(i)) return of_direction(state(i, suffix), d, suffix);
    return c_.constant(HostArray::make(DType::F32, {batch_, hidden_}), suffix);
  }

  // ONNX's order z, r, h: h' = (1 - z) ⊙ tanh(…) + z ⊙ h.
  Tensor gru_step(const Tensor& xw, const Tensor& h, const Tensor& r, const Tensor& rb, const std::string& step) {
    const auto named = [&](const char* what) { return step + what; };
    const Tensor r_zr = c_.slice(r, 0, 0, 2 * hidden_, 1, ":r_zr"),
                 r_h = c_.slice(r, 0, 2 * hidden_, 3 * hidden_, 1, ":r_h");
    const Tensor b_zr = rb ? c_.slice(rb, 0, 0, 2 * hidden_, 1, ":rb_zr") : Tensor();
    const Tensor b_h = rb ? c_.slice(rb, 0, 2 * hidden_, 3 * hidden_, 1, ":rb_h") : Tensor();
    const Tensor x_zr = c_.slice(xw, 1, 0, 2 * hidden_, 1, named("_x_zr").c_str());
    const Tensor zr =
        c_.op(Op::Sigmoid,
              {c_.op(Op::Add, {x_zr, c_.mul_mat(r_zr, h, b_zr, 1, named("_h_zr").c_str())}, named("_zr_sum").c_str())},
              named("_zr").c_str());
    const Tensor z = part(zr, 1, 0, named("_z")), reset = part(zr, 1, 1, named("_r")),
                 x_h = part(xw, 1, 2, named("_x_h"));
    const Tensor inner =
        c_.attr_int("linear_before_reset", 0)
            ? c_.op(Op::Mul, {reset, c_.mul_mat(r_h, h, b_h, 1, named("_h_h").c_str())}, named("_reset").c_str())
            : c_.mul_mat(r_h, c_.op(Op::Mul, {reset, h}, named("_reset").c_str()), b_h, 1, named("_h_h").c_str());
    const Tensor fresh =
        c_.op(Op::Tanh, {c_.op(Op::Add, {x_h, inner}, named("_sum").c_str())}, named("_fresh").c_str());
    const Tensor apart = c_.op(Op::Sub, {h, fresh}, named("_apart").c_str());
    return c_.op(Op::Add, {fresh, c_.op(Op::Mul, {z, apart}, named("_kept").c_str())}, named("_h").c_str());
  }

  // ONNX's order i, o, f, c; peepholes i, o, f.
  void lstm_step(const Tensor& xw, const Tensor& hr, const Tensor& p, Tensor& h, Tensor& cell,
                 const std::string& step) {
    const auto named = [&](const char* what) { return step + what; };
    const Tensor sum = c_.op(Op::Add, {xw, hr}, named("_sum").c_str());
    const auto gate = [&](int64_t i, const Tensor& seen, const char* what) {
      Tensor g = part(sum, 1, i, named(what) + "_in");
      if (p)
        g = c_.op(Op::Add,
                  {g, c_.op(Op::Mul, {part(p, 0, i, named(what) + "_p"), seen}, (named(what) + "_peep").c_str())},
                  (named(what) + "_seen").c_str());
      return c_.op(Op::Sigmoid, {g}, named(what).c_str());
    };
    const Tensor in = gate(0, cell, "_i"), forget = gate(2, cell, "_f");
    const Tensor fresh = c_.op(Op::Tanh, {part(sum, 1, 3, named("_g_in"))}, named("_g").c_str());
    const Tensor kept = c_.op(Op::Mul, {forget, cell}, named("_kept").c_str());
    cell = c_.op(Op::Add, {kept, c_.op(Op::Mul, {in, fresh}, named("_new").c_str())}, named("_c").c_str());
    const Tensor out = gate(1, cell, "_o");
    h = c_.op(Op::Mul, {out, c_.op(Op::Tanh, {cell}, named("_c_tanh").c_str())}, named("_h").c_str());
  }

  OpCall& c_;
  int64_t gates_;
  int32_t direction_ = 0;
  int64_t directions_ = 1, hidden_ = 0, steps_ = 0, batch_ = 0;
  bool turned_ = false;
  Tensor x_;
};

constexpr HandlerEntry kRecurrentHandlers[] = {
    {"GRU", [](OpCall& c) { Recurrent(c, 3).run(); }},
    {"LSTM", [](OpCall& c) { Recurrent(c, 4).run(); }},
    {"RNN", [](OpCall& c) { Recurrent(c, 1).run(); }},
};

}  // namespace

std::span<const HandlerEntry> recurrent_handlers() { return kRecurrentHandlers; }

}  // namespace arenascope::models
