// SPDX-License-Identifier: MIT
#include <arenascope/runtime/backend.h>

#include <cstring>

#include <fmt/format.h>

namespace arenascope {
namespace {

class StatelessNode final : public PreparedNode {
 public:
  StatelessNode(StatelessBackend& backend, const TensorImpl& node) : backend_(backend), node_(node) {}
  Status compute(const ComputeParams& params) override { return backend_.compute(node_, params); }

 private:
  StatelessBackend& backend_;
  const TensorImpl& node_;
};

}  // namespace

Status DeviceMemory::upload(const Storage& to, const std::byte* from, Bytes bytes) {
  if (bytes > to.bytes())
    return Error{fmt::format("cannot write {} bytes to a storage of {} bytes", bytes, to.bytes())};
  if (bytes > 0) std::memcpy(to.data(), from, static_cast<size_t>(bytes));
  return {};
}

Status DeviceMemory::download(std::byte* to, const Storage& from, Bytes bytes) {
  if (bytes > from.bytes())
    return Error{fmt::format("cannot read {} bytes from a storage of {} bytes", bytes, from.bytes())};
  if (bytes > 0) std::memcpy(to, from.data(), static_cast<size_t>(bytes));
  return {};
}

Result<Storage> DeviceMemory::allocate_image(const TensorImpl& tensor, ExecutionContext&) {
  return Error{fmt::format("cannot allocate '{}' as an image: {} has no images", tensor.name, to_string(device()))};
}

Result<Storage> DeviceMemory::reacquire_image(const std::byte*, ExecutionContext&) {
  return Error{fmt::format("{} has no images", to_string(device()))};
}

uint64_t address_fingerprint(std::span<const TensorImpl* const> nodes, const std::byte* work) {
  uint64_t sum = reinterpret_cast<uintptr_t>(work);
  const auto add = [&](const TensorImpl& tensor) {
    sum = (sum ^ reinterpret_cast<uintptr_t>(tensor.data())) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  };
  for (const TensorImpl* node : nodes) {
    add(*node);
    for (const TensorImpl* source : node->sources) add(*source);
  }
  return sum;
}

Result<std::unique_ptr<PreparedGraph>> StatelessBackend::prepare(std::span<const TensorImpl* const> nodes,
                                                                 ExecutionContext&, const PreparedGraph*) {
  PreparedGraph::Nodes prepared;
  prepared.reserve(nodes.size());
  for (const TensorImpl* node : nodes) prepared.push_back(std::make_unique<StatelessNode>(*this, *node));
  return std::make_unique<PreparedGraph>(std::move(prepared));
}

}  // namespace arenascope
