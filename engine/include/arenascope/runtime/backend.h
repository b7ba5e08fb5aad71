// SPDX-License-Identifier: MIT
// What the runtime asks of a backend: what it can compute, its memory, what it tells of its runs, and to prepare nodes. A
// host backend (the CPU) is called by all threads for each node; a device backend is called by one thread and queues the
// work.
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
  // Makes the nodes ready, each of which supports() accepts; weights are bound. Constant weights are packed here, once for
  // all nodes that read them alike; what `previous`, an earlier run of this backend, packed of the same weights is taken
  // over. Errors: no memory, a node that nothing computes.
  virtual Result<std::unique_ptr<PreparedRun>> prepare(std::span<const TensorImpl* const> nodes,
                                                       ExecutionContext& context, const PreparedRun* previous) = 0;
  Result<std::unique_ptr<PreparedRun>> prepare(std::span<const TensorImpl* const> nodes, ExecutionContext& context) {
    return prepare(nodes, context, nullptr);
  }
};

// A number that changes when one of the nodes, a source of theirs or the scratch has got another place.
uint64_t places_of(std::span<const TensorImpl* const> nodes, const std::byte* work);

// A backend that has nothing to prepare.
class PlainBackend : public Backend {
 public:
  using Backend::prepare;
  Result<std::unique_ptr<PreparedRun>> prepare(std::span<const TensorImpl* const> nodes, ExecutionContext& context,
                                               const PreparedRun* previous) override;
  // As PreparedNode::compute(). Also called for nodes without work.
  virtual Status compute(const TensorImpl& node, const ComputeParams& params) = 0;
};

}  // namespace arenascope
