// SPDX-License-Identifier: MIT
// ONNX Runtime's GroupQueryAttention: heads that share keys and values, angles, and a cache of which each sequence has a
// specified length.
#include <fmt/format.h>
#include "engine/models/onnx/operators/attention_call.h"
#include "engine/models/onnx/operators/kv_cache.h"

#include <algorithm>
#include <cmath>

namespace arenascope::models {
namespace {

class GroupQuery {
 public:
  explicit GroupQuery(OpCall& c) : c_(c) {}

  void run() {
    if (!read_headed(c_, x_, use_) || !read_lengths()) return;
    if (!read_codes(c_, "k_quant_type", 12, x_.k, keys_) || !read_codes(c_, "v_quant_type", 13, x_.v, values_)) return;
    if (c_.has(14)) norm_heads();
    if (c_.attr_int("do_rotary", 0) != 0) rotate_headed(c_, use_, 7, c_.has(9) ? c_.in(9) : Tensor(), x_);
    if (!c_.ok()) return;
    const Tensor k = kept(3, keys_, x_.k, 1, ":k"), v = kept(4, values_, x_.v, 2, ":v");
    if (!c_.ok() || !k || !v) return;
    AttentionCall a;
    a.q = c_.cast(x_.q, DType::F32, ":q_f32");
    a.k = c_.cast(k, DType::F32, ":k_f32"), a.v = c_.cast(v, DType::F32, ":v_f32");
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
    c_.fail(std::move(why));
    return false;
  }

  // All keys or values that count; what is new is quantised before it is seen.
  Tensor kept(size_t past, const CacheCodes& codes, const Tensor& x, size_t result, const char* suffix) {
    const Tensor cache = c_.has(past) ? c_.in(past) : Tensor();
    Tensor added = encoded(c_, codes, x, suffix);
    if (cache && added && codes.bits == 0 && info(cache.dtype()).floating)
      added = c_.cast(added, cache.dtype(), fmt::format("{}_as_cached", suffix).c_str());
    return decoded(c_, codes, cached(c_, use_, cache, added, result, suffix), suffix);
  }

  // The number of keys including the past, and of past keys: one for all sequences, or known only at run time.
  bool read_lengths() {
    if (!c_.has(5) || !(c_.sizes(5) == Dims{use_.batch} || (use_.batch == 1 && element_count(c_.sizes(5)) == 1)))
      return refused(fmt::format("seqlens_k must have one element per sequence, [{}]", use_.batch));
    if (c_.attr_int("sliding_window_cache", 0) != 0 || c_.has(16)) return read_staged();
    if (!read_total()) return false;
    use_.past = use_.total - use_.steps;
    if (use_.past < 0 || use_.past > use_.room)
      return refused(
          fmt::format("{} keys do not match {} queries and a past of {}", use_.total, use_.steps, use_.room));
    const auto lengths = c_.known(5);
    bool alike = use_.batch == 1;
    if (lengths) {
      alike = true;
      for (int64_t b = 0; b < use_.batch; ++b) alike = alike && lengths->integer(b) == use_.total - 1;
    }
    use_.dynamic = use_.past > 0 && !alike;
    const bool all_see = c_.attr_int("causal", 1) == 0 && !alike;
    if (use_.dynamic || all_see) count_used();
    if (all_see) use_.dynamic = true;
    return c_.ok();
  }

  bool read_total() {
    use_.total = use_.room + use_.steps;
    if (const auto specified = c_.known(6)) {
      if (specified->count() != 1)
        return refused(fmt::format("total_sequence_length must have one element, not {}", specified->count()));
      use_.total = std::max<int64_t>(specified->integer(0), 0);
    } else if (c_.has(16) || !c_.has(6) || !c_.value(6).tensor || !c_.value(6).tensor->has(kFlagInput)) {
      c_.wait_for(6, "how many keys there are must be known at compile time", c_.has(16));
      return false;
    }
    return true;
  }

  void count_used() {
    const Tensor last = c_.reshape(c_.cast(c_.in(5), DType::I64, ":lengths_i64"), {use_.batch}, ":lengths");
    use_.used = c_.op(Op::Add, {last, c_.scalar(1, DType::I64, ":one")}, ":used_keys");
  }

  // A cache that slides along with the window, or steps of which each sequence has its own number.
  bool read_staged() {
    if (use_.room < 1) return refused("it has no cache");
    if (c_.attr_int("causal", 1) == 0) return refused("attention that is not causal cannot have a sliding cache");
    if (c_.has_output(3))
      return refused("its scores cannot be an output: the keys of a sliding cache are not in order");
    if (c_.attr_int("sliding_window_cache", 0) != 0) {
      use_.window = c_.attr_int("local_window_size", -1);
      if (use_.window < 1 || use_.window > use_.room)
        return refused(
            fmt::format("the window size {} is out of range for a cache of {} rows", use_.window, use_.room));
    } else {
      if (!read_total()) return false;
      if (use_.total < 1 || use_.total > use_.room + use_.steps)
        return refused(
            fmt::format("{} keys do not match {} queries and a past of {}", use_.total, use_.steps, use_.room));
    }
    count_used();
    if (!c_.has(16)) return c_.ok();
    const Tensor fresh = c_.in(16);
    if (!fresh || fresh->element_count() != use_.batch)
      return refused(fmt::format("input 16 must have the number of queries of each sequence, [{}]", use_.batch));
    use_.fresh = c_.reshape(c_.cast(fresh, DType::I64, ":fresh_i64"), {use_.batch}, ":fresh_queries");
    return c_.ok();
  }

  void norm_heads() {
    const float both = c_.attr_float("qk_norm_epsilon", 1e-6f);
    if (!c_.has(15)) return c_.fail("its keys have no norm");
    const auto normed = [&](const Tensor& x, size_t weight, const char* epsilon, const char* suffix) {
      return c_.op_with(Op::RmsNorm, {x, c_.in(weight)}, NormParams{3, c_.attr_float(epsilon, both)}, suffix);
    };
    x_.q = normed(x_.q, 14, "q_norm_epsilon", ":q_normed"), x_.k = normed(x_.k, 15, "k_norm_epsilon", ":k_normed");
  }

  // Sets the parameters of the scores.
  void ask(AttentionCall& a) {
    const float specified = c_.attr_float("scale", 0);
    a.scale = specified != 0.0f ? specified : 1 / std::sqrt(static_cast<float>(a.q.sizes()[3]));
    a.softcap = c_.attr_float("softcap", 0);
    const int64_t window = c_.attr_int("local_window_size", -1);
    if (window == 0 || window < -1)
      return c_.fail(fmt::format("local_window_size is {}: expected -1 or at least 1", window));
    if (c_.has(10)) a.mask = c_.cast(c_.in(10), DType::F32, ":bias_f32");
    if (use_.staged()) {
      a.open = !c_.has(10) && !use_.fresh;
      a.mask = staged_bias(c_, use_, window > 0 ? window - 1 : -1, a.mask);
    } else {
      a.offset = use_.past;
      a.used = use_.dynamic ? use_.used : Tensor();
      a.causal = c_.attr_int("causal", 1) != 0;
      if (window > 0 && window < use_.total) a.left = window - 1;
      a.open = !c_.has(10);
    }
    if (c_.has(11))
      a.sink = c_.reshape(c_.in_f32(11), {1, x_.q.sizes()[1], 1, 1}, ":sink");
    else if (c_.attr_int("smooth_softmax", -1) == 1)
      a.sink = c_.constant(HostArray::make(DType::F32, {1, 1, 1, 1}), ":sink");
    const int64_t shown = c_.attr_int("qk_output", 0);
    if (shown < 0 || shown > 2) return c_.fail(fmt::format("qk_output is {}: expected 0 to 2", shown));
    a.shows_scores = c_.has_output(3);
    a.mode = shown == 1 ? 2 : 3;
  }

  OpCall& c_;
  CacheUse use_;
  Headed x_;
  CacheCodes keys_, values_;
};

constexpr HandlerEntry kContribCache[] = {
    {"com.microsoft::GroupQueryAttention", [](OpCall& c) { GroupQuery(c).run(); }},
};

}  // namespace

std::span<const HandlerEntry> contrib_group_query_attention_handlers() { return kContribCache; }

}  // namespace arenascope::models
