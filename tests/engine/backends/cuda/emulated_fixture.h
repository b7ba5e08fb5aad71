// SPDX-License-Identifier: MIT
// One node on the emulated CUDA kernels, compared with the reference.
#pragma once
#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include <arenascope/backends/reference/reference_backend.h>
#include "tests/support/built_case.h"
#include "tests/support/cuda/emulated_backend.h"

namespace arenascope::test {

using cuda::emulated::make_emulated_backend;
using cuda::emulated::Order;

// The kernels, in different orders of the threads, and the reference compute the same result for the node.
inline void check_agrees(const Tensor& out, double tolerance) {
  const auto reference = reference::make_reference_backend();
  fill_with_pattern(out);
  REQUIRE(compute_in_parts(*reference, *out, 1).ok());
  const auto expected = result(out);
  for (const Order order : {Order::Forward, Order::Backward}) {
    const auto backend = make_emulated_backend({order, false, 3});
    REQUIRE(backend->supports(*out).ok());
    fill_with_pattern(out);
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
