// SPDX-License-Identifier: MIT
// ONNX Runtime's GatedDeltaNet: attention whose past is one matrix for each head, which fades, is corrected and grows with each
// token, over concatenated sequences.
#include <fmt/format.h>
#include "engine/models/onnx/operators/delta_net_loop.h"
#include "engine/models/onnx/operators/long_recurrence.h"
#include "engine/models/onnx/operators/packed_sequences.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxHeads = 1 << 20;

class DeltaNet {
 public:
  explicit DeltaNet(OpCall& c) : c_(c) {}

  void run() {
    if (!read_rule() || !read_heads() || !read_sequences() || !read_gates()) return;
    const int64_t capacity = capture_capacity(c_, 9, of_.count());
    if (capacity < 0) return;
    if (c_.has_output(2) && capacity == 0) return c_.fail("it captures states, but its capacity for them is 0");
    ragged_ = of_;
    // A sequence needs one step even if it is empty.
    if (!of_.alike() && std::max(of_.total(), of_.count()) > kMaxStepsWritten) {
      if (!pad_sequences(c_, ragged_, {&q_, &k_, &v_, &decay_, &beta_})) return;
      of_ = equal_sequences(ragged_.count(), ragged_.longest()), tokens_ = of_.total();
    }
    if (gated_) fade_ = c_.op(Op::Exp, {decay_}, ":fade");
    if (of_.alike() && of_.length(0) > kMaxStepsWritten) return go_round(capacity);
    if (of_.alike())
      walk(0, of_.count());
    else
      for (int64_t s = 0; s < of_.count() && c_.ok(); ++s) walk(s, 1);
    if (!c_.ok()) return;
    Tensor all = joined(outputs_, {tokens_, value_heads_ * value_width_}, ":all");
    if (std::vector<int64_t> indices = padded_indices(of_, ragged_); !indices.empty()) {
      const Dims sizes{ragged_.total()};
      all =
          c_.op_with(Op::Gather, {all, index_table(c_, std::move(indices), sizes, ":places")}, AxisParams{0}, ":there");
    }
    c_.out(0, c_.cast(c_.reshape(all, result_sizes(), ":tokens"), c_.value(0).dtype));
    if (c_.has_output(1)) c_.out(1, joined(states_, {of_.count(), value_heads_, value_width_, width_}, ":final"));
    if (c_.has_output(2)) c_.out(2, updates(capacity));
  }

 private:
  bool refused(std::string why) {
    c_.fail(std::move(why));
    return false;
  }

  bool read_rule() {
    const std::string rule = c_.attr_string("update_rule", "gated_delta");
    gated_ = rule == "gated" || rule == "gated_delta", corrected_ = rule == "delta" || rule == "gated_delta";
    if (!gated_ && !corrected_ && rule != "linear")
      return refused(fmt::format("the update rule '{}' is not supported", rule));
    if (gated_ != c_.has(4) || corrected_ != c_.has(5))
      return refused(fmt::format("its inputs do not match the update rule '{}'", rule));
    const std::string by = c_.attr_string("gate_activation", "none");
    soft_ = by == "softplus" || by == "qwen", bounded_ = by == "sigmoid" || by == "kda";
    return soft_ || bounded_ || by == "none" || refused(fmt::format("the gate activation '{}' is not supported", by));
  }

  // Queries and keys [T, Hq, D], values [T, Hv, Dv], all f32; three inputs or one.
  bool read_heads() {
    const Tensor x = c_.in_f32(0);
    if (!x) return false;
    if (c_.has(1) != c_.has(2)) return refused("keys and values must both be given or both be absent");
    const Dims& s = x.sizes();
    const int own = c_.has(1) ? 2 : 1;
    if (s.rank() != own + 1 && s.rank() != own + 2)
      return refused(
          fmt::format("its queries have the shape {}: expected {} or {} dimensions", to_string(s), own + 1, own + 2));
    lead_ = s;
    lead_.resize(s.rank() - own);
    tokens_ = element_count(lead_);
    if (c_.has(6)) state_ = c_.in_f32(6);
    if (state_ && state_->rank() != 4)
      return refused(fmt::format("its state has the shape {}: expected 4 dimensions", to_string(state_.sizes())));
    return c_.has(1) ? read_apart(x) : read_packed(x);
  }

  bool read_apart(const Tensor& x) {
    const Tensor k = c_.in_f32(1), v = c_.in_f32(2);
    if (!k || !v) return false;
    const Dims &q = x.sizes(), &values = v.sizes();
    if (!(k.sizes() == q) || values.rank() != q.rank())
      return refused(
          fmt::format("keys {} and values {} for queries {}", to_string(k.sizes()), to_string(values), to_string(q)));
    Dims before = values;
    before.resize(lead_.rank());
    if (!(before == lead_))
      return refused(fmt::format("its values {} do not match the queries {}", to_string(values), to_string(q)));
    heads_ = q.back(1), width_ = q.back(), value_heads_ = values.back(1), value_width_ = values.back();
    if (!check_heads()) return false;
    q_ = c_.reshape(x, {tokens_, heads_, width_}, ":q"), k_ = c_.reshape(k, {tokens_, heads_, width_}, ":k");
    v_ = c_.reshape(v, {tokens_, value_heads_, value_width_}, ":v");
    return c_.ok();
  }

  bool read_packed(const Tensor& x) {
    if (!state_) return refused("packed queries need a state, whose shape determines the heads");
    const Dims& s = state_.sizes();
    value_heads_ = s[1], value_width_ = s[2], width_ = s[3];
    const int64_t all = x.sizes().back();
    if (value_heads_ < 1 || value_width_ < 1 || width_ < 1 || value_heads_ > all / value_width_ ||
        (all - value_heads_ * value_width_) % 2 != 0 || (all - value_heads_ * value_width_) / 2 % width_ != 0)
      return refused(fmt::format("{} packed values do not match a state {}", all, to_string(s)));
    const int64_t values = value_heads_ * value_width_, keys = (all - values) / 2;
    heads_ = keys / width_;
    if (!check_heads()) return false;
    const Tensor rows = c_.reshape(x, {tokens_, all}, ":packed");
    const auto part = [&](int64_t from, int64_t to, const Dims& sizes, const char* suffix) {
      return c_.reshape(c_.slice(rows, 1, from, to, 1, fmt::format("{}_part", suffix).c_str()), sizes, suffix);
    };
    q_ = part(0, keys, {tokens_, heads_, width_}, ":q"), k_ = part(keys, 2 * keys, {tokens_, heads_, width_}, ":k");
    v_ = part(2 * keys, all, {tokens_, value_heads_, value_width_}, ":v");
    return c_.ok();
  }

  bool check_heads() {
    if (heads_ < 1 || width_ < 1 || value_heads_ < 1 || value_width_ < 1 || value_heads_ > kMaxHeads ||
        value_heads_ % heads_ != 0)
      return refused(fmt::format("{} value heads of {} elements are not a multiple of {} query heads of {}",
                                 value_heads_, value_width_, heads_, width_));
    groups_ = value_heads_ / heads_;
    return true;
  }

  bool read_sequences() {
    if (c_.has(3)) {
      if (lead_.rank() != 1) return refused("its sequences have one length by their sizes and others by an input");
      const auto specified = packed_sequences(c_, 3, tokens_, true);
      if (!specified) return false;
      of_ = *specified;
    } else {
      if (lead_.rank() == 1 && !state_)
        return refused("the number of sequences is missing: neither lengths nor a state are given");
      const int64_t count = lead_.rank() == 2 ? lead_[0] : state_.sizes()[0];
      if (count < 1 || tokens_ < 1 || tokens_ % count != 0 || count > (1 << 24))
        return refused(fmt::format("{} tokens cannot be split into {} sequences of equal length", tokens_, count));
      of_ = equal_sequences(count, tokens_ / count);
    }
    const Dims sizes{of_.count(), value_heads_, value_width_, width_};
    if (state_ && !(state_.sizes() == sizes))
      return refused(fmt::format("its state {} is not {}", to_string(state_.sizes()), to_string(sizes)));
    if (!state_) {
      OpParams none;
      none.set(FillParams{sizes, DType::F32, 0, 0});
      state_ = c_.apply(Op::Fill, std::span<const Tensor>(), none, ":state");
    }
    state_ = c_.reshape(state_, {of_.count(), heads_, groups_ * value_width_, width_}, ":state_rows");
    if (c_.attr_int("qk_l2_norm", 0) != 0) q_ = unit(q_, ":q_unit"), k_ = unit(k_, ":k_unit");
    scale_ = c_.attr_float("scale", 0);
    if (scale_ == 0.0f) scale_ = 1 / std::sqrt(static_cast<float>(width_));
    return c_.ok();
  }

  // Where gates are bounded, ONNX Runtime adds more below the root.
  Tensor unit(const Tensor& x, const char* suffix) {
    const std::string at = suffix;
    const Tensor sum = c_.op_with(Op::ReduceSum, {c_.op(Op::Mul, {x, x}, (at + "_square").c_str())},
                                  ReduceParams{4, true}, (at + "_sum").c_str());
    const Tensor least = c_.scalar(bounded_ ? 1e-6 : 1e-12, DType::F32, (at + "_least").c_str());
    const Tensor size =
        c_.op(Op::Sqrt, {c_.op(Op::Add, {sum, least}, (at + "_square_size").c_str())}, (at + "_size").c_str());
    return c_.op(Op::Div, {x, size}, suffix);
  }

  // How much of the state stays, [T, Hv, 1] or [T, Hv, D], and how much of what is new is taken, [T, Hv, 1].
  bool read_gates() {
    const std::string rate = c_.attr_string("beta_activation", "none");
    if (rate != "none" && rate != "sigmoid")
      return refused(fmt::format("the beta_activation '{}' is not supported: expected none or sigmoid", rate));
    if (gated_) {
      Tensor decay = c_.in_f32(4);
      if (!decay) return false;
      Dims each = lead_;
      each.push_back(value_heads_);
      const bool scalar = decay.sizes() == each;
      each.push_back(width_);
      if (!scalar && !(decay.sizes() == each))
        return refused(
            fmt::format("its decay has the shape {}: expected {}", to_string(decay.sizes()), to_string(each)));
      fades_ = scalar ? 1 : width_;
      decay = c_.reshape(decay, {tokens_, value_heads_, fades_}, ":decay");
      decay_ = soft_ || bounded_ ? activated(decay) : decay;
    }
    if (corrected_) {
      const Tensor beta = c_.in_f32(5);
      if (!beta) return false;
      Dims each = lead_;
      each.push_back(value_heads_);
      if (!(beta.sizes() == each))
        return refused(fmt::format("its beta has the shape {}: expected {}", to_string(beta.sizes()), to_string(each)));
      beta_ =
          c_.reshape(rate == "none" ? beta : c_.op(Op::Sigmoid, {beta}, ":rate"), {tokens_, value_heads_, 1}, ":beta");
    }
    return c_.ok();
  }

  Tensor activated(const Tensor& decay) {
    if (!c_.has(7) || !c_.has(8)) {
      c_.fail("its gates lack a factor and a bias");
      return {};
    }
    const Tensor factor = c_.in_f32(7), bias = c_.in_f32(8);
    if (!factor || !bias) return {};
    const bool by_head = bias.sizes() == Dims{value_heads_};
    const bool by_key =
        fades_ == width_ && (bias.sizes() == Dims{value_heads_, width_} || bias.sizes() == Dims{value_heads_ * width_});
    if (!(factor.sizes() == Dims{value_heads_}) || (!by_head && !by_key)) {
      c_.fail(fmt::format("the gate factor {} and bias {} do not match {} heads", to_string(factor.sizes()),
                          to_string(bias.sizes()), value_heads_));
      return {};
    }
    const Tensor by = c_.reshape(c_.op(Op::Exp, {factor}, ":factor"), {value_heads_, 1}, ":factors");
    const Tensor moved =
        c_.op(Op::Add, {decay, c_.reshape(bias, {value_heads_, by_head ? 1 : width_}, ":gate_bias")}, ":moved");
    if (bounded_)
      return c_.op_with(Op::Scale, {c_.op(Op::Sigmoid, {c_.op(Op::Mul, {moved, by}, ":by_head")}, ":gate")},
                        ScaleParams{c_.attr_float("gate_lower_bound", -5), 0}, ":log_fade");
    return c_.op(Op::Neg, {c_.op(Op::Mul, {c_.op(Op::Softplus, {moved}, ":gate"), by}, ":by_head")}, ":log_fade");
  }

  Dims result_sizes() const {
    Dims sizes = lead_;
    sizes.push_back(value_heads_), sizes.push_back(value_width_);
    return sizes;
  }

  // Too many steps to unroll: a loop; only the captured steps are also computed here.
  void go_round(int64_t capacity) {
    const int64_t count = of_.count(), steps = of_.length(0);
    DeltaCall call;
    if (c_.has_output(2)) {
      walked_ = capacity;
      walk(0, count);
      call.update = updates(capacity);
    }
    if (!c_.ok()) return;
    const auto by_sequence = [&](const Tensor& x, const char* suffix) {
      if (!x) return x;
      const Dims& s = x.sizes();
      return c_.reshape(
          x, &x == &beta_ || (&x == &decay_ && fades_ == 1) ? Dims{count, steps, s[1]} : Dims{count, steps, s[1], s[2]},
          suffix);
    };
    call.steps = steps;
    call.q = by_sequence(q_, ":q_of_all"), call.k = by_sequence(k_, ":k_of_all"), call.v = by_sequence(v_, ":v_of_all");
    call.decay = by_sequence(decay_, ":decay_of_all"), call.beta = by_sequence(beta_, ":beta_of_all");
    call.state = c_.reshape(state_, {count, value_heads_, value_width_, width_}, ":state_of_all");
    call.scale = scale_, call.results = result_sizes(), call.indices = padded_indices(of_, ragged_);
    leave_delta(c_, call);
  }

  int64_t walked(int64_t sequence) const { return std::min(of_.length(sequence), walked_); }

  // Token t of `count` sequences from `first` on, whose lengths are the same, as [count, sizes..].
  Tensor token(const Tensor& x, int64_t first, int64_t count, int64_t t, const Dims& sizes, const std::string& name) {
    if (!x || !c_.ok()) return {};
    Tensor part = x;
    if (count == 1) {
      part = c_.slice(x, 0, of_.start(first) + t, of_.start(first) + t + 1, 1, (name + "_slice").c_str());
    } else {
      const Tensor by = c_.reshape(x, {count, of_.length(0), x.sizes()[1], x.sizes()[2]}, (name + "_by").c_str());
      part = c_.slice(by, 1, t, t + 1, 1, (name + "_slice").c_str());
    }
    Dims all{count};
    for (const int64_t size : sizes) all.push_back(size);
    return c_.reshape(part, all, name.c_str());
  }

  // Runs sequences [first, first + count) from their initial states to the states after their last tokens.
  void walk(int64_t first, int64_t count) {
    Tensor state = c_.slice(state_, 0, first, first + count, 1, fmt::format(":state_{}", first).c_str());
    std::vector<Tensor> outputs, deltas;
    for (int64_t t = 0; t < walked(first) && c_.ok(); ++t) {
      const std::string at = fmt::format(":step_{}_{}", first, t);
      Tensor delta;
      outputs.push_back(step(first, count, t, at, state, delta));
      if (c_.has_output(2)) deltas.push_back(delta);
    }
    if (!c_.ok()) return;
    const auto keep = [&](const std::vector<Tensor>& from, std::vector<Tensor>& to, const char* what) {
      if (from.empty()) return;
      const std::string name = fmt::format(":{}_{}", what, first);
      const Tensor all = from.size() == 1
                             ? from[0]
                             : c_.op_list(Op::Concat, std::span<const Tensor>(from), AxisParams{1}, name.c_str());
      if (all)
        to.push_back(c_.reshape(all, {count * walked(first), value_heads_ * value_width_}, (name + "_rows").c_str()));
    };
    keep(outputs, outputs_, "outputs"), keep(deltas, deltas_, "deltas");
    states_.push_back(state);
  }

  // Token t: its output [count, 1, Hv · Dv] and the update of the state.
  Tensor step(int64_t first, int64_t count, int64_t t, const std::string& at, Tensor& state, Tensor& delta) {
    const auto name = [&](const char* what) { return at + what; };
    const int64_t rows = groups_ * value_width_;
    const Tensor k = token(k_, first, count, t, {heads_, 1, width_}, name("_k"));
    Tensor v = token(v_, first, count, t, {heads_, 1, rows}, name("_v"));
    if (gated_) {
      const Tensor fade = token(fade_, first, count, t, {heads_, groups_, 1, fades_}, name("_fade"));
      const Tensor by_group =
          c_.reshape(state, {count, heads_, groups_, value_width_, width_}, name("_by_group").c_str());
      state = c_.reshape(c_.op(Op::Mul, {by_group, fade}, name("_faded").c_str()), {count, heads_, rows, width_},
                         name("_left").c_str());
    }
    if (corrected_ && c_.ok()) {
      const Tensor known = c_.mul_mat(state, k, {}, 1, name("_known").c_str());
      const Tensor fresh = c_.reshape(c_.op(Op::Sub, {v, known}, name("_new").c_str()),
                                      {count, heads_, groups_, value_width_}, name("_new_by_group").c_str());
      const Tensor rate = token(beta_, first, count, t, {heads_, groups_, 1}, name("_rate"));
      v = c_.reshape(c_.op(Op::Mul, {fresh, rate}, name("_delta").c_str()), {count, heads_, 1, rows},
                     name("_written").c_str());
    }
    if (!c_.ok()) return {};
    delta = c_.reshape(v, {count, 1, value_heads_ * value_width_}, name("_delta_row").c_str());
    const Tensor column = c_.reshape(v, {count, heads_, rows, 1}, name("_column").c_str());
    state = c_.op(Op::Add, {state, c_.op(Op::Mul, {column, k}, name("_product").c_str())}, name("_state").c_str());
    const Tensor q = token(q_, first, count, t, {heads_, 1, width_}, name("_q"));
    if (!c_.ok()) return {};
    return c_.reshape(c_.mul_mat(state, q, {}, scale_, name("_read").c_str()), {count, 1, value_heads_ * value_width_},
                      name("_out").c_str());
  }

  // Parts of sequences, concatenated.
  Tensor joined(const std::vector<Tensor>& parts, const Dims& sizes, const char* suffix) {
    if (parts.empty()) {
      OpParams none;
      none.set(FillParams{sizes, DType::F32, 0, 0});
      return c_.apply(Op::Fill, std::span<const Tensor>(), none, suffix);
    }
    const std::string at = suffix;
    const Tensor all = parts.size() == 1 ? c_.op(Op::Copy, {parts[0]}, (at + "_one").c_str())
                                         : c_.op_list(Op::Concat, std::span<const Tensor>(parts), AxisParams{0},
                                                      (at + "_parts").c_str());
    return c_.reshape(all, sizes, suffix);
  }

  // For each sequence how its first tokens changed the state: what stayed, keys and what was added, each of all tokens.
  Tensor updates(int64_t capacity) {
    const int64_t count = of_.count();
    std::vector<int64_t> indices, added_indices;
    int64_t added_rows = 0;
    for (int64_t s = 0; s < count; added_rows += walked(s), ++s)
      for (int64_t j = 0; j < capacity; ++j) {
        const int64_t token = std::min(j, std::max<int64_t>(ragged_.length(s) - 1, 0));
        indices.push_back(std::min(of_.start(s) + token, tokens_ - 1));
        added_indices.push_back(added_rows + token);
      }
    if (tokens_ < 1) c_.fail("it has no tokens to capture");
    if (!c_.ok()) return {};
    for (int64_t& place : added_indices) place = std::min(place, added_rows - 1);
    const Tensor at = index_table(c_, std::move(indices), {count, capacity}, ":captured_at");
    const Tensor added_at = index_table(c_, std::move(added_indices), {count, capacity}, ":captured_added_at");
    Tensor here = c_.reshape(captured(c_, 9, ragged_, capacity), {count, capacity, 1}, ":here");
    if (c_.has(10)) {
      const Tensor active = c_.in(10);
      if (!active) return {};
      if (active->element_count() != 1) {
        c_.fail(fmt::format("the {} active flags do not match its sequences", to_string(active.sizes())));
        return {};
      }
      const Tensor one = c_.reshape(active, {1}, ":active");
      const Tensor off = c_.op(Op::Equal, {one, c_.scalar(0, active.dtype(), ":inactive")}, ":off");
      here = c_.op(Op::And, {here, c_.op(Op::Not, {off}, ":on")}, ":here_and_on");
    }
    const Tensor nothing = c_.scalar(0, DType::F32, ":nothing");
    const auto rows = [&](const Tensor& x, int64_t width, const Tensor& indices_of, const char* suffix) {
      const std::string name = suffix;
      const Tensor all = x ? c_.reshape(x, {x.sizes()[0], width}, (name + "_rows").c_str()) : Tensor();
      const Tensor taken = c_.op_with(Op::Gather, {all, indices_of}, AxisParams{0}, (name + "_taken").c_str());
      const Tensor kept = c_.op(Op::Where, {here, taken, nothing}, (name + "_kept").c_str());
      return c_.reshape(kept, {count, capacity * width}, suffix);
    };
    Tensor fade = fade_;
    if (!gated_) {
      OpParams ones;
      ones.set(FillParams{{tokens_, value_heads_}, DType::F32, 1, 0});
      fade = c_.apply(Op::Fill, std::span<const Tensor>(), ones, ":stays");
    }
    const Tensor added = joined(deltas_, {added_rows, value_heads_ * value_width_}, ":added");
    return c_.op_with(
        Op::Concat,
        {rows(fade, value_heads_ * fades_, at, ":update_fades"), rows(k_, heads_ * width_, at, ":update_keys"),
         rows(added, value_heads_ * value_width_, added_at, ":update_added")},
        AxisParams{1}, ":update");
  }

  OpCall& c_;
  bool gated_ = false, corrected_ = false;
  bool soft_ = false, bounded_ = false;  // which gates
  Dims lead_;                            // leading dimensions of the tokens
  int64_t tokens_ = 0, heads_ = 0, width_ = 0, value_heads_ = 0, value_width_ = 0, groups_ = 1, fades_ = 1;
  float scale_ = 1;
  Sequences of_, ragged_;                                 // as stored, and actual lengths
  int64_t walked_ = std::numeric_limits<int64_t>::max();  // steps of each that are written out
  Tensor q_, k_, v_, state_, decay_, fade_, beta_;
  std::vector<Tensor> outputs_, deltas_, states_;
};

constexpr HandlerEntry kContribDelta[] = {
    {"com.microsoft::GatedDeltaNet", [](OpCall& c) { DeltaNet(c).run(); }},
};

}  // namespace

std::span<const HandlerEntry> contrib_gated_delta_net_handlers() { return kContribDelta; }

}  // namespace arenascope::models
