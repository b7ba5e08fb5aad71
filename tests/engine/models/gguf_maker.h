// SPDX-License-Identifier: MIT
// Writes small GGUF files: metadata, and tensors of f32 or of bytes in any of its types.
#pragma once
#include <arenascope/tensor/shape.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace arenascope::models::test {

class GgufMaker {
 public:
  GgufMaker& text(const std::string& key, const std::string& value) { return entry(key, 8).string(value); }
  GgufMaker& integer(const std::string& key, uint32_t value) { return entry(key, 4).put(value); }
  GgufMaker& number(const std::string& key, float value) { return entry(key, 6).put(value); }
  GgufMaker& boolean(const std::string& key, bool value) { return entry(key, 7).put(static_cast<uint8_t>(value)); }
  GgufMaker& texts(const std::string& key, const std::vector<std::string>& values) {
    array(key, 8, values.size());
    for (const std::string& value : values) string(value);
    return *this;
  }
  GgufMaker& floats(const std::string& key, const std::vector<float>& values) { return numbers(key, 6, values); }
  GgufMaker& integers(const std::string& key, const std::vector<int32_t>& values) { return numbers(key, 5, values); }
  // Sizes outermost first.
  GgufMaker& tensor(const std::string& name, const Dims& sizes, std::vector<float> values) {
    const auto* from = reinterpret_cast<const std::byte*>(values.data());
    return tensor(name, sizes, 0, {from, from + values.size() * sizeof(float)});
  }
  // `type` as ggml numbers them, `data` in its blocks.
  GgufMaker& tensor(const std::string& name, const Dims& sizes, uint32_t type, std::vector<std::byte> data) {
    tensors_.push_back({name, sizes, type, std::move(data)});
    return *this;
  }

  std::vector<std::byte> bytes() const {
    GgufMaker out;
    for (char c : std::string("GGUF")) out.put(c);
    out.put(uint32_t{3}).put(static_cast<uint64_t>(tensors_.size())).put(entries_);
    out.bytes_.insert(out.bytes_.end(), bytes_.begin(), bytes_.end());
    uint64_t offset = 0;
    for (const Tensor& tensor : tensors_) {
      out.string(tensor.name).put(static_cast<uint32_t>(tensor.sizes.rank()));
      for (int d = tensor.sizes.rank() - 1; d >= 0; --d) out.put(static_cast<uint64_t>(tensor.sizes[d]));
      out.put(tensor.type).put(offset);
      offset += (tensor.data.size() + 31) / 32 * 32;
    }
    for (const Tensor& tensor : tensors_) {
      out.bytes_.resize((out.bytes_.size() + 31) / 32 * 32);
      out.bytes_.insert(out.bytes_.end(), tensor.data.begin(), tensor.data.end());
    }
    return out.bytes_;
  }

 private:
  struct Tensor {
    std::string name;
    Dims sizes;
    uint32_t type = 0;
    std::vector<std::byte> data;
  };
  template <class T>
  GgufMaker& put(T value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
    return *this;
  }
  GgufMaker& string(const std::string& value) {
    put(static_cast<uint64_t>(value.size()));
    for (char c : value) put(c);
    return *this;
  }
  GgufMaker& entry(const std::string& key, uint32_t type) {
    ++entries_;
    return string(key).put(type);
  }
  void array(const std::string& key, uint32_t type, size_t count) {
    entry(key, 9).put(type).put(static_cast<uint64_t>(count));
  }
  template <class T>
  GgufMaker& numbers(const std::string& key, uint32_t type, const std::vector<T>& values) {
    array(key, type, values.size());
    for (T value : values) put(value);
    return *this;
  }

  std::vector<std::byte> bytes_;
  uint64_t entries_ = 0;
  std::vector<Tensor> tensors_;
};

}  // namespace arenascope::models::test
