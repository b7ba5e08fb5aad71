// SPDX-License-Identifier: MIT
// Fast paths for aligned and contiguous arrays: vectors that cross channels, tiles, chunks of 16 bytes, rows in
// registers, and fused chains after a convolution. Each is compared with other layouts, by the reference backend.
#include "emulated_fixture.h"

#include <string>

using namespace arenascope;
using namespace arenascope::test;

namespace {

double tolerance(DType type) { return type == DType::F32 ? 1e-6 : type == DType::F16 ? 1e-3 : 8e-3; }

}  // namespace

TEST_CASE("one value per channel: channels that begin anywhere in a vector, and wrap around") {
  for (const DType type : {DType::F32, DType::F16, DType::BF16})
    for (const auto& [height, width] : {std::pair{7, 7}, {2, 4}, {3, 3}, {1, 9}, {4, 4}, {1, 5}})
      for (const int64_t batch : {1, 8}) {
        CAPTURE(name(type));
        CAPTURE(height * width);
        CAPTURE(batch);
        const Dims image{batch, 8, height, width};
        check_agrees(built_of([&](GraphBuilder& b) {
                       const Tensor x = b.input("x", image, type), c = b.input("c", {8, 1, 1}, type);
                       return BuiltCase{b.op(Op::Mul, {x, c}), {{x}, {c}}};
                     }).built.output,
                     tolerance(type));
        if (type != DType::F32) continue;
        check_agrees(built_of([&](GraphBuilder& b) {
                       const Tensor x = b.input("x", image);
                       const Tensor gain = b.input("gain", {8}), bias = b.input("bias", {8}),
                                    mean = b.input("mean", {8}), variance = b.input("variance", {8});
                       return BuiltCase{
                           b.op_with(Op::BatchNorm, {x, gain, bias, mean, variance}, BatchNormParams{1e-3f}),
                           {{x}, {gain}, {bias}, {mean}, {variance, 0.5, 2}}};
                     }).built.output,
                     1e-6);
      }
}

TEST_CASE("tiled transposes: full tiles and edges, all element sizes, 16-byte pieces") {
  for (const DType type : {DType::U8, DType::F16, DType::F32, DType::F64})
    for (const auto& [rows, columns] : {std::pair{64, 64},
                                        {128, 192},
                                        {65, 64},
                                        {70, 130},
                                        {200, 136},
                                        {120, 264},
                                        {63, 66},
                                        {8, 200},
                                        {72, 136},
                                        {68, 100},
                                        {90, 9}})
      for (const int64_t batch : {1, 3}) {
        CAPTURE(name(type));
        CAPTURE(rows);
        CAPTURE(columns);
        check_agrees(built_of([&, rows = rows, columns = columns](GraphBuilder& b) {
                       const Tensor x = b.input("x", {batch, rows, columns}, type);
                       return BuiltCase{b.op(Op::Cont, {b.transpose(x)}), {{x}}};
                     }).built.output,
                     0);
      }
}

TEST_CASE("copies in 16-byte pieces, also if a row ends within one") {
  for (const DType type : {DType::U8, DType::BF16, DType::F32, DType::I64})
    for (const int64_t width : {16, 48, 40, 7})
      for (const int64_t first : {0, 16, 1}) {
        CAPTURE(name(type));
        CAPTURE(width);
        CAPTURE(first);
        check_agrees(built_of([&](GraphBuilder& b) {
                       const Tensor x = b.input("x", {5, 3, 64}, type);
                       return BuiltCase{b.op(Op::Cont, {b.slice(x, 2, first, first + width)}), {{x}}};
                     }).built.output,
                     0);
      }
}

TEST_CASE("rows in registers: matching thread counts, with a scale, a mask, a gain and a bias") {
  for (const DType type : {DType::F32, DType::F16, DType::BF16})
    for (const int64_t width : {8, 256, 1024, 1032, 4096, 8192, 8200}) {
      CAPTURE(name(type));
      CAPTURE(width);
      const double most = 4 * tolerance(type);
      check_agrees(built_of([&](GraphBuilder& b) {
                     const Tensor x = b.input("x", {3, width}, type), mask = b.input("mask", {1, width}, type);
                     return BuiltCase{b.op_with(Op::SoftMax, {x, mask}, SoftMaxParams{1, 0.5f}), {{x}, {mask}}};
                   }).built.output,
                   most);
      check_agrees(built_of([&](GraphBuilder& b) {
                     const Tensor x = b.input("x", {3, width}, type);
                     return BuiltCase{b.op_with(Op::LogSoftMax, {x}, SoftMaxParams{1, 1}), {{x}}};
                   }).built.output,
                   most);
      for (const Op op : {Op::Norm, Op::RmsNorm})
        for (const bool scaled : {false, true})
          check_agrees(built_of([&](GraphBuilder& b) {
                         const Tensor x = b.input("x", {3, width}, type);
                         if (!scaled) return BuiltCase{b.op_with(op, {x}, NormParams{1, 1e-5f}), {{x}}};
                         const Tensor gain = b.input("gain", {width}, type);
                         return BuiltCase{b.op_with(op, {x, gain}, NormParams{1, 1e-5f}), {{x}, {gain}}};
                       }).built.output,
                       most);
    }
}

TEST_CASE("the epilogue of a convolution includes its bias, for library and own kernels") {
  for (const bool libraries : {false, true})
    for (const DType type : {DType::F32, DType::F16})
      for (const bool biased : {false, true})
        for (const bool transposed : {false, true}) {
          CAPTURE(libraries);
          CAPTURE(name(type));
          CAPTURE(biased);
          CAPTURE(transposed);
          auto context = Context::create({.grow = true});
          REQUIRE(context);
          GraphBuilder b(*context);
          const Tensor x = b.input("x", {2, 3, 9, 9}, type), bias = b.input("bias", {8}, type),
                       more = b.input("more", {2, 8, 7, 7}, type);
          Tensor taken = x;
          if (transposed) taken = b.input("small", {2, 3, 5, 5}, type);
          const Tensor w = b.input("w", transposed ? Dims{3, 8, 3, 3} : Dims{8, 3, 3, 3}, type);
          ConvParams params{2, {1, 1, 1}, {1, 1, 1}, {}, {}, {}, 1};
          const Op op = transposed ? Op::ConvTranspose : Op::Conv;
          const Tensor convolved = biased ? b.op_with(op, {taken, w, bias}, params) : b.op_with(op, {taken, w}, params),
                       sum = b.op(Op::Add, {more, convolved}), out = b.op(Op::Relu, {sum});
          REQUIRE_MESSAGE(b.ok(), (b.ok() ? "" : b.status().error().message));
          BuiltCase made{out, {{taken}, {w}, {bias}, {more}}};
          fill_inputs(made, 11);
          const TensorImpl* const nodes[] = {convolved.impl(), sum.impl(), out.impl()};
          const auto reference = reference::make_reference_backend();
          for (const TensorImpl* node : nodes)
            REQUIRE(compute_in_parts(*reference, *const_cast<TensorImpl*>(node), 1).ok());
          const auto expected = result(out);
          for (const bool fuses : {true, false}) {
            CAPTURE(fuses);
            fill_with_pattern(out);
            const auto backend = make_emulated_backend({.libraries = libraries, .fuses = fuses});
            const auto chains = backend->run_chained(nodes);
            REQUIRE_MESSAGE(chains.ok(), (chains ? "" : chains.error().message));
            CHECK(*chains == 1);
            const bool one_call = libraries && biased && !transposed;
            CHECK(backend->library_calls() == (!libraries ? 0 : one_call && !fuses ? 2 : 1));  // one that is refused
            CHECK(backend->kernels() == (libraries ? 0 : 1) + (one_call && fuses ? 0 : 1));
            const auto got = result(out);
            CHECK(compare_elements(type, got.data(), expected.data(), out->element_count()).relative() <=
                  2 * tolerance(type));
          }
        }
}

TEST_CASE("many rows in registers, and few") {
  for (const DType type : {DType::F32, DType::F16})
    for (const int64_t rows : {1, 6, 7, 41})
      for (const int64_t width : {64, 768, 1032}) {
        CAPTURE(name(type));
        CAPTURE(rows);
        CAPTURE(width);
        check_agrees(
            built_of([&](GraphBuilder& b) {
              const Tensor x = b.input("x", {rows, width}, type), gain = b.input("gain", {width}, type),
                           bias = b.input("bias", {width}, type);
              return BuiltCase{b.op_with(Op::Norm, {x, gain, bias}, NormParams{1, 1e-5f}), {{x}, {gain}, {bias}}};
            }).built.output,
            4 * tolerance(type));
        check_agrees(built_of([&](GraphBuilder& b) {
                       const Tensor x = b.input("x", {rows, width}, type);
                       return BuiltCase{b.op_with(Op::SoftMax, {x}, SoftMaxParams{1, 1}), {{x}}};
                     }).built.output,
                     4 * tolerance(type));
      }
}

TEST_CASE("attention by vectors: widths, edges of tiles, causal, a mask, shared keys, all float types") {
  struct Shape {
    int64_t heads, key_heads, queries, keys, width, value_width;
  };
  for (const Shape& s : {Shape{2, 2, 16, 64, 64, 64},
                         {4, 2, 17, 70, 64, 40},
                         {2, 1, 1, 129, 128, 128},
                         {2, 2, 40, 33, 80, 128},
                         {1, 1, 5, 5, 8, 16}})
    for (const DType type : {DType::F32, DType::F16, DType::BF16})
      for (const bool causal : {false, true})
        for (const bool masked : {false, true}) {
          CAPTURE(s.width);
          CAPTURE(s.keys);
          CAPTURE(name(type));
          CAPTURE(causal);
          CAPTURE(masked);
          check_agrees(built_of([&](GraphBuilder& b) {
                         const Tensor q = b.input("q", {2, s.heads, s.queries, s.width}, type),
                                      k = b.input("k", {2, s.key_heads, s.keys, s.width}, type),
                                      v = b.input("v", {2, s.key_heads, s.keys, s.value_width}, type),
                                      mask = b.input("mask", {1, 1, s.queries, s.keys}, DType::F32);
                         const AttentionParams params{0.125f, causal};
                         return masked ? BuiltCase{b.op_with(Op::Attention, {q, k, v, mask}, params),
                                                   {{q}, {k}, {v}, {mask}}}
                                       : BuiltCase{b.op_with(Op::Attention, {q, k, v}, params), {{q}, {k}, {v}}};
                       }).built.output,
                       1e-5);
        }
}

TEST_CASE("a matmul of float16 and the cast of its result are one library call") {
  for (const bool libraries : {false, true})
    for (const bool biased : {false, true})
      for (const int64_t rows : {3, 40}) {
        CAPTURE(libraries);
        CAPTURE(biased);
        CAPTURE(rows);
        auto context = Context::create({.grow = true});
        REQUIRE(context);
        GraphBuilder b(*context);
        const Tensor w = b.input("w", {24, 16}, DType::F16), x = b.input("x", {rows, 16}, DType::F16),
                     bias = b.input("bias", {24}, DType::F16);
        const Tensor multiplied = biased ? b.op_with(Op::MulMat, {w, x, bias}, MulMatParams{0.5f})
                                         : b.op_with(Op::MulMat, {w, x}, MulMatParams{0.5f}),
                     out = b.op_with(Op::Cast, {multiplied}, CastParams{DType::F16});
        REQUIRE_MESSAGE(b.ok(), (b.ok() ? "" : b.status().error().message));
        BuiltCase made{out, {{w}, {x}, {bias}}};
        fill_inputs(made, 5);
        const TensorImpl* const nodes[] = {multiplied.impl(), out.impl()};
        const auto reference = reference::make_reference_backend();
        for (const TensorImpl* node : nodes)
          REQUIRE(compute_in_parts(*reference, *const_cast<TensorImpl*>(node), 1).ok());
        const auto expected = result(out), product = result(multiplied);
        fill_with_pattern(out);
        fill_with_pattern(multiplied);
        const auto untouched = result(multiplied);
        const auto backend = make_emulated_backend({Order::Forward, libraries, 2});
        const auto chains = backend->run_chained(nodes);
        REQUIRE_MESSAGE(chains.ok(), (chains ? "" : chains.error().message));
        CHECK(*chains == (rows > 8 ? 1 : 0));  // a library computes no thin matmul, which keeps its own time
        const bool called = libraries && rows > 8;
        CHECK(backend->library_calls() == (called ? 1 : 0));
        CHECK((result(multiplied) == untouched) == called);
        const auto got = result(out);
        CHECK(compare_elements(DType::F16, got.data(), expected.data(), out->element_count()).relative() <=
              2 * tolerance(DType::F16));
        // Without the cast, the result stays float32; a library then takes a float32 copy of the bias.
        if (rows > 8) check_agrees(multiplied, 1e-6);
      }
}
