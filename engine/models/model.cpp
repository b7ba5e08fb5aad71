// SPDX-License-Identifier: MIT
#include <arenascope/base/checked.h>
#include <arenascope/models/model.h>
#include <arenascope/models/zoo.h>
#include <fmt/format.h>

namespace arenascope::models {

Status Model::load_weights(ExecutionContext& execution) {
  constexpr Bytes kAlignment = 64;
  std::vector<Bytes> offsets;
  offsets.reserve(weights.size());
  Bytes total = 0;
  for (const Weight& weight : weights) {
    offsets.push_back(total);
    auto end = checked_add(total, weight.tensor->byte_count());
    if (!end || *end > INT64_MAX - kAlignment) return Error{fmt::format("'{}': its weights overflow 2^63 bytes", name)};
    total = static_cast<Bytes>(align_up(static_cast<uint64_t>(*end), kAlignment));
  }
  auto block = Storage::allocate(execution, Device{}, MemoryKind::Persistent, total, kAlignment);
  if (!block) return Error{fmt::format("the weights of '{}' cannot be held: {}", name, block.error().message)};
  for (size_t i = 0; i < weights.size(); ++i) {
    TensorImpl& tensor = *weights[i].tensor;
    auto slice = block->sub_storage(offsets[i], tensor.byte_count());
    if (!slice) return slice.error();
    if (tensor.byte_count() > 0)
      if (auto written = weights[i].write(slice->data()); !written) return written;
    tensor.storage = std::move(*slice);
  }
  return {};
}

Result<Model> open_model(const std::string& spec, const OpenOptions& options) {
  if (spec.starts_with("zoo:")) return open_zoo(std::string_view(spec).substr(4), options);
  return Error{fmt::format("'{}' is neither zoo:NAME nor a model file that can be read", spec)};
}

}  // namespace arenascope::models
