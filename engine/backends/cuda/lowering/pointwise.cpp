// SPDX-License-Identifier: MIT
// Pointwise nodes and chains of them as programs over one accumulator.
#include "engine/backends/cuda/kernels/pointwise.h"

#include <cmath>
#include <vector>

#include "engine/backends/cuda/lowering/families.h"
#include "engine/backends/cuda/lowering/shapes.h"

namespace arenascope::cuda {
namespace {

// Load: no step does what the op does. The steps have their ops' names.
Do step_of(Op op) {
  static constexpr struct {
    Op op;
    Do step;
  } kSteps[] = {
#define X(id, ...) {Op::id, Do::id},
      ARENASCOPE_BINARY_OPS(X) ARENASCOPE_COMPARISON_OPS(X) ARENASCOPE_CHOICE_OPS(X) ARENASCOPE_UNARY_OPS(X)
#undef X
  };
  for (const auto& known : kSteps)
    if (known.op == op) return known.step;
  return Do::Load;
}

// The class in which a node computes: that of what it works on, not of what it makes.
const TensorImpl& worked_on(const TensorImpl& node) { return *node.sources[node.op == Op::Where ? 1 : 0]; }

NumberClass computes_in(const TensorImpl& node) {
  if (node.op != Op::Cast) return class_of(worked_on(node).dtype);
  const DType from = node.sources[0]->dtype;
  if (class_of(from) == NumberClass::Whole) return NumberClass::Whole;
  return class_of(from) == NumberClass::Float && class_of(node.dtype) == NumberClass::Float ? NumberClass::Float
                                                                                            : NumberClass::Double;
}

// A program being written: the inputs and how they lie over the result's shape.
class Program {
 public:
  explicit Program(const TensorImpl& result) : result_(result) {
    work_.out = bytes(result);
    work_.out_type = result.dtype;
  }

  bool begin(const TensorImpl& first) { return step(Do::Load, &first); }

  // Adds what `node` does; its source number `accumulated` is the accumulator. False: there is no room, or no way.
  bool add(const TensorImpl& node, size_t accumulated) {
    const auto other = [&](size_t i) { return node.sources[i]; };
    switch (node.op) {
      case Op::Cast: return node.dtype == DType::Bool ? step(Do::Truth) : true;
      case Op::BatchNorm: {
        if (accumulated != 0) return false;
        const double epsilon = static_cast<double>(node.params.get<BatchNormParams>().epsilon);
        return step(Do::Sub, other(3), 0, 0, true) && step(Do::MulRsqrt, other(4), epsilon, 0, true) &&
               step(Do::Mul, other(1), 0, 0, true) && step(Do::Add, other(2), 0, 0, true);
      }
      case Op::Where: {
        if (accumulated != 0 || inputs_.size() + 2 > kMostInputs) return false;
        const bool added = step(Do::Where, other(1));
        inputs_.push_back({other(2), false});
        return added;
      }
      default: break;
    }
    const Do what = step_of(node.op);
    if (what == Do::Load) return false;
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
      case Do::Sub: return step(Do::SubFrom, other(0));
      case Do::Div: return step(Do::DivInto, other(0));
      case Do::Less: return step(Do::Greater, other(0));
      case Do::LessEqual: return step(Do::GreaterEqual, other(0));
      case Do::Greater: return step(Do::Less, other(0));
      case Do::GreaterEqual: return step(Do::LessEqual, other(0));
      case Do::Add:
      case Do::Mul:
      case Do::Min:
      case Do::Max:
      case Do::Equal:
      case Do::And:
      case Do::Or:
      case Do::Xor: return step(what, other(0));
      default: return false;  // POW, MOD
    }
  }

  const PointwiseWork& finish() {
    Places<kMostInputs + 1>& places = work_.places;
    const int rank = result_.rank();
    for (int d = rank - 1; d >= 0; --d) {
      int64_t strides[kMostInputs + 1] = {result_.strides[d]};
      for (size_t i = 0; i < inputs_.size(); ++i) {
        const Input& input = inputs_[i];
        strides[i + 1] =
            input.channels ? (d == 1 ? input.tensor->strides[0] : 0) : broadcast_stride(*input.tensor, rank, d);
        if (input.channels && input.tensor->sizes[0] == 1) strides[i + 1] = 0;
      }
      add_dimension(places, result_.sizes[d], strides);
    }
    cuda::finish(places);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      work_.in[i] = bytes(*inputs_[i].tensor);
      work_.types[i] = inputs_[i].tensor->dtype;
      if (work_.types[i] == DType::U64) work_.is_unsigned = true;
    }
    work_.vector = vectors();
    return work_;
  }

 private:
  struct Input {
    const TensorImpl* tensor;
    bool channels;  // one element a channel, the result's dimension 1
  };

  bool step(Do what, const TensorImpl* input = nullptr, double a = 0, double b = 0, bool channels = false) {
    if (work_.steps == kMostSteps || (input && inputs_.size() == kMostInputs)) return false;
    work_.step[work_.steps++] = {what, static_cast<int32_t>(inputs_.size()), a, b};
    if (input) inputs_.push_back({input, channels});
    return true;
  }

  // Whether all arrays let a thread handle eight neighbours.
  bool vectors() const {
    const auto& p = work_.places;
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

  const TensorImpl& result_;
  PointwiseWork work_;
  std::vector<Input> inputs_;
};

Status queue_program(Queue& queue, NumberClass c, const PointwiseWork& work) {
  if (work.places.count == 0) return {};
  const KernelId id = pick(c, KernelId::pointwise_f32, KernelId::pointwise_f64, KernelId::pointwise_whole);
  return queue.launch(id, grid_for(queue, work.vector ? work.places.count / kVector : work.places.count), work);
}

// Whether a node can stand in a chain at all.
bool chains(const TensorImpl& node) {
  if (!has_work(node) || (node.op != Op::Cast && node.op != Op::BatchNorm && step_of(node.op) == Do::Load))
    return false;
  return !info(node.dtype).quantised && !info(node.sources[0]->dtype).quantised;
}

size_t source_place(const TensorImpl& node, const TensorImpl& source) {
  size_t found = node.sources.size();
  for (size_t i = 0; i < node.sources.size(); ++i)
    if (node.sources[i] == &source) found = found == node.sources.size() ? i : node.sources.size() + 1;
  return found;
}

struct Range {
  const char *begin, *end;
};
Range range(const TensorImpl& t) { return {bytes(t), bytes(t) + t.byte_span()}; }

// Whether the result may be written while the input is still read: they lie apart, or element upon element.
bool lies_well(const TensorImpl& result, const TensorImpl& input) {
  const Range a = range(result), b = range(input);
  if (a.end <= b.begin || b.end <= a.begin) return true;
  return a.begin == b.begin && result.sizes == input.sizes && input.contiguous() &&
         info(result.dtype).block_bytes == info(input.dtype).block_bytes;
}

// Writes the chain's program; null if it has no room for it.
bool write_chain(std::span<const TensorImpl* const> chain, Program& program) {
  const TensorImpl& head = *chain[0];
  if (!program.begin(*head.sources[0]) || !program.add(head, 0)) return false;
  for (size_t i = 1; i < chain.size(); ++i) {
    const size_t at = source_place(*chain[i], *chain[i - 1]);
    if (at >= chain[i]->sources.size() || !program.add(*chain[i], at)) return false;
  }
  return true;
}

}  // namespace

Status lower_pointwise(const Job& job) {
  Program program(job.node);
  if (!program.begin(*job.node.sources[0]) || !program.add(job.node, 0))
    return refuse(job.node, "no kernel computes it");
  return queue_program(job.queue, computes_in(job.node), program.finish());
}

size_t chain_length(std::span<const TensorImpl* const> nodes,
                    bool (*only_user)(const void* context, const TensorImpl& node), const void* context) {
  if (nodes.empty() || !chains(*nodes[0])) return 1;
  const NumberClass c = computes_in(*nodes[0]);
  size_t length = 1;
  while (length < nodes.size() && length < kLongestChain) {
    const TensorImpl &last = *nodes[length - 1], &next = *nodes[length];
    if (!chains(next) || computes_in(next) != c || !(next.sizes == last.sizes) || !only_user(context, last)) break;
    // What a narrow type would cut off must not come back in a wider one.
    if (c == NumberClass::Whole && last.dtype != DType::I64 && last.dtype != DType::U64 && last.dtype != DType::Bool)
      break;
    const auto tried = nodes.first(length + 1);
    Program program(next);
    if (!write_chain(tried, program)) break;
    ++length;
  }
  // What the chain reads must not be overwritten by its result; a shorter chain may do.
  for (; length > 1; --length) {
    bool well = true;
    const TensorImpl& result = *nodes[length - 1];
    for (size_t i = 0; well && i < length; ++i)
      for (const TensorImpl* source : nodes[i]->sources)
        if (i == 0 || source != nodes[i - 1]) well = well && lies_well(result, *source);
    if (well) break;
  }
  return length;
}

Status lower_chain(std::span<const TensorImpl* const> chain, Queue& queue) {
  Program program(*chain.back());
  if (!write_chain(chain, program)) return refuse(*chain.back(), "its chain is too long");
  return queue_program(queue, computes_in(*chain[0]), program.finish());
}

}  // namespace arenascope::cuda
