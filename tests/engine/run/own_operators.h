// SPDX-License-Identifier: MIT
// Files with one operator of ONNX Runtime's domain, and helpers for expected results.
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
constexpr int kInt8 = 3;  // the file's code

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
  bool fixed = false;  // an initializer of integers in the file, not a run-time input
};
inline const Source kNone{{}, {}, 0, false};

inline Source of(const Ints& sizes, double phase) {
  size_t count = 1;
  for (const int64_t size : sizes) count *= static_cast<size_t>(size);
  return {sizes, wave(count, phase)};
}

// One operator of the domain; sources are run-time inputs unless they are fixed. A result without a name is omitted.
inline Results own(const std::string& op, const std::vector<Source>& sources, const std::vector<Attr>& attributes,
                   const std::vector<std::string>& results) {
  OnnxMaker m(21);
  m.opset(kOwn, 1);
  std::vector<std::string> names;
  std::vector<Given> given;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Source& s = sources[i];
    names.push_back(s.there ? fmt::format("x{}", i) : "");
    if (s.fixed) {
      m.weight(names.back() + "_64", s.sizes, Ints(s.numbers.begin(), s.numbers.end()));
      m.node("Cast", {names.back() + "_64"}, {names.back()}, {{"to", int64_t{s.type}}});
    } else if (s.there) {
      m.input(names.back(), s.sizes, s.type);
      given.push_back({names.back(), s.numbers});
    }
  }
  for (const std::string& result : results)
    if (!result.empty()) m.output(result);
  m.node(op, names, results, attributes, "", kOwn);
  return run_file(m, given);
}
// The same with its first `count` results, called y0, y1, …
inline Results own(const std::string& op, const std::vector<Source>& sources, const std::vector<Attr>& attributes = {},
                   size_t count = 1) {
  std::vector<std::string> results;
  for (size_t i = 0; i < count; ++i) results.push_back(fmt::format("y{}", i));
  return own(op, sources, attributes, results);
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
