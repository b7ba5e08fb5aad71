// SPDX-License-Identifier: MIT
// Files of one operator of ONNX Runtime's domain, and what their tests compute with.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "file_runs.h"

namespace arenascope::test {

using models::test::Attr;
using models::test::kDouble;
using models::test::kFloat;
using models::test::kInt32;
using models::test::kInt64;
using models::test::kUint8;
using models::test::OnnxMaker;
using Numbers = std::vector<double>;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

constexpr const char* kOwn = "com.microsoft";

inline Numbers wave(size_t count, double phase, double size = 1) {
  Numbers out(count);
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<double>(static_cast<float>(size * std::sin(phase + 0.7 * static_cast<double>(i))));
  return out;
}

struct Source {
  Ints sizes;
  Numbers numbers = {};
  int type = kFloat;
  bool there = true;
};
inline const Source kNone{{}, {}, 0, false};

inline Source of(const Ints& sizes, double phase) {
  size_t count = 1;
  for (const int64_t size : sizes) count *= static_cast<size_t>(size);
  return {sizes, wave(count, phase)};
}

inline Results own(const std::string& op, const std::vector<Source>& sources, const std::vector<Attr>& attributes = {},
                   size_t results = 1) {
  OnnxMaker m(21);
  m.opset(kOwn, 1);
  std::vector<std::string> names, outputs;
  std::vector<Given> given;
  for (size_t i = 0; i < sources.size(); ++i) {
    names.push_back(sources[i].there ? fmt::format("x{}", i) : "");
    if (!sources[i].there) continue;
    m.input(names.back(), sources[i].sizes, sources[i].type);
    given.push_back({names.back(), sources[i].numbers});
  }
  for (size_t i = 0; i < results; ++i) outputs.push_back(fmt::format("y{}", i)), m.output(outputs.back());
  m.node(op, names, outputs, attributes, "", kOwn);
  return run_file(m, given);
}
inline Attr whole(const char* name, int64_t value) { return {name, value}; }

// Runs of `width` numbers by the root of their mean square.
inline Numbers normed(Numbers x, size_t width, double epsilon = 1e-5) {
  for (size_t from = 0; from < x.size(); from += width) {
    double sum = 0;
    for (size_t i = 0; i < width; ++i) sum += x[from + i] * x[from + i];
    for (size_t i = 0; i < width; ++i) x[from + i] /= std::sqrt(sum / static_cast<double>(width) + epsilon);
  }
  return x;
}
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Lengths 3, 0 (where a sequence may be empty) and 2.
struct Packed {
  Ints starts;
  size_t count() const { return starts.size() - 1; }
  size_t start(size_t i) const { return static_cast<size_t>(starts[i]); }
  size_t length(size_t i) const { return static_cast<size_t>(starts[i + 1] - starts[i]); }
  Source source() const { return {{static_cast<int64_t>(starts.size())}, {starts.begin(), starts.end()}, kInt32}; }
};

}  // namespace arenascope::test
