// SPDX-License-Identifier: MIT
#include "engine/models/onnx/symbolic_call.h"

#include <arenascope/models/host_array.h>

#include "engine/models/onnx/sparse_tensors.h"

namespace arenascope::models::symbolic {

SymbolicSizes numbers_of(std::span<const int64_t> values) {
  SymbolicSizes out;
  for (const int64_t value : values) out.push_back(number(value));
  return out;
}

SymbolicTensor constant_tensor(const ir::TensorData& data) {
  std::vector<int64_t> sizes = data.full_shape;
  if (sizes.empty()) sizes.assign(data.sizes.begin(), data.sizes.end());
  SymbolicTensor out = shaped(numbers_of(sizes));
  const bool integers = data.dtype == DType::I64 || data.dtype == DType::I32;
  if (!integers || data.strings || element_count(data.sizes) > kMaxNumbers) return out;
  if (const auto known = ir::known_numbers(data, *data.dtype)) out.numbers = numbers_of(known->ints);
  return out;
}

const SymbolicTensor* SymbolicCall::in(size_t i) const {
  const auto found = i < node_.inputs.size() ? values_.find(node_.inputs[i]) : values_.end();
  return found == values_.end() ? nullptr : &found->second;
}

const SymbolicSizes* SymbolicCall::shape(size_t i) const {
  const SymbolicTensor* x = in(i);
  return x && x->shape ? &*x->shape : nullptr;
}

const SymbolicSizes* SymbolicCall::numbers(size_t i) const {
  const SymbolicTensor* x = in(i);
  return x && x->numbers ? &*x->numbers : nullptr;
}

const ir::Attribute* SymbolicCall::attribute(const char* name) const {
  const auto found = node_.attributes.find(name);
  return found == node_.attributes.end() ? nullptr : &found->second;
}

int64_t SymbolicCall::integer(const char* name, int64_t fallback) const {
  const ir::Attribute* a = attribute(name);
  return a ? a->i : fallback;
}

std::optional<std::vector<int64_t>> SymbolicCall::integers(size_t i, const char* name) const {
  if (const ir::Attribute* a = attribute(name)) return a->ints;
  const SymbolicSizes* from = numbers(i);
  if (!from) return std::nullopt;
  std::vector<int64_t> out;
  for (const SymbolicSize& n : *from) {
    if (!n || !n->is_number()) return std::nullopt;
    out.push_back(n->constant);
  }
  return out;
}

std::optional<size_t> SymbolicCall::axis(int64_t axis, size_t rank) {
  if (axis < 0) axis += static_cast<int64_t>(rank);
  return axis >= 0 && axis < static_cast<int64_t>(rank) ? std::optional(static_cast<size_t>(axis)) : std::nullopt;
}

// Concat and Gather of a tensor with itself double its elements or its rank.
void SymbolicCall::out(size_t i, SymbolicTensor value) {
  constexpr size_t kMaxRank = 64;
  if (value.shape && value.shape->size() > kMaxRank) value.shape.reset();
  if (value.numbers && value.numbers->size() > kMaxNumbers) value.numbers.reset();
  if (i < node_.outputs.size() && !node_.outputs[i].empty()) values_[node_.outputs[i]] = std::move(value);
}

void SymbolicCall::require(const SymbolicSize& a, const SymbolicSize& b) {
  if (a && b && !(a->is_number() && b->is_number())) equations_.add(*a, *b);
}

SymbolicSizes SymbolicCall::broadcast_sizes(const SymbolicSizes& a, const SymbolicSizes& b) {
  const SymbolicSizes &longer = a.size() < b.size() ? b : a, &shorter = a.size() < b.size() ? a : b;
  SymbolicSizes out = longer;
  for (size_t i = 0; i < shorter.size(); ++i) {
    SymbolicSize& size = out[out.size() - 1 - i];
    const SymbolicSize& other = shorter[shorter.size() - 1 - i];
    if (is_number(other, 1)) continue;
    if (!is_number(size, 1)) require(size, other);
    if (is_number(size, 1) || (other && other->is_number()))
      size = other;
    else if (!other)
      size = std::nullopt;
  }
  return out;
}

}  // namespace arenascope::models::symbolic
