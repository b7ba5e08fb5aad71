// SPDX-License-Identifier: MIT
#include <arenascope/backends/op_cases/op_cases.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <arenascope/base/counted_random.h>
#include <arenascope/runtime/device_transfer.h>
#include "engine/backends/op_cases/case_builder.h"

namespace arenascope {
namespace {

// SplitMix64 (Steele, Lea and Flood 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() { return CountedRandom::mixed(state_ += CountedRandom::kStep); }
  double in(double low, double high) { return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

template <class T>
void put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

uint16_t half_bits(double x) {  // normal numbers only, truncated
  const float f = static_cast<float>(x);
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  if (std::abs(f) < 6.2e-5f) return 0;
  return static_cast<uint16_t>((bits >> 16 & 0x8000u) | ((bits & 0x7fffffffu) - 0x38000000u) >> 13);
}

void put_number(DType type, std::byte* to, double x) {
  const auto whole = static_cast<int64_t>(std::floor(x));
  switch (type) {
    case DType::F32: return put(to, static_cast<float>(x));
    case DType::F16: return put(to, half_bits(x));
    case DType::BF16: return put(to, static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(x)) >> 16));
    case DType::F64: return put(to, x);
    case DType::I8: return put(to, static_cast<int8_t>(whole));
    case DType::U8: return put(to, static_cast<uint8_t>(whole));
    case DType::I16: return put(to, static_cast<int16_t>(whole));
    case DType::U16: return put(to, static_cast<uint16_t>(whole));
    case DType::I32: return put(to, static_cast<int32_t>(whole));
    case DType::U32: return put(to, static_cast<uint32_t>(whole));
    case DType::I64: return put(to, whole);
    case DType::U64: return put(to, static_cast<uint64_t>(whole));
    default: return put(to, static_cast<uint8_t>(whole & 1));
  }
}

// Any bytes are a valid block, except for its half-precision scales, which must be moderate numbers.
void put_block(DType type, std::byte* to, Random& random) {
  const int32_t bytes = info(type).block_bytes;
  for (int32_t i = 0; i < bytes; ++i) to[i] = static_cast<std::byte>(random.next() >> 56);
  const auto scale = [&](int at) { put(to + at, static_cast<uint16_t>(0x2000u | (random.next() & 0x3ffu))); };
  switch (type) {
    case DType::Q4_0:
    case DType::Q5_0:
    case DType::Q8_0: return scale(0);
    case DType::Q2_K: return scale(80), scale(82);
    case DType::Q3_K: return scale(108);
    case DType::Q6_K: return scale(208);
    default: return scale(0), scale(2);
  }
}

double number_at(DType type, const std::byte* from) {
  const auto get = [from](auto zero) {
    std::memcpy(&zero, from, sizeof zero);
    return zero;
  };
  switch (type) {
    case DType::F32: return static_cast<double>(get(0.0f));
    case DType::F64: return get(0.0);
    case DType::BF16: return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(get(uint16_t{})) << 16));
    case DType::F16: {
      const uint16_t bits = get(uint16_t{});
      const int exponent = bits >> 10 & 31, fraction = bits & 1023;
      const double a = exponent == 31  ? (fraction ? std::numeric_limits<double>::quiet_NaN()
                                                   : std::numeric_limits<double>::infinity())
                       : exponent == 0 ? std::ldexp(fraction, -24)
                                       : std::ldexp(1024 + fraction, exponent - 25);
      return bits & 0x8000 ? -a : a;
    }
    case DType::I8: return get(int8_t{});
    case DType::I16: return get(int16_t{});
    case DType::U16: return get(uint16_t{});
    case DType::I32: return get(int32_t{});
    case DType::U32: return get(uint32_t{});
    case DType::I64: return static_cast<double>(get(int64_t{}));
    case DType::U64: return static_cast<double>(get(uint64_t{}));
    default: return get(uint8_t{});
  }
}

}  // namespace

Result<BuiltCase> OpCase::build(const Context& context) const {
  GraphBuilder builder(context);
  BuiltCase built = describe(builder);
  if (!builder.ok()) return builder.status().error();
  built.output.set_flag(kFlagOutput);
  return built;
}

namespace {

std::vector<OpCase> make_cases(bool lean) {
  std::vector<OpCase> cases;
  cases::CaseList list(cases, lean);
  cases::add_pointwise(list);
  cases::add_movement(list);
  cases::add_matmul_cases(list);
  cases::add_row_op_cases(list);
  return cases;
}

}  // namespace

const std::vector<OpCase>& op_cases(bool lean) {
  if (lean) {
    static const std::vector<OpCase> less = make_cases(true);
    return less;
  }
  static const std::vector<OpCase> all = make_cases(false);
  return all;
}

void fill_inputs(const BuiltCase& built, uint64_t seed) {
  Random random(seed);
  for (const CaseInput& input : built.inputs) {
    const DTypeInfo& type = info(input.tensor.dtype());
    std::byte* to = input.tensor->data();
    for (int64_t i = 0; i < input.tensor->element_count(); i += type.block_elements, to += type.block_bytes) {
      if (type.quantised)
        put_block(input.tensor.dtype(), to, random);
      else
        put_number(input.tensor.dtype(), to, random.in(input.low, input.high));
    }
  }
}

Status compute_in_parts(Backend& backend, const TensorImpl& node, int parts) {
  const auto memory = make_cpu_context();
  const TensorImpl* const nodes[] = {&node};
  auto prepared = backend.prepare(nodes, *memory);
  if (!prepared) return prepared.error();
  return compute_in_parts(backend, **prepared, node, parts);
}

Status compute_in_parts(const Backend& backend, PreparedGraph& prepared, const TensorImpl& node, int parts) {
  const Bytes bytes = backend.work_bytes(node, parts);
  std::vector<std::byte> work(static_cast<size_t>(bytes) + 64);
  const auto address = reinterpret_cast<uintptr_t>(work.data());
  std::byte* aligned = work.data() + (64 - address % 64) % 64;
  for (int i = 0; i < parts; ++i)
    if (auto status = prepared[0].compute({i, parts, aligned, bytes}); !status) return status;
  return {};
}

Result<std::vector<std::byte>> compute_on_device(Backend& backend, ExecutionContext& memory, const BuiltCase& built) {
  TensorImpl& node = *built.output;
  std::vector<TensorImpl*> given;
  for (const CaseInput& input : built.inputs) given.push_back(input.tensor.impl());
  given.push_back(&node);
  if (auto ok = move_to_device(backend, memory, given, MemoryKind::Workspace); !ok) return ok.error();
  // Views share the storage of their source.
  std::vector<TensorImpl*> open = {&node};
  while (!open.empty()) {
    TensorImpl* tensor = open.back();
    open.pop_back();
    if (tensor->view_source) tensor->storage = tensor->view_source->storage;
    open.insert(open.end(), tensor->sources.begin(), tensor->sources.end());
  }
  const TensorImpl* const nodes[] = {&node};
  auto prepared = backend.prepare(nodes, memory);
  if (!prepared) return prepared.error();
  auto work = Storage::allocate(memory, backend.device(), MemoryKind::Workspace, backend.work_bytes(node, 1));
  if (!work) return work.error();
  if (has_work(node))
    if (auto ok = (**prepared)[0].compute({0, 1, work->data(), work->bytes()}); !ok) return ok.error();
  if (auto ok = backend.synchronize(); !ok) return ok.error();
  return read_tensor(backend, node);
}

Difference compare_elements(DType type, const std::byte* got, const std::byte* expected, int64_t count) {
  Difference d;
  const int64_t bytes = element_bytes(type);
  for (int64_t i = 0; i < count; ++i, got += bytes, expected += bytes) {
    const double x = number_at(type, got), y = number_at(type, expected);
    if (std::isfinite(y)) d.largest_value = std::max(d.largest_value, std::abs(y));
    if (x == y || (std::isnan(x) && std::isnan(y))) {
      if (info(type).floating || std::memcmp(got, expected, static_cast<size_t>(bytes)) == 0) continue;
    }
    const double error = std::isfinite(x) && std::isfinite(y)
                             ? std::max(std::abs(x - y), std::numeric_limits<double>::min())
                             : std::numeric_limits<double>::infinity();
    if (error > d.largest_error) d = {error, d.largest_value, i};
  }
  return d;
}

}  // namespace arenascope
