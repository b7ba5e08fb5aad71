// SPDX-License-Identifier: MIT
#include "engine/backends/op_cases/case_builder.h"

#include <algorithm>

#include <fmt/format.h>

namespace arenascope::cases {

const char* name(Spread spread) {
  switch (spread) {
    case Spread::Permuted: return "permuted";
    case Spread::Sliced: return "sliced";
    case Spread::Repeated: return "repeated";
    case Spread::Contiguous: break;
  }
  return "contiguous";
}

bool is_unsigned(DType type) {
  return type == DType::U8 || type == DType::U16 || type == DType::U32 || type == DType::U64 || type == DType::Bool;
}

double tolerance(DType type) {
  switch (type) {
    case DType::F32: return 1e-5;
    case DType::F16: return 2e-3;
    case DType::BF16: return 1.6e-2;
    case DType::F64: return 1e-12;
    default: return 0;
  }
}

Tensor CaseBuilder::given(DType type, const Dims& sizes, double low, double high) {
  const Tensor tensor = builder_.input(fmt::format("in{}", inputs_.size()), sizes, type);
  if (is_unsigned(type)) low = std::max(low, 0.0);
  if (tensor) inputs_.push_back({tensor, low, high});
  return tensor;
}

Tensor CaseBuilder::input(DType type, const Dims& sizes, Spread spread, double low, double high) {
  const int rank = sizes.rank();
  if (rank == 0 || spread == Spread::Contiguous) return given(type, sizes, low, high);
  if (spread == Spread::Permuted) {  // the dimensions in reverse order in memory
    Dims reversed = sizes;
    PermuteParams order{};
    for (int d = 0; d < rank; ++d) {
      reversed[d] = sizes[rank - 1 - d];
      order.axes[d] = static_cast<int8_t>(rank - 1 - d);
    }
    return builder_.op_with(Op::Permute, {given(type, reversed, low, high)}, order);
  }
  if (spread == Spread::Sliced) {  // every second element of the innermost dimension, the middle of the others
    Dims larger = sizes;
    for (int d = 0; d < rank; ++d) larger[d] = d == rank - 1 ? 2 * sizes[d] + 1 : sizes[d] + 2;
    Tensor t = given(type, larger, low, high);
    for (int d = 0; d < rank; ++d)
      t = builder_.slice(t, d, 1, d == rank - 1 ? 2 * sizes[d] + 1 : sizes[d] + 1, d == rank - 1 ? 2 : 1);
    return t;
  }
  Dims one = sizes;  // the same elements again and again along the first dimension
  if (sizes[0] > 0) one[0] = 1;
  return builder_.op_with(Op::Expand, {given(type, one, low, high)}, ReshapeParams{sizes});
}

void CaseList::add(Op op, DType type, const std::string& details, std::function<BuiltCase(CaseBuilder&)> describe,
                   double factor) {
  cases_.push_back({fmt::format("{}/{}/{}", arenascope::name(op), arenascope::name(type), details), op,
                    tolerance(type) * factor, [describe = std::move(describe)](GraphBuilder& builder) {
                      CaseBuilder case_builder(builder);
                      return describe(case_builder);
                    }});
}

}  // namespace arenascope::cases
