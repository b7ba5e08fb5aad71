// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/kernel_sources.h"

#include <cctype>
#include <span>

#include <fmt/format.h>

#include <arenascope/graph/elementwise.h>
#include <arenascope/graph/op.h>

#pragma GCC diagnostic error "-Wswitch-enum"  // an op without a formula is a compile error

namespace arenascope::opencl {

extern const KernelSource kKernelSources[];
extern const int kKernelSourceCount;

std::string_view kernel_text(std::string_view name) {
  for (int i = 0; i < kKernelSourceCount; ++i)
    if (kKernelSources[i].name == name) return kKernelSources[i].text;
  return "";
}

namespace {

// Formula texts of graph/elementwise.h.
#define F(id, expression) \
  case OPS::id: return #expression;

// Bitwise ops have no floating-point formula.
const char* real_formula(BinaryOp op) {
#define OPS BinaryOp
  switch (op) {
    ARENASCOPE_REAL_BINARY_FORMULAS(F)
#define X(id, ...) case OPS::id:
    ARENASCOPE_BITWISE_OPS(X) break;
#undef X
  }
  return nullptr;
}
const char* integer_formula(BinaryOp op) {
  switch (op) { ARENASCOPE_INTEGER_BINARY_FORMULAS(F) }
#undef OPS
  return nullptr;
}
const char* real_formula(ComparisonOp op) {
#define OPS ComparisonOp
  switch (op) { ARENASCOPE_REAL_COMPARISON_FORMULAS(F) }
  return nullptr;
}
const char* integer_formula(ComparisonOp op) {
  switch (op) { ARENASCOPE_INTEGER_COMPARISON_FORMULAS(F) }
#undef OPS
  return nullptr;
}
const char* real_formula(UnaryOp op) {
#define OPS UnaryOp
  switch (op) {
    ARENASCOPE_REAL_UNARY_FORMULAS(F)
#define X(id, ...) case OPS::id:
    ARENASCOPE_INTEGER_OPS(X) break;
#undef X
  }
#undef OPS
  return nullptr;
}
#undef F

// Functions have no integer formula.
const char* integer_formula(UnaryOp op) {
  switch (op) {
#define F(id, expression) \
  case UnaryOp::id: return #expression;
    ARENASCOPE_INTEGER_UNARY_FORMULAS(F)
#undef F
#define X(id, ...) case UnaryOp::id:
    ARENASCOPE_FUNCTION_OPS(X) break;
#undef X
  }
  return nullptr;
}

template <class Ops>
std::string cases(std::span<const Ops> ops, const char* (*formula)(Ops)) {
  std::string out;
  for (const Ops op : ops)
    if (const char* text = formula(op)) out += fmt::format(" case {}: return {};", static_cast<int>(op), text);
  return out;
}

// FORMULA_n is the floating-point formula of op n; the *_CASES enumerate all ops of a class.
std::string formula_texts() {
#define X(id, ...) BinaryOp::id,
  static constexpr BinaryOp binary[] = {ARENASCOPE_BINARY_OPS(X)};
#undef X
#define X(id, ...) ComparisonOp::id,
  static constexpr ComparisonOp comparison[] = {ARENASCOPE_COMPARISON_OPS(X)};
#undef X
#define X(id, ...) UnaryOp::id,
  static constexpr UnaryOp unary[] = {ARENASCOPE_UNARY_OPS(X)};
#undef X
  std::string out;
  const auto define = [&](int op, const char* formula) {
    if (formula) out += fmt::format("#define FORMULA_{} ({})\n", op, formula);
  };
  for (const BinaryOp op : binary) define(static_cast<int>(op), real_formula(op));
  for (const UnaryOp op : unary) define(static_cast<int>(op), real_formula(op));
  out += "#define REAL_BINARY_CASES" + cases<BinaryOp>(binary, real_formula) +
         cases<ComparisonOp>(comparison, real_formula);
  out += "\n#define INTEGER_BINARY_CASES" + cases<BinaryOp>(binary, integer_formula) +
         cases<ComparisonOp>(comparison, integer_formula);
  out += "\n#define REAL_UNARY_CASES" + cases<UnaryOp>(unary, real_formula);
  return out + "\n#define INTEGER_UNARY_CASES" + cases<UnaryOp>(unary, integer_formula) + "\n";
}

}  // namespace

std::string kernel_prelude() {
  std::string out;
  for (int i = 0; i < kDTypeCount; ++i) {
    std::string name = arenascope::name(static_cast<DType>(i));
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out += fmt::format("#define T_{} {}\n", name, i);
  }
  for (int i = 0; i < kOpCount; ++i) out += fmt::format("#define OP_{} {}\n", info(static_cast<Op>(i)).name, i);
  out += formula_texts();
  out += kernel_text("common");
  out += kernel_text("formulas");
  return out;
}

}  // namespace arenascope::opencl
