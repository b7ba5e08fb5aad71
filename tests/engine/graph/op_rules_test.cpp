// SPDX-License-Identifier: MIT
// The list of ops as a whole, and the rules of those that work element by element.
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "op_rules_testing.h"

namespace arenascope {
using namespace test;

TEST_CASE("every op has one parsable name and a number of sources") {
  std::set<std::string> names;
  for (int i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    const OpInfo& o = info(op);
    CHECK(names.insert(o.name).second);
    CHECK(parse_op(o.name) == op);
    CHECK((o.shape_rule != nullptr));
    CHECK((o.flops != nullptr));
    CHECK((o.max_sources == -1 || o.max_sources >= o.min_sources));
    // One input too few, one too many.
    if (o.min_sources > 0)
      CHECK(made(op, std::vector<Given>(static_cast<size_t>(o.min_sources) - 1, Given{2, 2})) == "refused");
    if (o.max_sources >= 0)
      CHECK(made(op, std::vector<Given>(static_cast<size_t>(o.max_sources) + 1, Given{2, 2})) == "refused");
  }
  CHECK_FALSE(parse_op("CONVOLVE"));
}

TEST_CASE("no op crashes on scalars, empty or huge tensors, any type, or zero parameters") {
  const std::vector<Given> shapes = {{},
                                     {0},
                                     {3},
                                     {0, 4},
                                     {2, 2},
                                     {1, 2, 3},
                                     {2, 4, 5, 5},
                                     {1, 1, 1, 1, 1, 1, 1, 1},
                                     {int64_t{1} << 40, 1 << 20},
                                     {INT64_MAX / 8}};
  size_t accepted = 0;
  for (int i = 0; i < kOpCount; ++i) {
    const OpInfo& o = info(static_cast<Op>(i));
    const int most = o.max_sources < 0 ? 3 : o.max_sources;
    for (int count = o.min_sources; count <= most; ++count)
      for (const Given& shape : shapes)
        for (int type = 0; type < kDTypeCount; ++type) {
          const std::vector<Given> given(static_cast<size_t>(count), {shape.sizes, static_cast<DType>(type)});
          const auto node = apply(static_cast<Op>(i), given);
          if (!node) {
            CHECK_FALSE(node.error().message.empty());
            continue;
          }
          ++accepted;
          CHECK(flops(**node) >= 0);
          CHECK(bytes_moved(**node) >= 0);
        }
  }
  CHECK(accepted > 1000);
}

// The ops of a section of op_list.h.
#define X(id, ...) Op::id,
constexpr Op kNumbers[] = {ARENASCOPE_NUMBER_OPS(X)};
constexpr Op kFunctions[] = {ARENASCOPE_FUNCTION_OPS(X)};
#undef X

TEST_CASE("unary ops are elementwise") {
  std::vector<Op> any(std::begin(kNumbers), std::end(kNumbers));
  any.insert(any.end(), {Op::Cont, Op::Copy, Op::Tril, Op::CumSum, Op::CumProd});
  for (Op op : any) {
    CAPTURE(name(op));
    CHECK(made(op, {{2, 3}}) == "f32 [2, 3]");
    CHECK(made(op, {{{2, 3}, DType::I64}}) == "i64 [2, 3]");
    const bool copies = op == Op::Cont || op == Op::Copy;
    CHECK(made(op, {{{2, 32}, DType::Q8_0}}) == (copies ? "q8_0 [2, 32]" : "refused"));
  }
  for (Op op : kFunctions) {
    CAPTURE(name(op));
    CHECK(made(op, {{2, 3}}) == "f32 [2, 3]");
    CHECK(made(op, {{{4}, DType::F16}}) == "f16 [4]");
    CHECK(made(op, {{{4}, DType::I32}}) == "refused");
    CHECK(made(op, {{{32}, DType::Q4_0}}) == "refused");
  }
  CHECK(made(Op::IsNan, {{2}}) == "bool [2]");
  CHECK(made(Op::IsNan, {{{32}, DType::Q4_0}}) == "refused");
}

TEST_CASE("two sources broadcast") {
  for (Op op : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Pow, Op::Min, Op::Max, Op::Mod}) {
    CAPTURE(name(op));
    CHECK(made(op, {{2, 1, 3}, {4, 1}}) == "f32 [2, 4, 3]");
    CHECK(made(op, {{2, 3}, {}}) == "f32 [2, 3]");
    CHECK(made(op, {{2, 3}, {3, 2}}) == "refused");
    CHECK(made(op, {{2}, {{2}, DType::I32}}) == (op == Op::Pow ? "f32 [2]" : "refused"));
    CHECK(made(op, {{{32}, DType::Q4_0}, {{32}, DType::Q4_0}}) == "refused");
  }
  for (Op op : {Op::Equal, Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual, Op::And, Op::Or, Op::Xor}) {
    CAPTURE(name(op));
    CHECK(made(op, {{2, 1}, {3}}) == "bool [2, 3]");
    CHECK(made(op, {{2}, {3}}) == "refused");
    CHECK(made(op, {{2}, {{2}, DType::F16}}) == "refused");
  }
}

TEST_CASE("bitwise ops take integers of one type, shifts unsigned ones") {
  for (Op op : {Op::BitAnd, Op::BitOr, Op::BitXor}) {
    CAPTURE(name(op));
    CHECK(made(op, {{{2, 1}, DType::I16}, {{3}, DType::I16}}) == "i16 [2, 3]");
    CHECK(made(op, {{{2}, DType::U64}, {{2}, DType::U64}}) == "u64 [2]");
    CHECK(made(op, {{{2}, DType::I16}, {{2}, DType::U16}}) == "refused");
    CHECK(made(op, {{{2}, DType::U8}, {{3}, DType::U8}}) == "refused");
    CHECK(made(op, {{{2}, DType::Bool}, {{2}, DType::Bool}}) == "refused");
    CHECK(made(op, {{2}, {2}}) == "refused");
  }
  for (Op op : {Op::ShiftLeft, Op::ShiftRight}) {
    CAPTURE(name(op));
    CHECK(made(op, {{{2, 1}, DType::U8}, {{3}, DType::U8}}) == "u8 [2, 3]");
    CHECK(made(op, {{{2}, DType::I8}, {{2}, DType::I8}}) == "refused");
    CHECK(made(op, {{{2}, DType::U8}, {{2}, DType::U16}}) == "refused");
  }
  CHECK(made(Op::BitNot, {{{2, 3}, DType::I32}}) == "i32 [2, 3]");
  CHECK(made(Op::BitNot, {{{2}, DType::Bool}}) == "refused");
  CHECK(made(Op::BitNot, {{2}}) == "refused");
}

TEST_CASE("where takes a condition and two tensors of one type") {
  CHECK(made(Op::Where, {{{2, 1}, DType::Bool}, {3}, {}}) == "f32 [2, 3]");
  CHECK(made(Op::Where, {{2, 1}, {3}, {}}) == "refused");
  CHECK(made(Op::Where, {{{2}, DType::Bool}, {2}, {{2}, DType::I32}}) == "refused");
  CHECK(made(Op::Where, {{{2}, DType::Bool}, {3}, {3}}) == "refused");
  CHECK(made(Op::Where, {{{2}, DType::Bool}, {2}, {3}}) == "refused");
}

TEST_CASE("costs count operations per result element, without overflow") {
  const auto add = apply(Op::Add, {{2, 1, 3}, {4, 1}});
  REQUIRE(add);
  CHECK(flops(**add) == 24);
  CHECK(bytes_moved(**add) == 4 * (24 + 6 + 4));
  const auto huge = apply(Op::MulMat, {{{1 << 30, 1 << 30}, DType::F16}, {{1 << 30, 1 << 30}, DType::F16}});
  REQUIRE(huge);
  CHECK(flops(**huge) == INT64_MAX);
}

}  // namespace arenascope
