// SPDX-License-Identifier: MIT
// One node on the CUDA kernels, emulated, beside the reference.
#pragma once
#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <vector>

#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/backends/reference/reference_backend.h>
#include "support/cuda/emulated_backend.h"

namespace arenascope::test {

using cuda::emulated::make_emulated_backend;
using cuda::emulated::Order;

struct Built {
  Context context;
  BuiltCase built;
};

inline Built build(const OpCase& c) {
  auto context = Context::create({.grow = true});
  REQUIRE(context);
  auto built = c.build(*context);
  REQUIRE_MESSAGE(built.ok(), c.name << ": " << (built ? "" : built.error().message));
  fill_inputs(*built, 7);
  return {*context, std::move(*built)};
}

inline std::vector<std::byte> result(const Tensor& t) { return {t->data(), t->data() + t->byte_count()}; }

// Bytes that no kernel would leave by accident.
inline void soil(const Tensor& t) {
  if (t->byte_count() > 0) std::memset(t->data(), 0x5b, static_cast<size_t>(t->byte_count()));
}

// What the kernels, whatever the threads' order, and the reference make of the node, whose bytes are the same before.
inline void check_agrees(const Tensor& out, double tolerance) {
  const auto reference = reference::make_reference_backend();
  soil(out);
  REQUIRE(compute_in_parts(*reference, *out, 1).ok());
  const auto expected = result(out);
  for (const Order order : {Order::Forward, Order::Backward}) {
    const auto backend = make_emulated_backend({order, false, 3});
    REQUIRE(backend->supports(*out).ok());
    soil(out);
    const Status done = compute_in_parts(*backend, *out, 1);
    REQUIRE_MESSAGE(done.ok(), (done ? "" : done.error().message));
    const auto got = result(out);
    const Difference d = compare_elements(out.dtype(), got.data(), expected.data(), out->element_count());
    CHECK_MESSAGE(d.relative() <= tolerance, d.largest_error << " of " << d.largest_value << " at " << d.place);
  }
}

inline Built built_of(const std::function<BuiltCase(GraphBuilder&)>& describe) {
  OpCase c;
  c.name = "a node";
  c.describe = describe;
  return build(c);
}

}  // namespace arenascope::test
