// SPDX-License-Identifier: MIT
// Rules of normalisations, reductions, selections and rotary embedding.
#include <doctest/doctest.h>

#include "op_rules_testing.h"

namespace arenascope {
using namespace test;

TEST_CASE("batch norm takes four values per channel") {
  const Given c{4};
  CHECK(made(Op::BatchNorm, {{2, 4, 3}, c, c, c, c}, BatchNormParams{1e-5f}) == "f32 [2, 4, 3]");
  CHECK(made(Op::BatchNorm, {{2, 5, 3}, c, c, c, c}, BatchNormParams{1e-5f}) == "refused");
  CHECK(made(Op::BatchNorm, {{4}, c, c, c, c}, BatchNormParams{1e-5f}) == "refused");
  CHECK(made(Op::BatchNorm, {{2, 4}, c, c, c, {{4}, DType::F16}}, BatchNormParams{1e-5f}) == "refused");
}

TEST_CASE("layer norm normalises the dimensions from its axis on") {
  CHECK(made(Op::Norm, {{2, 3, 4}, {3, 4}, {4}}, NormParams{1, 0}) == "f32 [2, 3, 4]");
  CHECK(made(Op::Norm, {{2, 3, 4}}, NormParams{0, 0}) == "f32 [2, 3, 4]");
  CHECK(made(Op::Norm, {{2, 3, 4}, {2, 3, 4}}, NormParams{1, 0}) == "refused");
  CHECK(made(Op::Norm, {{2, 3, 4}}, NormParams{3, 0}) == "refused");
  CHECK(made(Op::Norm, {{2, 3, 4}}, NormParams{-1, 0}) == "refused");
  CHECK(made(Op::Norm, {{{4}, DType::I32}}, NormParams{0, 0}) == "refused");
  CHECK(made(Op::RmsNorm, {{2, 4}, {4}}, NormParams{1, 0}) == "f32 [2, 4]");
  CHECK(made(Op::RmsNorm, {{2, 4}, {5}}, NormParams{1, 0}) == "refused");
  CHECK(made(Op::GroupNorm, {{2, 6, 5}, {6}, {6}}, GroupNormParams{3, 0}) == "f32 [2, 6, 5]");
  CHECK(made(Op::GroupNorm, {{2, 6, 5}}, GroupNormParams{4, 0}) == "refused");
  CHECK(made(Op::GroupNorm, {{2, 6, 5}}, GroupNormParams{0, 0}) == "refused");
  CHECK(made(Op::GroupNorm, {{2, 6, 5}, {5}}, GroupNormParams{3, 0}) == "refused");
}

TEST_CASE("softmax runs along one axis, with a compatible mask") {
  CHECK(made(Op::SoftMax, {{2, 3, 4}}, SoftMaxParams{2, 1}) == "f32 [2, 3, 4]");
  CHECK(made(Op::SoftMax, {{2, 3, 4}, {3, 4}}, SoftMaxParams{2, 1}) == "f32 [2, 3, 4]");
  CHECK(made(Op::SoftMax, {{2, 3, 4}, {5, 2, 3, 4}}, SoftMaxParams{2, 1}) == "refused");
  CHECK(made(Op::SoftMax, {{2, 3, 4}, {2, 4}}, SoftMaxParams{2, 1}) == "refused");
  CHECK(made(Op::SoftMax, {{2, 3}}, SoftMaxParams{2, 1}) == "refused");
  CHECK(made(Op::SoftMax, {{{2, 3}, DType::I64}}, SoftMaxParams{1, 1}) == "refused");
  CHECK(made(Op::LogSoftMax, {{2, 3}}, SoftMaxParams{0, 1}) == "f32 [2, 3]");
  CHECK(made(Op::LogSoftMax, {{2, 3}}, SoftMaxParams{-1, 1}) == "refused");
}

TEST_CASE("reductions drop or keep their axes") {
  for (Op op : {Op::ReduceSum, Op::ReduceMean, Op::ReduceMax, Op::ReduceMin, Op::ReduceProd, Op::ReduceL2}) {
    CHECK(made(op, {{2, 3, 4}}, ReduceParams{0b101, false}) == "f32 [3]");
    CHECK(made(op, {{2, 3, 4}}, ReduceParams{0b101, true}) == "f32 [1, 3, 1]");
    CHECK(made(op, {{2, 3, 4}}, ReduceParams{0, true}) == "f32 [2, 3, 4]");
    CHECK(made(op, {{2, 3, 4}}, ReduceParams{0b1000, true}) == "refused");
    CHECK(made(op, {{{2, 32}, DType::Q4_0}}, ReduceParams{1, true}) == "refused");
    CHECK(flops_of(op, {{2, 3, 4}}, ReduceParams{0b111, false}) == 24);
  }
}

TEST_CASE("min, max and top-k") {
  for (Op op : {Op::ArgMax, Op::ArgMin}) {
    CHECK(made(op, {{2, 3}}, ArgParams{1, false, false}) == "i64 [2]");
    CHECK(made(op, {{2, 3}}, ArgParams{0, true, false}) == "i64 [1, 3]");
    CHECK(made(op, {{2, 3}}, ArgParams{2, true, false}) == "refused");
    CHECK(made(op, {{2, 0}}, ArgParams{1, true, false}) == "refused");
  }
  CHECK(made(Op::TopKValues, {{2, 9}}, TopKParams{1, 4, true, true}) == "f32 [2, 4]");
  CHECK(made(Op::TopKIndices, {{2, 9}}, TopKParams{1, 4, true, true}) == "i64 [2, 4]");
  CHECK(made(Op::TopKValues, {{2, 9}}, TopKParams{1, 10, true, true}) == "refused");
  CHECK(made(Op::TopKIndices, {{2, 9}}, TopKParams{1, -1, true, true}) == "refused");
  CHECK(made(Op::TopKIndices, {{2, 9}}, TopKParams{2, 1, true, true}) == "refused");
}

TEST_CASE("rotary embedding rotates pairs of the innermost dimension") {
  CHECK(made(Op::Rope, {{8, 5, 16}}, RopeParams{16, 1e4f, 1, 0, false}) == "f32 [8, 5, 16]");
  CHECK(made(Op::Rope, {{8, 5, 16}, {{5}, DType::I32}}, RopeParams{8, 1e4f, 1, 0, true}) == "f32 [8, 5, 16]");
  CHECK(made(Op::Rope, {{8, 5, 16}, {{6}, DType::I32}}, RopeParams{8, 1e4f, 1, 0, true}) == "refused");
  CHECK(made(Op::Rope, {{8, 5, 16}, {5}}, RopeParams{8, 1e4f, 1, 0, true}) == "refused");
  CHECK(made(Op::Rope, {{8, 5, 16}}, RopeParams{18, 1e4f, 1, 0, false}) == "refused");
  CHECK(made(Op::Rope, {{8, 5, 16}}, RopeParams{7, 1e4f, 1, 0, false}) == "refused");
  CHECK(made(Op::Rope, {{16}}, RopeParams{16, 1e4f, 1, 0, false}) == "refused");
}

}  // namespace arenascope
