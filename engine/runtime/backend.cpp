// SPDX-License-Identifier: MIT
#include <arenascope/runtime/backend.h>

#include <cstring>

#include <fmt/format.h>

namespace arenascope {

Status Backend::upload(const Storage& to, const std::byte* from, Bytes bytes) {
  if (bytes > to.bytes()) return Error{fmt::format("{} bytes do not fit in a storage of {}", bytes, to.bytes())};
  if (bytes > 0) std::memcpy(to.data(), from, static_cast<size_t>(bytes));
  return {};
}

Status Backend::download(std::byte* to, const Storage& from, Bytes bytes) {
  if (bytes > from.bytes()) return Error{fmt::format("{} bytes asked of a storage of {}", bytes, from.bytes())};
  if (bytes > 0) std::memcpy(to, from.data(), static_cast<size_t>(bytes));
  return {};
}

Status Backend::register_memory(ExecutionContext&) { return {}; }

Result<std::vector<BenchRow>> Backend::bench(bool) {
  return Error{fmt::format("{} has nothing to measure by itself", name())};
}

Result<Storage> Backend::allocate_packed(const TensorImpl& tensor, ExecutionContext&) {
  return Error{fmt::format("'{}' is packed, which {} does not know", tensor.name, name())};
}

Status Backend::prepare(std::span<TensorImpl* const>, ExecutionContext&) { return {}; }

Launch Backend::launch(const TensorImpl& node) {
  return {[](const Launch& self, const ComputeParams& params) { return self.backend->compute(*self.node, params); },
          this, &node, nullptr};
}

}  // namespace arenascope
