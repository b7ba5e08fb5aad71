// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/contrib_sparse_attention.h"
#include <fmt/format.h>
#include "engine/models/onnx/operators/attention_call.h"
#include "engine/models/onnx/operators/kv_cache.h"

#include <cmath>
#include <limits>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxBlocks = int64_t{1} << 24;  // blocks of all layouts

class Sparse {
 public:
  explicit Sparse(OpCall& c) : c_(c) {}

  void run() {
    if (!read_headed(c_, x_, use_) || !read_lengths()) return;
    const Tensor blocks = table();
    if (!c_.ok() || !blocks) return;
    if (c_.attr_int("do_rotary", 0) != 0) rotate_headed(c_, use_, 9, {}, x_);
    if (!c_.ok()) return;
    const Tensor k = cached(c_, use_, c_.in(3), x_.k, 1, ":k"), v = cached(c_, use_, c_.in(4), x_.v, 2, ":v");
    if (!c_.ok() || !k || !v) return;
    AttentionCall a;
    a.q = c_.cast(x_.q, DType::F32, ":q_f32");
    a.k = c_.cast(k, DType::F32, ":k_f32"), a.v = c_.cast(v, DType::F32, ":v_f32");
    a.offset = use_.past;
    a.used = use_.dynamic ? use_.used : Tensor();
    a.causal = a.open = true;
    const float specified = c_.attr_float("scale", 0);
    a.scale = specified != 0.0F ? specified : 1 / std::sqrt(static_cast<float>(a.q.sizes()[3]));
    a.mask = bias(blocks);
    if (!c_.ok()) return;
    Tensor scores;
    const Tensor y = attend(c_, a, scores);
    const DType type = c_.value(0).dtype;
    c_.out(0, c_.cast(heads_joined(c_, y, type == DType::F32 ? "" : ":joined"), type));
  }

 private:
  bool refused(std::string why) {
    c_.fail(std::move(why));
    return false;
  }

  bool read_lengths() {
    if (!c_.has(3) || use_.room < 1) return refused("it has no cache");
    if (!c_.has(8) || !(c_.sizes(8) == Dims{use_.batch}))
      return refused(fmt::format("key_total_sequence_lengths must be [{}]", use_.batch));
    const auto specified = c_.known(7);
    if (!specified) {
      c_.wait_for(7, "how many keys there are must be known at compile time", true);
      return false;
    }
    if (specified->count() != 1)
      return refused(fmt::format("total_sequence_length must have one element, not {}", specified->count()));
    use_.total = specified->integer(0);
    if (use_.total < use_.steps || use_.total > use_.room)
      return refused(
          fmt::format("{} keys do not match {} queries and a cache of {} rows", use_.total, use_.steps, use_.room));
    use_.past = use_.total - use_.steps;
    const auto lengths = c_.known(8);
    bool alike = use_.batch == 1 || static_cast<bool>(lengths);
    for (int64_t b = 0; lengths && b < use_.batch; ++b) alike = alike && lengths->integer(b) == use_.total;
    use_.dynamic = use_.past > 0 && !alike;
    if (use_.dynamic) use_.used = c_.reshape(c_.cast(c_.in(8), DType::I64, ":lengths_i64"), {use_.batch}, ":used_keys");
    return c_.ok();
  }

  // The block mask [layouts, n, n] for n blocks of keys: 0 if a block of queries attends to a block of keys, else the lowest number.
  Tensor table() {
    block_ = c_.attr_int("sparse_block_size", 0);
    for (const size_t i : {size_t{5}, size_t{6}})
      if (!c_.known(i)) c_.wait_for(i, "which blocks it sees must be known at compile time", true);
    if (!c_.ok()) return {};
    const auto rows = c_.known(5), columns = c_.known(6);
    const Dims &r = rows->sizes, &s = columns->sizes;
    if (block_ < 1 || r.rank() != 2 || s.rank() != 2 || r[0] < 1 || r[1] < 2 || s[0] != r[0] ||
        x_.q.sizes()[1] % r[0] != 0) {
      c_.fail(fmt::format("a block size of {} does not match the row indices {} and column indices {}", block_,
                          to_string(r), to_string(s)));
      return {};
    }
    layouts_ = r[0];
    const int64_t most = r[1] - 1, count = (use_.total - 1) / block_ + 1;
    if (count > most || count > kMaxBlocks / count / layouts_) {
      c_.fail(fmt::format("{} keys are {} blocks of {}, of {}", use_.total, count, block_, most));
      return {};
    }
    HostArray out = HostArray::make(DType::F32, {layouts_, count, count});
    for (double& number : out.floats) number = static_cast<double>(std::numeric_limits<float>::lowest());
    for (int64_t layout = 0; layout < layouts_; ++layout)
      for (int64_t row = 0; row < most; ++row) {
        const int64_t from = rows->integer(layout * r[1] + row), to = rows->integer(layout * r[1] + row + 1);
        if (from < 0 || from > to || to > s[1]) {
          c_.fail(fmt::format("row {} of its block indices is [{}, {}), outside [0, {})", row, from, to, s[1]));
          return {};
        }
        for (int64_t i = from; i < to; ++i) {
          const int64_t column = columns->integer(layout * s[1] + i);
          if (column < 0 || column >= most) {
            c_.fail(fmt::format("the column index {} is out of range for {} blocks", column, most));
            return {};
          }
          if (row < count && column < count)
            out.floats[static_cast<size_t>((layout * count + row) * count + column)] = 0;
        }
      }
    return c_.constant(std::move(out), ":blocks");
  }

  // The blocks of `count` consecutive positions.
  Tensor blocks_of(int64_t from, int64_t count, const char* suffix) {
    const std::string at = suffix;
    const Tensor place = counted_from(c_, {count}, from, (at + "_places").c_str());
    return c_.op(Op::Div, {place, c_.scalar(static_cast<double>(block_), DType::I64, (at + "_size").c_str())}, suffix);
  }

  // The bias of each query and key from their blocks, [B or 1, H or 1, S, T]; heads use the layouts in rotation.
  Tensor bias(const Tensor& blocks) {
    const int64_t heads = x_.q.sizes()[1], steps = use_.steps, total = use_.total, count = blocks.sizes()[1];
    Tensor rows;  // [B or 1, layouts, S, blocks]
    if (use_.dynamic) {
      constexpr int kBatchFirst[] = {1, 0, 2, 3};
      const Tensor place =
          c_.op(Op::Add, {begins_of(c_, use_, ":block_begins"), counted_from(c_, {1, steps}, 0, ":block_steps")},
                ":query_place");
      const Tensor block = c_.op(Op::Div, {place, c_.scalar(static_cast<double>(block_), DType::I64, ":block_size")},
                                 ":place_in_blocks");
      const Tensor there =
          c_.op_with(Op::Clamp, {block}, ClampParams{0, static_cast<double>(count - 1)}, ":query_block");
      const Tensor each = c_.op_with(Op::Gather, {blocks, there}, AxisParams{1}, ":seen_by_layout");
      rows = c_.op(Op::Cont, {c_.permute(each, kBatchFirst, ":seen_turned")}, ":seen");
    } else {
      const Tensor each = c_.op_with(Op::Gather, {blocks, blocks_of(use_.past, steps, ":query_block")}, AxisParams{1},
                                     ":seen_by_layout");
      rows = c_.reshape(each, {1, layouts_, steps, count}, ":seen");
    }
    if (!c_.ok()) return {};
    const Tensor all = c_.op_with(Op::Gather, {rows, blocks_of(0, total, ":key_block")}, AxisParams{3}, ":block_bias");
    if (layouts_ == 1 || layouts_ == heads || !all) return all;
    const int64_t batch = all.sizes()[0], times = heads / layouts_;
    const Tensor by_iterations = c_.expand(c_.reshape(all, {batch, 1, layouts_, steps, total}, ":block_bias_once"),
                                           {batch, times, layouts_, steps, total}, ":block_bias_each");
    return c_.reshape(c_.op(Op::Cont, {by_iterations}, ":block_bias_laid"), {batch, heads, steps, total},
                      ":block_bias_heads");
  }

  OpCall& c_;
  CacheUse use_;
  Headed x_;
  int64_t block_ = 0, layouts_ = 0;
};

}  // namespace

void sparse_attention(OpCall& c) { Sparse(c).run(); }

}  // namespace arenascope::models
