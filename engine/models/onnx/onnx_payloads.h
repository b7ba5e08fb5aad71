// SPDX-License-Identifier: MIT
// Takes the weights' bytes out of an ONNX file before protobuf parses it: protobuf would copy every one of them. What
// it is given instead is the same message in which each payload is replaced by its number. Source: protobuf's
// description of its wire format; field numbers from onnx.proto.
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

// Cuts raw_data, and float_data that stands in one piece, out of the initialisers and attribute tensors of `bytes`,
// which is a message of this kind. Every raw_data of such a tensor in the skeleton holds a number and nothing else.
// Error: fields that reach beyond their message, or messages nested deeper than protobuf reads them.
Result<CutMessage> cut_payloads(std::span<const std::byte> bytes, OnnxMessage kind);

// The number that stands in for a payload; none if `raw_data` is not of such a skeleton.
std::optional<size_t> payload_number(std::string_view raw_data);

}  // namespace arenascope::models::ir
