// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/lstm_attention.h"
#include <fmt/format.h>
#include "engine/models/onnx/operators/attention_call.h"

#include <limits>

namespace arenascope::models {
namespace {

enum AttentionSource : size_t { kQueryLayer = 8, kMemoryLayer, kVector, kAttended, kAttendedLengths, kLayer };

}  // namespace

bool read_attention(OpCall& c, AttentionSizes& s) {
  const auto refused = [&](std::string why) {
    c.fail(std::move(why));
    return false;
  };
  for (size_t i = kQueryLayer; i <= kAttended; ++i)
    if (!c.has(i)) return refused("it lacks its memory, or how that is read");
  const Dims &layer = c.sizes(kMemoryLayer), &memory = c.sizes(kAttended);
  if (layer.rank() != 3 || memory.rank() != 3)
    return refused(
        fmt::format("its memory {} and memory layer {} must have 3 dimensions", to_string(memory), to_string(layer)));
  s.memory = memory[1], s.depth = memory[2], s.inner = layer[2];
  if (s.memory < 1 || s.depth < 1 || s.inner < 1 || memory[0] != s.batch ||
      !(layer == Dims{s.directions, s.depth, s.inner}) ||
      !(c.sizes(kQueryLayer) == Dims{s.directions, s.hidden, s.inner}) ||
      !(c.sizes(kVector) == Dims{s.directions, s.inner}))
    return refused(fmt::format("its memory {}, memory layer {}, query layer {} and vector {} do not match",
                               to_string(memory), to_string(layer), to_string(c.sizes(kQueryLayer)),
                               to_string(c.sizes(kVector))));
  s.state = s.depth;
  if (c.has(kLayer)) {
    const Dims& last = c.sizes(kLayer);
    if (last.rank() != 3 || last[0] != s.directions || last[1] != s.depth + s.hidden || last[2] < 1)
      return refused(fmt::format("its last layer has the shape {}: expected [{}, {}, at least 1]", to_string(last),
                                 s.directions, s.depth + s.hidden));
    s.state = last[2];
  }
  if (!c.has(kAttendedLengths)) return c.ok();
  const Value& lengths = c.value(kAttendedLengths);
  if (!(lengths.sizes == Dims{s.batch}) || info(lengths.dtype).floating)
    return refused(fmt::format("the lengths of its memory have the shape {}: expected [{}] integers",
                               to_string(lengths.sizes), s.batch));
  const auto known = c.known(kAttendedLengths);
  for (int64_t b = 0; known && b < s.batch; ++b)
    if (known->integer(b) < 1 || known->integer(b) > s.memory)
      return refused(fmt::format("the memory length {} is out of range for {} steps", known->integer(b), s.memory));
  return c.ok();
}

StepAttention::StepAttention(OpCall& c, const AttentionSizes& sizes, int64_t d, const Tensor& weight)
    : c_(c), sizes_(sizes), d_(d), at_(fmt::format(":d{}_memory", d)), weight_(weight) {
  const AttentionSizes& s = sizes_;
  const auto name = [&](const char* what) { return at_ + what; };
  const auto transposed = [&](const Tensor& x, const char* what) {
    return c_.op(Op::Transpose, {x}, name(what).c_str());
  };
  query_ = transposed(own(kQueryLayer, "_query_layer"), "_query_layer_t");
  vector_ = c_.reshape(own(kVector, "_vector"), {1, s.inner}, name("_vector_row").c_str());
  if (c_.has(kLayer)) layer_ = transposed(own(kLayer, "_layer"), "_layer_t");
  const Tensor memory = c_.in_f32(kAttended);
  const Tensor rows = c_.reshape(memory, {s.batch * s.memory, s.depth}, name("_rows").c_str());
  const Tensor keys =
      c_.mul_mat(transposed(own(kMemoryLayer, "_key_layer"), "_key_layer_t"), rows, {}, 1, name("_key_rows").c_str());
  keys_ = c_.reshape(keys, {s.batch, s.memory, s.inner}, name("_keys").c_str());
  values_ = transposed(memory, "_values");
  if (c_.has(kAttendedLengths)) {
    const Tensor lengths =
        c_.op_with(Op::Clamp, {c_.cast(c_.in(kAttendedLengths), DType::I64, name("_lengths_i64").c_str())},
                   ClampParams{1, static_cast<double>(s.memory)}, name("_lengths").c_str());
    const Tensor there = c_.op(Op::Less,
                               {counted_from(c_, {1, s.memory}, 0, name("_steps").c_str()),
                                c_.reshape(lengths, {s.batch, 1}, name("_length_column").c_str())},
                               name("_there").c_str());
    ends_ = bias_of(c_, there, -std::numeric_limits<double>::infinity(), name("_ends").c_str());
  }
  seen_ = c_.constant(HostArray::make(DType::F32, {s.batch, s.state}), name("_nothing").c_str());
}

Tensor StepAttention::own(size_t source, const char* what) {
  const Tensor x = c_.in_f32(source);
  if (!x) return {};
  Dims sizes;
  for (int i = 1; i < x->rank(); ++i) sizes.push_back(x.sizes()[i]);
  const std::string name = at_ + what;
  return c_.reshape(sizes_.directions == 1 ? x : c_.slice(x, 0, d_, d_ + 1, 1, (name + "_slice").c_str()), sizes,
                    name.c_str());
}

Tensor StepAttention::source(const std::string& step) {
  return c_.mul_mat(weight_, seen_, {}, 1, (step + "_seen").c_str());
}

void StepAttention::match(const Tensor& h, const Tensor& there, const std::string& step) {
  if (!c_.ok() || !h) return;
  const AttentionSizes& s = sizes_;
  const auto name = [&](const char* what) { return step + what; };
  const Tensor query = c_.reshape(c_.mul_mat(query_, h, {}, 1, name("_query_rows").c_str()), {s.batch, 1, s.inner},
                                  name("_query").c_str());
  const Tensor alike =
      c_.op(Op::Tanh, {c_.op(Op::Add, {keys_, query}, name("_key_and_query").c_str())}, name("_alike").c_str());
  const Tensor rows = c_.reshape(alike, {s.batch * s.memory, s.inner}, name("_alike_rows").c_str());
  Tensor scores = c_.reshape(c_.mul_mat(vector_, rows, {}, 1, name("_score_rows").c_str()), {s.batch, s.memory},
                             name("_scores").c_str());
  if (ends_) scores = c_.op(Op::Add, {scores, ends_}, name("_scores_there").c_str());
  const Tensor shares = c_.op_with(Op::SoftMax, {scores}, SoftMaxParams{1, 1}, name("_shares").c_str());
  const Tensor share_rows = c_.reshape(shares, {s.batch, 1, s.memory}, name("_share_rows").c_str());
  Tensor next = c_.reshape(c_.mul_mat(values_, share_rows, {}, 1, name("_context_rows").c_str()), {s.batch, s.depth},
                           name("_context").c_str());
  if (layer_) {
    const Tensor both = c_.op_with(Op::Concat, {h, next}, AxisParams{1}, name("_state_and_context").c_str());
    next = c_.mul_mat(layer_, both, {}, 1, name("_attended").c_str());
  }
  seen_ = there ? c_.op(Op::Where, {there, next, seen_}, name("_seen_stays").c_str()) : next;
}

}  // namespace arenascope::models
