// SPDX-License-Identifier: MIT
// A backend of three ops for the runtime's own tests: f32, contiguous, split by elements.
#pragma once
#include <arenascope/runtime/backend.h>

#include <atomic>
#include <new>

namespace arenascope::test {

class ToyBackend final : public StatelessBackend {
 public:
  std::string_view name() const override { return "toy"; }
  Device device() const override { return {}; }
  std::string description() const override { return "ADD, RELU and COPY for tests"; }
  bool runs_on_host_threads() const override { return host_threads; }
  Status supports(const TensorImpl& node) const override {
    if (node.op == Op::Add || node.op == Op::Relu || node.op == Op::Copy) return {};
    return Error{std::string(arenascope::name(node.op)) + " is not one of its ops"};
  }
  int tasks(const TensorImpl& node, int threads) const override { return node.element_count() < 8 ? 1 : threads; }
  Bytes work_bytes(const TensorImpl& node, int) const override { return node.op == Op::Add ? 256 : 128; }
  Status compute(const TensorImpl& node, const ComputeParams& p) override {
    ++calls;
    if (node.name == fail_at) return Error{"simulated failure"};
    if (node.name == throw_at && p.ith == p.nth - 1) throw std::bad_alloc();
    const int64_t n = node.element_count();
    const float* a = node.sources[0]->data_as<float>();
    float* out = node.data_as<float>();
    for (int64_t i = n * p.ith / p.nth; i < n * (p.ith + 1) / p.nth; ++i) {
      if (node.op == Op::Relu)
        out[i] = a[i] > 0 ? a[i] : 0;
      else if (node.op == Op::Copy)
        out[i] = a[i];
      else
        out[i] = a[i] + node.sources[1]->data_as<float>()[i];
    }
    return {};
  }

  std::string fail_at, throw_at;  // nodes
  bool host_threads = true;       // else it is called as a device that shares the host's memory
  std::atomic<int> calls{0};
};

}  // namespace arenascope::test
