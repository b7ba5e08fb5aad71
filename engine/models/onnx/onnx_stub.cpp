// SPDX-License-Identifier: MIT
// Replaces onnx_proto.cpp in a build without libonnx.
#include <fmt/format.h>
#include "engine/models/onnx/onnx_ir.h"

namespace arenascope::models::ir {

namespace {
constexpr const char* kAbsent = "this Arenascope was built without libonnx and cannot read ONNX";
}

Result<File> parse_onnx(const std::shared_ptr<const MappedFile>&, const std::filesystem::path&) {
  return Error{kAbsent};
}
Result<File> read_onnx(const std::filesystem::path& path) {
  return Error{fmt::format("{}: {}", path.string(), kAbsent)};
}
Result<TensorData> parse_tensor(const std::shared_ptr<const MappedFile>&) { return Error{kAbsent}; }
Result<Parsed> parse_value(const std::shared_ptr<const MappedFile>&, ValueType::Kind) { return Error{kAbsent}; }
std::vector<std::byte> serialize_tensor(const std::string&, DType, const Dims&, std::span<const std::byte>,
                                        const StringTable&, bool) {
  return {};
}

}  // namespace arenascope::models::ir
