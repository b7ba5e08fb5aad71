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

FusedEpilogue::FusedEpilogue(const TensorImpl& node)
    : node_(node), p_(node.params.get<FusedParams>()), nest_(nest_of(node, p_)), last_(&simd()) {
  std::fill(std::begin(operand_of_), std::end(operand_of_), int8_t{-1});
  each_source(p_, [&](int8_t source, bool) {
    if (operand_of_[source] >= 0) return;
    strides_[operands_] = nest_.inner_stride(1 + operands_);
    bases_[operands_] = node.sources[static_cast<size_t>(source)]->data_as<float>();
    operand_of_[source] = static_cast<int8_t>(operands_++);
  });
  find_places();
  if (node.channels_last()) repeat_channels();
  find_quantising();
}

void FusedEpilogue::repeat_channels() {
  channels_ = node_.sizes[1];
  const auto length = static_cast<size_t>(channels_ + kPiece);
  rows_.resize(2 * length * static_cast<size_t>(operands_));
  const auto again = [&](float* row) {
    for (size_t i = static_cast<size_t>(channels_); i < length; ++i) row[i] = row[i - static_cast<size_t>(channels_)];
  };
  bool seen[LoopNest::kOperands] = {};
  const auto is_first = [&](int i) { return !std::exchange(seen[i], true); };
  for (int s = 0; s < p_.steps; ++s) {
    const FusedStep& step = p_.step[s];
    if (FusedParams::op(step) != Op::BatchNorm || !is_first(operand_of_[step.right])) continue;
    float *const factors = rows_.data() + 2 * length * static_cast<size_t>(operand_of_[step.right]), *const shifts =
                                                                                                         factors +
                                                                                                         length;
    for (int64_t c = 0; c < channels_; ++c) {
      const auto [factor, shift] = channel_of(step, c);
      factors[c] = factor, shifts[c] = shift;
    }
    again(factors), again(shifts);
    repeated_[operand_of_[step.right]] = factors;
  }
  each_source(p_, [&](int8_t source, bool channels) {
    const TensorImpl& operand = *node_.sources[static_cast<size_t>(source)];
    const int i = operand_of_[source];
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
void FusedEpilogue::find_places() {
  int last[kMaxSteps + 1];
  for (int v = 0; v <= p_.steps; ++v) last[v] = v;  // a value without readers dies immediately
  const auto reads = [&](int i, auto&& f) {
    const FusedStep& step = p_.step[i];
    if (step.left < 0) f(-1 - step.left);
    if (step_operands(FusedParams::op(step)) == 2 && step.right < 0) f(-1 - step.right);
  };
  for (int i = 0; i < p_.steps; ++i) reads(i, [&](int v) { last[v] = i + 1; });
  std::fill(std::begin(place_), std::end(place_), kNowhere);
  bool result_free = false, free[kMaxSteps];
  std::fill(std::begin(free), std::end(free), true);
  if (p_.anchor_op() != Op::None) place_[0] = kResult;
  for (int i = 0; i < p_.steps; ++i) {
    reads(i, [&](int v) {
      if (last[v] != i + 1) return;
      if (place_[v] == kResult)
        result_free = true;
      else
        free[place_[v]] = true;
    });
    if (i + 1 == p_.steps || result_free) {
      place_[i + 1] = kResult;
      result_free = false;
    } else {
      const auto at = std::find(std::begin(free), std::end(free), true) - std::begin(free);
      place_[i + 1] = static_cast<int8_t>(at);
      free[at] = false;
    }
  }
}

void FusedEpilogue::find_quantising() {
  if (!ends_with_cast(p_)) return;
  int i = p_.steps - 1;
  // True if the step before the i-th is `op` and the i-th step consumes its result.
  const auto follows = [&](Op op, bool by_number) {
    if (i == 0 || p_.step[i].left != -1 - i || FusedParams::op(p_.step[i - 1]) != op) return false;
    return !by_number || scalar(p_.step[i - 1].right);
  };
  if (follows(Op::Add, true)) --i;
  if (!follows(Op::Round, false)) return;
  --i;
  if (!follows(Op::Div, true)) return;
  quantising_ = i - 1;
  quantise_ = node_.dtype == DType::U8   ? simd().casts.quantise_u8
              : node_.dtype == DType::I8 ? simd().casts.quantise_i8
                                         : nullptr;
}

void FusedEpilogue::run(int64_t begin, int64_t count) {
  nest_.rows({begin, begin + count}, kPiece, [&](const int64_t* at, int64_t n) { piece(at, n); });
}

// An operand's elements of this piece.
const float* FusedEpilogue::value(int8_t operand, const int64_t* at, int64_t n, float* to, int side) {
  if (operand < 0) {
    const int8_t place = place_[-1 - operand];
    return place == kResult ? to : buffers_[place];
  }
  const int i = operand_of_[operand];
  if (repeated_[i]) return repeated_[i] + at[0] % channels_;
  const float* const from = bases_[i] + at[1 + i];
  if (strides_[i] == 1) return from;
  loader<float>(DType::F32)(read_[side], reinterpret_cast<const std::byte*>(from), strides_[i], n);
  return read_[side];
}

void FusedEpilogue::piece(const int64_t* at, int64_t n) {
  float* const to = ends_with_cast(p_) ? nullptr : node_.data_as<float>() + at[0];  // then no value is stored there
  for (int i = 0; i < (quantise_ ? quantising_ : p_.steps); ++i) {
    const FusedStep& step = p_.step[i];
    const Op op = FusedParams::op(step);
    const Simd& s = i + 1 == p_.steps ? *last_ : simd();
    float* const out = place_[i + 1] == kResult ? to : buffers_[place_[i + 1]];
    if (op == Op::Cast) {
      std::byte* const cast = node_.data() + at[0] * element_bytes(node_.dtype);
      storer<float>(node_.dtype)(cast, 1, value(step.left, at, n, read_[0], 0), n);
    } else if (op == Op::BatchNorm) {
      batch_norm(s, step, at, out, value(step.left, at, n, to, 0), n);
    } else if (step_operands(op) == 1) {
      unary_row(s, op, out, value(step.left, at, n, to, 0), n, step.p, step.q);
    } else if (scalar(step.right) && (op == Op::Add || op == Op::Sub || op == Op::Mul)) {
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
  if (!quantise_) return;
  const FusedStep &division = p_.step[quantising_], &move = p_.step[quantising_ + 2];
  quantise_(node_.data() + at[0], value(division.left, at, n, read_[0], 0), n, number(division.right, at),
            FusedParams::op(move) == Op::Add ? number(move.right, at) : 0);
}

void FusedEpilogue::batch_norm(const Simd& s, const FusedStep& step, const int64_t* at, float* out, const float* x,
                               int64_t n) {
  const int i = operand_of_[step.right];
  if (repeated_[i]) {
    const float* const factors = repeated_[i] + at[0] % channels_;
    s.lines.normalise(out, x, 0, 1, factors, factors + channels_ + kPiece, n);
    return;
  }
  const int64_t channel = at[1 + i], run = strides_[i] == 0 ? n : 1;
  for (int64_t k = 0; k < n; k += run) {
    const auto [factor, shift] = channel_of(step, channel + k * strides_[i]);
    s.elements.affine(out + k, x + k, run, factor, shift);
  }
}

void KernelArgs::apply_epilogue(int64_t begin, int64_t count) const { epilogue->run(begin, count); }

Status compute_with_epilogue(Status (*compute)(const KernelArgs& args), const KernelArgs& args) {
  FusedEpilogue epilogue(args.node);
  KernelArgs own{args.node, args.ith, args.nth, args.work, args.work_bytes, args.packed, args.rounds, &epilogue};
  return compute(own);
}

Status epilogue_only(const KernelArgs& args) {
  const Functions functions(args.node);
  args.epilogue->use(*functions);
  const Range range = args.part(args.node.element_count(), 64);
  args.done(range.begin, range.size());
  return {};
}

}  // namespace arenascope::cpu
