// SPDX-License-Identifier: MIT
// ONNX's casts, including types without tensors, whose values are stored in a wider type.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"
#include "engine/models/onnx/small_types.h"

#include <string>

namespace arenascope::models {
namespace {

SmallRounding rounding_of(OpCall& c) {
  const std::string mode = c.attr_string("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    c.fail(fmt::format("the round_mode '{}' is not supported: expected up, down or nearest", mode));
  return mode == "up" ? SmallRounding::Up : mode == "down" ? SmallRounding::Down : SmallRounding::Nearest;
}

// The fraction is dropped, and the low bits of the integer are kept.
Tensor to_small_integer(OpCall& c, const Tensor& x, const ir::SmallType& type, const std::string& at) {
  const auto number = [&](int64_t n, const char* suffix) {
    return c.scalar(static_cast<double>(n), DType::I32, (at + suffix).c_str());
  };
  Tensor y = c.cast(x, DType::I32, (at + ":whole").c_str());
  y = c.op(Op::BitAnd, {y, number((int64_t{1} << type.bits) - 1, ":mask")}, (at + ":bits").c_str());
  if (type.is_signed()) {
    const Tensor sign = number(int64_t{1} << (type.bits - 1), ":sign");
    y = c.op(Op::Sub, {c.op(Op::BitXor, {y, sign}, (at + ":turned").c_str()), sign}, (at + ":signed").c_str());
  }
  return c.cast(y, type.stored, at.c_str());
}

void cast_to(OpCall& c, int32_t to, bool saturate) {
  if (to == ir::kStringType) return cast_to_strings(c);
  const auto dtype = ir::stored_dtype(to);
  if (!dtype || to == ir::kComplex64) return c.fail(fmt::format("a cast to {} is not supported", ir::type_name(to)));
  const Value& from = c.value(0);
  if (!c.ok()) return;
  const bool is_small = ir::small_type(to) != nullptr;
  if (is_small ? from.small == to : from.small == 0 && from.dtype == *dtype) return c.out(0, c.inputs()[0]);
  if (is_small) return c.out_small(0, to_small_type(c, c.in(0), to, saturate, ""), to);
  // A small type may be stored as what it is cast to: then the same numbers get another name.
  c.out(0, from.dtype == *dtype ? c.op(Op::Copy, {c.in(0)}) : c.cast(c.in(0), *dtype));
}

// Before opset 6 the type was a string, such as "INT32".
int32_t target_type(OpCall& c) {
  const std::string text = c.attr_string("to", "");
  for (int32_t type = 1; !text.empty() && type <= 16; ++type)
    if (ir::type_name(type) == text) return type;
  return c.attr_type("to", 0);
}

void cast(OpCall& c) { cast_to(c, target_type(c), c.attr_int("saturate", 1) != 0); }

void cast_like(OpCall& c) {
  const Value &like = c.value(1), &from = c.value(0);
  if (!c.ok()) return;
  if (like.small != 0) return cast_to(c, like.small, c.attr_int("saturate", 1) != 0);
  if (from.small == 0 && from.dtype == like.dtype) return c.out(0, c.inputs()[0]);
  c.out(0, from.dtype == like.dtype ? c.op(Op::Copy, {c.in(0)}) : c.cast(c.in(0), like.dtype));
}

void bit_cast(OpCall& c) {
  const auto to = c.attr_type("to", 0);
  const auto dtype = ir::to_dtype(to);
  if (!dtype) return c.fail(fmt::format("a cast to {} is not supported", ir::type_name(to)));
  const Value& from = c.value(0);
  if (!c.ok()) return;
  if (from.dtype == *dtype) return c.out(0, c.inputs()[0]);
  c.out(0, c.op_with(Op::BitCast, {c.in(0)}, CastParams{*dtype}));
}

constexpr HandlerEntry kCastsHandlers[] = {
    {"BitCast", bit_cast},
    {"Cast", cast},
    {"CastLike", cast_like},
};

}  // namespace

Tensor to_small_type(OpCall& c, const Tensor& x, int32_t code, bool saturate, const char* suffix) {
  const ir::SmallType* type = ir::small_type(code);
  if (!type) c.fail(fmt::format("a cast to {} is not supported", ir::type_name(code)));
  if (!type || !x) return {};
  const std::string at = suffix;
  if (!type->floating) return to_small_integer(c, x, *type, at);
  const SmallFloatParams p{type->format, saturate, rounding_of(c)};
  const bool floating = info(x.dtype()).floating;
  const Tensor wide = floating ? x : c.cast(x, DType::F32, (at + ":f32").c_str());
  const bool last = wide.defined() && wide.dtype() == DType::F32;
  const Tensor rounded = c.op_with(Op::RoundSmall, {wide}, p, last ? at.c_str() : (at + ":rounded").c_str());
  return c.cast(rounded, DType::F32, at.c_str());
}

std::span<const HandlerEntry> cast_handlers() { return kCastsHandlers; }

}  // namespace arenascope::models
