// SPDX-License-Identifier: MIT
// Helpers that build the lists of op cases.
#pragma once
#include <arenascope/backends/op_cases/op_cases.h>

namespace arenascope::cases {

// The memory layout of an input.
enum class Spread { Contiguous, Permuted, Sliced, Repeated };
inline constexpr Spread kSpreads[] = {Spread::Contiguous, Spread::Permuted, Spread::Sliced, Spread::Repeated};
const char* name(Spread spread);

// Makes one case's inputs and its node.
class CaseBuilder {
 public:
  explicit CaseBuilder(GraphBuilder& builder) : builder_(builder) {}

  // An input of that shape with the given layout: a view of a larger, reordered or repeated tensor.
  Tensor input(DType type, const Dims& sizes, Spread spread = Spread::Contiguous, double low = -2, double high = 2);
  GraphBuilder& builder() { return builder_; }
  BuiltCase done(const Tensor& output) { return {output, std::move(inputs_)}; }
  template <class P>
  BuiltCase node(Op op, std::initializer_list<Tensor> sources, const P& params) {
    return done(builder_.op_with(op, sources, params));
  }
  BuiltCase node(Op op, std::initializer_list<Tensor> sources) { return done(builder_.op(op, sources)); }

 private:
  Tensor given(DType type, const Dims& sizes, double low, double high);
  GraphBuilder& builder_;
  std::vector<CaseInput> inputs_;
};

class CaseList {
 public:
  CaseList(std::vector<OpCase>& cases, bool lean) : cases_(cases), lean_(lean) {}
  bool lean() const { return lean_; }
  // `details` follows "OP/type" in the name.
  void add(Op op, DType type, const std::string& details, std::function<BuiltCase(CaseBuilder&)> describe,
           double tolerance_factor = 1);

 private:
  std::vector<OpCase>& cases_;
  bool lean_;
};

// The largest relative difference that a result of this type may show.
double tolerance(DType type);

inline constexpr DType kFloats[] = {DType::F32, DType::F16, DType::BF16, DType::F64};
inline constexpr DType kIntegers[] = {DType::I8,  DType::U8,  DType::I16, DType::U16,
                                      DType::I32, DType::U32, DType::I64, DType::U64};
inline constexpr DType kQuantised[] = {DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q8_0,
                                       DType::Q2_K, DType::Q3_K, DType::Q4_K, DType::Q5_K, DType::Q6_K};
bool is_unsigned(DType type);

void add_pointwise(CaseList& list);
void add_movement(CaseList& list);
void add_matmul_cases(CaseList& list);
void add_row_op_cases(CaseList& list);

}  // namespace arenascope::cases
