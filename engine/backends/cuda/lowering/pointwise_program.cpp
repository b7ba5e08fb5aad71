// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/lowering/pointwise_program.h"

#include <algorithm>
#include <cmath>

namespace arenascope::cuda {
namespace {

// Load: no step for the op. Steps have the names of their ops.
PointwiseOpcode step_of(Op op) {
  static constexpr struct {
    Op op;
    PointwiseOpcode step;
  } kSteps[] = {
#define X(id, ...) {Op::id, PointwiseOpcode::id},
      ARENASCOPE_BINARY_OPS(X) ARENASCOPE_COMPARISON_OPS(X) ARENASCOPE_CHOICE_OPS(X) ARENASCOPE_UNARY_OPS(X)
#undef X
  };
  for (const auto& known : kSteps)
    if (known.op == op) return known.step;
  return PointwiseOpcode::Load;
}

const TensorImpl& worked_on(const TensorImpl& node) { return *node.sources[node.op == Op::Where ? 1 : 0]; }

}  // namespace

NumberClass computes_in(const TensorImpl& node) {
  if (node.op != Op::Cast) return class_of(worked_on(node).dtype);
  const DType from = node.sources[0]->dtype;
  if (class_of(from) == NumberClass::Whole) return NumberClass::Whole;
  return class_of(from) == NumberClass::Float && class_of(node.dtype) == NumberClass::Float ? NumberClass::Float
                                                                                            : NumberClass::Double;
}

bool has_step(Op op) { return step_of(op) != PointwiseOpcode::Load; }

PointwiseProgram::PointwiseProgram(const TensorImpl& result) : result_(result) {
  work_.out = bytes(result);
  work_.out_type = result.dtype;
}

bool PointwiseProgram::add(const TensorImpl& node, size_t accumulated) {
  const auto other = [&](size_t i) { return node.sources[i]; };
  switch (node.op) {
    case Op::Cast: return node.dtype == DType::Bool ? step(PointwiseOpcode::Truth) : true;
    case Op::BatchNorm: {
      if (accumulated != 0) return false;
      const double epsilon = static_cast<double>(node.params.get<BatchNormParams>().epsilon);
      return step(PointwiseOpcode::Sub, other(3), 0, 0, true) &&
             step(PointwiseOpcode::MulRsqrt, other(4), epsilon, 0, true) &&
             step(PointwiseOpcode::Mul, other(1), 0, 0, true) && step(PointwiseOpcode::Add, other(2), 0, 0, true);
    }
    case Op::Where: {
      if (accumulated != 0 || inputs_.size() + 2 > kMaxInputs) return false;
      const bool added = step(PointwiseOpcode::Where, other(1));
      inputs_.push_back({other(2), false});
      return added;
    }
    default: break;
  }
  const PointwiseOpcode what = step_of(node.op);
  if (what == PointwiseOpcode::Load) return false;
  if (node.sources.size() == 1) {
    auto [a, b] = scalars_of(node);
    if (class_of(node.dtype) == NumberClass::Whole) {
      const double least = node.dtype == DType::U64 ? 0.0 : -0x1p63, most = 0x1.fffffffffffffp62;
      a = std::clamp(std::trunc(a), least, most);
      b = std::clamp(std::trunc(b), least, most);
    }
    return step(what, nullptr, a, b);
  }
  if (accumulated == 0) return step(what, other(1));
  // The accumulator is the second operand.
  switch (what) {
    case PointwiseOpcode::Sub: return step(PointwiseOpcode::SubFrom, other(0));
    case PointwiseOpcode::Div: return step(PointwiseOpcode::DivInto, other(0));
    case PointwiseOpcode::Less: return step(PointwiseOpcode::Greater, other(0));
    case PointwiseOpcode::LessEqual: return step(PointwiseOpcode::GreaterEqual, other(0));
    case PointwiseOpcode::Greater: return step(PointwiseOpcode::Less, other(0));
    case PointwiseOpcode::GreaterEqual: return step(PointwiseOpcode::LessEqual, other(0));
    case PointwiseOpcode::Add:
    case PointwiseOpcode::Mul:
    case PointwiseOpcode::Min:
    case PointwiseOpcode::Max:
    case PointwiseOpcode::Equal:
    case PointwiseOpcode::And:
    case PointwiseOpcode::Or:
    case PointwiseOpcode::Xor: return step(what, other(0));
    default: return false;  // POW, MOD
  }
}

bool PointwiseProgram::step(PointwiseOpcode what, const TensorImpl* input, double a, double b, bool channels) {
  if (work_.steps == kMaxSteps || (input && inputs_.size() == kMaxInputs)) return false;
  work_.step[work_.steps++] = {what, static_cast<int32_t>(inputs_.size()), a, b};
  if (input) inputs_.push_back({input, channels});
  return true;
}

void PointwiseProgram::lay_out() {
  StridedIndexer<kMaxInputs + 1>& indexer = work_.indexer;
  const int rank = result_.rank();
  for (int d = rank - 1; d >= 0; --d) {
    int64_t strides[kMaxInputs + 1] = {result_.strides[d]};
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      strides[i + 1] =
          input.channels ? (d == 1 ? input.tensor->strides[0] : 0) : broadcast_stride(*input.tensor, rank, d);
      if (input.channels && input.tensor->sizes[0] == 1) strides[i + 1] = 0;
    }
    add_dimension(indexer, result_.sizes[d], strides);
  }
  cuda::finish(indexer);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    work_.in[i] = bytes(*inputs_[i].tensor);
    work_.types[i] = inputs_[i].tensor->dtype;
    if (work_.types[i] == DType::U64) work_.is_unsigned = true;
  }
  work_.vector = vectors();
}

// True if all arrays allow eight adjacent elements per thread.
bool PointwiseProgram::vectors() const {
  const auto& p = work_.indexer;
  if (p.rank == 0 || p.count < kVector || p.strides[0][0] != 1 || (p.rank > 1 && p.sizes[0] % kVector != 0))
    return false;
  const auto fits = [&](int array, const char* base, DType type) {
    if (p.strides[array][0] == 0) return true;
    if (p.strides[array][0] != 1 || !aligned(base, vector_alignment(type))) return false;
    for (int d = 1; d < p.rank; ++d)
      if (p.strides[array][d] % kVector != 0) return false;
    return true;
  };
  if (!fits(0, work_.out, work_.out_type)) return false;
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (!fits(static_cast<int>(i) + 1, work_.in[i], work_.types[i])) return false;
  return true;
}

// True if every array has the result's layout, one value per channel, or a single value.
bool PointwiseProgram::is_flat(FlatWork& flat) const {
  const auto& p = work_.indexer;
  const auto in_floats = [](DType type) { return class_of(type) == NumberClass::Float; };
  if (p.wide || p.count % kVector != 0 || !in_floats(work_.out_type) || !aligned(work_.out, 16)) return false;
  int64_t dense = 1;
  for (int d = 0; d < p.rank; ++d) {
    if (p.strides[0][d] != dense) return false;
    dense *= p.sizes[d];
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const int64_t* strides = p.strides[i + 1];
    if (!in_floats(work_.types[i])) return false;
    flat.in[i] = work_.in[i];
    flat.types[i] = work_.types[i];
    if (std::equal(strides, strides + p.rank, p.strides[0])) {
      if (!aligned(work_.in[i], 16)) return false;
      flat.lies[i] = Lies::Dense;
    } else if (std::all_of(strides, strides + p.rank, [](int64_t s) { return s == 0; })) {
      flat.lies[i] = Lies::One;
    } else if (p.rank <= 3 && strides[0] == 0 && (p.rank < 3 || strides[2] == 0) && p.sizes[0] >= kVector) {
      flat.lies[i] = Lies::Channel;
      flat.strides[i] = strides[1];
      flat.by_channel = true;
    } else {
      return false;
    }
  }
  for (int s = 0; s < work_.steps; ++s) {
    if (work_.step[s].what == PointwiseOpcode::Where) return false;
    flat.step[s] = work_.step[s];
  }
  if (flat.by_channel) {
    flat.inner = p.dividers[0];
    flat.channels = p.dividers[1];
  }
  const auto is_narrow = [](DType type) { return info(type).block_bytes == 2; };
  flat.narrow = is_narrow(work_.out_type) && std::all_of(work_.types, work_.types + inputs_.size(), is_narrow);
  flat.out = work_.out;
  flat.out_type = work_.out_type;
  flat.count = p.count;
  flat.inputs = static_cast<int32_t>(inputs_.size());
  flat.steps = work_.steps;
  return true;
}

Status PointwiseProgram::queue(Queue& queue, NumberClass numbers) {
  lay_out();
  const int64_t count = work_.indexer.count;
  if (count == 0) return {};
  if (FlatWork flat; numbers == NumberClass::Float && is_flat(flat)) {
    // One block per set of vectors, without a grid-stride loop.
    const int64_t threads = 128, each = threads * kFlatCount;
    const auto all = [&](DType type) {
      bool same = flat.out_type == type;
      for (int i = 0; i < flat.inputs; ++i) same = same && (flat.lies[i] != Lies::Dense || flat.types[i] == type);
      return same;
    };
    if (flat.inputs == 1 && flat.lies[0] == Lies::Dense && (all(DType::F32) || all(DType::F16))) {
      const int64_t block = threads * kUnaryPieces * 16 / info(flat.out_type).block_bytes;
      return queue.launch(flat.out_type == DType::F32 ? KernelId::unary_f32 : KernelId::unary_f16,
                          {static_cast<uint32_t>((count + block - 1) / block), static_cast<uint32_t>(threads), 0},
                          flat);
    }
    const KernelId id = all(DType::F32)   ? KernelId::pointwise_flat_f32
                        : all(DType::F16) ? KernelId::pointwise_flat_f16
                                          : KernelId::pointwise_flat;
    return queue.launch(id, {static_cast<uint32_t>((count + each - 1) / each), static_cast<uint32_t>(threads), 0},
                        flat);
  }
  const KernelId id = pick(numbers, KernelId::pointwise_f32, KernelId::pointwise_f64, KernelId::pointwise_int);
  return queue.launch(id, grid_for(queue, work_.vector ? count / kVector : count), work_);
}

}  // namespace arenascope::cuda
