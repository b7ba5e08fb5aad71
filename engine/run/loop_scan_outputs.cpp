// SPDX-License-Identifier: MIT
#include "engine/run/loop_scan_outputs.h"

#include <arenascope/models/npy.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace arenascope {

void ScanOutputs::start_with(const Tensor& all, const models::StringTable& strings, bool complex) {
  kind_ = {all.dtype(), {}, strings != nullptr, complex};
  for (int d = 1; d < all->rank(); ++d) kind_.sizes.push_back(all.sizes()[d]);
  known_ = true;
  count_ = all->rank() > 0 ? all.sizes()[0] : 0;
  add_bytes({all->data(), static_cast<size_t>(all->byte_count())}, strings);
}

Status ScanOutputs::add(const models::ValueInfo& value, std::span<const std::byte> bytes) {
  const Kind kind{value.dtype, value.tensor.sizes(), value.strings != nullptr, value.complex};
  if (known_ && !(kind == kind_))
    return Error{fmt::format("a scan output has type {} {}, but {} {} in earlier iterations", name(kind.dtype),
                             to_string(kind.sizes), name(kind_.dtype), to_string(kind_.sizes))};
  kind_ = kind;
  known_ = true;
  ++count_;
  add_bytes(bytes, value.strings);
  return {};
}

Status ScanOutputs::store(const std::string& name, models::GivenInputs& values) {
  if (!known_) return Error{"the loop has no iteration, and the type of its scan output is unknown"};
  Dims sizes{count_};
  for (const int64_t size : kind_.sizes) sizes.push_back(size);
  auto tensor = models::host_tensor(sizes, kind_.dtype);
  if (!tensor) return tensor.error();
  std::copy(bytes_.begin(), bytes_.end(), (*tensor)->data());
  values.tensors[name] = std::move(*tensor);
  if (kind_.strings) values.strings[name] = strings_.take();
  if (kind_.complex) values.complex.insert(name);
  return {};
}

void ScanOutputs::add_bytes(std::span<const std::byte> bytes, const models::StringTable& strings) {
  const size_t at = bytes_.size();
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  if (!strings) return;
  if (strings != last_) {
    last_ = strings;
    joint_index_.clear();
    for (const std::string& text : *strings) joint_index_.push_back(strings_.place(text));
  }
  for (size_t i = at; i + sizeof(int64_t) <= bytes_.size(); i += sizeof(int64_t)) {
    int64_t index = 0;
    std::memcpy(&index, bytes_.data() + i, sizeof index);
    index =
        index >= 0 && static_cast<size_t>(index) < joint_index_.size() ? joint_index_[static_cast<size_t>(index)] : 0;
    std::memcpy(bytes_.data() + i, &index, sizeof index);
  }
}

}  // namespace arenascope
