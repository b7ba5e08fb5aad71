// SPDX-License-Identifier: MIT
// A GGUF file of seeded weights, and formulas over them in double, with which tests compute the expected results of a
// model.
#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/engine/models/gguf_maker.h"

namespace arenascope::test {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

class SeededWeights {
 public:
  models::test::GgufMaker& maker() { return maker_; }
  const models::test::GgufMaker& maker() const { return maker_; }

  // Numbers within `scale` of `middle`.
  void add(const std::string& name, const Dims& sizes, double scale, double middle = 0) {
    std::vector<float> values(static_cast<size_t>(element_count(sizes)));
    for (float& value : values) {
      seed_ = seed_ * 1664525u + 1013904223u;
      value = static_cast<float>(middle + scale * (static_cast<double>(seed_ >> 8) / (1 << 23) - 1));
    }
    weights_[name] = values;
    maker_.tensor(name, sizes, std::move(values));
  }

  const std::vector<float>& numbers(const std::string& name) const { return weights_.at(name); }

  // A row of NAME.weight.
  Row line(const std::string& name, int64_t i, int64_t width) const {
    const auto begin = numbers(name + ".weight").begin() + i * width;
    return {begin, begin + width};
  }
  // NAME.weight · x + NAME.bias, where there is one.
  Row times(const std::string& name, const Row& x) const {
    const std::vector<float>& w = numbers(name + ".weight");
    Row out(w.size() / x.size());
    for (size_t o = 0; o < out.size(); ++o)
      for (size_t i = 0; i < x.size(); ++i) out[o] += static_cast<double>(w[o * x.size() + i]) * x[i];
    if (const auto bias = weights_.find(name + ".bias"); bias != weights_.end())
      for (size_t o = 0; o < out.size(); ++o) out[o] += static_cast<double>(bias->second[o]);
    return out;
  }

 private:
  models::test::GgufMaker maker_;
  std::map<std::string, std::vector<float>> weights_;
  uint32_t seed_ = 7;
};

inline Row part(const Row& x, int64_t begin, int64_t count) { return {x.begin() + begin, x.begin() + begin + count}; }

inline void write_gguf(const std::filesystem::path& path, const models::test::GgufMaker& maker) {
  const auto bytes = maker.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace arenascope::test
