// SPDX-License-Identifier: MIT
// The interface of a backend: capabilities, device memory, telemetry, and preparation of nodes. All threads call a host
// backend (the CPU) for each node; one thread calls a device backend, which queues the work.
#pragma once
#include <memory>
#include <span>

#include <arenascope/runtime/device_memory.h>
#include <arenascope/runtime/prepared.h>
#include <arenascope/runtime/telemetry.h>
#include <arenascope/transform/capabilities.h>

namespace arenascope {

class Backend : public Capabilities, public DeviceMemory, public Telemetry {
 public:
  // Prepares nodes that supports() accepts; their weights must be bound. Constant weights are packed here, once for all
  // nodes that use the same form. Packed weights of `previous`, an earlier graph of this backend, are reused. Errors: out
  // of memory, a node without a kernel.
  virtual Result<std::unique_ptr<PreparedGraph>> prepare(std::span<const TensorImpl* const> nodes,
                                                         ExecutionContext& context, const PreparedGraph* previous) = 0;
  Result<std::unique_ptr<PreparedGraph>> prepare(std::span<const TensorImpl* const> nodes, ExecutionContext& context) {
    return prepare(nodes, context, nullptr);
  }
};

// A hash of the addresses of the nodes, their inputs and the work buffer. It changes when one of them has moved.
uint64_t address_fingerprint(std::span<const TensorImpl* const> nodes, const std::byte* work);

// A backend that computes nodes without preparation.
class StatelessBackend : public Backend {
 public:
  using Backend::prepare;
  Result<std::unique_ptr<PreparedGraph>> prepare(std::span<const TensorImpl* const> nodes, ExecutionContext& context,
                                                 const PreparedGraph* previous) override;
  // Like PreparedNode::compute(). Also called for nodes without work.
  virtual Status compute(const TensorImpl& node, const ComputeParams& params) = 0;
};

}  // namespace arenascope
