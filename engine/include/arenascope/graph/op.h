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

enum OpTraits : uint8_t { kView = 1, kPointwise = 2 };

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
  Result<Inferred> (*shape_rule)(Op op, std::span<TensorImpl* const> sources, const OpParams& params);
  int64_t (*flops)(const TensorImpl& node);  // floating-point operations, a multiply-add counted as two
  uint8_t traits;

  bool is_view() const { return (traits & kView) != 0; }
  bool is_pointwise() const { return (traits & kPointwise) != 0; }
};

const OpInfo& info(Op op);
inline const char* name(Op op) { return info(op).name; }
std::optional<Op> parse_op(std::string_view name);

// Whether executing the node does anything: views, given tensors and empty tensors do not.
bool has_work(const TensorImpl& node);
// Floating-point operations of one execution.
int64_t flops(const TensorImpl& node);
// Bytes read from the sources and written to the result by one execution; 0 for views.
Bytes bytes_moved(const TensorImpl& node);

}  // namespace arenascope
