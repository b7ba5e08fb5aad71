// SPDX-License-Identifier: MIT
#include "engine/models/stored_type.h"
#include <arenascope/base/checked.h>
#include <fmt/format.h>

#include <utility>

namespace arenascope::models {

Result<Bytes> stored_byte_count(const Dims& sizes, const StoredType& type) {
  auto count = checked_element_count(sizes);
  if (!count) return count.error();
  if (*count % type.block_elements != 0)
    return Error{fmt::format("shape {} has {} elements: expected a multiple of {}, the block size of {}",
                             to_string(sizes), *count, type.block_elements, type.name)};
  auto bytes = checked_mul(*count / type.block_elements, type.block_bytes);
  if (!bytes) return Error{fmt::format("shape {} of {} has more than 2^63-1 bytes", to_string(sizes), type.name)};
  return *bytes;
}

WeightSource loaded_source(const StoredType& type, const WeightSource& stored, Bytes bytes) {
  if (!type.convert) return stored;
  return WeightSource::converted(stored, [&type, stored, bytes = static_cast<size_t>(bytes)](std::byte* out) -> Status {
    const auto block = static_cast<size_t>(type.block_bytes);
    const auto reader = WeightReader::read(stored, bytes);
    if (!reader) return reader.error();
    const DTypeInfo& to = info(*type.loaded_as);
    const auto step = static_cast<size_t>(type.block_elements / to.block_elements * to.block_bytes);
    constexpr size_t kReleased = size_t{1} << 16;  // blocks after which the pages that were read are released
    for (size_t i = 0; i < bytes / block; ++i) {
      type.convert(reader->data() + i * block, out + i * step);
      if (i % kReleased == kReleased - 1) reader->done(i * block);
    }
    return stored.unchanged();
  });
}

void list_file_tensors(std::span<const StoredTensor> tensors, Model& model) {
  model.file_tensors.clear();
  for (const StoredTensor& tensor : tensors)
    model.file_tensors.push_back({tensor.name, tensor.type->name, tensor.sizes, static_cast<Bytes>(tensor.bytes.size()),
                                  tensor.type->loaded_as});
}

Result<Model> inspected_only(const std::string& format, std::vector<std::string> problems,
                             std::span<const StoredTensor> tensors) {
  Model model;
  auto context = Context::create({.no_alloc = true});
  if (!context) return context.error();
  model.context = std::move(*context);
  model.format = format;
  model.problems = std::move(problems);
  for (const StoredTensor& tensor : tensors) model.parameter_bytes += static_cast<Bytes>(tensor.bytes.size());
  return model;
}

}  // namespace arenascope::models
