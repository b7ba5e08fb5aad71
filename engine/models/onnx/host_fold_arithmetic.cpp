// SPDX-License-Identifier: MIT
// Constant folding of arithmetic: elementwise operators, casts and reductions, according to the ONNX specification.
#include <algorithm>
#include <cmath>
#include <limits>

#include "host_fold_parts.h"

namespace arenascope::models::folding {
namespace {

using Unary = double (*)(double);
const std::unordered_map<std::string_view, Unary>& unaries() {
  static const std::unordered_map<std::string_view, Unary> table{
      {"Floor", [](double v) { return std::floor(v); }},     {"Ceil", [](double v) { return std::ceil(v); }},
      {"Round", [](double v) { return std::nearbyint(v); }}, {"Sqrt", [](double v) { return std::sqrt(v); }},
      {"Reciprocal", [](double v) { return 1 / v; }},        {"Exp", [](double v) { return std::exp(v); }},
      {"Log", [](double v) { return std::log(v); }},         {"Sin", [](double v) { return std::sin(v); }},
      {"Cos", [](double v) { return std::cos(v); }},         {"Tanh", [](double v) { return std::tanh(v); }},
      {"Erf", [](double v) { return std::erf(v); }}};
  return table;
}

Arrays unary(const FoldCall& c) {
  const HostArray* x = input(c, 0);
  if (!x) return Error{"it has no input"};
  HostArray out = HostArray::make(c.op == "Not" ? DType::Bool : x->dtype, x->sizes);
  for (int64_t i = 0; i < x->count(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (c.op == "Not")
      out.ints[at] = x->integer(i) == 0;
    else if (c.op == "Neg" && !x->floating())
      out.set_integer(i, static_cast<int64_t>(0 - static_cast<uint64_t>(x->ints[at])));
    else if (c.op == "Abs" && !x->floating())
      out.set_integer(i, x->ints[at] < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x->ints[at])) : x->ints[at]);
    else if (c.op == "Sign")
      out.set(i, x->number(i) > 0 ? 1 : x->number(i) < 0 ? -1 : 0);
    else if (c.op == "Neg")
      out.set(i, -x->number(i));
    else if (c.op == "Abs")
      out.set(i, std::fabs(x->number(i)));
    else if (c.op == "Relu")
      out.set(i, std::max(x->number(i), 0.0));
    else
      out.set(i, unaries().at(c.op)(x->number(i)));
  }
  return one(std::move(out));
}

double binary_float(std::string_view op, double a, double b) {
  if (op == "Add" || op == "Sum") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  if (op == "Pow") return std::pow(a, b);
  if (op == "Min") return std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b);
  if (op == "Max") return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
  return std::fmod(a, b);
}

Result<int64_t> binary_int(const FoldCall& c, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  if (c.op == "Add" || c.op == "Sum") return static_cast<int64_t>(ua + ub);
  if (c.op == "Sub") return static_cast<int64_t>(ua - ub);
  if (c.op == "Mul") return static_cast<int64_t>(ua * ub);
  if (c.op == "Min") return std::min(a, b);
  if (c.op == "Max") return std::max(a, b);
  if (c.op == "Pow") {
    const double power = std::pow(static_cast<double>(a), static_cast<double>(b));
    return std::fabs(power) < 9e18 ? static_cast<int64_t>(power) : 0;
  }
  if (b == 0) return Error{"it divides by zero"};
  if (b == -1) return c.op == "Div" ? static_cast<int64_t>(0 - ua) : 0;
  if (c.op == "Div") return a / b;
  const int64_t rest = a % b;
  return c.integer("fmod", 0) == 0 && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Arrays binary(const FoldCall& c) {
  if (!input(c, 0)) return Error{"it has no input"};
  HostArray left = *input(c, 0);
  for (size_t s = 1; s < c.inputs.size(); ++s) {
    const HostArray* b = c.inputs[s];
    if (!b) return Error{"an input is missing"};
    if (left.dtype != b->dtype && c.op != "Pow") return Error{"its inputs have different types"};
    auto sizes = broadcast(left.sizes, b->sizes);
    if (!sizes) return sizes.error();
    if (auto fits = checked_sizes(sizes->span()); !fits) return fits.error();
    const auto from_a = broadcast_index(left.sizes, *sizes), from_b = broadcast_index(b->sizes, *sizes);
    HostArray out = HostArray::make(left.dtype, *sizes);
    for (int64_t i = 0; i < out.count(); ++i) {
      const int64_t ia = from_a[static_cast<size_t>(i)], ib = from_b[static_cast<size_t>(i)];
      if (left.floating() || b->floating()) {
        out.set(i, binary_float(c.op, left.number(ia), b->number(ib)));
      } else {
        auto value = binary_int(c, left.integer(ia), b->integer(ib));
        if (!value) return value.error();
        out.set_integer(i, *value);
      }
    }
    left = std::move(out);
  }
  return one(std::move(left));
}

Arrays compare(const FoldCall& c) {
  const HostArray *a = input(c, 0), *b = input(c, 1);
  if (!a || !b) return Error{"an input is missing"};
  auto sizes = broadcast(a->sizes, b->sizes);
  if (!sizes) return sizes.error();
  if (auto fits = checked_sizes(sizes->span()); !fits) return fits.error();
  const auto from_a = broadcast_index(a->sizes, *sizes), from_b = broadcast_index(b->sizes, *sizes);
  HostArray out = HostArray::make(DType::Bool, *sizes);
  for (size_t i = 0; i < out.ints.size(); ++i) {
    bool equal, less;
    if (a->floating() || b->floating()) {
      const double x = a->number(from_a[i]), y = b->number(from_b[i]);
      equal = x == y, less = x < y;
    } else {
      const int64_t x = a->integer(from_a[i]), y = b->integer(from_b[i]);
      equal = x == y, less = x < y;
    }
    const bool x = a->number(from_a[i]) != 0, y = b->number(from_b[i]) != 0;
    if (c.op == "Equal")
      out.ints[i] = equal;
    else if (c.op == "Less")
      out.ints[i] = less;
    else if (c.op == "LessOrEqual")
      out.ints[i] = less || equal;
    else if (c.op == "Greater")
      out.ints[i] = !less && !equal;
    else if (c.op == "GreaterOrEqual")
      out.ints[i] = !less;
    else if (c.op == "And")
      out.ints[i] = x && y;
    else if (c.op == "Or")
      out.ints[i] = x || y;
    else
      out.ints[i] = x != y;
  }
  return one(std::move(out));
}

Arrays where(const FoldCall& c) {
  const HostArray *test = input(c, 0), *a = input(c, 1), *b = input(c, 2);
  if (!test || !a || !b) return Error{"an input is missing"};
  if (a->dtype != b->dtype) return Error{"its inputs have different types"};
  auto values = broadcast(a->sizes, b->sizes);
  if (!values) return values.error();
  auto sizes = broadcast(*values, test->sizes);
  if (!sizes) return sizes.error();
  if (auto fits = checked_sizes(sizes->span()); !fits) return fits.error();
  const auto it = broadcast_index(test->sizes, *sizes), ia = broadcast_index(a->sizes, *sizes),
             ib = broadcast_index(b->sizes, *sizes);
  HostArray out = HostArray::make(a->dtype, *sizes);
  for (size_t i = 0; i < it.size(); ++i) {
    const bool first = test->integer(it[i]) != 0;
    const auto at = static_cast<int64_t>(i);
    if (out.floating())
      out.floats[i] = first ? a->number(ia[i]) : b->number(ib[i]);
    else
      out.set_integer(at, first ? a->integer(ia[i]) : b->integer(ib[i]));
  }
  return one(std::move(out));
}

Arrays cast(const FoldCall& c) {
  const HostArray* x = input(c, 0);
  static constexpr DType kTypes[] = {DType::F32, DType::F32, DType::U8,  DType::I8,   DType::U16, DType::I16,
                                     DType::I32, DType::I64, DType::F32, DType::Bool, DType::F16, DType::F64,
                                     DType::U32, DType::U64, DType::F32, DType::F32,  DType::BF16};
  const int64_t to = c.integer("to", 0);
  if (!x || to < 1 || to > 16 || to == 8 || to == 14 || to == 15)
    return Error{"it casts to a type that cannot be folded"};
  HostArray out = HostArray::make(kTypes[to], x->sizes);
  for (int64_t i = 0; i < x->count(); ++i) {
    if (x->floating())
      out.set(i, x->number(i));
    else
      out.set_integer(i, x->integer(i));
  }
  return one(std::move(out));
}

Arrays reduce(const FoldCall& c) {
  const HostArray* x = input(c, 0);
  if (!x) return Error{"it has no input"};
  const auto axes = axes_of(c, 1);
  const int rank = x->sizes.rank();
  uint32_t mask = 0;
  for (int64_t a : axes) {
    auto axis = axis_of(a, rank);
    if (!axis) return axis.error();
    mask |= 1u << *axis;
  }
  if (axes.empty()) {
    if (c.integer("noop_with_empty_axes", 0)) return one(*x);
    mask = (1u << rank) - 1;
  }
  Dims kept = x->sizes, sizes;
  double divisor = 1;
  for (int i = 0; i < rank; ++i) {
    const bool gone = (mask & (1u << i)) != 0;
    if (gone) divisor *= static_cast<double>(x->sizes[i]), kept[i] = 1;
    if (!gone || c.integer("keepdims", 1)) sizes.push_back(kept[i]);
  }
  if (x->count() == 0) return Error{"it reduces nothing"};
  HostArray out = HostArray::make(x->dtype, sizes);
  std::vector<bool> begun(static_cast<size_t>(out.count()), false);
  const auto to = broadcast_index(kept, x->sizes);
  for (int64_t i = 0; i < x->count(); ++i) {
    const int64_t at = to[static_cast<size_t>(i)];
    const double v = x->number(i), sum = out.number(at);
    if (!begun[static_cast<size_t>(at)])
      out.set(at, v);
    else if (c.op == "ReduceProd")
      out.set(at, sum * v);
    else if (c.op == "ReduceMax")
      out.set(at, std::max(sum, v));
    else if (c.op == "ReduceMin")
      out.set(at, std::min(sum, v));
    else
      out.set(at, sum + v);
    begun[static_cast<size_t>(at)] = true;
  }
  if (c.op == "ReduceMean")
    for (int64_t i = 0; i < out.count(); ++i) out.set(i, out.number(i) / divisor);
  return one(std::move(out));
}

}  // namespace

void add_arithmetic(Table& table) {
  table.insert({{"Cast", cast}, {"Where", where}});
  for (const char* op : {"Not", "Neg", "Abs", "Sign", "Relu"}) table[op] = unary;
  for (const auto& entry : unaries()) table[entry.first] = unary;
  for (const char* op : {"Add", "Sum", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Mod"}) table[op] = binary;
  for (const char* op : {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor"})
    table[op] = compare;
  for (const char* op : {"ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceMean"}) table[op] = reduce;
}

}  // namespace arenascope::models::folding
