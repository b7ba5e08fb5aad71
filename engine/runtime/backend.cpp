// SPDX-License-Identifier: MIT
#include <arenascope/runtime/backend.h>

#include <cstring>

#include <fmt/format.h>

namespace arenascope {
namespace {

class PlainNode final : public PreparedNode {
 public:
  PlainNode(PlainBackend& backend, const TensorImpl& node) : backend_(backend), node_(node) {}
  Status compute(const ComputeParams& params) override { return backend_.compute(node_, params); }

 private:
  PlainBackend& backend_;
  const TensorImpl& node_;
};

}  // namespace

Status DeviceMemory::upload(const Storage& to, const std::byte* from, Bytes bytes) {
  if (bytes > to.bytes()) return Error{fmt::format("{} bytes do not fit in a storage of {}", bytes, to.bytes())};
  if (bytes > 0) std::memcpy(to.data(), from, static_cast<size_t>(bytes));
  return {};
}

Status DeviceMemory::download(std::byte* to, const Storage& from, Bytes bytes) {
  if (bytes > from.bytes()) return Error{fmt::format("{} bytes asked of a storage of {}", bytes, from.bytes())};
  if (bytes > 0) std::memcpy(to, from.data(), static_cast<size_t>(bytes));
  return {};
}

Result<Storage> DeviceMemory::allocate_packed(const TensorImpl& tensor, ExecutionContext&) {
  return Error{fmt::format("'{}' is packed, which {} does not know", tensor.name, to_string(device()))};
}

Result<Storage> DeviceMemory::reacquire_packed(const std::byte*, ExecutionContext&) {
  return Error{fmt::format("{} knows no packed tensors", to_string(device()))};
}

uint64_t places_of(std::span<const TensorImpl* const> nodes, const std::byte* work) {
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

Result<std::unique_ptr<PreparedRun>> PlainBackend::prepare(std::span<const TensorImpl* const> nodes, ExecutionContext&,
                                                           const PreparedRun*) {
  PreparedRun::Nodes prepared;
  prepared.reserve(nodes.size());
  for (const TensorImpl* node : nodes) prepared.push_back(std::make_unique<PlainNode>(*this, *node));
  return std::make_unique<PreparedRun>(std::move(prepared));
}

}  // namespace arenascope
