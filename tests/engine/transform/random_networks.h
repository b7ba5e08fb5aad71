// SPDX-License-Identifier: MIT
// Random small networks with all that a transform has to bring along: layers, roles, views, concatenations, images, and
// training steps with gradients and accumulators. Every node and leaf has a name of its own.
#pragma once
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <arenascope/graph/autodiff.h>
#include <arenascope/graph/builder.h>
#include <arenascope/graph/graph.h>
#include <doctest/doctest.h>

namespace arenascope::test {

class RandomNetwork {
 public:
  explicit RandomNetwork(uint32_t seed) : random_(seed), b_(*Context::create({.no_alloc = true, .grow = true})) {
    trains_ = chance(2);
    b_.layer("inputs");
    images_ = {b_.input("x", kImage), b_.input("y", kImage)};
    for (int i = 0, count = 4 + below(20); i < count; ++i) {
      b_.layer(below(4) == 0 ? "" : "layer " + std::to_string(i / 3));
      add_op();
    }
    finish();
  }

  Graph graph;

  // The same values for the same name, in every type.
  static std::vector<float> values_of(const TensorImpl& leaf) {
    uint32_t state = 1;
    for (char c : leaf.name.str()) state = state * 31 + static_cast<uint8_t>(c);
    std::vector<float> out(static_cast<size_t>(leaf.element_count()));
    for (float& x : out) {
      state = state * 1664525u + 1013904223u;
      x = static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1;
    }
    return out;
  }

 private:
  inline static const Dims kImage{2, 4, 3, 5};

  int below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  bool chance(int one_in) { return below(one_in) == 0; }
  // Rather a late one, and each a few times.
  const Tensor& any() {
    return images_[images_.size() - 1 - static_cast<size_t>(below(std::min(5, int(images_.size()))))];
  }
  Tensor weight(const Dims& sizes) {
    const Tensor w = b_.weight("w" + std::to_string(weights_.size()), sizes);
    if (trains_ && !chance(4)) w.set_flag(kFlagParameter);
    weights_.push_back(w);
    return w;
  }

  void add_op() {
    const Tensor x = any();
    const int64_t c = kImage[1];
    const auto pair = [&](int axis) {
      const Tensor parts[] = {b_.slice(x, axis, 0, 2), b_.slice(any(), axis, 2, kImage[axis])};
      return b_.concat(parts, axis);
    };
    switch (below(12)) {
      case 0: return keep(b_.op(Op::Relu, {x}));
      case 1: return keep(b_.op(Op::Tanh, {x}));
      case 2: return keep(b_.scale(x, 0.5f, 0.25f));
      case 3: return keep(b_.mul(x, weight({c, 1, 1})));
      case 4: return keep(b_.op(Op::Sub, {x, any()}));
      case 5: return keep(b_.conv2d(x, weight({c, c, 3, 3}), chance(2) ? weight({c}) : Tensor(), 1, 1));
      case 6: return keep(pair(1));
      case 7: return keep(pair(3));
      case 8: return keep(b_.reshape(b_.mul_mat(weight({30, 30}), b_.reshape(x, {4, 30})), kImage));
      case 9: return keep(b_.cont(b_.permute(b_.cont(b_.permute(x, {0, 2, 3, 1})), {0, 3, 1, 2})));
      case 10: return keep(b_.soft_max(x, 3));
      default: return keep(b_.add(x, any()));
    }
  }
  void keep(const Tensor& made) {
    images_.push_back(made);
    if (made && chance(8)) b_.output(made);
  }

  void finish() {
    b_.layer("end");
    const Tensor last = b_.add(b_.mul(images_.back(), weight(kImage)), images_[images_.size() / 2]);
    b_.output(last);
    REQUIRE_MESSAGE(b_.ok(), b_.status().error().message);
    graph = *b_.context().new_graph(1, trains_);
    if (trains_) {
      const Tensor loss = b_.reduce(Op::ReduceMean, b_.mul(last, last), {0, 1, 2, 3}, false, "loss");
      b_.output(loss);
      auto gradients = build_gradients(b_, graph, loss, weights_, {.accumulate = chance(2)});
      REQUIRE_MESSAGE(gradients.ok(), gradients.error().message);
      for (const Tensor& gradient : *gradients)
        if (gradient && chance(2)) b_.output(gradient);
    }
    for (const Tensor& image : images_)
      if (image->has(kFlagOutput)) REQUIRE(graph.expand(image).ok());
    REQUIRE(graph.expand(last).ok());
    const auto nodes = graph.nodes();
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i]->op != Op::None) nodes[i]->name.assign("n" + std::to_string(i));
  }

  std::mt19937 random_;
  GraphBuilder b_;
  bool trains_ = false;
  std::vector<Tensor> images_, weights_;
};

}  // namespace arenascope::test
