// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/fused_epilogue.h"

#include <cmath>

namespace arenascope::cpu {
namespace {

// An operand's strides over the result's dimensions; 0 where it is broadcast.
Dims along(const Dims& sizes, const TensorImpl& operand) {
  Dims out;
  for (int d = 0; d < sizes.rank(); ++d) {
    const int own = d - (sizes.rank() - operand.rank());
    out.push_back(own < 0 || operand.sizes[own] == 1 ? 0 : operand.strides[own]);
  }
  return out;
}

// Strides that count channels: the operand is indexed by dimension 1.
Dims by_channel(const Dims& sizes) {
  Dims out;
  for (int d = 0; d < sizes.rank(); ++d) out.push_back(d == 1 ? 1 : 0);
  return out;
}

float one(const TensorImpl& vector, int64_t i) { return vector.data_as<float>()[i * vector.strides[0]]; }

template <class F>
void each_source(const FusedParams& p, F&& f) {
  for (int i = 0; i < p.steps; ++i) {
    const Op op = FusedParams::op(p.step[i]);
    if (p.step[i].left >= 0) f(p.step[i].left, false);
    if (step_operands(op) == 2 && p.step[i].right >= 0) f(p.step[i].right, op == Op::BatchNorm);
  }
}

static_assert(FusedParams::kMaxOperands < LoopNest::kOperands);

// True if the operand has one value per channel of images.
bool is_a_channel(const TensorImpl& node, const TensorImpl& operand) {
  const int own = 1 - (node.rank() - operand.rank());
  return own >= 0 && operand.element_count() == node.sizes[1] && operand.sizes[own] == node.sizes[1];
}

// In the memory order of the result.
LoopNest nest_of(const TensorImpl& node, const FusedParams& p) {
  const Dims sizes = node.sizes;
  const bool last = node.channels_last();
  Dims strides[LoopNest::kOperands];
  size_t count = 0;
  strides[count++] = along(sizes, node);
  bool seen[128] = {};
  each_source(p, [&](int8_t source, bool channels) {
    if (seen[source]) return;
    seen[source] = true;
    const TensorImpl& operand = *node.sources[static_cast<size_t>(source)];
    if (last && (channels || is_a_channel(node, operand)))
      strides[count++] = Dims::filled(sizes.rank(), 0);
    else
      strides[count++] = channels ? by_channel(sizes) : along(sizes, operand);
  });
  for (size_t o = 0; o < count; ++o) strides[o] = in_memory_order(strides[o], last);
  return LoopNest(in_memory_order(sizes, last), std::span<const Dims>(strides, count));
}

}  // namespace

EpiloguePlan::EpiloguePlan(const TensorImpl& fused)
    : node(fused), params(fused.params.get<FusedParams>()), nest(nest_of(fused, params)) {
  std::fill(std::begin(operand_of), std::end(operand_of), int8_t{-1});
  each_source(params, [&](int8_t source, bool channels) {
    const TensorImpl& operand = *node.sources[static_cast<size_t>(source)];
    if (operand_of[source] < 0) {
      strides[operands] = nest.inner_stride(1 + operands);
      source_of[operands] = static_cast<size_t>(source);
      operand_of[source] = static_cast<int8_t>(operands++);
    }
    if (node.channels_last() && (channels || is_a_channel(node, operand))) repeats[operand_of[source]] = true;
  });
  find_storage();
  find_quantising();
}

FusedEpilogue::FusedEpilogue(const EpiloguePlan& plan) : plan_(plan), node_(plan.node), last_(&simd()) {
  for (int i = 0; i < plan.operands; ++i) bases_[i] = node_.sources[plan.source_of[i]]->data_as<float>();
  if (node_.channels_last()) repeat_channels();
}

void FusedEpilogue::repeat_channels() {
  channels_ = node_.sizes[1];
  const auto length = static_cast<size_t>(channels_ + kPiece);
  rows_.resize(2 * length * static_cast<size_t>(plan_.operands));
  const auto again = [&](float* row) {
    for (size_t i = static_cast<size_t>(channels_); i < length; ++i) row[i] = row[i - static_cast<size_t>(channels_)];
  };
  bool seen[LoopNest::kOperands] = {};
  const auto is_first = [&](int i) { return !std::exchange(seen[i], true); };
  for (int s = 0; s < plan_.params.steps; ++s) {
    const FusedStep& step = plan_.params.step[s];
    if (FusedParams::op(step) != Op::BatchNorm || !is_first(plan_.operand_of[step.right])) continue;
    float *const factors = rows_.data() + 2 * length * static_cast<size_t>(plan_.operand_of[step.right]),
                 *const shifts = factors + length;
    for (int64_t c = 0; c < channels_; ++c) {
      const auto [factor, shift] = channel_of(step, c);
      factors[c] = factor, shifts[c] = shift;
    }
    again(factors), again(shifts);
    repeated_[plan_.operand_of[step.right]] = factors;
  }
  each_source(plan_.params, [&](int8_t source, bool channels) {
    const TensorImpl& operand = *node_.sources[static_cast<size_t>(source)];
    const int i = plan_.operand_of[source];
    if (channels || !is_a_channel(node_, operand) || !is_first(i)) return;
    float* const row = rows_.data() + 2 * length * static_cast<size_t>(i);
    const int64_t stride = operand.strides[1 - (node_.rank() - operand.rank())];
    for (int64_t c = 0; c < channels_; ++c) row[c] = operand.data_as<float>()[c * stride];
    again(row);
    repeated_[i] = row;
  });
}

// BATCH_NORM's factor and shift of a channel.
std::pair<float, float> FusedEpilogue::channel_of(const FusedStep& step, int64_t c) const {
  const auto first = static_cast<size_t>(step.right);
  const TensorImpl &gain = *node_.sources[first], &bias = *node_.sources[first + 1], &mean = *node_.sources[first + 2],
                   &variance = *node_.sources[first + 3];
  const double factor = static_cast<double>(one(gain, c)) /
                        std::sqrt(static_cast<double>(one(variance, c)) + static_cast<double>(step.p));
  const double shift = static_cast<double>(one(bias, c)) - static_cast<double>(one(mean, c)) * factor;
  return {static_cast<float>(factor), static_cast<float>(shift)};
}

// A value reuses the buffer of one that its step is the last to read; the last value is stored in the result. Without
// an anchor no other value is, because the last step may use non-temporal stores to memory that it must not have read.
void EpiloguePlan::find_storage() {
  int last[kMaxSteps + 1];
  for (int v = 0; v <= params.steps; ++v) last[v] = v;  // a value without readers dies immediately
  const auto reads = [&](int i, auto&& f) {
    const FusedStep& step = params.step[i];
    if (step.left < 0) f(-1 - step.left);
    if (step_operands(FusedParams::op(step)) == 2 && step.right < 0) f(-1 - step.right);
  };
  for (int i = 0; i < params.steps; ++i) reads(i, [&](int v) { last[v] = i + 1; });
  std::fill(std::begin(storage), std::end(storage), kNowhere);
  bool result_free = false, free[kMaxSteps];
  std::fill(std::begin(free), std::end(free), true);
  if (params.anchor_op() != Op::None) storage[0] = kResult;
  for (int i = 0; i < params.steps; ++i) {
    reads(i, [&](int v) {
      if (last[v] != i + 1) return;
      if (storage[v] == kResult)
        result_free = true;
      else
        free[storage[v]] = true;
    });
    if (i + 1 == params.steps || result_free) {
      storage[i + 1] = kResult;
      result_free = false;
    } else {
      const auto at = std::find(std::begin(free), std::end(free), true) - std::begin(free);
      storage[i + 1] = static_cast<int8_t>(at);
      free[at] = false;
    }
  }
}

void EpiloguePlan::find_quantising() {
  if (!ends_with_cast(params)) return;
  int i = params.steps - 1;
  // True if the step before the i-th is `op` and the i-th step consumes its result.
  const auto follows = [&](Op op, bool by_number) {
    if (i == 0 || params.step[i].left != -1 - i || FusedParams::op(params.step[i - 1]) != op) return false;
    return !by_number || is_scalar(params.step[i - 1].right);
  };
  if (follows(Op::Add, true)) --i;
  if (!follows(Op::Round, false)) return;
  --i;
  if (!follows(Op::Div, true)) return;
  quantising = i - 1;
  quantise = node.dtype == DType::U8   ? simd().casts.quantise_u8
             : node.dtype == DType::I8 ? simd().casts.quantise_i8
                                       : nullptr;
}

void FusedEpilogue::run(int64_t begin, int64_t count) {
  plan_.nest.rows({begin, begin + count}, kPiece, [&](const int64_t* at, int64_t n) { piece(at, n); });
}

// An operand's elements of this piece.
const float* FusedEpilogue::value(int8_t operand, const int64_t* at, int64_t n, float* to, int side) {
  if (operand < 0) {
    const int8_t place = plan_.storage[-1 - operand];
    return place == EpiloguePlan::kResult ? to : buffers_[place];
  }
  const int i = plan_.operand_of[operand];
  if (repeated_[i]) return repeated_[i] + at[0] % channels_;
  const float* const from = bases_[i] + at[1 + i];
  if (plan_.strides[i] == 1) return from;
  loader<float>(DType::F32)(read_[side], reinterpret_cast<const std::byte*>(from), plan_.strides[i], n);
  return read_[side];
}

void FusedEpilogue::piece(const int64_t* at, int64_t n) {
  float* const to =
      ends_with_cast(plan_.params) ? nullptr : node_.data_as<float>() + at[0];  // then no value is stored there
  for (int i = 0; i < (plan_.quantise ? plan_.quantising : plan_.params.steps); ++i) {
    const FusedStep& step = plan_.params.step[i];
    const Op op = FusedParams::op(step);
    const Simd& s = i + 1 == plan_.params.steps ? *last_ : simd();
    float* const out = plan_.storage[i + 1] == EpiloguePlan::kResult ? to : buffers_[plan_.storage[i + 1]];
    if (op == Op::Cast) {
      std::byte* const cast = node_.data() + at[0] * element_bytes(node_.dtype);
      storer<float>(node_.dtype)(cast, 1, value(step.left, at, n, read_[0], 0), n);
    } else if (op == Op::BatchNorm) {
      batch_norm(s, step, at, out, value(step.left, at, n, to, 0), n);
    } else if (step_operands(op) == 1) {
      unary_row(s, op, out, value(step.left, at, n, to, 0), n, step.p, step.q);
    } else if (plan_.is_scalar(step.right) && (op == Op::Add || op == Op::Sub || op == Op::Mul)) {
      // The same result without a row of copies: x·1 ± y, x·y − 0.
      const float y = number(step.right, at);
      s.elements.affine(out, value(step.left, at, n, to, 0), n, op == Op::Mul ? y : 1,
                        op == Op::Add   ? y
                        : op == Op::Sub ? -y
                                        : -0.0f);
    } else {
      const float* const a = value(step.left, at, n, to, 0);
      binary_row(s, op)(out, a, value(step.right, at, n, to, 1), n);
    }
  }
  if (!plan_.quantise) return;
  const FusedStep &division = plan_.params.step[plan_.quantising], &move = plan_.params.step[plan_.quantising + 2];
  plan_.quantise(node_.data() + at[0], value(division.left, at, n, read_[0], 0), n, number(division.right, at),
                 FusedParams::op(move) == Op::Add ? number(move.right, at) : 0);
}

void FusedEpilogue::batch_norm(const Simd& s, const FusedStep& step, const int64_t* at, float* out, const float* x,
                               int64_t n) {
  const int i = plan_.operand_of[step.right];
  if (repeated_[i]) {
    const float* const factors = repeated_[i] + at[0] % channels_;
    s.lines.normalise(out, x, 0, 1, factors, factors + channels_ + kPiece, n);
    return;
  }
  const int64_t channel = at[1 + i], run = plan_.strides[i] == 0 ? n : 1;
  for (int64_t k = 0; k < n; k += run) {
    const auto [factor, shift] = channel_of(step, channel + k * plan_.strides[i]);
    s.elements.affine(out + k, x + k, run, factor, shift);
  }
}

void KernelArgs::apply_epilogue(int64_t begin, int64_t count) const { epilogue->run(begin, count); }

Status epilogue_only(const KernelArgs& args) {
  const Functions functions(args.node);
  args.epilogue->use(*functions);
  const Range range = args.part(args.node.element_count(), 64);
  args.done(range.begin, range.size());
  return {};
}

}  // namespace arenascope::cpu
