// SPDX-License-Identifier: MIT
// Every op, type and layout on the CPU against the reference, as 1 to 4 parts one after the other and side by side.
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/reference/reference_backend.h>
#include "tests/support/built_case.h"
#include "unknown_op.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

Status compute_side_by_side(const Backend& backend, PreparedGraph& prepared, const TensorImpl& node, int parts) {
  const Bytes bytes = backend.work_bytes(node, parts);
  std::vector<std::byte> work(static_cast<size_t>(bytes) + 64);
  std::byte* aligned = work.data() + (64 - reinterpret_cast<uintptr_t>(work.data()) % 64) % 64;
  std::vector<Status> statuses(static_cast<size_t>(parts));
  std::vector<std::thread> threads;
  for (int i = 0; i < parts; ++i)
    threads.emplace_back([&, i] {
      statuses[static_cast<size_t>(i)] = prepared[0].compute({i, parts, aligned, bytes});
    });
  for (auto& thread : threads) thread.join();
  for (auto& status : statuses)
    if (!status) return status;
  return {};
}

}  // namespace

TEST_CASE("every op, type and layout agrees with the reference, in any number of parts") {
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  auto memory = make_cpu_context();
  std::map<Op, int> seen;
  for (const OpCase& c : op_cases()) {
    CAPTURE(c.name);
    Built b = build(c);
    const Tensor& out = b.built.output;
    REQUIRE(cpu->supports(*out).ok());
    fill_with_pattern(out);
    REQUIRE(compute_in_parts(*reference, *out, 1).ok());
    const auto expected = result(out);
    const TensorImpl* const nodes[] = {out.impl()};
    auto prepared = cpu->prepare(nodes, *memory);
    REQUIRE(prepared);
    for (int parts = 1; parts <= 4; ++parts) {
      CAPTURE(parts);
      fill_with_pattern(out);
      REQUIRE(compute_in_parts(*cpu, **prepared, *out, parts).ok());
      const auto got = result(out);
      const Difference d = compare_elements(out.dtype(), got.data(), expected.data(), out->element_count());
      CHECK_MESSAGE(d.relative() <= c.tolerance,
                    c.name << ": " << d.largest_error << " of " << d.largest_value << " at " << d.place);
      fill_with_pattern(out);
      REQUIRE(compute_side_by_side(*cpu, **prepared, *out, parts).ok());
      CHECK_MESSAGE(result(out) == got, c.name << ": parts side by side give other bits");
    }
    ++seen[c.op];
  }
  for (int i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    CHECK_MESSAGE((op == Op::None || op == Op::Opaque || op == Op::Fused || info(op).is_view() || seen.contains(op)),
                  "no case for " << std::string(name(op)));
  }
  MESSAGE(op_cases().size() << " cases");
}

TEST_CASE("an unimplemented op is an error with its name") {
  check_unknown_op_is_refused(*cpu::make_cpu_backend());
  check_unknown_op_is_refused(*reference::make_reference_backend());
}

TEST_CASE("pointwise ops may write over their first source") {
  auto cpu = cpu::make_cpu_backend();
  for (const OpCase& c : op_cases()) {
    if (!info(c.op).is_pointwise()) continue;
    Built b = build(c);
    TensorImpl& node = *b.built.output;
    TensorImpl& first = *node.sources[0];
    if (first.dtype != node.dtype || !(first.sizes == node.sizes) || !first.contiguous() || node.byte_count() == 0)
      continue;
    CAPTURE(c.name);
    REQUIRE(compute_in_parts(*cpu, node, 3).ok());
    const auto expected = result(b.built.output);
    node.storage = first.storage;
    node.offset = first.offset;
    REQUIRE(compute_in_parts(*cpu, node, 3).ok());
    CHECK(result(b.built.output) == expected);
  }
}

TEST_CASE(
    "convolutions and recurrences with packed weights agree with the reference, and bit for bit with themselves") {
  auto reference = reference::make_reference_backend();
  auto memory = make_cpu_context();
  for (const OpCase& c : op_cases()) {
    const bool recurrence = c.op == Op::Lstm || c.op == Op::Gru || c.op == Op::Rnn;
    if (c.op != Op::Conv && !recurrence) continue;
    CAPTURE(c.name);
    Built b = build(c);
    const Tensor& out = b.built.output;
    out->sources[1]->flags |= kFlagWeight;
    if (recurrence) out->sources[2]->flags |= kFlagWeight;
    REQUIRE(compute_in_parts(*reference, *out, 1).ok());
    const auto expected = result(out);
    auto cpu = cpu::make_cpu_backend();
    const TensorImpl* const nodes[] = {out.impl()};
    auto prepared = cpu->prepare(nodes, *memory);
    REQUIRE(prepared);
    for (int parts = 1; parts <= 4; ++parts) {
      CAPTURE(parts);
      fill_with_pattern(out);
      REQUIRE(compute_side_by_side(*cpu, **prepared, *out, parts).ok());
      const auto got = result(out);
      const Difference d = compare_elements(out.dtype(), got.data(), expected.data(), out->element_count());
      CHECK_MESSAGE(d.relative() <= c.tolerance,
                    c.name << ": " << d.largest_error << " of " << d.largest_value << " at " << d.place);
      fill_with_pattern(out);
      REQUIRE(compute_in_parts(*cpu, **prepared, *out, parts).ok());
      CHECK(result(out) == got);
    }
  }
}
