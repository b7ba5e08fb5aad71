// SPDX-License-Identifier: MIT
// The CUDA kernels, run by the emulator, against the reference: every op, type and layout.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "../unknown_op.h"
#include "emulated_fixture.h"
#include "engine/backends/cuda/kernels/numbers.h"

using namespace arenascope;
using namespace arenascope::test;
using cuda::emulated::make_emulated_backend;
using cuda::emulated::Order;

namespace {

bool is_product(Op op) {
  return op == Op::MulMat || op == Op::Conv || op == Op::ConvTranspose || op == Op::MaxPool || op == Op::AvgPool;
}

}  // namespace

TEST_CASE("an unimplemented op is an error with its name") {
  test::check_unknown_op_is_refused(*make_emulated_backend());
}

TEST_CASE("every op, type and layout agrees with the reference, for all thread orders") {
  auto forward = make_emulated_backend(), backward = make_emulated_backend({Order::Backward, false, 3});
  auto reference = reference::make_reference_backend();
  const char* only = std::getenv("ARENASCOPE_ONLY");
  int cases = 0;
  for (const OpCase& c : op_cases()) {
    if (only && c.name.find(only) == std::string::npos) continue;
    CAPTURE(c.name);
    Built b = build(c);
    const Tensor& out = b.built.output;
    const Status can = forward->supports(*out);
    if (is_cpu_only(*out)) {
      CHECK_FALSE(can.ok());
      continue;
    }
    REQUIRE_MESSAGE(can.ok(), (can ? "" : can.error().message));
    fill_with_pattern(out);
    REQUIRE(compute_in_parts(*reference, *out, 1).ok());
    const auto expected = result(out);
    std::vector<std::byte> first;
    for (Backend* backend : {static_cast<Backend*>(forward.get()), static_cast<Backend*>(backward.get())}) {
      fill_with_pattern(out);
      const Status done = compute_in_parts(*backend, *out, 1);
      CHECK_MESSAGE(done.ok(), c.name << ": " << (done ? "" : done.error().message));
      if (!done) break;
      const auto got = result(out);
      const Difference d = compare_elements(out.dtype(), got.data(), expected.data(), out->element_count());
      CHECK_MESSAGE(d.relative() <= c.tolerance,
                    c.name << ": " << d.largest_error << " of " << d.largest_value << " at " << d.place);
      if (!first.empty()) CHECK_MESSAGE(got == first, c.name << ": the threads' order changes the result");
      first = got;
    }
    ++cases;
  }
  MESSAGE(cases << " cases");
}

TEST_CASE("library calls describe the same problem") {
  auto backend = make_emulated_backend({Order::Forward, true, 2});
  auto reference = reference::make_reference_backend();
  for (const OpCase& c : op_cases()) {
    if (!is_product(c.op)) continue;
    CAPTURE(c.name);
    Built b = build(c);
    const Tensor& out = b.built.output;
    REQUIRE(compute_in_parts(*reference, *out, 1).ok());
    const auto expected = result(out);
    fill_with_pattern(out);
    const Status done = compute_in_parts(*backend, *out, 1);
    CHECK_MESSAGE(done.ok(), c.name << ": " << (done ? "" : done.error().message));
    const auto got = result(out);
    const Difference d = compare_elements(out.dtype(), got.data(), expected.data(), out->element_count());
    CHECK_MESSAGE(d.relative() <= c.tolerance,
                  c.name << ": " << d.largest_error << " of " << d.largest_value << " at " << d.place);
  }
  CHECK(backend->library_calls() > 80);
}

TEST_CASE("a kernel computes problems that a library accepts but cannot run") {
  auto reference = reference::make_reference_backend();
  int refused = 0;
  for (const OpCase& c : op_cases()) {
    if (!is_product(c.op)) continue;
    CAPTURE(c.name);
    auto backend = make_emulated_backend({Order::Forward, true, 2, true});
    Built b = build(c);
    const Tensor& out = b.built.output;
    REQUIRE(compute_in_parts(*reference, *out, 1).ok());
    const auto expected = result(out);
    fill_with_pattern(out);
    const Status done = compute_in_parts(*backend, *out, 1);
    CHECK_MESSAGE(done.ok(), c.name << ": " << (done ? "" : done.error().message));
    const auto got = result(out);
    CHECK(compare_elements(out.dtype(), got.data(), expected.data(), out->element_count()).relative() <= c.tolerance);
    refused += backend->library_calls();
  }
  CHECK(refused > 80);
}

TEST_CASE("matmuls with few rows and contiguous columns use the library, or a kernel without one") {
  for (const bool libraries : {false, true}) {
    OpCase c;
    c.name = "MUL_MAT of three rows, the other side transposed";
    c.op = Op::MulMat;
    c.describe = [](GraphBuilder& b) {
      const Tensor a = b.input("a", {40, 24}), rows = b.input("rows", {3, 40});
      return BuiltCase{b.mul_mat(b.transpose(a), rows), {{a}, {rows}}};
    };
    Built b = build(c);
    const auto reference = reference::make_reference_backend();
    const auto backend = make_emulated_backend({Order::Forward, libraries, 2});
    REQUIRE(compute_in_parts(*reference, *b.built.output, 1).ok());
    const auto expected = result(b.built.output);
    fill_with_pattern(b.built.output);
    REQUIRE(compute_in_parts(*backend, *b.built.output, 1).ok());
    const auto got = result(b.built.output);
    CHECK(compare_elements(DType::F32, got.data(), expected.data(), b.built.output->element_count()).relative() < 1e-6);
    CHECK(backend->library_calls() == (libraries ? 1 : 0));
  }
}

TEST_CASE("SET_ROWS: wide writes, type conversion, skipped indices") {
  constexpr DType kPairs[][2] = {{DType::F32, DType::F32},  {DType::F16, DType::F16}, {DType::F16, DType::F32},
                                 {DType::BF16, DType::F64}, {DType::F64, DType::I32}, {DType::I8, DType::F32},
                                 {DType::F32, DType::I64},  {DType::I64, DType::I64}};
  for (const auto& [to, from] : kPairs)
    for (int axis = 0; axis < 3; ++axis) {
      CAPTURE(name(to));
      CAPTURE(name(from));
      CAPTURE(axis);
      Built rows = built_of([&, to = to, from = from](GraphBuilder& b) {
        Dims sizes{9, 16, 32}, some = sizes;
        some[axis] = 4;
        const Tensor state = b.input("state", sizes, to), fresh = b.input("fresh", some, from);
        const Tensor at = b.input("at", {4}, DType::I32);
        return BuiltCase{b.op_with(Op::SetRows, {state, fresh, at}, SetRowsParams{axis, true}),
                         {{state}, {fresh}, {at}}};
      });
      const int32_t at[] = {8, -1, 0, 3};
      std::memcpy(rows.built.inputs[2].tensor->data(), at, sizeof at);
      check_agrees(rows.built.output, 0);
      check_agrees(
          built_of([to = to, from = from](GraphBuilder& b) {
            const Tensor state = b.input("state", {9, 33}, to), fresh = b.input("fresh", {9, 33}, from);
            return BuiltCase{b.op_with(Op::SetRows, {state, fresh}, SetRowsParams{0, false}), {{state}, {fresh}}};
          }).built.output,
          0);
    }
}

TEST_CASE("SET_ROWS reports a row out of range and does not write it") {
  Built made = built_of([](GraphBuilder& b) {
    const Tensor state = b.input("state", {5, 8}), fresh = b.input("fresh", {2, 8}),
                 at = b.input("at", {2}, DType::I64);
    return BuiltCase{b.op_with(Op::SetRows, {state, fresh, at}, SetRowsParams{0, true}), {{state}, {fresh}, {at}}};
  });
  made.built.inputs[2].tensor.data_as<int64_t>()[0] = 5;
  made.built.inputs[2].tensor.data_as<int64_t>()[1] = 2;
  auto expected = result(made.built.output);
  const auto fresh = result(made.built.inputs[1].tensor);
  std::copy(fresh.begin() + 32, fresh.end(), expected.begin() + 64);
  const Status done = compute_in_parts(*make_emulated_backend(), *made.built.output, 1);
  REQUIRE(!done.ok());
  CHECK_MESSAGE(done.error().message.find("row index 5 is out of range for 5 rows") != std::string::npos,
                done.error().message);
  CHECK(result(made.built.output) == expected);
}

TEST_CASE("max pooling gradient: dilated windows, one to three dimensions, equal elements, NaN") {
  const PoolParams all[] = {{1, {5, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}, {2, 0, 0}, false, false},
                            {2, {2, 3, 0}, {3, 1, 0}, {1, 2, 0}, {1, 0, 0}, {0, 1, 0}, true, false},
                            {2, {5, 5, 0}, {1, 1, 0}, {1, 1, 0}, {2, 2, 0}, {2, 2, 0}, false, false},
                            {3, {2, 3, 2}, {1, 2, 2}, {2, 1, 1}, {0, 1, 1}, {1, 1, 0}, false, false}};
  const Dims sizes[] = {{2, 3, 19}, {2, 2, 11, 9}, {1, 2, 8, 9}, {2, 2, 5, 6, 7}};
  for (const DType type : {DType::F32, DType::F64, DType::F16})
    for (size_t k = 0; k < std::size(all); ++k)
      for (const bool no_numbers : {false, true}) {
        CAPTURE(name(type));
        CAPTURE(k);
        CAPTURE(no_numbers);
        Built made = built_of([&](GraphBuilder& b) {
          const Tensor x = b.input("x", sizes[k], type);
          const Tensor dy = b.input("dy", b.op_with(Op::MaxPool, {x}, all[k])->sizes, type);
          return BuiltCase{b.op_with(Op::MaxPoolBack, {x, dy}, all[k]), {{x}, {dy}}};
        });
        const Tensor& x = made.built.inputs[0].tensor;
        for (int64_t i = 0; i < x->element_count(); ++i) {  // few distinct values, so that windows contain ties
          const double value = no_numbers && i % 7 == 0 ? NAN : static_cast<double>(i * i % 11) - 5;
          if (type == DType::F64) x.data_as<double>()[i] = value;
          if (type == DType::F32) x.data_as<float>()[i] = static_cast<float>(value);
          if (type == DType::F16) x.data_as<uint16_t>()[i] = cuda::float_to_half(static_cast<float>(value));
        }
        check_agrees(made.built.output, type == DType::F16 ? 1e-3 : 1e-6);
      }
  const Built whole = built_of([](GraphBuilder& b) {
    const PoolParams p{1, {2, 0, 0}, {2, 0, 0}, {1, 0, 0}, {}, {}, false, false};
    const Tensor x = b.input("x", {1, 1, 4}, DType::I32), dy = b.input("dy", {1, 1, 2}, DType::I32);
    return BuiltCase{b.op_with(Op::MaxPoolBack, {x, dy}, p), {{x}, {dy}}};
  });
  CHECK(!make_emulated_backend()->supports(*whole.built.output));
}

TEST_CASE("align_corners uses the given scale") {
  for (const ResizeMode mode : {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic}) {
    OpCase c;
    c.name = "RESIZE by scales, corners aligned";
    c.op = Op::Resize;
    c.describe = [=](GraphBuilder& b) {
      const Tensor x = b.input("x", {1, 2, 4, 4});
      const ResizeParams params{
          {1, 2, 6, 3}, {1, 1, 1.6f, 0.8f}, mode, ResizeCoordinates::AlignCorners, ResizeNearest::Ceil, -0.75f};
      return BuiltCase{b.op_with(Op::Resize, {x}, params), {{x}}};
    };
    Built b = build(c);
    const auto reference = reference::make_reference_backend();
    const auto backend = make_emulated_backend();
    REQUIRE(compute_in_parts(*reference, *b.built.output, 1).ok());
    const auto expected = result(b.built.output);
    fill_with_pattern(b.built.output);
    REQUIRE(compute_in_parts(*backend, *b.built.output, 1).ok());
    const auto got = result(b.built.output);
    CHECK(compare_elements(DType::F32, got.data(), expected.data(), b.built.output->element_count()).relative() < 1e-5);
  }
}

TEST_CASE("pointwise ops may write over their first source") {
  auto backend = make_emulated_backend();
  for (const OpCase& c : op_cases()) {
    if (!info(c.op).is_pointwise()) continue;
    Built b = build(c);
    TensorImpl& node = *b.built.output;
    TensorImpl& first = *node.sources[0];
    if (first.dtype != node.dtype || !(first.sizes == node.sizes) || !first.contiguous() || node.byte_count() == 0)
      continue;
    CAPTURE(c.name);
    REQUIRE(compute_in_parts(*backend, node, 1).ok());
    const auto expected = result(b.built.output);
    node.storage = first.storage;
    node.offset = first.offset;
    REQUIRE(compute_in_parts(*backend, node, 1).ok());
    CHECK(result(b.built.output) == expected);
  }
}
