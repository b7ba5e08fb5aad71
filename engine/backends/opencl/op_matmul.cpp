// SPDX-License-Identifier: MIT
#include <algorithm>

#include "engine/backends/opencl/ops.h"
#include "engine/backends/opencl/winograd.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

namespace arenascope::opencl {
namespace {

struct ConvArgs {
  cl_int stride[3], dilation[3], begin[3];
  cl_int groups;
};

Status conv(KernelContext& ctx, const TensorImpl& node) {
  const auto p = node.params.get<ConvParams>();
  ConvArgs args{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, p.groups};
  for (int d = 0; d < p.spatial; ++d) {
    const int dimension = 3 - p.spatial + d;
    args.stride[dimension] = p.strides[d];
    args.dilation[dimension] = p.dilations[d];
    args.begin[dimension] = p.pads_begin[d];
  }
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  const bool biased = node.sources.size() > 2;
  const TensorImpl& bias = biased ? *node.sources[2] : w;
  return Call(ctx, "matmul", domain_option(domain_of(x.dtype)) + " -DCONV",
              node.op == Op::Conv ? "conv" : "conv_transpose")
      .tensor(x, five_dimensions(x))
      .tensor(w, five_dimensions(w))
      .tensor(bias, layout_of(bias))
      .tensor(node, five_dimensions(node))
      .arg(cl_long(node.element_count()))
      .arg(args)
      .arg(static_cast<cl_int>(biased))
      .items(node.element_count());
}

// The leading dimensions of an input, broadcast to those of the result.
Layout leading(const TensorImpl& t, const TensorImpl& node) {
  Layout l = broadcast_layout(t, node.sizes);
  l.rank = std::max(0, l.rank - 2);
  // The last two dimensions are not broadcast: an input of rank 2 has no leading dimensions.
  const int shift = node.rank() - t.rank();
  for (int d = 0; d < l.rank; ++d) l.stride[d] = d < shift || t.sizes[d - shift] == 1 ? 0 : t.strides[d - shift];
  return l;
}

Status mul_mat(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl &a = *node.sources[0], &b = *node.sources[1];
  const bool biased = node.sources.size() > 2;
  const TensorImpl& bias = biased ? *node.sources[2] : a;
  const auto stride = [](const TensorImpl& t, int back) { return cl_long(back < t.rank() ? t.strides.back(back) : 0); };
  const bool doubles = a.dtype == DType::F64 || b.dtype == DType::F64;
  const std::string options =
      domain_option(doubles ? 1 : 0) + " -DMUL_MAT" + (info(a.dtype).quantised ? " -DWITH_QUANTISED" : "");
  return Call(ctx, "matmul", options, "mul_mat")
      .tensor(a, leading(a, node))
      .arg(stride(a, 1))
      .arg(stride(a, 0))
      .tensor(b, leading(b, node))
      .arg(stride(b, 1))
      .arg(stride(b, 0))
      .tensor(bias, layout_of(bias))
      .tensor(node, layout_of(node))
      .arg(cl_long(node.element_count()))
      .arg(cl_long(node.sizes.back(1)))
      .arg(cl_long(node.sizes.back()))
      .arg(cl_long(a.sizes.back()))
      .arg(node.params.get<MulMatParams>().scale)
      .arg(static_cast<cl_int>(biased))
      .items(node.element_count());
}

Status attention(KernelContext& ctx, const TensorImpl& node, const ComputeParams& params) {
  const auto p = node.params.get<AttentionParams>();
  const TensorImpl &q = *node.sources[0], &k = *node.sources[1], &v = *node.sources[2];
  const bool masked = node.sources.size() > 3;
  const TensorImpl& mask = masked ? *node.sources[3] : q;
  const int64_t heads = node.sizes.back(2), queries = node.sizes.back(1), value_width = node.sizes.back(),
                keys = k.sizes.back(1);
  const int64_t rows = node.element_count() / value_width, key_heads = k.sizes.back(2);
  const Bytes bytes = rows * keys * 4;
  Layout lq = layout_of(q), lk = layout_of(k), lv = layout_of(v), lm = layout_of(mask);
  if (masked) {
    Dims sizes = node.sizes;
    sizes[sizes.rank() - 1] = keys;
    lm = broadcast_layout(mask, sizes);
  }
  for (Layout* l : {&lq, &lk, &lv, &lm}) collapse({l});
  const bool quantised = info(k.dtype).quantised || info(v.dtype).quantised;
  const char* options = quantised ? " -DATTENTION -DWITH_QUANTISED" : " -DATTENTION";
  if (auto ok = Call(ctx, "matmul", options, "scores")
                    .tensor(q, lq)
                    .tensor(k, lk)
                    .tensor(mask, lm)
                    .scratch(params.work, bytes)
                    .arg(cl_long(rows * keys))
                    .arg(cl_long(queries))
                    .arg(cl_long(keys))
                    .arg(cl_long(heads))
                    .arg(cl_long(key_heads))
                    .arg(cl_long(q.sizes.back()))
                    .arg(p.scale)
                    .arg(static_cast<cl_int>(masked))
                    .arg(static_cast<cl_int>(p.causal))
                    .items(rows * keys);
      !ok)
    return ok;
  if (auto ok = Call(ctx, "matmul", options, "row_soft_max")
                    .scratch(params.work, bytes)
                    .arg(cl_long(rows))
                    .arg(cl_long(keys))
                    .items(rows, 8);
      !ok)
    return ok;
  return Call(ctx, "matmul", options, "values")
      .scratch(params.work, bytes)
      .tensor(v, lv)
      .tensor(node, layout_of(node))
      .arg(cl_long(node.element_count()))
      .arg(cl_long(queries))
      .arg(cl_long(keys))
      .arg(cl_long(heads))
      .arg(cl_long(key_heads))
      .arg(cl_long(value_width))
      .items(node.element_count());
}

// Scratch of a recurrent layer: state, cell, gates, each aligned.
struct LstmScratch {
  int64_t states;  // directions · batch · hidden
  Bytes part;      // aligned bytes of state or cell
  Bytes gates;
  LstmScratch(const KernelContext& ctx, const TensorImpl& node) {
    const auto p = node.params.get<LstmParams>();
    states = node.sources[1]->sizes[0] * node.sources[0]->sizes[1] * p.hidden;
    part = (states * 4 + ctx.alignment - 1) / ctx.alignment * ctx.alignment;
    gates = states * 16;
  }
};

// A recurrent layer: initial states, then for each step the gates, and from them cells and states.
class Lstm {
 public:
  Lstm(KernelContext& ctx, const TensorImpl& node, const ComputeParams& params)
      : ctx_(ctx),
        node_(node),
        p_(node.params.get<LstmParams>()),
        scratch_(ctx, node),
        state_(params.work),
        cell_(state_ + scratch_.part),
        gate_(cell_ + scratch_.part) {
    size_t next = 3;
    const auto optional = [&](int bit) -> const TensorImpl* {
      return p_.present & bit ? node.sources[next++] : nullptr;
    };
    bias_ = optional(1);
    h0_ = optional(2);
    c0_ = optional(4);
  }

  Status run() {
    if (auto ok = begin(h0_, state_); !ok) return ok;
    if (auto ok = begin(c0_, cell_); !ok) return ok;
    for (int64_t step = 0; step < x().sizes[0]; ++step) {
      if (auto ok = gates(step); !ok) return ok;
      if (auto ok = cells(step); !ok) return ok;
    }
    return {};
  }

 private:
  const TensorImpl& x() const { return *node_.sources[0]; }
  Call call(const char* kernel) { return Call(ctx_, "matmul", " -DLSTM", kernel); }
  static Layout flat(const TensorImpl& t) {
    Layout l = layout_of(t);
    collapse({&l});
    return l;
  }

  // Zeros if no initial state is given.
  Status begin(const TensorImpl* from, std::byte* to) {
    const TensorImpl& given = from ? *from : x();
    return call("begin_states")
        .tensor(given, flat(given))
        .scratch(to, scratch_.states * 4)
        .arg(cl_long(scratch_.states))
        .arg(static_cast<cl_int>(from != nullptr))
        .items(scratch_.states);
  }

  Status gates(int64_t step) {
    const TensorImpl &w = *node_.sources[1], &r = *node_.sources[2], &b = bias_ ? *bias_ : x();
    return call("gates")
        .tensor(x(), flat(x()))
        .tensor(w, flat(w))
        .tensor(r, flat(r))
        .tensor(b, flat(b))
        .scratch(state_, scratch_.states * 4)
        .scratch(gate_, scratch_.gates)
        .arg(cl_long(scratch_.states * 4))
        .arg(cl_long(step))
        .arg(cl_long(x().sizes[0]))
        .arg(cl_long(x().sizes[1]))
        .arg(cl_long(x().sizes[2]))
        .arg(cl_long(p_.hidden))
        .arg(cl_int(p_.direction))
        .arg(static_cast<cl_int>(bias_ != nullptr))
        .items(scratch_.states * 4);
  }

  Status cells(int64_t step) {
    return call("cells")
        .scratch(gate_, scratch_.gates)
        .scratch(state_, scratch_.states * 4)
        .scratch(cell_, scratch_.states * 4)
        .tensor(node_, layout_of(node_))
        .arg(cl_long(scratch_.states))
        .arg(cl_long(step))
        .arg(cl_long(x().sizes[0]))
        .arg(cl_long(x().sizes[1]))
        .arg(cl_long(p_.hidden))
        .arg(cl_long(node_.sources[1]->sizes[0]))
        .arg(cl_int(p_.direction))
        .items(scratch_.states);
  }

  KernelContext& ctx_;
  const TensorImpl& node_;
  const LstmParams p_;
  const LstmScratch scratch_;
  std::byte *state_, *cell_, *gate_;
  const TensorImpl *bias_ = nullptr, *h0_ = nullptr, *c0_ = nullptr;
};

}  // namespace

Bytes matmul_work_bytes(const KernelContext& ctx, const TensorImpl& node) {
  if (node.op == Op::Attention)
    return node.element_count() / std::max<int64_t>(1, node.sizes.back()) * node.sources[1]->sizes.back(1) * 4;
  if (node.op == Op::Lstm) {
    const LstmScratch scratch(ctx, node);
    return 2 * scratch.part + scratch.gates;
  }
  if (node.op == Op::MulMat) return quantised_work_bytes(ctx, node);
  if (node.op == Op::Conv) return winograd_work_bytes(ctx, node);
  return 0;
}

Status run_matmul(KernelContext& ctx, const TensorImpl& node, const ComputeParams& params) {
  switch (static_cast<ContractionOp>(node.op)) {
    case ContractionOp::MulMat: return mul_mat(ctx, node);
    case ContractionOp::Conv:
    case ContractionOp::ConvTranspose: return conv(ctx, node);
    case ContractionOp::Attention: return attention(ctx, node, params);
    case ContractionOp::Lstm: return Lstm(ctx, node, params).run();
  }
  return no_kernel(node);
}

}  // namespace arenascope::opencl
