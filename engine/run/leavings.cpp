// SPDX-License-Identifier: MIT
#include "engine/run/leavings.h"

#include <arenascope/models/npy.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace arenascope {

void Leavings::begin_with(const Tensor& all, const models::Words& words, bool complex) {
  kind_ = {all.dtype(), {}, words != nullptr, complex};
  for (int d = 1; d < all->rank(); ++d) kind_.sizes.push_back(all.sizes()[d]);
  known_ = true;
  count_ = all->rank() > 0 ? all.sizes()[0] : 0;
  add_bytes({all->data(), static_cast<size_t>(all->byte_count())}, words);
}

Status Leavings::add(const models::ValueInfo& value, std::span<const std::byte> bytes) {
  const Kind kind{value.dtype, value.tensor.sizes(), value.words != nullptr, value.complex};
  if (known_ && !(kind == kind_))
    return Error{fmt::format("a turn leaves {} {}, those before it left {} {}", name(kind.dtype), to_string(kind.sizes),
                             name(kind_.dtype), to_string(kind_.sizes))};
  kind_ = kind;
  known_ = true;
  ++count_;
  add_bytes(bytes, value.words);
  return {};
}

Status Leavings::give(const std::string& name, models::GivenInputs& values) {
  if (!known_) return Error{"it does not go round once, and what a turn would leave is not known"};
  Dims sizes{count_};
  for (const int64_t size : kind_.sizes) sizes.push_back(size);
  auto tensor = models::host_tensor(sizes, kind_.dtype);
  if (!tensor) return tensor.error();
  std::copy(bytes_.begin(), bytes_.end(), (*tensor)->data());
  values.tensors[name] = std::move(*tensor);
  if (kind_.words) values.words[name] = words_.take();
  if (kind_.complex) values.complex.insert(name);
  return {};
}

void Leavings::add_bytes(std::span<const std::byte> bytes, const models::Words& words) {
  const size_t at = bytes_.size();
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  if (!words) return;
  if (words != last_) {
    last_ = words;
    places_.clear();
    for (const std::string& word : *words) places_.push_back(words_.place(word));
  }
  for (size_t i = at; i + sizeof(int64_t) <= bytes_.size(); i += sizeof(int64_t)) {
    int64_t place = 0;
    std::memcpy(&place, bytes_.data() + i, sizeof place);
    place = place >= 0 && static_cast<size_t>(place) < places_.size() ? places_[static_cast<size_t>(place)] : 0;
    std::memcpy(bytes_.data() + i, &place, sizeof place);
  }
}

}  // namespace arenascope
