// SPDX-License-Identifier: MIT
// The ops as an enumeration, and what is known of each from op_list.h.
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

// The sections of op_list.h. Unknown is what a number outside of the list belongs to; nothing computes it.
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

// The ops of one family: a switch over them without a default names what it has forgotten.
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

enum OpTraits : uint8_t {
  kView = 1,
  kPointwise = 2,
  kFusable = 4,
  kFunction = 8,
  kAlpha = 16,
  kLimits = 32,
  kAffine = 64,
  kWrites = 128,
  kStep = kPointwise | kFusable,
  kMath = kStep | kFunction,
};

// How far a result may be from the exact one, in units of the type that is computed in: float for f32, f16 and bf16,
// double for f64. The rounding to the result's own type (half a unit in its last place) comes on top; integers are
// exact. A bound is the sum of its parts.
struct ErrorBound {
  double ulps = 0;   // units in the last place of the exact result, below the smallest normal number too
  double terms = 0;  // ε·Σ|terms|, for up to 2^14 terms; of functions of one element ε·|x|, of SCALE ε·|scale·x|
  double largest = 0;  // ε times the largest magnitude of the result
  double least = 0;    // an error that is allowed anyway
  const char* note = "";

  bool exact() const { return ulps == 0 && terms == 0 && largest == 0 && least == 0; }
};

// What a shape rule finds out. For views also the layout over the first source's bytes.
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
  uint8_t traits;
  ErrorBound bound;

  bool is_view() const { return (traits & kView) != 0; }
  bool writes_source() const { return (traits & kWrites) != 0; }
  bool is_pointwise() const { return (traits & kPointwise) != 0; }
  bool is_fusable() const { return (traits & kFusable) != 0; }
  bool takes_function() const { return (traits & kFunction) != 0; }
};

// Of a number that is no op: one named "UNKNOWN", of that family, which refuses any sources.
const OpInfo& info(Op op);
inline const char* name(Op op) { return info(op).name; }
std::optional<Op> parse_op(std::string_view name);
// The number by which recordings tell ops apart, never 0: made of the name alone (FNV-1a), so that it stays the same
// wherever in the list an op stands. None: no op of this engine has that number.
uint32_t number(Op op);
std::optional<Op> op_of_number(uint32_t number);

// The scalars a and b of an op's formula (elementwise.h), in the order of its parameters; 0 where it has none.
struct Scalars {
  double a = 0, b = 0;
};
Scalars scalars_of(const TensorImpl& node);

// Whether executing the node does anything: views, given tensors and empty tensors do not.
bool has_work(const TensorImpl& node);
// Floating-point operations of one execution.
int64_t flops(const TensorImpl& node);
// Bytes read from the sources and written to the result by one execution; 0 for views.
Bytes bytes_moved(const TensorImpl& node);

}  // namespace arenascope
