// SPDX-License-Identifier: MIT
// A transformer as exporters write it: each layer norm and GELU decomposed, shapes computed in the graph,
// each constant a node.
#pragma once
#include <string>
#include <vector>

#include "onnx_maker.h"

namespace arenascope::models::test {

class ExpandedTransformer {
 public:
  // `width` is `heads` times a head's; both of all layers. 125 operators a layer.
  ExpandedTransformer(int layers, int64_t tokens, int64_t width, int64_t heads)
      : tokens_(tokens), width_(width), heads_(heads) {
    maker_.input("x", {1, tokens, width}).output("y");
    std::string x = "x";
    for (layer_ = 0; layer_ < layers; ++layer_) {
      x = op("Add", {attention(norm(x)), x});
      x = op("Add", {feed_forward(norm(x)), x});
    }
    maker_.node("Identity", {x}, {"y"});
  }
  const OnnxMaker& maker() const { return maker_; }
  int operators() const { return operators_; }

 private:
  using Ints = std::vector<int64_t>;

  std::string op(const std::string& type, const std::vector<std::string>& sources, const std::vector<Attr>& a = {}) {
    const std::string out = "/layer." + std::to_string(layer_) + "/" + type + "_" + std::to_string(operators_++);
    maker_.node(type, sources, {out}, a, out);
    return out;
  }
  std::string number(float value) { return op("Constant", {}, {{"value_float", value}}); }
  std::string whole(Ints values) { return op("Constant", {}, {{"value_ints", std::move(values)}}); }
  std::string weight(const Ints& sizes) {
    int64_t count = 1;
    for (const int64_t size : sizes) count *= size;
    const std::string name = "w" + std::to_string(weights_++);
    std::vector<float> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 13) / 130 - 0.05F;
    maker_.weight(name, sizes, values);
    return name;
  }
  std::string product(const std::string& x, int64_t from, int64_t to) {
    return op("Add", {op("MatMul", {x, weight({from, to})}), weight({to})});
  }
  std::string norm(const std::string& x) {
    const auto mean = [&](const std::string& of) { return op("ReduceMean", {of}, {{"axes", Ints{-1}}}); };
    const std::string centred = op("Sub", {x, mean(x)});
    const std::string variance = mean(op("Pow", {centred, number(2)}));
    const std::string unit = op("Div", {centred, op("Sqrt", {op("Add", {variance, number(1e-5F)})})});
    return op("Add", {op("Mul", {unit, weight({width_})}), weight({width_})});
  }
  // One dimension of a tensor, as [1].
  std::string size(const std::string& x, int64_t axis) {
    return op("Unsqueeze", {op("Gather", {op("Shape", {x}), op("Squeeze", {whole({axis})})}), whole({0})});
  }
  std::string split(const std::string& x) {
    const std::string sizes =
        op("Concat", {size(x, 0), size(x, 1), whole({heads_}), whole({width_ / heads_})}, {{"axis", int64_t{0}}});
    return op("Transpose", {op("Reshape", {x, sizes})}, {{"perm", Ints{0, 2, 1, 3}}});
  }
  std::string attention(const std::string& x) {
    const std::string q = split(product(x, width_, width_)), k = split(product(x, width_, width_)),
                      v = split(product(x, width_, width_));
    const std::string scores = op("MatMul", {q, op("Transpose", {k}, {{"perm", Ints{0, 1, 3, 2}}})});
    const std::string shares = op(
        "Softmax", {op("Div", {scores, op("Sqrt", {op("Cast", {op("Squeeze", {size(q, 3)})}, {{"to", int64_t{1}}})})})},
        {{"axis", int64_t{-1}}});
    const std::string read = op("Transpose", {op("MatMul", {shares, v})}, {{"perm", Ints{0, 2, 1, 3}}});
    const std::string sizes = op("Concat", {size(read, 0), size(read, 1), whole({width_})}, {{"axis", int64_t{0}}});
    return product(op("Reshape", {read, sizes}), width_, width_);
  }
  std::string feed_forward(const std::string& x) {
    const std::string wide = product(x, width_, 4 * width_);
    const std::string erf = op("Add", {op("Erf", {op("Div", {wide, number(1.41421354F)})}), number(1)});
    return product(op("Mul", {op("Mul", {wide, erf}), number(0.5F)}), 4 * width_, width_);
  }

  OnnxMaker maker_{13};
  int64_t tokens_, width_, heads_;
  int layer_ = 0, operators_ = 0, weights_ = 0;
};

}  // namespace arenascope::models::test
