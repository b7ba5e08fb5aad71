// SPDX-License-Identifier: MIT
#include <arenascope/backends/reference/reference_backend.h>

#include <new>

#include <fmt/format.h>

#include "engine/backends/reference/values.h"

namespace arenascope::reference {
namespace {

enum class Group { None, Pointwise, Movement, Lines, Windows, Products };

Group group_of(Op op) {
  switch (op) {
    case Op::Cont:
    case Op::Cast:
    case Op::Concat:
    case Op::Pad:
    case Op::Gather:
    case Op::GatherElements:
    case Op::Fill:
    case Op::Arange:
    case Op::DepthToSpace:
    case Op::Tril:
    case Op::Copy: return Group::Movement;
    case Op::MulMat:
    case Op::Conv:
    case Op::ConvTranspose:
    case Op::Attention:
    case Op::Lstm: return Group::Products;
    case Op::MaxPool:
    case Op::AvgPool:
    case Op::Lrn:
    case Op::Resize: return Group::Windows;
    case Op::Norm:
    case Op::RmsNorm:
    case Op::GroupNorm:
    case Op::SoftMax:
    case Op::LogSoftMax:
    case Op::ReduceSum:
    case Op::ReduceMean:
    case Op::ReduceMax:
    case Op::ReduceMin:
    case Op::ReduceProd:
    case Op::ReduceL2:
    case Op::ArgMax:
    case Op::ArgMin:
    case Op::TopKValues:
    case Op::TopKIndices:
    case Op::CumSum:
    case Op::Rope: return Group::Lines;
    case Op::Fused:
    case Op::Opaque: return Group::None;
    default: return op == Op::None || info(op).is_view() ? Group::None : Group::Pointwise;
  }
}

class ReferenceBackend : public Backend {
 public:
  std::string_view name() const override { return "reference"; }
  Device device() const override { return {}; }
  std::string description() const override { return "the yardstick: one thread, double precision, no haste"; }
  bool runs_on_host_threads() const override { return true; }
  Status supports(const TensorImpl& node) const override {
    if (node.op == Op::Opaque || node.op == Op::Fused)
      return Error{fmt::format("{} '{}' on the reference: nothing computes it", arenascope::name(node.op), node.name)};
    if (info(node.dtype).quantised && has_work(node))
      return Error{fmt::format("{} '{}' on the reference: it cannot make {}", arenascope::name(node.op), node.name,
                               arenascope::name(node.dtype))};
    return {};
  }
  int tasks(const TensorImpl&, int) const override { return 1; }
  Bytes work_bytes(const TensorImpl&, int) const override { return 0; }

  Status compute(const TensorImpl& node, const ComputeParams& params) override {
    if (!has_work(node) || params.ith != 0) return {};
    if (auto status = supports(node); !status) return status;
    try {
      auto values = evaluate(node);
      if (!values) return values.error();
      write(node, *values);
    } catch (const std::bad_alloc&) {
      return Error{
          fmt::format("{} '{}' on the reference: there is not enough memory", arenascope::name(node.op), node.name)};
    }
    return {};
  }
};

}  // namespace

Result<std::vector<Real>> evaluate(const TensorImpl& node, Reading reading) {
  const Group group = group_of(node.op);
  if (group == Group::Products) return products(node, reading);
  Sources sources;
  for (const TensorImpl* source : node.sources) sources.push_back(read(*source, reading));
  if (group == Group::Lines) return lines(node, sources);
  if (group == Group::Windows) return windows(node, sources);
  return group == Group::Movement ? movement(node, sources) : pointwise(node, sources);
}

std::unique_ptr<Backend> make_reference_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace arenascope::reference
