// SPDX-License-Identifier: MIT
// Keys and values of 8 or 4 bits: integers, times a scale of all or of each channel.
#include <fmt/format.h>
#include "engine/models/onnx/operators/kv_cache.h"

namespace arenascope::models {

bool read_codes(OpCall& c, const char* type, size_t scale, const Tensor& like, CacheCodes& out) {
  const std::string kind = c.attr_string(type, "NONE");
  if (kind == "NONE") return true;
  const auto refused = [&](std::string why) {
    c.fail(std::move(why));
    return false;
  };
  if (kind != "PER_TENSOR" && kind != "PER_CHANNEL")
    return refused(
        fmt::format("the cache quantisation '{}' is not supported: expected PER_TENSOR or PER_CHANNEL", kind));
  out.bits = c.attr_int("kv_cache_bit_width", 0);
  if (out.bits != 4 && out.bits != 8)
    return refused(fmt::format("kv_cache_bit_width {} is not supported: expected 4 or 8", out.bits));
  const Tensor given = c.has(scale) ? c.in_f32(scale) : Tensor();
  if (!given) return refused("its cache has no scale");
  const Dims& s = like.sizes();
  const int64_t count = kind == "PER_TENSOR" ? 1 : s[1] * s[3];
  if (given->element_count() != count || (out.bits == 4 && s[3] % 2 != 0))
    return refused(
        fmt::format("the scales {} do not match {} heads of {} elements", to_string(given.sizes()), s[1], s[3]));
  out.scale =
      c.reshape(given, count == 1 ? Dims{1, 1, 1, 1} : Dims{1, s[1], 1, s[3]}, fmt::format(":scale_{}", scale).c_str());
  return c.ok();
}

Tensor encoded(OpCall& c, const CacheCodes& codes, const Tensor& x, const char* suffix) {
  if (codes.bits == 0 || !x) return x;
  const std::string at = suffix;
  const auto name = [&](const char* what) { return at + what; };
  const double most = codes.bits == 8 ? 127 : 7;
  const Tensor scaled =
      c.op(Op::Div, {c.cast(x, DType::F32, name("_f32").c_str()), codes.scale}, name("_scaled").c_str());
  const Tensor whole = c.op_with(Op::Clamp, {c.op(Op::Round, {scaled}, name("_rounded").c_str())},
                                 ClampParams{-most - 1, most}, name("_whole").c_str());
  if (codes.bits == 8) return c.cast(whole, DType::I8, name("_codes").c_str());
  const int64_t width = x.sizes()[3];
  const Tensor first = c.slice(whole, 3, 0, width, 2, name("_even").c_str());
  const Tensor second = c.slice(whole, 3, 1, width, 2, name("_odd").c_str());
  // Both counted from 8, the second one sixteenfold.
  const Tensor high = c.op_with(Op::Scale, {second}, ScaleParams{16, 136}, name("_high").c_str());
  return c.cast(c.op(Op::Add, {first, high}, name("_byte").c_str()), DType::U8, name("_codes").c_str());
}

Tensor decoded(OpCall& c, const CacheCodes& codes, const Tensor& x, const char* suffix) {
  if (codes.bits == 0 || !x) return x;
  const std::string at = suffix;
  const auto name = [&](const char* what) { return at + what; };
  Tensor whole = c.cast(x, DType::F32, name("_numbers").c_str());
  if (codes.bits == 4) {
    const Dims s = x.sizes();
    const Tensor part = c.op_with(Op::Scale, {whole}, ScaleParams{1.0F / 16, 0}, name("_sixteenth").c_str());
    const Tensor high = c.op(Op::Floor, {part}, name("_high_bits").c_str());
    const Tensor low =
        c.op(Op::Sub, {whole, c.op_with(Op::Scale, {high}, ScaleParams{16, 0}, name("_of_high").c_str())},
             name("_low_bits").c_str());
    const auto apart = [&](const Tensor& half, const char* what) {
      return c.reshape(half, {s[0], s[1], s[2], s[3], 1}, name(what).c_str());
    };
    const Tensor both = c.op_with(Op::Concat, {apart(low, "_low_each"), apart(high, "_high_each")}, AxisParams{4},
                                  name("_halves").c_str());
    whole = c.op_with(Op::Scale, {c.reshape(both, {s[0], s[1], s[2], 2 * s[3]}, name("_unpacked").c_str())},
                      ScaleParams{1, -8}, name("_signed").c_str());
  }
  return c.op(Op::Mul, {whole, codes.scale}, name("_decoded").c_str());
}

}  // namespace arenascope::models
