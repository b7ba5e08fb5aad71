// SPDX-License-Identifier: MIT
// Removes the weight data from an ONNX file before protobuf parses it, since protobuf would copy all of it. Protobuf
// parses the same message with each payload replaced by its number. Source: protobuf's description of its wire format;
// field numbers from onnx.proto.
#pragma once
#include <arenascope/base/result.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace arenascope::models::ir {

struct CutMessage {
  std::vector<std::byte> skeleton;                   // for protobuf
  std::vector<std::span<const std::byte>> payloads;  // in the file, by number
};

enum class OnnxMessage : uint8_t { Model, Graph, Node, Attribute, Tensor, SparseTensor, Function };

// Cuts raw_data, and contiguous float_data, out of the initialisers and attribute tensors of `bytes`, a message of this
// kind. In the skeleton, raw_data of such a tensor holds only the payload's number.
// Error: fields that exceed their message, or messages nested deeper than protobuf permits.
Result<CutMessage> cut_payloads(std::span<const std::byte> bytes, OnnxMessage kind);

// The number that replaces a payload; none if `raw_data` is not from such a skeleton.
std::optional<size_t> payload_number(std::string_view raw_data);

}  // namespace arenascope::models::ir
