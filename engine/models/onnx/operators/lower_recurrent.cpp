// SPDX-License-Identifier: MIT
// ONNX's recurrent operators. A plain LSTM, GRU or RNN is one op; those with peepholes, clipping or other activations
// are unrolled step by step, or become a loop if there are many steps (recurrent_loop.h). Sequences of different
// lengths keep their states after their ends.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"
#include "engine/models/onnx/operators/long_recurrence.h"
#include "engine/models/onnx/operators/lstm_attention.h"
#include "engine/models/onnx/operators/recurrent_loop.h"

#include <numeric>
#include <optional>
#include <vector>

namespace arenascope::models {
namespace {

// Sequences of different lengths, as tensors: which steps are active, and the indices for reading them in reverse.
struct Lengths {
  Tensor all;       // i64 [B]
  Tensor active;    // bool [T, B]
  Tensor reversed;  // i64 [T, B]: the row of [T·B, …] for each step in reverse; rows after the end stay
  Tensor last;      // i64 [B]: the row of the last step
  Tensor none;      // bool [B, 1]: the sequence has no step
  explicit operator bool() const { return static_cast<bool>(active); }
};

class Recurrent {
 public:
  // `attends`: each step of an LSTM sees a memory, too.
  Recurrent(OpCall& c, int64_t gates, bool attends = false) : c_(c), gates_(gates), attends_(attends) {}

  void run() {
    if (!read() || !read_lengths()) return;
    const bool plain = !attends_ && !(gates_ == 4 && c_.has(7)) && !c_.has_attr("clip") &&
                       c_.attr_int("input_forget", 0) == 0 && are_usual(functions_, gates_);
    if (plain && lengths_) return gates_ == 3 ? whole_gru_of_lengths() : whole_of_lengths();
    if (plain) return whole();
    if (steps_ > kMaxStepsWritten)
      return leave_recurrence(c_, {gates_, directions_, steps_, batch_, hidden_, direction_, transposed_, memory_.state,
                                   x_, lengths_.all, functions_});
    unroll();
  }

 private:
  bool read() {
    const std::string direction = c_.attr_string("direction", "forward");
    direction_ = direction == "forward" ? 0 : direction == "reverse" ? 1 : 2;
    directions_ = direction_ == 2 ? 2 : 1;
    hidden_ = c_.attr_int("hidden_size", c_.rank(2) == 3 ? c_.sizes(2)[2] : 0);
    transposed_ = c_.attr_int("layout", 0) != 0;
    x_ = c_.in_f32(0);
    if (!x_ || x_->rank() != 3 || hidden_ < 1 || hidden_ > (1 << 24))
      return refused("its input needs three dimensions and a hidden size");
    functions_ = read_activations(c_, gates_, directions_);
    if (c_.has_attr("clip") && !(c_.attr_float("clip", 0) > 0))
      return refused(fmt::format("clip is {}: expected a positive number", c_.attr_float("clip", 0)));
    if (transposed_) x_ = c_.g().cont(swapped(x_, ":time_first"), c_.name_of(":x"));
    if (!x_ || !c_.ok()) return false;
    steps_ = x_.sizes()[0], batch_ = x_.sizes()[1];
    int64_t in = x_.sizes()[2];
    if (attends_) {
      memory_.batch = batch_, memory_.hidden = hidden_, memory_.directions = directions_;
      if (!read_attention(c_, memory_)) return false;
      in += memory_.state;
    }
    if (!(c_.sizes(1) == Dims{directions_, gates_ * hidden_, in}) ||
        !(c_.sizes(2) == Dims{directions_, gates_ * hidden_, hidden_}) ||
        (c_.has(3) && !(c_.sizes(3) == Dims{directions_, 2 * gates_ * hidden_})) ||
        (gates_ == 4 && c_.has(7) && !(c_.sizes(7) == Dims{directions_, 3 * hidden_})))
      return refused(fmt::format("its weights {} and {} do not match {} directions of {} units", to_string(c_.sizes(1)),
                                 to_string(c_.sizes(2)), directions_, hidden_));
    for (size_t i : {size_t{5}, size_t{6}})
      if (c_.has(i) &&
          !(c_.sizes(i) == (transposed_ ? Dims{batch_, directions_, hidden_} : Dims{directions_, batch_, hidden_})))
        return refused(fmt::format("its initial state {} does not match {} directions of {} sequences and {} units",
                                   to_string(c_.sizes(i)), directions_, batch_, hidden_));
    return c_.ok();
  }

  bool refused(std::string why) {
    c_.fail(std::move(why));
    return false;
  }

  // Constant lengths are checked; lengths known only at run time are clamped to 0 … T there.
  bool read_lengths() {
    if (!c_.has(4)) return true;
    const Value& given = c_.value(4);
    if (!(given.sizes == Dims{batch_}) || info(given.dtype).floating)
      return refused(fmt::format("its lengths {} do not match {} sequences", to_string(given.sizes), batch_));
    if (given.array && given.given_inputs.empty()) {
      bool whole = true;
      for (int64_t b = 0; b < batch_; ++b) {
        const int64_t n = given.array->integer(b);
        if (n < 0 || n > steps_)
          return refused(fmt::format("the sequence length {} is out of range for {} steps", n, steps_));
        whole = whole && n == steps_;
      }
      if (whole) return true;
    }
    if (steps_ < 1 || batch_ < 1 || steps_ * batch_ > (int64_t{1} << 40)) return refused("it has no steps");
    const Tensor lengths = c_.op_with(Op::Clamp, {c_.cast(c_.in(4), DType::I64, ":lengths_i64")},
                                      ClampParams{0, static_cast<double>(steps_)}, ":lengths");
    lengths_.all = lengths;
    const Tensor row = c_.reshape(lengths, {1, batch_}, ":lengths_row"), one = c_.scalar(1, DType::I64, ":one");
    const Tensor step = c_.reshape(counted(steps_, ":step_numbers"), {steps_, 1}, ":step_column");
    const Tensor sequence = counted(batch_, ":sequence_numbers"), wide = c_.scalar(double(batch_), DType::I64, ":wide");
    lengths_.active = c_.op(Op::Less, {step, row}, ":active");
    const Tensor ends = c_.op(Op::Sub, {row, one}, ":ends");
    const Tensor reversed_step =
        c_.op(Op::Where, {lengths_.active, c_.op(Op::Sub, {ends, step}, ":from_end"), step}, ":reversed");
    lengths_.reversed =
        c_.op(Op::Add, {c_.op(Op::Mul, {reversed_step, wide}, ":reversed_row"), sequence}, ":reversed_place");
    const Tensor last = c_.op_with(Op::Clamp, {c_.reshape(ends, {batch_}, ":last_step")},
                                   ClampParams{0, static_cast<double>(steps_)}, ":last_there");
    lengths_.last = c_.op(Op::Add, {c_.op(Op::Mul, {last, wide}, ":last_row"), sequence}, ":last_place");
    lengths_.none = c_.op(Op::Less, {c_.reshape(lengths, {batch_, 1}, ":lengths_column"), one}, ":none");
    return c_.ok();
  }

  Tensor counted(int64_t count, const char* suffix) {
    OpParams params;
    params.set(FillParams{{count}, DType::I64, 0, 1});
    return c_.apply(Op::Arange, std::span<const Tensor>(), params, suffix);
  }

  Tensor swapped(const Tensor& x, const char* suffix) {
    const int axes[] = {1, 0, 2, 3};
    return x ? c_.permute(x, std::span<const int>(axes).first(static_cast<size_t>(x->rank())), suffix) : Tensor();
  }

  Tensor state(size_t i, const char* suffix) {
    return transposed_ ? c_.g().cont(swapped(c_.in_f32(i), suffix), suffix) : c_.in_f32(i);
  }

  // Y [T, D, B, H], with layout 1 [B, T, D, H]; states [D, B, H], with layout 1 [B, D, H].
  void finish(const Tensor& y, const Tensor& h, const Tensor& cell) {
    const int axes[] = {2, 0, 1, 3};
    const DType dtype = c_.value(0).dtype;
    const auto give = [&](size_t i, const Tensor& made, const char* suffix) {
      if (made) c_.out(i, c_.cast(made, dtype, suffix));
    };
    if (c_.has_output(0)) give(0, transposed_ && y ? c_.permute(y, axes, ":batch_first") : y, ":y_cast");
    if (c_.has_output(1)) give(1, transposed_ ? swapped(h, ":h_batch_first") : h, ":h_cast");
    if (c_.has_output(2)) give(2, transposed_ ? swapped(cell, ":c_batch_first") : cell, ":c_cast");
  }

  // Y [T, D, B, H] and the last states [D, B, H].
  struct Made {
    Tensor y, h, cell, seen;
  };

  Tensor whole_op(const std::vector<Tensor>& sources, int32_t direction, int32_t present, const char* name) {
    const auto hidden = static_cast<int32_t>(hidden_);
    if (gates_ == 4)
      return c_.op_list(Op::Lstm, sources, LstmParams{hidden, direction, present, c_.attr_int(kQuantisedState, 0) != 0},
                        name);
    const RecurrentParams params{hidden, direction, present, gates_ == 3 && c_.attr_int("linear_before_reset", 0) != 0};
    return c_.op_list(gates_ == 3 ? Op::Gru : Op::Rnn, sources, params, name);
  }

  // The results of a recurrence that is one op.
  Made results_of(const std::vector<Tensor>& sources, int32_t direction, int32_t present, const std::string& at) {
    for (const Tensor& s : sources)
      if (!s) return {};
    const Tensor all = whole_op(sources, direction, present, (at + ":all").c_str());
    const int64_t directions = direction == 2 ? 2 : 1, one = directions * batch_ * hidden_, rows = steps_ * one;
    const Dims sizes{directions, batch_, hidden_};
    const auto part = [&](int64_t start, int64_t count, const Dims& shape, const char* flat, const char* suffix) {
      return c_.reshape(c_.slice(all, 0, start, start + count, 1, (at + flat).c_str()), shape, (at + suffix).c_str());
    };
    return {part(0, rows, {steps_, directions, batch_, hidden_}, ":y_flat", ":y"),
            part(rows, one, sizes, ":h_flat", ":h"),
            gates_ == 4 ? part(rows + one, one, sizes, ":c_flat", ":c") : Tensor(),
            {}};
  }

  void whole() {
    std::vector<Tensor> sources{x_, c_.in_f32(1), c_.in_f32(2)};
    int32_t present = 0;
    if (c_.has(3)) sources.push_back(c_.in_f32(3)), present |= 1;
    if (c_.has(5)) sources.push_back(state(5, ":h0")), present |= 2;
    if (gates_ == 4 && c_.has(6)) sources.push_back(state(6, ":c0")), present |= 4;
    const Made made = results_of(sources, direction_, present, "");
    finish(made.y, made.h, made.cell);
  }

  // `x` [T, B, n] with each sequence reversed; rows after its end stay.
  Tensor reversed(const Tensor& x, const std::string& suffix) {
    if (!x) return {};
    const int64_t n = x.sizes()[2];
    const Tensor rows = c_.reshape(x, {steps_ * batch_, n}, (suffix + "_rows").c_str());
    return c_.op_with(Op::Gather, {rows, lengths_.reversed}, AxisParams{0}, suffix.c_str());
  }

  // An LSTM keeps its cell where its forget gate is open and its input gate is closed, and a GRU its state where its
  // update gate is open; an additional input column has that effect after the end of a sequence.
  Tensor with_stop(const Tensor& x) {
    const Dims column{steps_, batch_, 1};
    const Tensor there = c_.reshape(lengths_.active, column, ":there");
    const Tensor zero = c_.scalar(0, DType::F32, ":zero");
    const Tensor stop = c_.cast(c_.op(Op::Not, {there}, ":gone"), DType::F32, ":stop");
    return c_.op_with(Op::Concat, {c_.op(Op::Where, {there, x, zero}, ":x_there"), stop}, AxisParams{2}, ":x_stop");
  }

  Tensor stop_weights(const Tensor& w, const std::string& suffix) {
    constexpr double kMuch = 1e9;  // a number whose sigmoid is 0 or 1
    const int64_t directions = w.sizes()[0];
    HostArray column = HostArray::make(DType::F32, {directions, gates_ * hidden_, 1});
    for (int64_t d = 0; d < directions; ++d)
      for (int64_t i = 0; i < hidden_; ++i) {
        const int64_t first = d * gates_ * hidden_ + i;
        if (gates_ == 4)
          column.set(first, -kMuch), column.set(first + 2 * hidden_, kMuch);
        else
          column.set(first, kMuch);
      }
    return c_.op_with(Op::Concat, {w, c_.constant(std::move(column), (suffix + "_column").c_str())}, AxisParams{2},
                      suffix.c_str());
  }

  // A GRU keeps its initial state until the last step of a sequence is read in reverse, and its last one after that
  // step.
  void whole_gru_of_lengths() {
    const Tensor w = c_.in_f32(1), zero = c_.scalar(0, DType::F32, ":nothing");
    if (!w) return;
    std::vector<Tensor> sources{with_stop(x_), stop_weights(w, ":w_stop"), c_.in_f32(2)};
    int32_t present = 0;
    if (c_.has(3)) sources.push_back(c_.in_f32(3)), present |= 1;
    if (c_.has(5)) sources.push_back(state(5, ":h0")), present |= 2;
    const Made made = results_of(sources, direction_, present, "");
    if (!c_.ok()) return;
    const Tensor there = c_.reshape(lengths_.active, {steps_, 1, batch_, 1}, ":y_there");
    finish(c_.op(Op::Where, {there, made.y, zero}, ":y_ends"),
           c_.op(Op::Where, {lengths_.none, zero, made.h}, ":h_ends"), {});
  }

  // An LSTM or RNN: each direction separately and forward, the second one with its sequences and results reversed.
  void whole_of_lengths() {
    std::vector<Tensor> ys, hs, cells;
    const Tensor zero = c_.scalar(0, DType::F32, ":nothing");
    for (int64_t d = 0; d < directions_ && c_.ok(); ++d) {
      const bool backward = direction_ == 1 || d == 1;
      const std::string at = fmt::format(":d{}", d);
      const auto own = [&](const Tensor& x, const char* what) {
        return directions_ == 1 || !x ? x : c_.slice(x, 0, d, d + 1, 1, (at + what).c_str());
      };
      Tensor x = backward ? reversed(x_, at + "_x") : x_, w = own(c_.in_f32(1), "_w");
      if (gates_ == 4 && c_.has_output(2)) x = with_stop(x), w = stop_weights(w, at + "_w_stop");
      std::vector<Tensor> sources{x, w, own(c_.in_f32(2), "_r")};
      int32_t present = 0;
      if (c_.has(3)) sources.push_back(own(c_.in_f32(3), "_b")), present |= 1;
      if (c_.has(5)) sources.push_back(own(state(5, ":h0"), "_h0")), present |= 2;
      if (gates_ == 4 && c_.has(6)) sources.push_back(own(state(6, ":c0"), "_c0")), present |= 4;
      const Made made = results_of(sources, 0, present, at);
      if (!c_.ok()) return;
      const Tensor rows = c_.reshape(made.y, {steps_ * batch_, hidden_}, (at + "_rows").c_str());
      const Tensor last = c_.op_with(Op::Gather, {rows, lengths_.last}, AxisParams{0}, (at + "_last").c_str());
      const Tensor h = c_.op(Op::Where, {lengths_.none, zero, last}, (at + "_last_h").c_str());
      hs.push_back(c_.reshape(h, {1, batch_, hidden_}, (at + "_h").c_str()));
      if (gates_ == 4) cells.push_back(c_.op(Op::Where, {lengths_.none, zero, made.cell}, (at + "_last_c").c_str()));
      Tensor y = c_.reshape(made.y, {steps_, batch_, hidden_}, (at + "_steps").c_str());
      if (backward) y = reversed(y, at + "_y");
      const Tensor there = c_.reshape(lengths_.active, {steps_, batch_, 1}, (at + "_there").c_str());
      y = c_.op(Op::Where, {there, y, zero}, (at + "_y_there").c_str());
      ys.push_back(c_.reshape(y, {steps_, 1, batch_, hidden_}, (at + "_y_row").c_str()));
    }
    if (c_.ok()) finish(joined(ys, 1, ":y"), joined(hs, 0, ":h"), gates_ == 4 ? joined(cells, 0, ":c") : Tensor());
  }

  // Rows of direction d of an input [D, rows, …], as [rows, …].
  Tensor of_direction(const Tensor& x, int64_t d, const char* suffix) {
    if (!x) return {};
    Dims sizes;
    for (int i = 1; i < x->rank(); ++i) sizes.push_back(x.sizes()[i]);
    return c_.reshape(directions_ == 1 ? x : c_.slice(x, 0, d, d + 1, 1, suffix), sizes, suffix);
  }

  // Appends a direction's steps to its rows of Y and sets its last states.
  void unroll_direction(int64_t d, std::vector<std::vector<Tensor>>& rows, Made& last) {
    const bool backward = direction_ == 1 || d == 1;
    const std::string at = fmt::format(":d{}", d);
    const int64_t width = gates_ * hidden_;
    const int64_t in = x_.sizes()[2];
    Tensor w = of_direction(c_.in_f32(1), d, ":w");
    std::optional<StepAttention> attention;
    if (attends_) {
      const auto columns = [&](int64_t from, int64_t to, const char* what) {
        const Tensor part = c_.slice(w, 1, from, to, 1, fmt::format("{}_w_{}", at, what).c_str());
        return c_.op(Op::Cont, {part}, fmt::format("{}_w_{}_laid", at, what).c_str());
      };
      attention.emplace(c_, memory_, d, columns(in, in + memory_.state, "seen"));
      if (c_.node().continues && c_.has(kSeenBefore))
        attention->see(of_direction(c_.in_f32(kSeenBefore), d, ":seen_before"));
      w = columns(0, in, "source");
    }
    const Tensor b = c_.has(3) ? of_direction(c_.in_f32(3), d, ":b") : Tensor();
    const Tensor wb = b ? c_.slice(b, 0, 0, width, 1, ":wb") : Tensor();
    const size_t each = functions_.size() / static_cast<size_t>(directions_), first = static_cast<size_t>(d) * each;
    std::vector<Activation> functions;
    for (size_t i = 0; i < each; ++i) functions.push_back(functions_[first + i]);
    Cell cell(c_, gates_, hidden_,
              {of_direction(c_.in_f32(2), d, ":r"), b ? c_.slice(b, 0, width, 2 * width, 1, ":rb") : Tensor(),
               gates_ == 4 && c_.has(7) ? of_direction(c_.in_f32(7), d, ":p") : Tensor()},
              std::move(functions));
    const Tensor flat = c_.reshape(x_, {steps_ * batch_, in}, (at + "_x_rows").c_str());
    const Tensor xw = c_.mul_mat(w, flat, wb, 1, (at + "_xw").c_str());
    const Tensor zero = lengths_ ? c_.scalar(0, DType::F32, ":nothing") : Tensor();
    last.h = initial(5, d, ":h0"), last.cell = gates_ == 4 ? initial(6, d, ":c0") : Tensor();
    for (int64_t i = 0; i < steps_ && c_.ok(); ++i) {
      const int64_t t = backward ? steps_ - 1 - i : i;
      const std::string step = fmt::format("{}t{}", at, t);
      const Made before = last;
      Tensor given = c_.slice(xw, 0, t * batch_, (t + 1) * batch_, 1, (step + "_x").c_str());
      if (attention) given = c_.op(Op::Add, {given, attention->source(step)}, (step + "_x_and_seen").c_str());
      cell.step(given, last.h, last.cell, step);
      Tensor row = last.h, there;
      if (lengths_) {
        there = c_.reshape(c_.slice(lengths_.active, 0, t, t + 1, 1, (step + "_active").c_str()), {batch_, 1},
                           (step + "_there").c_str());
        row = c_.op(Op::Where, {there, last.h, zero}, (step + "_y").c_str());
        last.h = c_.op(Op::Where, {there, last.h, before.h}, (step + "_h_stays").c_str());
        if (last.cell) last.cell = c_.op(Op::Where, {there, last.cell, before.cell}, (step + "_c_stays").c_str());
      }
      if (attention && (i + 1 < steps_ || hands_on())) attention->match(last.h, there, step);
      if (row)
        rows[static_cast<size_t>(t)].push_back(c_.reshape(row, {1, 1, batch_, hidden_}, (step + "_row").c_str()));
    }
    if (attention) last.seen = attention->seen();
    if (!lengths_) return;
    last.h = c_.op(Op::Where, {lengths_.none, zero, last.h}, (at + "_h_end").c_str());
    if (last.cell) last.cell = c_.op(Op::Where, {lengths_.none, zero, last.cell}, (at + "_c_end").c_str());
  }

  void unroll() {
    std::vector<std::vector<Tensor>> rows(static_cast<size_t>(steps_));  // per step, by direction
    std::vector<Tensor> last_h, last_c, seen;
    for (int64_t d = 0; d < directions_ && c_.ok(); ++d) {
      Made last;
      unroll_direction(d, rows, last);
      if (!c_.ok()) return;
      const std::string at = fmt::format(":d{}", d);
      last_h.push_back(c_.reshape(last.h, {1, batch_, hidden_}, (at + "_last_h").c_str()));
      if (last.cell) last_c.push_back(c_.reshape(last.cell, {1, batch_, hidden_}, (at + "_last_c").c_str()));
      if (hands_on()) seen.push_back(c_.reshape(last.seen, {1, batch_, memory_.state}, (at + "_last_seen").c_str()));
    }
    std::vector<Tensor> steps;
    for (size_t t = 0; t < rows.size(); ++t) steps.push_back(joined(rows[t], 1, fmt::format(":t{}", t)));
    finish(c_.has_output(0) ? joined(steps, 0, ":y") : Tensor(), joined(last_h, 0, ":h"),
           gates_ == 4 ? joined(last_c, 0, ":c") : Tensor());
    if (hands_on()) c_.out(kSeenAfter, joined(seen, 0, ":seen"));
  }

  // True in an iteration of a long recurrence.
  bool hands_on() const { return attends_ && c_.node().continues && c_.has_output(kSeenAfter); }

  Tensor joined(const std::vector<Tensor>& parts, int axis, const std::string& suffix) {
    if (parts.empty()) c_.fail("it has no steps");
    if (parts.empty() || parts.size() == 1) return parts.empty() ? Tensor() : parts[0];
    return c_.op_list(Op::Concat, parts, AxisParams{axis}, suffix.c_str());
  }

  Tensor initial(size_t i, int64_t d, const char* suffix) {
    if (c_.has(i)) return of_direction(state(i, suffix), d, suffix);
    return c_.constant(HostArray::make(DType::F32, {batch_, hidden_}), suffix);
  }

  OpCall& c_;
  int64_t gates_;
  bool attends_;
  AttentionSizes memory_;
  int32_t direction_ = 0;
  int64_t directions_ = 1, hidden_ = 0, steps_ = 0, batch_ = 0;
  bool transposed_ = false;
  Tensor x_;
  Lengths lengths_;
  std::vector<Activation> functions_;  // by direction
};

constexpr HandlerEntry kRecurrentHandlers[] = {
    {"GRU", [](OpCall& c) { Recurrent(c, 3).run(); }},
    {"LSTM", [](OpCall& c) { Recurrent(c, 4).run(); }},
    {"RNN", [](OpCall& c) { Recurrent(c, 1).run(); }},
    {"com.microsoft::AttnLSTM", [](OpCall& c) { Recurrent(c, 4, true).run(); }},
};

}  // namespace

std::span<const HandlerEntry> recurrent_handlers() { return kRecurrentHandlers; }

}  // namespace arenascope::models
