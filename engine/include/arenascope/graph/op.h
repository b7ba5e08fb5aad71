// SPDX-License-Identifier: MIT
// The enumeration of the ops and their properties from op_list.h.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include <arenascope/graph/op_list.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

enum class Op : uint16_t {
#define X(id, ...) id,
  ARENASCOPE_OPS(X)
#undef X
};

inline constexpr int kOpCount = 0
#define X(...) +1
    ARENASCOPE_OPS(X)
#undef X
    ;

// The sections of op_list.h. Unknown is the family of numbers that are not in the list; no backend computes it.
enum class OpFamily : uint8_t {
  Unknown,
  Given,
  View,
  Movement,
  Binary,
  Comparison,
  Choice,
  Unary,
  Contraction,
  Window,
  Norm,
  Reduction,
  Line,
  Host,
  Opaque,
  Fused
};

// The ops of each family: the compiler names the missing cases of a switch without a default.
#define X(id, ...) id = static_cast<uint16_t>(Op::id),
enum class MovementOp : uint16_t { ARENASCOPE_MOVEMENT_OPS(X) };
enum class BinaryOp : uint16_t { ARENASCOPE_BINARY_OPS(X) };
enum class ComparisonOp : uint16_t { ARENASCOPE_COMPARISON_OPS(X) };
enum class UnaryOp : uint16_t { ARENASCOPE_UNARY_OPS(X) };
enum class ContractionOp : uint16_t { ARENASCOPE_CONTRACTION_OPS(X) };
enum class WindowOp : uint16_t { ARENASCOPE_WINDOW_OPS(X) };
enum class NormOp : uint16_t { ARENASCOPE_NORM_OPS(X) };
enum class ReductionOp : uint16_t { ARENASCOPE_REDUCTION_OPS(X) };
enum class LineOp : uint16_t { ARENASCOPE_LINE_OPS(X) };
enum class HostOp : uint16_t { ARENASCOPE_HOST_OPS(X) };
#undef X

enum OpTraits : uint16_t {
  kView = 1,
  kPointwise = 2,
  kFusable = 4,
  kFunction = 8,
  kAlpha = 16,
  kLimits = 32,
  kAffine = 64,
  kWrites = 128,
  kIndices = 256,
  kStep = kPointwise | kFusable,
  kMath = kStep | kFunction,
};

// The error bound of a result relative to the exact one, in units of the arithmetic type: float for f32, f16 and bf16,
// double for f64. Rounding to the result's type (half a unit in the last place) is added; integers are exact. A bound
// is the sum of its members.
struct ErrorBound {
  double ulps = 0;   // units in the last place of the exact result, below the smallest normal number too
  double terms = 0;  // ε·Σ|terms|, for up to 2^14 terms; of functions of one element ε·|x|, of SCALE ε·|scale·x|
  double largest = 0;  // ε times the largest magnitude of the result
  double least = 0;    // absolute error that is always allowed
  const char* note = "";

  bool exact() const { return ulps == 0 && terms == 0 && largest == 0 && least == 0; }
};

// The result of a shape rule. For views it includes the layout over the first source's bytes.
struct Inferred {
  DType dtype = DType::F32;
  Dims sizes;
  Dims strides;        // views only: elements
  int64_t offset = 0;  // views only: elements from the source's first element
};

struct OpInfo {
  const char* name;
  int min_sources;
  int max_sources;  // -1: any number
  OpFamily family;
  Result<Inferred> (*shape_rule)(Op op, std::span<TensorImpl* const> sources, const OpParams& params);
  int64_t (*flops)(const TensorImpl& node);  // floating-point operations, a multiply-add counted as two
  uint16_t traits;
  ErrorBound bound;

  bool is_view() const { return (traits & kView) != 0; }
  bool writes_source() const { return (traits & kWrites) != 0; }
  bool reads_indices() const { return (traits & kIndices) != 0; }
  bool is_pointwise() const { return (traits & kPointwise) != 0; }
  bool is_fusable() const { return (traits & kFusable) != 0; }
  bool takes_function() const { return (traits & kFunction) != 0; }
};

// For a number that is not an op: an entry named "UNKNOWN" of family Unknown, whose shape rule always fails.
const OpInfo& info(Op op);
inline const char* name(Op op) { return info(op).name; }
std::optional<Op> parse_op(std::string_view name);
// The identifier of an op in recordings, never 0: a hash of the name (FNV-1a), so it does not depend on the op's
// position in the list. op_of_number() returns none if no op of this engine has that identifier.
uint32_t number(Op op);
std::optional<Op> op_of_number(uint32_t number);

// The scalars a and b of an op's formula (elementwise.h), in the order of its parameters; 0 if it has none.
struct Scalars {
  double a = 0, b = 0;
};
Scalars scalars_of(const TensorImpl& node);

// True if executing the node does any work; false for views, leaf tensors and empty tensors.
bool has_work(const TensorImpl& node);
// Floating-point operations of one execution.
int64_t flops(const TensorImpl& node);
// Bytes read from the sources and written to the result by one execution; 0 for views.
Bytes bytes_moved(const TensorImpl& node);

}  // namespace arenascope
