// SPDX-License-Identifier: MIT
#include "engine/models/onnx/sparse_tensors.h"
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/onnx/small_types.h"

#include <cstring>

namespace arenascope::models::ir {
namespace {

constexpr Bytes kMaxBytes = Bytes{1} << 32;  // with zeros, which the file does not hold

Result<std::vector<int64_t>> in_a_line(const TensorData& from, const Dims& sizes, int64_t count, bool lines) {
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(count));
  const int rank = lines ? 1 : sizes.rank();
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0;
    for (int d = 0; d < rank; ++d) {
      int64_t index = 0;
      std::memcpy(&index, from.bytes().data() + static_cast<size_t>(i * rank + d) * sizeof index, sizeof index);
      const int64_t size = lines ? element_count(sizes) : sizes[d];
      if (index < 0 || index >= size) return Error{fmt::format("a number is at {} of {}", index, size)};
      place = place * size + index;
    }
    out.push_back(place);
  }
  return out;
}

}  // namespace

Result<TensorData> with_zeros(const TensorData& values, const TensorData& indices, const std::vector<int64_t>& sizes) {
  TensorData out;
  out.name = values.name;
  if (!values.dtype || values.strings || remembered_type(values.type) != 0) return out;
  out.type = values.type, out.dtype = values.dtype;
  if (sizes.empty() || sizes.size() > kMaxDims)
    return Error{fmt::format("it is sparse in {} dimensions", sizes.size())};
  out.sizes = Dims(sizes);
  const auto bytes = checked_byte_count(out.sizes, *out.dtype);
  if (!bytes || *bytes > kMaxBytes)
    return Error{
        fmt::format("with its zeros, {} of {}, it is too large", to_string(out.sizes), arenascope::name(*out.dtype))};
  out.byte_count = *bytes;
  const int64_t count = element_count(values.sizes);
  const bool lines = indices.sizes == Dims{count};
  if (values.sizes.rank() != 1 || indices.dtype != DType::I64 ||
      (!lines && !(indices.sizes == Dims{count, out.sizes.rank()})))
    return Error{fmt::format("it has {} numbers and indices {}", to_string(values.sizes), to_string(indices.sizes))};
  auto at = in_a_line(indices, out.sizes, count, lines);
  if (!at) return at.error();
  const auto each = static_cast<size_t>(element_bytes(*out.dtype));
  out.source = WeightSource([source = values.source, line = std::move(*at), all = static_cast<size_t>(*bytes),
                             each](std::byte* to) -> Status {
    const auto plain = WeightReader::read(source, line.size() * each);
    if (!plain) return plain.error();
    if (all > 0) std::memset(to, 0, all);
    for (size_t i = 0; i < line.size(); ++i)
      std::memcpy(to + static_cast<size_t>(line[i]) * each, plain->data() + i * each, each);
    return {};
  });
  return out;
}

std::shared_ptr<HostArray> known_numbers(const TensorData& data, DType dtype) {
  if (element_count(data.sizes) > HostArray::kMaxElements) return nullptr;
  const auto from = [&](const std::byte* bytes) {
    return std::make_shared<HostArray>(HostArray::from_bytes(dtype, data.sizes, bytes));
  };
  if (data.lies_as_bytes()) return from(data.bytes().data());
  const auto plain = WeightReader::read(data.source, static_cast<size_t>(data.byte_count));
  return plain ? from(plain->data()) : nullptr;
}

}  // namespace arenascope::models::ir
