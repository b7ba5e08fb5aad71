// SPDX-License-Identifier: MIT
// Element types as model files store them. Every type of a format can be inspected; a type is also loaded if some DType
// holds its values exactly.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/models/model.h>
#include <arenascope/models/weight_source.h>
#include <arenascope/tensor/shape.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace arenascope::models {

struct StoredType {
  const char* name;                        // as shown
  int32_t block_elements;                  // elements in a block
  int32_t block_bytes;                     // bytes of a block
  std::optional<DType> loaded_as = {};     // none: tensors of this type can be inspected but not run
  void (*convert)(const std::byte* block,  // writes one block as `loaded_as`; null: the bytes are the same
                  std::byte* out) = nullptr;
};

// The DType whose bytes a tensor of this type has; none if there is no such DType.
inline std::optional<DType> native_dtype(const StoredType& type) {
  return type.convert ? std::nullopt : type.loaded_as;
}

// Bytes of a contiguous tensor. Errors: those of checked_element_count(); the elements are no multiple of a block.
Result<Bytes> stored_byte_count(const Dims& sizes, const StoredType& type);

// The values of `stored`, which has that many bytes, as `type.loaded_as`; converted when they are read. The type is an
// entry of a table and outlives the source.
WeightSource loaded_source(const StoredType& type, const WeightSource& stored, Bytes bytes);

// A tensor of a GGUF or safetensors file.
struct StoredTensor {
  std::string name;
  const StoredType* type = nullptr;
  Dims sizes;                        // outermost first
  std::span<const std::byte> bytes;  // in the mapped file
};

// Sets Model::file_tensors.
void list_file_tensors(std::span<const StoredTensor> tensors, Model& model);

// A model without a graph, whose tensors can be inspected; `problems` states why it cannot be run.
Result<Model> inspected_only(const std::string& format, std::vector<std::string> problems,
                             std::span<const StoredTensor> tensors);

}  // namespace arenascope::models
