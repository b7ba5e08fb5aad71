// SPDX-License-Identifier: MIT
// ONNX Runtime's GroupQueryAttention: heads that share keys and values, angles, and a cache that each sequence fills as far as
// it is told.
#include <fmt/format.h>
#include "engine/models/onnx/operators/attention_call.h"
#include "engine/models/onnx/operators/node_parts.h"

#include <algorithm>
#include <cmath>

namespace arenascope::models {
namespace {

class GroupQuery {
 public:
  explicit GroupQuery(OpCall& c) : c_(c) {}

  void run() {
    if (!read() || !read_lengths()) return;
    if (c_.has(14)) norm_heads();
    if (c_.attr_int("do_rotary", 0) != 0) turn();
    if (!c_.ok()) return;
    Tensor k = cached(c_.has(3) ? c_.in(3) : Tensor(), k_, 1, ":k");
    Tensor v = cached(c_.has(4) ? c_.in(4) : Tensor(), v_, 2, ":v");
    if (!c_.ok() || !k || !v) return;
    AttentionCall a;
    a.q = c_.cast(q_, DType::F32, ":q_f32");
    a.k = c_.cast(k, DType::F32, ":k_f32"), a.v = c_.cast(v, DType::F32, ":v_f32");
    a.offset = past_;
    a.used = dynamic_ ? used_ : Tensor();
    ask(a);
    if (!c_.ok()) return;
    Tensor scores;
    const Tensor y = attend(c_, a, scores);
    const DType type = c_.value(0).dtype;
    c_.out(0, c_.cast(heads_joined(c_, y, type == DType::F32 ? "" : ":joined"), type));
    if (a.shows_scores) c_.out(3, c_.cast(scores, type, ":qk"));
  }

 private:
  bool refused(std::string why) {
    c_.refuse(std::move(why));
    return false;
  }

  // Queries, keys and values by heads, from three sources or one.
  bool read() {
    const int64_t heads = c_.attr_int("num_heads", 0), kv_heads = c_.attr_int("kv_num_heads", 0);
    if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0 || heads > (1 << 20))
      return refused(fmt::format("{} heads over {}", heads, kv_heads));
    if (c_.attr_string("k_quant_type", "NONE") != "NONE" || c_.attr_string("v_quant_type", "NONE") != "NONE")
      return refused("its cache is quantised");
    if (c_.attr_int("sliding_window_cache", 0) != 0) return refused("its cache slides along with a window");
    if (c_.has(16)) return refused("its queries differ in number");
    if (c_.has(3) != c_.has(4) || c_.has(1) != c_.has(2)) return refused("keys go with values");
    const Tensor x = c_.in(0);
    if (!x) return false;
    if (x->rank() != 3) return refused(fmt::format("its queries are {}", to_string(x.sizes())));
    batch_ = x.sizes()[0], steps_ = x.sizes()[1];
    if (batch_ < 1 || steps_ < 1) return refused("it has no queries");
    if (c_.has(1)) {
      q_ = by_heads(c_, x, heads, ":q");
      k_ = by_heads(c_, c_.in(1), kv_heads, ":k"), v_ = by_heads(c_, c_.in(2), kv_heads, ":v");
    } else {
      const int64_t each = x.sizes()[2] / (heads + 2 * kv_heads);
      if (each < 1 || each * (heads + 2 * kv_heads) != x.sizes()[2])
        return refused(fmt::format("{} are not {} heads and {} of keys and values", x.sizes()[2], heads, kv_heads));
      const auto part = [&](int64_t from, int64_t count, const char* suffix) {
        const std::string at = suffix;
        const Tensor slice = c_.slice(x, 2, from * each, (from + count) * each, 1, (at + "_part").c_str());
        return by_heads(c_, c_.op(Op::Cont, {slice}, (at + "_laid").c_str()), count, suffix);
      };
      q_ = part(0, heads, ":q"), k_ = part(heads, kv_heads, ":k"), v_ = part(heads + kv_heads, kv_heads, ":v");
    }
    if (!c_.ok() || !q_ || !k_ || !v_) return false;
    const Dims &q = q_.sizes(), &k = k_.sizes();
    if (k_->rank() != 4 || v_->rank() != 4 || k[0] != batch_ || k[2] != steps_ || k[3] != q[3] || !(v_.sizes() == k))
      return refused(
          fmt::format("keys {} and values {} for queries {}", to_string(k), to_string(v_.sizes()), to_string(q)));
    return true;
  }

  // How many keys there are with the past, which of them are past: the same of all sequences, or told while it runs.
  bool read_lengths() {
    if (!c_.has(5) || !(c_.sizes(5) == Dims{batch_} || (batch_ == 1 && element_count(c_.sizes(5)) == 1)))
      return refused("it is not told how long its sequences are");
    room_ = c_.has(3) && c_.rank(3) == 4 ? c_.sizes(3)[2] : 0;
    total_ = room_ + steps_;
    if (const auto told = c_.known(6)) {
      if (told->count() != 1) return refused("it is not told how many keys there are");
      total_ = told->integer(0);
    } else if (!c_.has(6) || !c_.value(6).tensor || !c_.value(6).tensor->has(kFlagInput)) {
      c_.wait_for(6, "how many keys there are must be known before it runs");
      return false;
    }
    past_ = total_ - steps_;
    if (past_ < 0 || past_ > room_)
      return refused(fmt::format("{} keys for {} queries and a past of {}", total_, steps_, room_));
    const auto lengths = c_.known(5);
    bool alike = batch_ == 1;
    if (lengths) {
      alike = true;
      for (int64_t b = 0; b < batch_; ++b) alike = alike && lengths->integer(b) == total_ - 1;
    }
    dynamic_ = past_ > 0 && !alike;
    const bool all_see = c_.attr_int("causal", 1) == 0 && !alike;
    if (dynamic_ || all_see) {
      const Tensor last = c_.reshape(c_.cast(c_.in(5), DType::I64, ":lengths_i64"), {batch_}, ":lengths");
      used_ = c_.op(Op::Add, {last, c_.scalar(1, DType::I64, ":one")}, ":used_keys");
      dynamic_ = true;
    }
    return c_.ok();
  }

  // Where the queries of each sequence begin, [B, 1]; a first prompt begins at 0 however long it is.
  Tensor begins(const char* suffix) {
    if (past_ == 0) return c_.reshape(counted_from(c_, {1}, 0, ":none"), {1, 1}, suffix);
    const Tensor from =
        c_.op(Op::Sub, {used_, c_.scalar(static_cast<double>(steps_), DType::I64, ":queries")}, ":begins_at");
    return c_.reshape(from, {batch_, 1}, suffix);
  }

  void norm_heads() {
    const float both = c_.attr_float("qk_norm_epsilon", 1e-6f);
    if (!c_.has(15)) return c_.refuse("its keys have no norm");
    const auto normed = [&](const Tensor& x, size_t weight, const char* epsilon, const char* suffix) {
      return c_.op_with(Op::RmsNorm, {x, c_.in(weight)}, NormParams{3, c_.attr_float(epsilon, both)}, suffix);
    };
    q_ = normed(q_, 14, "q_norm_epsilon", ":q_normed"), k_ = normed(k_, 15, "k_norm_epsilon", ":k_normed");
  }

  void turn() {
    const Tensor cosine = c_.in(7), sine = c_.in(8);
    if (!cosine || !sine) return c_.refuse("it has no angles to turn by");
    if (cosine->rank() != 2 || !(cosine.sizes() == sine.sizes()))
      return c_.refuse(fmt::format("its angles are {}", to_string(cosine.sizes())));
    const int64_t half = cosine.sizes()[1];
    Tensor places;
    if (c_.has(9))
      places = c_.in(9);
    else if (dynamic_)
      places = c_.op(Op::Add, {begins(":begins"), counted_from(c_, {1, steps_}, 0, ":steps")}, ":places");
    else if (past_ + steps_ > cosine.sizes()[0])
      return c_.refuse(fmt::format("{} angles for {} places", cosine.sizes()[0], past_ + steps_));
    const auto angles = [&](const Tensor& table, const char* suffix) {
      const std::string at = suffix;
      if (!places)
        return c_.reshape(c_.slice(table, 0, past_, past_ + steps_, 1, (at + "_rows").c_str()), {1, 1, steps_, half},
                          suffix);
      const Tensor rows = c_.op_with(Op::Gather, {table, places}, AxisParams{0}, (at + "_rows").c_str());
      return c_.reshape(rows, {rows ? rows->element_count() / std::max<int64_t>(steps_ * half, 1) : 1, 1, steps_, half},
                        suffix);
    };
    const bool neighbours = c_.attr_int("rotary_interleaved", 0) != 0;
    const Tensor cos = angles(cosine, ":cos"), sin = angles(sine, ":sin");
    q_ = rotated(c_, q_, cos, sin, neighbours, ":q_turned"), k_ = rotated(c_, k_, cos, sin, neighbours, ":k_turned");
  }

  // All keys or values that count, and as a result those and what room is left in the cache.
  Tensor cached(const Tensor& cache, const Tensor& x, size_t result, const char* suffix) {
    if (!c_.ok() || !x) return {};
    const std::string at = suffix;
    const auto name = [&](const char* what) { return at + what; };
    if (cache && (cache->rank() != 4 || cache.sizes()[0] != batch_ || cache.sizes()[1] != x.sizes()[1] ||
                  cache.sizes()[2] != room_ || cache.sizes()[3] != x.sizes()[3])) {
      c_.refuse(fmt::format("a past of {}", to_string(cache.sizes())));
      return {};
    }
    if (past_ > 0 && dynamic_) return placed(cache, x, result, at);
    Tensor all = past_ == 0
                     ? x
                     : c_.op_with(Op::Concat,
                                  {past_ == room_ ? cache : c_.slice(cache, 2, 0, past_, 1, name("_past").c_str()), x},
                                  AxisParams{2}, name("_all").c_str());
    if (c_.wants(result))
      c_.out(result, room_ <= total_
                         ? all
                         : c_.op_with(Op::Concat, {all, c_.slice(cache, 2, total_, room_, 1, name("_room").c_str())},
                                      AxisParams{2}, name("_present").c_str()));
    return all;
  }

  // The same where each sequence has a past of its own: of what was there and what is new, each place's row.
  Tensor placed(const Tensor& cache, const Tensor& x, size_t result, const std::string& at) {
    const auto name = [&](const char* what) { return at + what; };
    const int64_t length = std::max(room_, total_);
    const auto number = [&](int64_t n, const char* what) {
      return c_.scalar(static_cast<double>(n), DType::I64, name(what).c_str());
    };
    const Tensor place = counted_from(c_, {1, length}, 0, name("_place").c_str()), from = begins(name("_from").c_str());
    const Tensor ahead = c_.op(Op::Sub, {place, from}, name("_ahead").c_str());  // below 0: past
    const Tensor is_new = c_.op(Op::And,
                                {c_.op(Op::GreaterEqual, {ahead, number(0, "_zero")}, name("_behind").c_str()),
                                 c_.op(Op::Less, {ahead, number(steps_, "_count")}, name("_before").c_str())},
                                name("_is_new").c_str());
    const Tensor old =
        c_.op_with(Op::Clamp, {place}, ClampParams{0, static_cast<double>(room_ - 1)}, name("_old").c_str());
    const Tensor added = c_.op(Op::Add, {ahead, number(room_, "_room")}, name("_added").c_str());
    const Tensor rows = c_.op(Op::Where, {is_new, added, old}, name("_rows").c_str());
    const Tensor both = c_.op_with(Op::Concat, {cache, x}, AxisParams{2}, name("_both").c_str());
    std::vector<Tensor> each;
    for (int64_t b = 0; b < batch_ && c_.ok(); ++b) {
      const std::string one = fmt::format("{}_{}", at, b);
      const Tensor row =
          c_.reshape(c_.slice(rows, 0, b, b + 1, 1, (one + "_row").c_str()), {length}, (one + "_line").c_str());
      each.push_back(c_.op_with(Op::Gather, {c_.slice(both, 0, b, b + 1, 1, (one + "_both").c_str()), row},
                                AxisParams{2}, one.c_str()));
    }
    if (!c_.ok()) return {};
    const Tensor all = each.size() == 1 ? each[0]
                                        : c_.op_list(Op::Concat, std::span<const Tensor>(each), AxisParams{0},
                                                     name("_present").c_str());
    if (c_.wants(result)) c_.out(result, all);
    return length == total_ ? all : c_.slice(all, 2, 0, total_, 1, name("_used").c_str());
  }

  // What it asks of the scores.
  void ask(AttentionCall& a) {
    const float told = c_.attr_float("scale", 0);
    a.scale = told != 0.0f ? told : 1 / std::sqrt(static_cast<float>(a.q.sizes()[3]));
    a.softcap = c_.attr_float("softcap", 0);
    a.causal = c_.attr_int("causal", 1) != 0;
    const int64_t window = c_.attr_int("local_window_size", -1);
    if (window == 0 || window < -1) return c_.refuse(fmt::format("a window of {}", window));
    if (window > 0 && window < total_) a.left = window - 1;
    a.open = !c_.has(10);
    if (c_.has(10)) a.mask = c_.cast(c_.in(10), DType::F32, ":bias_f32");
    if (c_.has(11))
      a.sink = c_.reshape(c_.in_f32(11), {1, q_.sizes()[1], 1, 1}, ":sink");
    else if (c_.attr_int("smooth_softmax", -1) == 1)
      a.sink = c_.constant(HostArray::make(DType::F32, {1, 1, 1, 1}), ":sink");
    const int64_t shown = c_.attr_int("qk_output", 0);
    if (shown < 0 || shown > 2) return c_.refuse(fmt::format("scores of mode {}", shown));
    a.shows_scores = c_.wants(3);
    a.mode = shown == 1 ? 2 : 3;
  }

  OpCall& c_;
  int64_t batch_ = 0, steps_ = 0;
  int64_t room_ = 0, total_ = 0, past_ = 0;  // of keys: in the cache that is given, with the new ones, before these
  bool dynamic_ = false;                     // sequences differ in length
  Tensor q_, k_, v_, used_;
};

constexpr HandlerEntry kContribCache[] = {
    {"com.microsoft::GroupQueryAttention", [](OpCall& c) { GroupQuery(c).run(); }},
};

}  // namespace

std::span<const HandlerEntry> contrib_cache_handlers() { return kContribCache; }

}  // namespace arenascope::models
