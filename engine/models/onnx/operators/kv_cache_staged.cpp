// SPDX-License-Identifier: MIT
// A cache whose rows are not positions: a sliding window, or a different number of new tokens per sequence. Attention
// reads the rows of the cache and the new ones in storage order, and a bias masks them by position.
#include <fmt/format.h>
#include "engine/models/onnx/operators/attention_call.h"
#include "engine/models/onnx/operators/kv_cache.h"

#include <algorithm>
#include <limits>

namespace arenascope::models {
namespace {

constexpr double kNowhere = 1099511627776.0;  // 2^40, after every position

class Rows {
 public:
  Rows(OpCall& c, const CacheUse& use, std::string at) : c_(c), use_(use), at_(std::move(at)) {
    all_ = c.reshape(use.used, {use.batch, 1}, name("_used").c_str());
    begin_ = begins_of(c, use, name("_begin").c_str());
  }

  std::string name(const char* what) const { return at_ + what; }
  Tensor number(int64_t v, const char* what) {
    return c_.scalar(static_cast<double>(v), DType::I64, name(what).c_str());
  }
  Tensor op(Op kind, const Tensor& a, const Tensor& b, const char* what) {
    return c_.op(kind, {a, b}, name(what).c_str());
  }
  const Tensor& all() const { return all_; }
  const Tensor& begin() const { return begin_; }

  // The number of the first `indices` [B, 1] tokens that the cache holds, the last ones. A sliding cache drops tokens in
  // steps of its capacity beyond the window.
  Tensor held(const Tensor& indices, const char* what) {
    if (use_.window == 0) return indices;
    const int64_t step = use_.room - use_.window + 1;
    const std::string own = name(what);
    const auto on = [&](Op kind, const Tensor& a, int64_t v, const char* last) {
      return c_.op(kind, {a, c_.scalar(static_cast<double>(v), DType::I64, (own + last + "_by").c_str())},
                   (own + last).c_str());
    };
    Tensor over = on(Op::Max, on(Op::Sub, indices, use_.room, "_over"), 0, "_beyond");
    over = on(Op::Div, on(Op::Add, over, step - 1, "_up"), step, "_times");
    return c_.op(Op::Sub, {indices, on(Op::Mul, over, step, "_gone")}, own.c_str());
  }
  // The position of the first row.
  Tensor first(const Tensor& indices, const char* what) {
    return op(Op::Sub, indices, held(indices, (std::string(what) + "_held").c_str()), what);
  }

 private:
  OpCall& c_;
  const CacheUse& use_;
  const std::string at_;
  Tensor all_, begin_;  // [B, 1]
};

// The position of each row, [B, room + steps]; empty rows have a position after all others.
Tensor row_indices(OpCall& c, const CacheUse& use, Rows& rows) {
  const Tensor nowhere = c.scalar(kNowhere, DType::I64, ":nowhere");
  const Tensor row = counted_from(c, {1, use.room}, 0, ":row"), step = counted_from(c, {1, use.steps}, 0, ":new_row");
  const Tensor held = rows.held(rows.begin(), "_held");
  const Tensor old =
      c.op(Op::Where,
           {c.op(Op::Less, {row, held}, ":row_held"),
            c.op(Op::Add, {row, c.op(Op::Sub, {rows.begin(), held}, ":first_row")}, ":row_place"), nowhere},
           ":old_place");
  Tensor added = c.op(Op::Add, {step, rows.begin()}, ":new_place");
  if (use.fresh)
    added = c.op(Op::Where,
                 {c.op(Op::Less, {step, c.reshape(use.fresh, {use.batch, 1}, ":fresh")}, ":is_fresh"), added, nowhere},
                 ":fresh_place");
  return c.op_with(Op::Concat, {old, added}, AxisParams{1}, ":row_places");
}

}  // namespace

Tensor staged(OpCall& c, const CacheUse& use, const Tensor& cache, const Tensor& x, size_t result, const char* suffix) {
  if (!cache || use.room < 1) {
    c.fail("it has no cache");
    return {};
  }
  Rows rows(c, use, suffix);
  const Tensor both = c.op_with(Op::Concat, {cache, x}, AxisParams{2}, rows.name("_both").c_str());
  if (!c.has_output(result)) return both;
  const int64_t length = use.window > 0 ? use.room : std::max(use.room, use.total);
  const auto within = [&](const Tensor& t, int64_t count, const char* what) {
    return c.op_with(Op::Clamp, {t}, ClampParams{0, static_cast<double>(count - 1)}, rows.name(what).c_str());
  };
  const Tensor row = counted_from(c, {1, length}, 0, rows.name("_row").c_str());
  const Tensor place = rows.op(Op::Add, row, rows.first(rows.all(), "_first"), "_place");
  const Tensor ahead = rows.op(Op::Sub, place, rows.begin(), "_ahead");
  const Tensor is_new = rows.op(Op::And, rows.op(Op::GreaterEqual, ahead, rows.number(0, "_zero"), "_after"),
                                rows.op(Op::Less, place, rows.all(), "_before"), "_is_new");
  const Tensor old =
      within(rows.op(Op::Sub, place, rows.first(rows.begin(), "_old_first"), "_old_row"), use.room, "_old");
  const Tensor added =
      within(rows.op(Op::Add, ahead, rows.number(use.room, "_room"), "_new_row"), use.room + use.steps, "_new");
  const Tensor from = c.op(Op::Where, {is_new, added, old}, rows.name("_rows").c_str());
  const Tensor present = rows_of_each(c, both, from, suffix, "_present");
  if (present) c.out(result, present);
  return both;
}

Tensor staged_bias(OpCall& c, const CacheUse& use, int64_t left, const Tensor& bias) {
  Rows rows(c, use, ":at");
  const int64_t count = use.room + use.steps;
  const Tensor place = row_indices(c, use, rows);
  const Tensor key = c.reshape(place, {use.batch, 1, 1, count}, ":key");
  const Tensor query =
      c.reshape(c.op(Op::Add, {rows.begin(), counted_from(c, {1, use.steps}, 0, ":query_step")}, ":query_place"),
                {use.batch, 1, use.steps, 1}, ":query");
  Tensor allowed = c.op(Op::LessEqual, {key, query}, ":causal");
  if (left >= 0) {
    const Tensor end = c.op(Op::Sub, {query, c.scalar(static_cast<double>(left), DType::I64, ":left_by")}, ":left_end");
    allowed = c.op(Op::And, {allowed, c.op(Op::LessEqual, {end, key}, ":left")}, ":allowed");
  }
  const Tensor closed = bias_of(c, allowed, -std::numeric_limits<double>::infinity(), ":closed_keys");
  if (!bias || !c.ok()) return closed;
  const Dims s = bias.sizes();
  if (s.rank() != 4 || s[2] != use.steps || s[3] < 1 || (s[0] != 1 && s[0] != use.batch)) {
    c.fail(
        fmt::format("its bias has the shape {}: expected [1 or {}, H, {}, keys]", to_string(s), use.batch, use.steps));
    return {};
  }
  // The columns of the keys that are there.
  const Tensor column = c.op_with(Op::Clamp, {key}, ClampParams{0, static_cast<double>(s[3] - 1)}, ":bias_column");
  const auto laid = [&](const Tensor& x, const Dims& sizes, const char* suffix) {
    return x.sizes() == sizes ? x
                              : c.op(Op::Cont, {c.expand(x, sizes, (std::string(suffix) + "_each").c_str())}, suffix);
  };
  const Tensor chosen = c.op_with(Op::GatherElements,
                                  {laid(bias, {use.batch, s[1], s[2], s[3]}, ":bias_of_each"),
                                   laid(column, {use.batch, s[1], s[2], count}, ":bias_columns")},
                                  AxisParams{3}, ":bias_of_keys");
  return c.op(Op::Add, {chosen, closed}, ":bias_and_closed");
}

}  // namespace arenascope::models
