// SPDX-License-Identifier: MIT
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/graph/builder.h>

namespace arenascope {
namespace {

GraphBuilder builder() { return GraphBuilder(*Context::create({1 << 20, nullptr, true})); }

}  // namespace

TEST_CASE("the first error is kept and later results are undefined") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {2, 3}), y = b.input("y", {2, 4});
  const Tensor bad = b.add(x, y, "sum");
  CHECK_FALSE(bad);
  REQUIRE_FALSE(b.ok());
  const std::string first = b.status().error().message;
  CHECK(first.find("'sum': ADD: shapes [2, 3] and [2, 4] do not broadcast") == 0);
  CHECK_FALSE(b.mul(bad, x));
  CHECK_FALSE(b.input("z", {1}));
  CHECK_FALSE(b.reshape(bad, {6}));
  CHECK_FALSE(b.slice(bad, 0, 0, 1));
  CHECK(b.status().error().message == first);
}

TEST_CASE("inputs and outputs carry their flags") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {2, 3}), w = b.weight("w", {5, 3});
  const Tensor y = b.mul_mat(w, x, {}, "y");
  b.output(y);
  REQUIRE(b.ok());
  CHECK(x->has(kFlagInput));
  CHECK(w->has(kFlagWeight));
  CHECK(y->has(kFlagOutput));
  CHECK(y.sizes() == Dims{2, 5});
  CHECK(y.name() == "y");
}

TEST_CASE("each helper creates the op of its name") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {1, 8, 9, 9}), w = b.weight("w", {4, 2, 3, 3}), bias = b.weight("b", {4});
  CHECK(b.conv2d(x, w, bias, 2, 1, 4).sizes() == Dims{1, 4, 5, 5});
  CHECK(b.pool2d(Op::MaxPool, x, 3, 3, 0).sizes() == Dims{1, 8, 3, 3});
  CHECK(b.reshape(x, {8, 81}).sizes() == Dims{8, 81});
  CHECK(b.permute(x, {0, 2, 3, 1}).sizes() == Dims{1, 9, 9, 8});
  CHECK(b.transpose(x)->op == Op::Transpose);
  CHECK(b.cont(b.transpose(x))->contiguous());
  CHECK(b.concat(std::vector{x, x, x}, 1).sizes() == Dims{1, 24, 9, 9});
  CHECK(b.soft_max(x, 3)->op == Op::SoftMax);
  CHECK(b.soft_max(x, 3, 0.5f, b.input("mask", {9, 9}))->sources.size() == 2);
  const Tensor gain = b.weight("g", {9});
  CHECK(b.norm(x, 3, 1e-5f, gain, gain)->sources.size() == 3);
  CHECK(b.norm(x, 3, 1e-5f, {}, {})->sources.size() == 1);
  CHECK(b.rms_norm(x, 1e-5f, gain)->op == Op::RmsNorm);
  CHECK(b.reduce(Op::ReduceMean, x, {2, 3}, false).sizes() == Dims{1, 8});
  CHECK(b.scale(x, 2, 1)->params.get<ScaleParams>().bias == 1.0f);
  CHECK(b.ok());
}

TEST_CASE("invalid axes are an error, not used for shifts") {
  for (int axis : {-1, 4, 31, 64}) {
    GraphBuilder b = builder();
    CHECK_FALSE(b.reduce(Op::ReduceSum, b.input("x", {2, 2}), {axis}, true));
    CHECK_FALSE(b.ok());
  }
  GraphBuilder few = builder(), many = builder(), twice = builder(), large = builder();
  CHECK_FALSE(few.permute(few.input("x", {2, 2}), {0}));
  CHECK_FALSE(many.permute(many.input("x", {2, 2}), {0, 1, 0}));
  CHECK_FALSE(twice.permute(twice.input("x", {2, 2}), {1, 1}));
  CHECK_FALSE(large.permute(large.input("x", {2, 2}), {0, 257}));
}

}  // namespace arenascope
