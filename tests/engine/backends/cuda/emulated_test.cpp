// SPDX-License-Identifier: MIT
// The CUDA kernels, run by the emulator, against the reference: every op, type and layout.
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/backends/reference/reference_backend.h>
#include "../unknown_op.h"
#include "support/cuda/emulated_backend.h"

using namespace arenascope;
using cuda::emulated::make_emulated_backend;
using cuda::emulated::Order;

namespace {

struct Built {
  Context context;
  BuiltCase built;
};

Built build(const OpCase& c) {
  auto context = Context::create({.grow = true});
  REQUIRE(context);
  auto built = c.build(*context);
  REQUIRE_MESSAGE(built.ok(), c.name << ": " << (built ? "" : built.error().message));
  fill_inputs(*built, 7);
  return {*context, std::move(*built)};
}

std::vector<std::byte> result(const Tensor& t) { return {t->data(), t->data() + t->byte_count()}; }

// Bytes that no kernel would leave by accident.
void soil(const Tensor& t) {
  if (t->byte_count() > 0) std::memset(t->data(), 0x5b, static_cast<size_t>(t->byte_count()));
}

bool is_product(Op op) {
  return op == Op::MulMat || op == Op::Conv || op == Op::ConvTranspose || op == Op::MaxPool || op == Op::AvgPool;
}

}  // namespace

TEST_CASE("an op that nobody wrote is refused by its name") {
  test::check_unknown_op_is_refused(*make_emulated_backend());
}

TEST_CASE("every op, type and layout agrees with the reference, whatever order the threads run in") {
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
    if (c.op == Op::SetRows || c.op == Op::MaxPoolBack) {  // the host's
      CHECK(!can.ok());
      continue;
    }
    REQUIRE_MESSAGE(can.ok(), (can ? "" : can.error().message));
    soil(out);
    REQUIRE(compute_in_parts(*reference, *out, 1).ok());
    const auto expected = result(out);
    std::vector<std::byte> first;
    for (Backend* backend : {static_cast<Backend*>(forward.get()), static_cast<Backend*>(backward.get())}) {
      soil(out);
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

TEST_CASE("what is handed to the libraries is the same problem") {
  auto backend = make_emulated_backend({Order::Forward, true, 2});
  auto reference = reference::make_reference_backend();
  for (const OpCase& c : op_cases()) {
    if (!is_product(c.op)) continue;
    CAPTURE(c.name);
    Built b = build(c);
    const Tensor& out = b.built.output;
    REQUIRE(compute_in_parts(*reference, *out, 1).ok());
    const auto expected = result(out);
    soil(out);
    const Status done = compute_in_parts(*backend, *out, 1);
    CHECK_MESSAGE(done.ok(), c.name << ": " << (done ? "" : done.error().message));
    const auto got = result(out);
    const Difference d = compare_elements(out.dtype(), got.data(), expected.data(), out->element_count());
    CHECK_MESSAGE(d.relative() <= c.tolerance,
                  c.name << ": " << d.largest_error << " of " << d.largest_value << " at " << d.place);
  }
  CHECK(backend->library_calls() > 80);
}

TEST_CASE("what a library takes and then does not run, a kernel computes") {
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
    soil(out);
    const Status done = compute_in_parts(*backend, *out, 1);
    CHECK_MESSAGE(done.ok(), c.name << ": " << (done ? "" : done.error().message));
    const auto got = result(out);
    CHECK(compare_elements(out.dtype(), got.data(), expected.data(), out->element_count()).relative() <= c.tolerance);
    refused += backend->library_calls();
  }
  CHECK(refused > 80);
}

TEST_CASE("few rows against columns that are neighbours are the library's, and a kernel's where there is none") {
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
    soil(b.built.output);
    REQUIRE(compute_in_parts(*backend, *b.built.output, 1).ok());
    const auto got = result(b.built.output);
    CHECK(compare_elements(DType::F32, got.data(), expected.data(), b.built.output->element_count()).relative() < 1e-6);
    CHECK(backend->library_calls() == (libraries ? 1 : 0));
  }
}

TEST_CASE("corners are aligned by the scale that was given") {
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
    soil(b.built.output);
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
