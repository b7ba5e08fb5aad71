// SPDX-License-Identifier: MIT
// The result type of an op for given inputs, as text: "f32 [2, 3]", or "refused".
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <arenascope/graph/context.h>

namespace arenascope::test {

struct Given {
  Dims sizes;
  DType type = DType::F32;
  Given(std::initializer_list<int64_t> s, DType t = DType::F32) : sizes(s), type(t) {}
  Given(const Dims& s, DType t) : sizes(s), type(t) {}
};

inline Result<Tensor> apply(Op op, const std::vector<Given>& given, const OpParams& params = {}) {
  Context context = *Context::create({1 << 15, nullptr, true});
  std::vector<Tensor> sources;
  for (const Given& g : given) {
    auto source = context.new_tensor(g.type, g.sizes);
    if (!source) return source;
    sources.push_back(*source);
  }
  return context.apply(op, sources, params);
}

inline std::string shown(const Result<Tensor>& made) {
  return made ? fmt::format("{} {}", name(made->dtype()), to_string(made->sizes())) : "refused";
}

inline std::string made(Op op, const std::vector<Given>& given) { return shown(apply(op, given)); }
template <class P>
std::string made(Op op, const std::vector<Given>& given, const P& params) {
  OpParams bytes;
  bytes.set(params);
  return shown(apply(op, given, bytes));
}

// The floating-point operations of the node, -1 if it is refused.
template <class P>
int64_t flops_of(Op op, const std::vector<Given>& given, const P& params) {
  OpParams bytes;
  bytes.set(params);
  const auto node = apply(op, given, bytes);
  return node ? flops(**node) : -1;
}

}  // namespace arenascope::test
