// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "engine/backends/op_cases/case_builder.h"

namespace arenascope::cases {
namespace {

constexpr Op kArithmetic[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max, Op::Mod};
constexpr Op kComparisons[] = {Op::Equal,        Op::Less, Op::LessEqual, Op::Greater,
                               Op::GreaterEqual, Op::And,  Op::Or,        Op::Xor};
constexpr Op kAnyType[] = {Op::Neg, Op::Abs, Op::Sign, Op::Floor, Op::Ceil, Op::Round, Op::Relu, Op::IsNan};
constexpr Op kFloatOnly[] = {Op::Exp,      Op::Erf,   Op::Sin,      Op::Cos,     Op::Atan, Op::Sinh,
                             Op::Cosh,     Op::Asinh, Op::Tanh,     Op::Sigmoid, Op::Tan,  Op::Softplus,
                             Op::Softsign, Op::Gelu,  Op::GeluTanh, Op::Silu,    Op::Mish};
constexpr Op kPositive[] = {Op::Sqrt, Op::Reciprocal, Op::Log};
constexpr Op kUpToOne[] = {Op::Asin, Op::Acos, Op::Atanh};
constexpr Op kBits[] = {Op::BitAnd, Op::BitOr, Op::BitXor};
constexpr Op kShifts[] = {Op::ShiftLeft, Op::ShiftRight};
constexpr Op kWithAlpha[] = {Op::LeakyRelu, Op::Elu, Op::HardSigmoid, Op::HardSwish};

// Pairs of shapes that broadcast.
struct Pair {
  Dims a, b;
};
const Pair kPairs[] = {{{2, 3, 5, 7}, {2, 3, 5, 7}},
                       {{2, 3, 5, 7}, {3, 1, 1}},
                       {{5, 1}, {4, 1, 37}},
                       {{}, {3}},
                       {{1200}, {}},
                       {{0, 4}, {1, 4}}};

double low_of(DType type) { return info(type).floating ? -3 : -20; }
double high_of(DType type) { return info(type).floating ? 3 : 20; }

void binary(CaseList& list, Op op, DType type) {
  for (const Pair& pair : kPairs)
    for (Spread spread : kSpreads) {
      if (spread != Spread::Contiguous && (pair.a.rank() != 4 || type == DType::U16 || type == DType::I16)) continue;
      const bool whole = !info(type).floating;
      // Products of two integers fit in a byte; divisors are not 0 if that is undefined.
      const double low = op == Op::Mul ? -11 : low_of(type), high = op == Op::Mul ? 11 : high_of(type);
      const double low_b = op == Op::Div || op == Op::Mod ? 1 : is_unsigned(type) && op == Op::Sub ? 0 : low;
      const double high_b = is_unsigned(type) && op == Op::Sub ? 5 : high,
                   low_a = is_unsigned(type) && op == Op::Sub ? 5 : low;
      list.add(op, type, fmt::format("{} {} {}", name(spread), to_string(pair.a), to_string(pair.b)),
               [=](CaseBuilder& k) {
                 return k.node(op, {k.input(type, pair.a, spread, low_a, high),
                                    k.input(type, pair.b, spread, low_b, whole ? high_b : high)});
               });
    }
}

void power(CaseList& list) {
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::I32, DType::I64})
    for (DType exponent : {DType::F32, DType::I32, DType::I64}) {
      if (!info(type).floating && info(exponent).floating) continue;
      list.add(Op::Pow, type, fmt::format("to the {}", arenascope::name(exponent)), [=](CaseBuilder& k) {
        return k.node(Op::Pow, {k.input(type, {3, 40}, Spread::Contiguous, 0.2, 3),
                                k.input(exponent, {40}, Spread::Contiguous, 0, 4)});
      });
    }
}

void comparisons(CaseList& list) {
  for (Op op : kComparisons)
    for (DType type : {DType::F32, DType::F16, DType::I64, DType::U8, DType::Bool})
      for (Spread spread : kSpreads)
        list.add(op, DType::Bool, fmt::format("of {} {}", arenascope::name(type), name(spread)), [=](CaseBuilder& k) {
          return k.node(op,
                        {k.input(type, {3, 5, 11}, spread, -3, 3), k.input(type, {5, 1}, Spread::Contiguous, -3, 3)});
        });
  for (DType type : {DType::F32, DType::F16, DType::F64, DType::I8, DType::I64, DType::Bool})
    for (Spread spread : kSpreads)
      list.add(Op::Where, type, name(spread), [=](CaseBuilder& k) {
        return k.node(Op::Where, {k.input(DType::Bool, {4, 1, 9}, spread, 0, 2), k.input(type, {4, 5, 9}, spread),
                                  k.input(type, {9})});
      });
}

void bit_operations(CaseList& list) {
  for (DType type : kIntegers)
    for (Spread spread : kSpreads) {
      const double low = is_unsigned(type) ? 0 : -100;
      for (Op op : kBits)
        list.add(op, type, name(spread), [=](CaseBuilder& k) {
          return k.node(op, {k.input(type, {3, 5, 11}, spread, low, 100), k.input(type, {5, 1}, spread, low, 100)});
        });
      list.add(Op::BitNot, type, name(spread), [=](CaseBuilder& k) {
        return k.node(Op::BitNot, {k.input(type, {2, 5, 17}, spread, low, 100)});
      });
      // Some shifts are longer than the numbers.
      for (Op op : kShifts)
        if (is_unsigned(type))
          list.add(op, type, name(spread), [=](CaseBuilder& k) {
            return k.node(op, {k.input(type, {3, 5, 11}, spread, 0, 200), k.input(type, {5, 11}, spread, 0, 70)});
          });
    }
}

void unary(CaseList& list, Op op, DType type, double low, double high) {
  const DType result = op == Op::IsNan ? DType::Bool : type;
  for (Spread spread : kSpreads)
    list.add(op, result, fmt::format("of {} {}", arenascope::name(type), name(spread)), [=](CaseBuilder& k) {
      return k.node(op, {k.input(type, {2, 7, 5, 17}, spread, low, high)});
    });
  list.add(op, result, fmt::format("of {} scalar", arenascope::name(type)),
           [=](CaseBuilder& k) { return k.node(op, {k.input(type, {}, Spread::Contiguous, low, high)}); });
}

void unaries(CaseList& list) {
  for (Op op : kAnyType) {
    for (DType type : kFloats) unary(list, op, type, -4, 4);
    for (DType type : {DType::I8, DType::I32, DType::I64, DType::U8})
      if (op != Op::Neg || type != DType::U8) unary(list, op, type, -100, 100);
  }
  for (DType type : kFloats) {
    for (Op op : kFloatOnly) unary(list, op, type, -6, 6);
    for (Op op : kPositive) unary(list, op, type, 0.05, 9);
    for (Op op : kUpToOne) unary(list, op, type, -0.9, 0.9);
    unary(list, Op::Acosh, type, 1.1, 9);
    for (Op op : kWithAlpha)
      for (Spread spread : kSpreads)
        list.add(op, type, name(spread), [=](CaseBuilder& k) {
          return k.node(op, {k.input(type, {1, 6, 3, 19}, spread, -4, 4)}, AlphaParams{0.2f, 0.5f});
        });
    list.add(Op::Scale, type, "contiguous", [=](CaseBuilder& k) {
      return k.node(Op::Scale, {k.input(type, {1, 6, 3, 19})}, ScaleParams{-1.5f, 0.25f});
    });
    list.add(Op::Scale, type, "sliced", [=](CaseBuilder& k) {
      return k.node(Op::Scale, {k.input(type, {1, 6, 3, 19}, Spread::Sliced)}, ScaleParams{2, 0});
    });
  }
  for (DType type : {DType::F32, DType::F16, DType::F64, DType::I32, DType::I64, DType::U8})
    list.add(Op::Clamp, type, "both", [=](CaseBuilder& k) {
      return k.node(Op::Clamp, {k.input(type, {1, 6, 3, 19}, Spread::Sliced, -9, 9)}, ClampParams{-1, 3});
    });
  for (DType type : {DType::Bool, DType::I32})
    list.add(Op::Not, type, "sliced", [=](CaseBuilder& k) {
      return k.node(Op::Not, {k.input(type, {3, 31}, Spread::Sliced, -2, 2)});
    });
}

}  // namespace

void add_pointwise(CaseList& list) {
  for (Op op : kArithmetic) {
    for (DType type : kFloats) binary(list, op, type);
    for (DType type : kIntegers) binary(list, op, type);
  }
  power(list);
  comparisons(list);
  bit_operations(list);
  unaries(list);
}

}  // namespace arenascope::cases
