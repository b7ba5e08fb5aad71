// SPDX-License-Identifier: MIT
// ONNX operators that make constants, change shapes only, or choose what is computed.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/onnx/high_rank_shapes.h"
#include "engine/models/onnx/lowering.h"
#include "engine/models/onnx/small_types.h"
#include "engine/models/onnx/sparse_tensors.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace arenascope::models {
namespace {

// Reshapes the input without changing its bytes, also if it is a constant.
void in_shape(OpCall& c, const Dims& sizes) {
  const Value& x = c.value(0);
  auto count = checked_element_count(sizes);
  if (!c.ok()) return;
  if (!count || *count != element_count(x.sizes))
    return c.fail(fmt::format("{} elements do not fit in the shape {}", element_count(x.sizes), to_string(sizes)));
  if (x.sizes == sizes) return c.out(0, c.inputs()[0]);
  if (x.kind == Value::Kind::Constant && !x.tensor) return c.out_constant(0, x.dtype, sizes, x.source);
  c.out(0, c.reshape(c.in(0), sizes));
}

void reshape(OpCall& c) {
  std::vector<int64_t> target = c.opset() < 5 ? c.attr_ints("shape") : std::vector<int64_t>();
  if (c.opset() >= 5) {
    if (!c.has(1)) return c.fail("it has no shape");
    if (auto given = c.ints(1)) target = *given;
  }
  if (!c.ok()) return;
  if (target.size() > kMaxDims) return reshape_wide(c, target, c.attr_int("allowzero", 0) == 0);
  const Dims& from = c.sizes(0);
  Dims sizes;
  int unknown = -1;
  int64_t known = 1;
  for (size_t i = 0; i < target.size(); ++i) {
    int64_t size = target[i];
    if (size == 0 && c.attr_int("allowzero", 0) == 0) {
      if (static_cast<int>(i) >= from.rank()) return c.fail(fmt::format("dimension {} is kept, of {}", i, from.rank()));
      size = from[static_cast<int>(i)];
    }
    sizes.push_back(size);
    if (size == -1 && unknown < 0) {
      unknown = static_cast<int>(i);
    } else {
      auto product = size < 0 ? std::nullopt : checked_mul(known, size);
      if (!product)
        return c.fail(fmt::format("its shape {} has a negative size or overflows", to_string(Dims(target))));
      known = *product;
    }
  }
  const int64_t count = element_count(from);
  if (unknown >= 0) {
    if (known == 0 || count % known != 0)
      return c.fail(fmt::format("{} elements do not fit in the shape {}", count, to_string(Dims(target))));
    sizes[unknown] = count / known;
  }
  in_shape(c, sizes);
}

void flatten(OpCall& c) {
  const Dims& from = c.sizes(0);
  const int64_t given = c.attr_int("axis", 1);  // may be the rank
  const int axis = given == from.rank() ? from.rank() : c.axis(given, from.rank());
  Dims sizes{1, 1};
  for (int i = 0; i < from.rank(); ++i) sizes[i < axis ? 0 : 1] *= from[i];
  in_shape(c, sizes);
}

void squeeze(OpCall& c) {
  const Dims& from = c.sizes(0);
  const auto axes = c.axes(1, 13, from.rank());
  uint32_t gone = 0;
  for (int a : axes) gone |= 1u << a;
  Dims sizes;
  for (int i = 0; i < from.rank(); ++i) {
    const bool drop = axes.empty() ? from[i] == 1 : (gone & (1u << i)) != 0;
    if (drop && from[i] != 1) return c.fail(fmt::format("dimension {} has {} elements", i, from[i]));
    if (!drop) sizes.push_back(from[i]);
  }
  in_shape(c, sizes);
}

void unsqueeze(OpCall& c) {
  const Dims& from = c.sizes(0);
  const size_t added =
      c.opset() < 13 ? c.attr_ints("axes").size() : (c.has(1) ? static_cast<size_t>(element_count(c.sizes(1))) : 0);
  if (added + static_cast<size_t>(from.rank()) > kMaxDims) return find_wide_handler("", "Unsqueeze")(c);
  const int rank = from.rank() + static_cast<int>(added);
  uint32_t fresh = 0;
  for (int a : c.axes(1, 13, rank)) fresh |= 1u << a;
  if (!c.ok()) return;
  Dims sizes;
  for (int i = 0, next = 0; i < rank; ++i) sizes.push_back(fresh & (1u << i) ? 1 : from[next++]);
  in_shape(c, sizes);
}

void shape(OpCall& c) {
  const Dims& from = c.sizes(0);
  const int rank = from.rank();
  const auto place = [&](int64_t v) { return static_cast<int>(std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank)); };
  const int start = place(c.attr_int("start", 0)), end = place(c.attr_int("end", rank));
  std::vector<int64_t> sizes;
  for (int i = start; i < end; ++i) sizes.push_back(from[i]);
  if (c.ok()) c.out(0, HostArray::of(std::move(sizes)));
}

void constant(OpCall& c) {
  if (const auto* a = c.attr("sparse_value"); a && a->sparse) {
    const ir::TensorData& data = *a->sparse;
    if (const auto known = ir::known_numbers(data, *data.dtype)) return c.out(0, *known);
    return c.out_constant(0, *data.dtype, data.sizes, data.source);
  }
  if (const auto* a = c.attr("value"); a && a->tensor) {
    const ir::TensorData& data = *a->tensor;
    if (!data.dtype && !data.strings) return c.fail(fmt::format("it is of type {}", ir::type_name(data.type)));
    const DType dtype = data.dtype.value_or(DType::I64);
    if (const auto known = ir::known_numbers(data, dtype))
      c.out(0, *known);
    else
      c.out_constant(0, dtype, data.sizes, data.source);
    if (data.strings) c.set_string_table(0, data.strings);
    if (c.ok() && c.outputs()[0]) c.outputs()[0]->small = ir::remembered_type(data.type);
    if (c.ok() && c.outputs()[0]) c.outputs()[0]->full_shape = data.full_shape;
    return;
  }
  const auto floats = [](const std::vector<float>& values, const Dims& sizes) {
    HostArray out = HostArray::make(DType::F32, sizes);
    for (size_t i = 0; i < values.size(); ++i) out.floats[i] = static_cast<double>(values[i]);
    return out;
  };
  if (const auto* a = c.attr("value_int")) return c.out(0, HostArray::scalar(a->i));
  if (const auto* a = c.attr("value_ints")) return c.out(0, HostArray::of(a->ints));
  if (const auto* a = c.attr("value_float")) return c.out(0, floats({a->f}, {}));
  if (const auto* a = c.attr("value_floats"))
    return c.out(0, floats(a->floats, {static_cast<int64_t>(a->floats.size())}));
  if (const auto* a = c.attr("value_string")) return c.out_strings(0, {}, {&a->s, 1});
  if (const auto* a = c.attr("value_strings"))
    return c.out_strings(0, {static_cast<int64_t>(a->strings.size())}, a->strings);
  c.fail("it has no value that is a tensor of numbers or strings");
}

WeightSource::Writer filler(const HostArray& value, int64_t count) {
  std::vector<std::byte> item(static_cast<size_t>(element_bytes(value.dtype)));
  value.to_bytes(item.data());
  return [item, count](std::byte* out) -> Status {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(out + static_cast<size_t>(i) * item.size(), item.data(), item.size());
    return {};
  };
}

void filled(OpCall& c, size_t result, const Dims& sizes, const HostArray& value) {
  auto count = checked_element_count(sizes);
  if (!count) return c.fail(count.error().message);
  c.out_constant(result, value.dtype, sizes, filler(value, *count));
}

void constant_of_shape(OpCall& c) {
  const auto shape_given = c.ints(0);
  if (!shape_given) return c.fail("it has no shape");
  if (shape_given->size() > kMaxDims)
    return c.fail(fmt::format("it has {} dimensions: at most {} are supported", shape_given->size(), kMaxDims));
  HostArray value = HostArray::scalar_f32(0);
  if (const auto* a = c.attr("value"); a && a->tensor) {
    const ir::TensorData& data = *a->tensor;
    if (!data.dtype || element_count(data.sizes) != 1) return c.fail("its value is not one number");
    value = HostArray::from_bytes(*data.dtype, {}, data.bytes().data());
  }
  filled(c, 0, Dims(*shape_given), value);
}

void identity(OpCall& c) {
  (void)c.value(0);
  if (c.ok()) c.out(0, c.inputs()[0]);
}

// In training mode, by the training's own ratio instead of the file's.
void drop_while_learning(OpCall& c, double ratio) {
  const Tensor x = c.in(0);
  if (!x) return;
  if (!(ratio >= 0) || !(ratio < 1)) return c.fail(fmt::format("the dropout ratio {} is not in [0, 1)", ratio));
  DropoutParams p{static_cast<float>(ratio), 0};
  auto seed = c.lowering().dropout_input(p.sequence);
  if (!seed) return c.fail(seed.error().message);
  c.out(0, c.op_with(Op::Dropout, {x, *seed}, p));
  if (!c.has_output(1)) return;
  const Tensor ones = c.op_with(Op::Fill, {}, FillParams{x.sizes(), DType::F32, 1, 0}, ":ones");
  const Tensor kept = c.op_with(Op::Dropout, {ones, *seed}, p, ":kept");
  c.out(1, c.op(Op::Greater, {kept, c.scalar(0, DType::F32, ":zero")}, ":mask"));
}

void dropout(OpCall& c) {
  if (const OpenOptions& options = c.lowering().options(); options.learning) {
    const auto specified = c.opset() >= 12 && c.has(1) ? c.floats(1) : std::nullopt;
    const double files = c.opset() < 12                     ? static_cast<double>(c.attr_float("ratio", 0.5F))
                         : specified && !specified->empty() ? (*specified)[0]
                                                            : 0.5;
    if (const double ratio = options.dropout.value_or(files); ratio != 0) return drop_while_learning(c, ratio);
  } else if (c.has(2)) {
    const auto training = c.ints(2);
    const auto ratio = c.has(1) ? c.floats(1) : std::nullopt;
    if (!training) return;
    const bool keeps_all = ratio && ratio->size() == 1 && (*ratio)[0] == 0;
    if (training->size() == 1 && (*training)[0] != 0 && !keeps_all)
      return training_dropout(c, ratio && ratio->size() == 1 ? (*ratio)[0] : 0.5);
  }
  identity(c);
  if (c.has_output(1)) filled(c, 1, c.sizes(0), HostArray::scalar(1, DType::Bool));
}

void range(OpCall& c) {
  const auto start = c.known(0), limit = c.known(1), delta = c.known(2);
  for (size_t i = 0; i < 3; ++i)
    if (const auto known = c.known(i); !known || known->count() != 1)
      return c.wait_for(i, "its start, limit and delta must be known at compile time");
  const double by = delta->number(0), n = std::ceil((limit->number(0) - start->number(0)) / by);
  if (by == 0 || !(n < 1e12)) return c.fail("it has no end");
  const FillParams params{{static_cast<int64_t>(std::max(n, 0.0))}, start->dtype, start->number(0), by};
  OpParams bytes;
  bytes.set(params);
  c.out(0, c.apply(Op::Arange, std::span<const Tensor>{}, bytes, ""));
}

void eye_like(OpCall& c) {
  const Dims& sizes = c.sizes(0);
  const auto dtype = c.has_attr("dtype") ? ir::to_dtype(c.attr_type("dtype", 1)) : c.value(0).dtype;
  if (!dtype || sizes.rank() != 2 || element_count(sizes) > HostArray::kMaxElements)
    return c.fail("it needs a small matrix");
  HostArray out = HostArray::make(*dtype, sizes);
  for (int64_t i = 0; i < sizes[0]; ++i) {
    const auto k = checked_add(i, c.attr_int("k", 0));
    if (k && *k >= 0 && *k < sizes[1]) out.set_integer(i * sizes[1] + *k, 1);
  }
  c.out(0, std::move(out));
}

// Windows of signal processing: a + b·cos(2πi/n) + d·cos(4πi/n).
void cosine_window(OpCall& c, double a, double b, double d) {
  const auto given = c.ints(0);
  if (!given || given->size() != 1 || (*given)[0] < 0 || (*given)[0] > HostArray::kMaxElements)
    return c.fail("its size must be one number");
  const auto dtype = ir::to_dtype(c.attr_type("output_datatype", 1));
  if (!dtype) return c.fail("its type is not supported");
  const int64_t n = (*given)[0];
  const double turn = 2 * M_PI / static_cast<double>(std::max<int64_t>(c.attr_int("periodic", 1) ? n : n - 1, 1));
  HostArray out = HostArray::make(*dtype, {n});
  for (int64_t i = 0; i < n; ++i) {
    const double at = turn * static_cast<double>(i);
    out.set(i, a + b * std::cos(at) + d * std::cos(2 * at));
  }
  c.out(0, std::move(out));
}

// A condition that is known chooses a graph; its nodes are lowered in place.
void branch(OpCall& c) {
  const auto condition = c.known(0);
  if (!condition || condition->count() != 1) return c.wait_for(0, "its condition is only known while it runs");
  const bool then = condition->integer(0) != 0;
  const auto* chosen = c.attr(then ? "then_branch" : "else_branch");
  if (!chosen || !chosen->graph) return c.fail("it lacks a branch");
  const Lowering::Within whole(c.lowering(), c.title());
  const Lowering::Within branch(c.lowering(), then ? "then" : "else");
  auto outputs = c.lowering().lower_subgraph(*chosen->graph);
  if (!outputs && c.lowering().subgraph_needs_runtime_value()) {  // the branch is a model of its own
    ir::Node later = c.node();
    later.inputs.clear();
    later.attributes.erase(then ? "else_branch" : "then_branch");
    later.attributes[kUnrolledIterations].i = 0;
    later.attributes[kLoopScope].s = c.lowering().layer();
    return c.defer_as_loop(std::move(later), "its branch depends on values known only at run time");
  }
  if (!outputs) return c.fail(outputs.error().message);
  if (outputs->size() != c.output_count()) return c.fail("its branch has a different number of outputs");
  for (size_t i = 0; i < outputs->size(); ++i) c.out(i, (*outputs)[i]);
}

constexpr HandlerEntry kShapeHandlers[] = {
    {"BlackmanWindow", [](OpCall& c) { cosine_window(c, 0.42, -0.5, 0.08); }},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape},
    {"Dropout", dropout},
    {"EyeLike", eye_like},
    {"Flatten", flatten},
    {"HammingWindow", [](OpCall& c) { cosine_window(c, 25.0 / 46, -21.0 / 46, 0); }},
    {"HannWindow", [](OpCall& c) { cosine_window(c, 0.5, -0.5, 0); }},
    {"Identity", identity},
    {"If", branch},
    {"Range", range},
    {"Reshape", reshape},
    {"Shape", shape},
    {"Size", [](OpCall& c) { c.out(0, HostArray::scalar(element_count(c.sizes(0)))); }},
    {"Squeeze", squeeze},
    {"Unsqueeze", unsqueeze},
};

}  // namespace

std::span<const HandlerEntry> shape_handlers() { return kShapeHandlers; }

}  // namespace arenascope::models
