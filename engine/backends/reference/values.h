// SPDX-License-Identifier: MIT
// Tensors of any type and layout as plain arrays of numbers, and back; and the families of ops over them (op_list.h).
#pragma once
#include <vector>

#include <arenascope/graph/op.h>
#include <arenascope/graph/op_params.h>

namespace arenascope::reference {

using Real = long double;  // holds every 64-bit integer on x86-64 and every element type exactly

// Row-major.
struct Array {
  Dims sizes;
  std::vector<Real> v;

  int64_t size(int d) const { return sizes[d]; }
  const Real& operator[](int64_t i) const { return v[static_cast<size_t>(i)]; }
  Real& operator[](int64_t i) { return v[static_cast<size_t>(i)]; }
};

// Read the values themselves or their magnitudes.
enum class Reading { Numbers, Magnitudes };
Array read(const TensorImpl& tensor, Reading reading = Reading::Numbers);
std::vector<double> read_doubles(const TensorImpl& tensor, Reading reading = Reading::Numbers);
// Rounds to the tensor's type; what an integer cannot hold becomes its nearest.
void write(const TensorImpl& tensor, const std::vector<Real>& values);

// The index of the i-th element in row-major order, and back.
Dims unravel(int64_t i, const Dims& sizes);
int64_t ravel(const Dims& index, const Dims& sizes);
// The element that `index` of a larger shape means, dimensions of size 1 being repeated.
Real broadcast_at(const Array& array, const Dims& index);

using Sources = std::vector<Array>;
Result<std::vector<Real>> movement(const TensorImpl& node, const Sources& sources);
std::vector<Real> pointwise(const TensorImpl& node, const Sources& sources);
std::vector<Real> norms(const TensorImpl& node, const Sources& sources);
std::vector<Real> reductions(const TensorImpl& node, const Sources& sources);
std::vector<Real> lines(const TensorImpl& node, const Sources& sources);
std::vector<Real> windows(const TensorImpl& node, const Sources& sources);
Result<std::vector<Real>> host_ops(const TensorImpl& node, const Sources& sources);
// RESIZE's element at `index`.
Real resized(const TensorImpl& node, const Array& x, const Dims& index);
std::vector<Real> products(const TensorImpl& node, Reading reading = Reading::Numbers);

// A node's result before it is rounded to its type; for magnitudes, the sum of the magnitudes of the terms that an op
// adds.
Result<std::vector<Real>> evaluate(const TensorImpl& node, Reading reading = Reading::Numbers);

}  // namespace arenascope::reference
