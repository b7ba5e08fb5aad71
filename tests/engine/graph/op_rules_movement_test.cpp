// SPDX-License-Identifier: MIT
// Rules of ops that move elements; view_test.cpp has the views.
#include <doctest/doctest.h>

#include "op_rules_testing.h"

namespace arenascope {
using namespace test;

TEST_CASE("bitcast requires types of equal size") {
  const auto cast = [](DType from, DType to) { return made(Op::BitCast, {{{2, 3}, from}}, CastParams{to}); };
  CHECK(cast(DType::F32, DType::I32) == "i32 [2, 3]");
  CHECK(cast(DType::U8, DType::I8) == "i8 [2, 3]");
  CHECK(cast(DType::F32, DType::F16) == "refused");
  CHECK(cast(DType::I64, DType::Q8_0) == "refused");
  CHECK(made(Op::BitCast, {{{32}, DType::Q8_0}}, CastParams{DType::U8}) == "refused");
}

TEST_CASE("a sampling grid matches its image") {
  const auto sample = [](const Given& x, const Given& grid, ResizeMode mode = ResizeMode::Linear) {
    return made(Op::GridSample, {x, grid}, GridSampleParams{mode, GridPadding::Zeros, false});
  };
  CHECK(sample({2, 3, 5, 6}, {2, 4, 7, 2}) == "f32 [2, 3, 4, 7]");
  CHECK(sample({2, 3, 5}, {2, 4, 1}) == "f32 [2, 3, 4]");
  CHECK(sample({1, 3, 5, 6, 7}, {1, 2, 3, 4, 3}) == "f32 [1, 3, 2, 3, 4]");
  CHECK(sample({2, 3, 5, 6}, {2, 0, 7, 2}) == "f32 [2, 3, 0, 7]");
  CHECK(sample({2, 3, 5, 6}, {2, 4, 7, 3}) == "refused");
  CHECK(sample({2, 3, 5, 6}, {1, 4, 7, 2}) == "refused");
  CHECK(sample({2, 3, 5, 6}, {2, 4, 2}) == "refused");
  CHECK(sample({2, 3}, {2, 3}) == "refused");
  CHECK(sample({2, 3, 0, 6}, {2, 4, 7, 2}) == "refused");
  CHECK(sample({1, 3, 5, 6, 7}, {1, 2, 3, 4, 3}, ResizeMode::Cubic) == "refused");
  CHECK(sample({{2, 3, 5, 6}, DType::I32}, {2, 4, 7, 2}) == "refused");
}

TEST_CASE("views infer their layout") {
  CHECK(made(Op::Reshape, {{2, 6}}, ReshapeParams{{3, 4}}) == "f32 [3, 4]");
  CHECK(made(Op::Reshape, {{2, 6}}, ReshapeParams{{3, 5}}) == "refused");
  CHECK(made(Op::Reshape, {{2, 6}}, ReshapeParams{{-3, -4}}) == "refused");
  CHECK(made(Op::View, {{2, 6}}, ViewParams{{3}, {4}, 1}) == "f32 [3]");
  CHECK(made(Op::View, {{2, 6}}, ViewParams{{4}, {4}, 0}) == "refused");
  CHECK(made(Op::Permute, {{2, 3, 4}}, PermuteParams{{2, 0, 1}}) == "f32 [4, 2, 3]");
  CHECK(made(Op::Permute, {{2, 3, 4}}, PermuteParams{{2, 0, 2}}) == "refused");
  CHECK(made(Op::Permute, {{2, 3, 4}}, PermuteParams{{3, 0, 1}}) == "refused");
  CHECK(made(Op::Transpose, {{2, 3, 4}}) == "f32 [2, 4, 3]");
  CHECK(made(Op::Transpose, {{4}}) == "refused");
  CHECK(made(Op::Expand, {{3, 1}}, ReshapeParams{{2, 3, 4}}) == "f32 [2, 3, 4]");
  CHECK(made(Op::Expand, {{3, 1}}, ReshapeParams{{3}}) == "refused");
  CHECK(made(Op::Expand, {{3, 2}}, ReshapeParams{{3, 1}}) == "refused");
}

TEST_CASE("casts change the type only") {
  CHECK(made(Op::Cast, {{2, 3}}, CastParams{DType::I64}) == "i64 [2, 3]");
  CHECK(made(Op::Cast, {{2, 64}}, CastParams{DType::Q4_0}) == "q4_0 [2, 64]");
  CHECK(made(Op::Cast, {{2, 63}}, CastParams{DType::Q4_0}) == "refused");
  CHECK(made(Op::Cast, {{{INT64_MAX}, DType::I8}}, CastParams{DType::F32}) == "refused");
}

TEST_CASE("concatenation adds along one axis") {
  CHECK(made(Op::Concat, {{2, 3}, {2, 5}, {2, 0}}, AxisParams{1}) == "f32 [2, 8]");
  CHECK(made(Op::Concat, {{2, 3}}, AxisParams{0}) == "f32 [2, 3]");
  CHECK(made(Op::Concat, {{2, 3}, {3, 3}}, AxisParams{1}) == "refused");
  CHECK(made(Op::Concat, {{2, 3}, {2, 3, 1}}, AxisParams{0}) == "refused");
  CHECK(made(Op::Concat, {{2}, {{2}, DType::I32}}, AxisParams{0}) == "refused");
  CHECK(made(Op::Concat, {{2, 3}}, AxisParams{2}) == "refused");
  CHECK(made(Op::Concat, {{2, 3}}, AxisParams{-1}) == "refused");
  CHECK(made(Op::Concat, {{}}, AxisParams{0}) == "refused");
  CHECK(made(Op::Concat, {{{INT64_MAX}, DType::I8}, {{1}, DType::I8}}, AxisParams{0}) == "refused");
}

TEST_CASE("padding grows and crops") {
  PadParams p{{1, -1}, {2, 0}, PadMode::Constant, 0};
  CHECK(made(Op::Pad, {{3, 4}}, p) == "f32 [6, 3]");
  CHECK(made(Op::Pad, {{3, 0}}, p) == "refused");
  CHECK(made(Op::Pad, {{{INT64_MAX, 1}, DType::I8}}, p) == "refused");
  CHECK(made(Op::Pad, {{{32, 32}, DType::Q8_0}}, p) == "refused");
  p = {{2}, {2}, PadMode::Reflect, 0};
  CHECK(made(Op::Pad, {{3}}, p) == "f32 [7]");
  CHECK(made(Op::Pad, {{2}}, p) == "refused");
  p.mode = PadMode::Edge;
  CHECK(made(Op::Pad, {{1}}, p) == "f32 [5]");
  CHECK(made(Op::Pad, {{0}}, p) == "refused");
}

TEST_CASE("gathers take rows, or elements") {
  const auto i64 = DType::I64;
  CHECK(made(Op::Gather, {{10, 4}, {{2, 3}, i64}}, AxisParams{0}) == "f32 [2, 3, 4]");
  CHECK(made(Op::Gather, {{10, 4}, {{}, DType::I32}}, AxisParams{1}) == "f32 [10]");
  CHECK(made(Op::Gather, {{{10, 64}, DType::Q4_0}, {{5}, i64}}, AxisParams{0}) == "f32 [5, 64]");
  CHECK(made(Op::Gather, {{{10, 64}, DType::Q4_0}, {{5}, i64}}, AxisParams{1}) == "refused");
  CHECK(made(Op::Gather, {{10, 4}, {2, 3}}, AxisParams{0}) == "refused");
  CHECK(made(Op::Gather, {{10, 4}, {{2}, i64}}, AxisParams{2}) == "refused");
  CHECK(made(Op::Gather, {{1, 1, 1, 1, 1}, {{1, 1, 1, 1, 1}, i64}}, AxisParams{0}) == "refused");
  CHECK(made(Op::GatherElements, {{3, 4}, {{2, 9}, i64}}, AxisParams{1}) == "f32 [2, 9]");
  CHECK(made(Op::GatherElements, {{3, 4}, {{4, 4}, i64}}, AxisParams{1}) == "refused");
  CHECK(made(Op::GatherElements, {{3, 4}, {{3}, i64}}, AxisParams{0}) == "refused");
  CHECK(made(Op::GatherElements, {{3, 4}, {3, 4}}, AxisParams{0}) == "refused");
  CHECK(made(Op::SetRows, {{3, 4}, {9, 2}, {{9, 2}, i64}}, SetRowsParams{0, true}) == "f32 [3, 4]");
  CHECK(made(Op::SetRows, {{3, 4}, {2, 5}, {{2, 5}, i64}}, SetRowsParams{0, true}) == "refused");
  CHECK(made(Op::SetRows, {{3, 4}, {2, 3}, {{2, 2}, i64}}, SetRowsParams{0, true}) == "refused");
  CHECK(made(Op::SetRows, {{3, 4}, {{2, 4}, i64}, {{2, 4}, i64}}, SetRowsParams{0, true}) == "refused");
}

TEST_CASE("fill ops have no source") {
  for (Op op : {Op::Fill, Op::Arange}) {
    CHECK(made(op, {}, FillParams{{2, 2}, DType::I32, 0, 1}) == "i32 [2, 2]");
    CHECK(made(op, {}, FillParams{{-2}, DType::I32, 0, 1}) == "refused");
    CHECK(made(op, {}, FillParams{{INT64_MAX}, DType::F32, 0, 1}) == "refused");
    CHECK(made(op, {}, FillParams{{32}, DType::Q4_0, 0, 1}) == "refused");
  }
}

TEST_CASE("resizing and depth to space") {
  CHECK(made(Op::Resize, {{1, 2, 3, 4}}, ResizeParams{{1, 2, 6, 8}, {}, {}, {}, {}, 0}) == "f32 [1, 2, 6, 8]");
  CHECK(made(Op::Resize, {{1, 2, 3, 4}}, ResizeParams{{6, 8}, {}, {}, {}, {}, 0}) == "refused");
  CHECK(made(Op::Resize, {{1, 0}}, ResizeParams{{1, 8}, {}, {}, {}, {}, 0}) == "refused");
  CHECK(made(Op::Resize, {{1, 2}}, ResizeParams{{1, -8}, {}, {}, {}, {}, 0}) == "refused");
  CHECK(made(Op::DepthToSpace, {{1, 8, 3, 3}}, DepthToSpaceParams{2, false}) == "f32 [1, 2, 6, 6]");
  CHECK(made(Op::DepthToSpace, {{1, 6, 3, 3}}, DepthToSpaceParams{2, false}) == "refused");
  CHECK(made(Op::DepthToSpace, {{1, 8, 3, 3}}, DepthToSpaceParams{0, false}) == "refused");
  CHECK(made(Op::DepthToSpace, {{8, 3, 3}}, DepthToSpaceParams{2, false}) == "refused");
  CHECK(made(Op::DepthToSpace, {{1, 0, INT64_MAX / 8, 1}}, DepthToSpaceParams{65536, false}) == "refused");
}

}  // namespace arenascope
