// SPDX-License-Identifier: MIT
// An op case in a context of its own, with inputs that are the same in every run, for tests of backends.
#pragma once
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/graph/op_params.h>

namespace arenascope::test {

struct Built {
  Context context;  // owns the tensors
  BuiltCase built;
};

inline Built build(const OpCase& op_case, uint64_t seed = 7) {
  auto context = Context::create({.grow = true});
  REQUIRE(context);
  auto built = op_case.build(*context);
  REQUIRE_MESSAGE(built.ok(), op_case.name << ": " << (built ? "" : built.error().message));
  fill_inputs(*built, seed);
  return {*context, std::move(*built)};
}

// GRU, RNN, and a state that is quantised in every step have no kernel for devices.
inline bool is_cpu_only(const TensorImpl& node) {
  if (node.op == Op::Gru || node.op == Op::Rnn) return true;
  return node.op == Op::Lstm && node.params.get<LstmParams>().quantised_state;
}

inline std::vector<std::byte> result(const Tensor& t) { return {t->data(), t->data() + t->byte_count()}; }

// Fills a tensor with a pattern that no kernel writes by accident.
inline void fill_with_pattern(const Tensor& t) {
  if (t->byte_count() > 0) std::memset(t->data(), 0x5b, static_cast<size_t>(t->byte_count()));
}

}  // namespace arenascope::test
