// SPDX-License-Identifier: MIT
// Matmuls with packed quantised weights, at every SIMD level that the processor has, compared with sums in double
// and with the bound in quant_kernels.h.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/backends/reference/reference_backend.h>
#include "engine/backends/cpu/quant/quant.h"
#include "engine/backends/cpu/quant/quant_kernels.h"

using namespace arenascope;
using namespace arenascope::cpu;

namespace {

constexpr DType kTypes[] = {DType::Q8_0, DType::Q4_0, DType::Q4_1, DType::Q5_0,
                            DType::Q5_1, DType::Q4_K, DType::Q5_K, DType::Q6_K};

struct Weights {
  std::vector<std::byte> blocks;
  std::vector<float> values;
};

Weights weights(DType type, int64_t columns, int64_t depth) {
  auto context = Context::create({.mem_size = size_t{1} << 22});
  REQUIRE(context);
  GraphBuilder g(*context);
  const Tensor w = g.input("w", {columns, depth}, type);
  REQUIRE(g.ok());
  fill_inputs({{}, {{w}}}, 11);
  Weights out{{w->data(), w->data() + w->byte_count()}, std::vector<float>(static_cast<size_t>(columns * depth))};
  dequantise(type, out.blocks.data(), out.values.data(), columns * depth);
  return out;
}

std::vector<float> activations(int64_t rows, int64_t depth) {
  std::vector<float> x(static_cast<size_t>(rows * depth));
  uint32_t state = 5;
  for (size_t i = 0; i < x.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = (static_cast<float>(state >> 8) * 0x1p-23f - 1) * (i / 32 % 5 == 0 ? 1e-3f : 2.0f);
  }
  return x;
}

// Σ over blocks (largest |x| ÷ 254)·Σ|w|, and float rounding.
double bound(const float* w, const float* x, int64_t depth) {
  double total = 0, all = 0;
  for (int64_t b = 0; b < depth; b += 32) {
    double largest = 0, sum = 0;
    for (int64_t i = b; i < b + 32; ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(x[i])));
      sum += std::abs(static_cast<double>(w[i]));
      all += std::abs(static_cast<double>(w[i]) * static_cast<double>(x[i]));
    }
    total += largest / 254 * sum;
  }
  return 1.001 * total + 2e-5 * all + 1e-28;
}

}  // namespace

TEST_CASE("tiles of all types, groups and SIMD levels keep their error bound") {
  REQUIRE(!all_quant_kernels().empty());
  for (const QuantKernels* kernels : all_quant_kernels())
    for (DType type : kTypes)
      for (int64_t depth : {256, 512, 1280}) {
        QuantKind kind;
        REQUIRE(quant_kind(type, kind));
        const int64_t columns = kernels->width + 3;
        const QuantLayout layout{kind, kernels->width, columns, depth};
        const Weights w = weights(type, columns, depth);
        std::vector<std::byte> packed(static_cast<size_t>(layout.bytes()));
        for (int64_t panel = 0; panel < layout.panels(); ++panel)
          pack_panel(layout, w.blocks.data(), depth / info(type).block_elements * info(type).block_bytes, panel,
                     packed.data() + panel * layout.panel_bytes());
        for (int place = 0; place < kGroupKinds && kGroupSizes[place] <= kernels->max_rows; ++place) {
          CAPTURE(std::string(kernels->name));
          CAPTURE(std::string(name(type)));
          CAPTURE(depth);
          const int m = kGroupSizes[place];
          CAPTURE(m);
          const std::vector<float> x = activations(m, depth);
          std::vector<std::byte> group(static_cast<size_t>(depth / 32 * kGroupBlockBytes * m));
          for (int r = 0; r < m; ++r)
            REQUIRE(kernels->quantise(kind, kernels->signed_bytes && kind == QuantKind::Q8_0, x.data() + r * depth,
                                      depth / 32, m, r, group.data()));
          std::vector<float> out(static_cast<size_t>(m * columns + 1), 77.0f);
          for (int64_t panel = 0; panel < 2; ++panel)
            kernels->tile[static_cast<int>(kind)][place](packed.data() + panel * layout.panel_bytes(), group.data(),
                                                         layout.units(), out.data() + panel * kernels->width, columns,
                                                         panel == 0 ? kernels->width : 3);
          for (int r = 0; r < m; ++r)
            for (int64_t c = 0; c < columns; ++c) {
              const float *row = w.values.data() + c * depth, *in = x.data() + r * depth;
              double exact = 0;
              for (int64_t i = 0; i < depth; ++i) exact += static_cast<double>(row[i]) * static_cast<double>(in[i]);
              REQUIRE(std::abs(static_cast<double>(out[static_cast<size_t>(r * columns + c)]) - exact) <=
                      bound(row, in, depth));
            }
          CHECK(out.back() == 77.0f);
        }
      }
}

TEST_CASE("a row has the same bits in groups of any size, and with AMX") {
  for (const QuantKernels* kernels : all_quant_kernels())
    for (DType type : kTypes) {
      CAPTURE(std::string(kernels->name));
      CAPTURE(std::string(name(type)));
      QuantKind kind;
      REQUIRE(quant_kind(type, kind));
      const int64_t depth = info(type).block_elements == 256 ? 768 : 352, width = kernels->width;
      const QuantLayout layout{kind, kernels->width, width, depth};
      const int64_t blocks = layout.units() * quant_shape(kind).blocks;
      const Weights w = weights(type, width, depth);
      std::vector<std::byte> packed(static_cast<size_t>(layout.bytes()));
      pack_panel(layout, w.blocks.data(), depth / info(type).block_elements * info(type).block_bytes, 0, packed.data());
      const std::vector<float> x = activations(kMaxGroup, depth);
      std::vector<float> first;
      for (int place = 0; place < kGroupKinds && kGroupSizes[place] <= kernels->max_rows; ++place) {
        const int m = kGroupSizes[place];
        CAPTURE(m);
        std::vector<float> out(static_cast<size_t>(kMaxGroup * width));
        std::vector<std::byte> group(static_cast<size_t>(blocks * kGroupBlockBytes * m));
        for (int begin = 0; begin < kMaxGroup / m * m; begin += m) {
          for (int r = 0; r < m; ++r)
            REQUIRE(kernels->quantise(kind, kernels->signed_bytes && kind == QuantKind::Q8_0,
                                      x.data() + (begin + r) * depth, depth / 32, m, r, group.data()));
          kernels->tile[static_cast<int>(kind)][place](packed.data(), group.data(), layout.units(),
                                                       out.data() + begin * width, width, kernels->width);
        }
        if (first.empty()) first = out;
        CHECK(std::equal(out.begin(), out.begin() + kMaxGroup / m * m * width, first.begin()));
      }
    }
}

TEST_CASE("matmuls with packed quantised weights, in any number of parts, with bias, views and batches") {
  auto reference = reference::make_reference_backend();
  auto memory = make_cpu_context();
  for (DType type : kTypes)
    for (int64_t rows : {1, 2, 3, 5, 7, 12, 13, 31, 200}) {
      const int64_t depth = info(type).block_elements == 256 ? 512 : 96, columns = 53;
      CAPTURE(std::string(name(type)));
      CAPTURE(rows);
      auto context = Context::create({.mem_size = size_t{1} << 23});
      REQUIRE(context);
      GraphBuilder g(*context);
      const Tensor w = g.weight("w", {columns, depth}, type), whole = g.input("x", {2, rows, depth + 8}),
                   bias = g.weight("b", {columns});
      fill_inputs({{}, {{w}, {whole}, {bias}}}, 2);
      const Tensor out = g.mul_mat(w, g.slice(whole, 2, 3, depth + 3), bias);
      REQUIRE(g.ok());
      REQUIRE(compute_in_parts(*reference, *out, 1).ok());
      const std::vector<std::byte> expected(out->data(), out->data() + out->byte_count());
      auto cpu = make_cpu_backend();
      const TensorImpl* const nodes[] = {out.impl()};
      auto prepared = cpu->prepare(nodes, *memory);
      REQUIRE(prepared);
      std::vector<std::byte> first;
      for (int parts : {1, 2, 3, 5}) {
        std::memset(out->data(), 0x5b, static_cast<size_t>(out->byte_count()));
        REQUIRE(compute_in_parts(*cpu, **prepared, *out, parts).ok());
        CHECK(compare_elements(DType::F32, out->data(), expected.data(), out->element_count()).relative() < 0.01);
        const std::vector<std::byte> got(out->data(), out->data() + out->byte_count());
        if (first.empty()) first = got;
        CHECK(got == first);
      }
    }
}

TEST_CASE("the scratch of a quantised matmul has as many rows as its groups") {
  auto memory = make_cpu_context();
  auto cpu = make_cpu_backend();
  constexpr int64_t kDepth = 4096, kColumns = 32;
  constexpr size_t kGuard = 4096;
  for (int64_t rows : {1, 2, 3, 5, 9, 12, 13, 17, 33, 192, 193, 200}) {
    CAPTURE(rows);
    auto context = Context::create({.mem_size = size_t{1} << 24});
    REQUIRE(context);
    GraphBuilder g(*context);
    const Tensor w = g.weight("w", {kColumns, kDepth}, DType::Q8_0), x = g.input("x", {rows, kDepth});
    fill_inputs({{}, {{w}, {x}}}, 2);
    const Tensor out = g.mul_mat(w, x);
    REQUIRE(g.ok());
    const TensorImpl* const nodes[] = {out.impl()};
    auto prepared = cpu->prepare(nodes, *memory);
    REQUIRE(prepared);
    const Bytes bytes = cpu->work_bytes(*out, 1);
    if (rows == 1) CHECK(bytes <= kDepth / 32 * kGroupBlockBytes + 4 * kDepth + 128);
    std::vector<std::byte> work(static_cast<size_t>(bytes) + 64 + kGuard, std::byte{0x5b});
    std::byte* aligned = work.data() + (64 - reinterpret_cast<uintptr_t>(work.data()) % 64) % 64;
    REQUIRE((**prepared)[0].compute({0, 1, aligned, bytes}).ok());
    CHECK(std::all_of(aligned + bytes, aligned + bytes + kGuard, [](std::byte b) { return b == std::byte{0x5b}; }));
  }
}

TEST_CASE("non-finite values equal the reference, denormals become zero") {
  auto reference = reference::make_reference_backend();
  for (float odd : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 1e-41f})
    for (int64_t rows : {1, 9}) {
      auto context = Context::create({.mem_size = size_t{1} << 22});
      REQUIRE(context);
      GraphBuilder g(*context);
      const Tensor w = g.weight("w", {20, 64}, DType::Q8_0), x = g.input("x", {rows, 64});
      fill_inputs({{}, {{w}, {x}}}, 4);
      x.data_as<float>()[5] = odd;
      const Tensor out = g.mul_mat(w, x);
      REQUIRE(compute_in_parts(*reference, *out, 1).ok());
      const std::vector<std::byte> expected(out->data(), out->data() + out->byte_count());
      auto cpu = make_cpu_backend();
      REQUIRE(compute_in_parts(*cpu, *out, 2).ok());
      CHECK(compare_elements(DType::F32, out->data(), expected.data(), out->element_count()).relative() < 0.01);
    }
}
