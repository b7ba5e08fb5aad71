// SPDX-License-Identifier: MIT
#include <arenascope/backends/reference/reference_backend.h>

#include <new>

#include <fmt/format.h>

#include "engine/backends/reference/values.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // a family that is missing here is a compile error

namespace arenascope::reference {
namespace {

Error refuse(const TensorImpl& node, const std::string& text) {
  return Error{fmt::format("{} '{}' on the reference: {}", arenascope::name(node.op), node.name, text)};
}

class ReferenceBackend : public StatelessBackend {
 public:
  std::string_view name() const override { return "reference"; }
  Device device() const override { return {}; }
  std::string description() const override { return "the yardstick: one thread, double precision, no haste"; }
  bool runs_on_host_threads() const override { return true; }
  Status supports(const TensorImpl& node) const override {
    const OpFamily family = info(node.op).family;
    if (family == OpFamily::Unknown) return refuse(node, fmt::format("unknown op {}", static_cast<int>(node.op)));
    if (family == OpFamily::Opaque || family == OpFamily::Fused) return refuse(node, "nothing computes it");
    if (info(node.dtype).quantised && has_work(node))
      return refuse(node, fmt::format("result type {} is not supported", arenascope::name(node.dtype)));
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
      return refuse(node, "out of memory");
    }
    return {};
  }
};

}  // namespace

Result<std::vector<Real>> evaluate(const TensorImpl& node, Reading reading) {
  const OpFamily family = info(node.op).family;
  if (family == OpFamily::Contraction) return products(node, reading);
  Sources sources;
  for (const TensorImpl* source : node.sources) sources.push_back(read(*source, reading));
  switch (family) {
    case OpFamily::Movement: return movement(node, sources);
    case OpFamily::Binary:
    case OpFamily::Comparison:
    case OpFamily::Choice:
    case OpFamily::Unary: return pointwise(node, sources);
    case OpFamily::Window: return windows(node, sources);
    case OpFamily::Norm: return norms(node, sources);
    case OpFamily::Reduction: return reductions(node, sources);
    case OpFamily::Line: return lines(node, sources);
    case OpFamily::Host: return host_ops(node, sources);
    case OpFamily::Contraction:
    case OpFamily::Unknown:
    case OpFamily::Given:
    case OpFamily::View:
    case OpFamily::Opaque:
    case OpFamily::Fused: break;
  }
  return refuse(node, "nothing computes it");
}

std::unique_ptr<Backend> make_reference_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace arenascope::reference
