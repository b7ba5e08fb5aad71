// SPDX-License-Identifier: MIT
#include "engine/runtime/transfer.h"

#include <arenascope/runtime/device_transfer.h>

namespace arenascope {
namespace {

class Transfer final : public PreparedNode {
 public:
  Transfer(Backend& device, const TensorImpl& node) : device_(device), node_(node) {}

  Status compute(const ComputeParams&) override {
    device_.attribute_copies(&node_);
    const Status done = copy();
    device_.attribute_copies(nullptr);
    return done;
  }

 private:
  Status copy() {
    auto bytes = read_tensor(device_, *node_.sources[0]);
    return bytes ? write_tensor(device_, node_, *bytes) : Status(bytes.error());
  }

  Backend& device_;
  const TensorImpl& node_;
};

}  // namespace

std::unique_ptr<PreparedNode> make_transfer(Backend& device, const TensorImpl& node) {
  return std::make_unique<Transfer>(device, node);
}

}  // namespace arenascope
