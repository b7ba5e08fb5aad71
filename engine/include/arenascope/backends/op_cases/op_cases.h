// SPDX-License-Identifier: MIT
// Small graphs, each about one op: every op in the element types and memory layouts that matter, odd and empty sizes
// included. One backend is compared with another, case by case; the tests and `verify` use the same list.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/graph/builder.h>
#include <arenascope/runtime/backend.h>

namespace arenascope {

// An input of a case and the values that fill it: evenly spread in [low, high], rounded for integer types.
struct CaseInput {
  Tensor tensor;
  double low = -2;
  double high = 2;
};

struct BuiltCase {
  Tensor output;  // the node in question
  std::vector<CaseInput> inputs;
};

struct OpCase {
  std::string name;  // "CONV/f32/sliced/groups 2"
  Op op;
  double tolerance;  // largest difference ÷ largest magnitude of the result; 0: equal
  std::function<BuiltCase(GraphBuilder&)> describe;

  // The graph in `context`, whose tensors have memory unless it is a no_alloc context. The same each time.
  Result<BuiltCase> build(const Context& context) const;
};

// `lean`: the same cases, but matmuls, convolutions and attention with less work, for simulators that need
// microseconds per multiplication.
const std::vector<OpCase>& op_cases(bool lean = false);

// Writes the inputs' values, which depend on the seed alone. Their memory must be the host's.
void fill_inputs(const BuiltCase& built, uint64_t seed);

// Prepares a node and computes it as `parts` parts one after the other. For backends that run on host threads.
Status compute_in_parts(Backend& backend, const TensorImpl& node, int parts);
// The same of a node that is prepared, the first of its run.
Status compute_in_parts(const Backend& backend, PreparedGraph& prepared, const TensorImpl& node, int parts);

// Computes a case's node on a device backend, whose allocators `memory` has: moves inputs and result to the device's
// memory, where they stay. The result's bytes.
Result<std::vector<std::byte>> compute_on_device(Backend& backend, ExecutionContext& memory, const BuiltCase& built);

struct Difference {
  double largest_error = 0;  // infinite where only one side is a number, or the same infinity
  double largest_value = 0;  // of the expected numbers
  int64_t place = -1;        // of the largest error, row-major
  double relative() const { return largest_error == 0 ? 0 : largest_error / (largest_value > 0 ? largest_value : 1); }
};

// Compares two contiguous arrays of the same type in host memory.
Difference compare_elements(DType type, const std::byte* got, const std::byte* expected, int64_t count);

}  // namespace arenascope
