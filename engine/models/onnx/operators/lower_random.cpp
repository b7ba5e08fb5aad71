// SPDX-License-Identifier: MIT
// ONNX operators that generate random numbers, with a Mersenne Twister (MT19937, 53 bits per number, seeded like NumPy's
// RandomState), so that a seed gives the same numbers on every machine; the default seed is derived from the node's name. Every
// run has the same numbers, every iteration of a loop different ones.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace arenascope::models {
namespace {

enum class Kind { Uniform, Normal, Gumbel };

class Drawing {
 public:
  Drawing(uint32_t seed, Kind kind, double a, double b) : twister_(seed), kind_(kind), a_(a), b_(b) {}
  // Reseeds for another copy of the node or another run.
  void go_on_with(uint32_t copy, uint64_t draw, uint32_t seed) {
    std::seed_seq sequence{seed, copy, static_cast<uint32_t>(draw), static_cast<uint32_t>(draw >> 32)};
    twister_.seed(sequence);
  }
  double next() {
    switch (kind_) {
      case Kind::Uniform: return a_ + (b_ - a_) * part();
      case Kind::Gumbel: return -std::log(-std::log(std::max(part(), 1e-300)));
      case Kind::Normal: break;
    }
    const double radius = std::sqrt(-2 * std::log(1 - part())), turn = 2 * M_PI * part();  // Box and Muller
    return a_ + b_ * radius * std::cos(turn);
  }

 private:
  // In [0, 1): 27 and 26 bits of two numbers.
  double part() {
    const uint32_t high = twister_() >> 5, low = twister_() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }
  std::mt19937 twister_;
  Kind kind_;
  double a_, b_;
};

uint32_t seed_of(OpCall& c) {
  const auto* a = c.attr("seed");
  if (!a) {
    uint32_t hash = 0x811C9DC5u;  // FNV-1a
    for (const char letter : c.name_of("")) hash = (hash ^ static_cast<uint8_t>(letter)) * 0x01000193u;
    return hash;
  }
  const auto value = a->i != 0 ? static_cast<double>(a->i) : static_cast<double>(a->f);
  return std::isfinite(value) ? static_cast<uint32_t>(static_cast<int64_t>(std::clamp(value, -4e18, 4e18))) : 0;
}

// Random numbers as a constant; in the body of a loop that is executed at run time, as an input for each iteration.
Tensor random_values(OpCall& c, DType dtype, const Dims& sizes, Kind kind, double a, double b, const char* suffix) {
  auto bytes = checked_byte_count(sizes, dtype);
  if (!c.ok() || !bytes || *bytes > Lowering::kMaxTensorBytes || !info(dtype).floating) {
    c.fail(fmt::format("random values of shape {} and type {} are not supported", to_string(sizes), name(dtype)));
    return {};
  }
  const int64_t count = element_count(sizes);
  const uint32_t copy = c.lowering().next_random_call(c.node());
  const auto write = [=, seed = seed_of(c)](uint64_t draw, std::byte* out) -> Status {
    Drawing drawing(seed, kind, a, b);
    if (copy > 0 || draw > 0) drawing.go_on_with(copy, draw, seed);
    constexpr int64_t kPiece = 1 << 12;
    for (int64_t at = 0; at < count; at += kPiece) {
      HostArray piece = HostArray::make(dtype, {std::min(kPiece, count - at)});
      for (int64_t i = 0; i < piece.count(); ++i) piece.set(i, drawing.next());
      piece.to_bytes(out + at * info(dtype).block_bytes);
    }
    return {};
  };
  if (c.lowering().resamples_each_run()) {
    auto input =
        c.lowering().add_random_input(c.name_of(fmt::format("{}:drawn_{}", suffix, copy).c_str()), dtype, sizes, write);
    if (!input) c.fail(input.error().message);
    return input ? *input : Tensor();
  }
  Value value;
  value.name = c.name_of(suffix);
  value.kind = Value::Kind::Constant;
  value.dtype = dtype;
  value.sizes = sizes;
  value.source = WeightSource([write](std::byte* out) { return write(0, out); });
  return c.tensor_of(std::make_shared<Value>(std::move(value)));
}

DType type_of(OpCall& c, DType fallback) {
  if (!c.has_attr("dtype")) return fallback;
  const auto specified = ir::to_dtype(c.attr_type("dtype", 1));
  if (!specified) c.fail("its type is not supported");
  return specified.value_or(fallback);
}

void random(OpCall& c, Kind kind, bool like) {
  Dims sizes;
  if (like) {
    sizes = c.sizes(0);
  } else {
    const auto shape = c.attr_ints("shape");
    if (shape.size() > kMaxDims)
      return c.fail(fmt::format("it has {} dimensions: at most {} are supported", shape.size(), kMaxDims));
    sizes = Dims(shape);
  }
  if (auto count = checked_element_count(sizes); !count) return c.fail(count.error().message);
  const DType dtype = type_of(c, like && info(c.value(0).dtype).floating ? c.value(0).dtype : DType::F32);
  const bool uniform = kind == Kind::Uniform;
  const auto a = static_cast<double>(uniform ? c.attr_float("low", 0) : c.attr_float("mean", 0));
  const auto b = static_cast<double>(uniform ? c.attr_float("high", 1) : c.attr_float("scale", 1));
  c.out(0, random_values(c, dtype, sizes, kind, a, b, ""));
}

void bernoulli(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const Tensor number = random_values(c, DType::F32, x.sizes(), Kind::Uniform, 0, 1, ":drawn");
  const Tensor less = c.op(Op::Less, {number, c.cast(x, DType::F32, ":chance")}, ":less");
  c.out(0, c.cast(less, type_of(c, x.dtype())));
}

// Sampling with the Gumbel-max trick: the maximum of log-probability plus Gumbel noise.
void multinomial(OpCall& c) {
  const Tensor x = c.in_f32(0);
  const int64_t samples = c.attr_int("sample_size", 1);
  if (!x || x->rank() != 2 || samples < 1 || samples > 1 << 24 || x.sizes()[1] < 1)
    return c.fail(fmt::format("sample_size {} or the shape of its input is out of range", samples));
  const Dims sizes{x.sizes()[0], samples, x.sizes()[1]};
  const Tensor noise = random_values(c, DType::F32, sizes, Kind::Gumbel, 0, 1, ":noise");
  const Tensor all = c.op(Op::Add, {noise, c.reshape(x, {sizes[0], 1, sizes[2]}, ":chances")}, ":noisy");
  const Tensor best = c.op_with(Op::ArgMax, {all}, ArgParams{2, false, false}, ":best");
  const DType dtype = c.attr_int("dtype", 6) == 7 ? DType::I64 : DType::I32;
  c.out(0, c.cast(best, dtype));
}

constexpr HandlerEntry kRandomHandlers[] = {
    {"Bernoulli", bernoulli},
    {"Multinomial", multinomial},
    {"RandomNormal", [](OpCall& c) { random(c, Kind::Normal, false); }},
    {"RandomNormalLike", [](OpCall& c) { random(c, Kind::Normal, true); }},
    {"RandomUniform", [](OpCall& c) { random(c, Kind::Uniform, false); }},
    {"RandomUniformLike", [](OpCall& c) { random(c, Kind::Uniform, true); }},
};

}  // namespace

bool is_random(const ir::Node& node) {
  if (!node.domain.empty()) return false;
  for (const HandlerEntry& entry : kRandomHandlers)
    if (node.op == entry.op) return true;
  return false;
}

void training_dropout(OpCall& c, double ratio) {
  const Tensor x = c.in(0);
  if (!x) return;
  if (!(ratio >= 0) || !(ratio < 1)) return c.fail(fmt::format("the dropout ratio {} is not in [0, 1)", ratio));
  const Tensor number = random_values(c, DType::F64, x.sizes(), Kind::Uniform, 0, 1, ":drawn");
  const Tensor kept = c.op(Op::GreaterEqual, {number, c.scalar(ratio, DType::F64, ":ratio")}, ":kept");
  if (!kept) return;
  const Tensor larger = c.op_with(Op::Scale, {x}, ScaleParams{static_cast<float>(1 / (1 - ratio)), 0}, ":larger");
  c.out(0, c.op(Op::Where, {kept, larger, c.scalar(0, x.dtype(), ":dropped")}));
  if (c.has_output(1)) c.out(1, c.op(Op::Copy, {kept}, ":mask"));
}

std::span<const HandlerEntry> random_handlers() { return kRandomHandlers; }

}  // namespace arenascope::models
