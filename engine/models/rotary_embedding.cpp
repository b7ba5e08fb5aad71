// SPDX-License-Identifier: MIT
#include "engine/models/rotary_embedding.h"

#include <algorithm>
#include <cstring>

namespace arenascope::models {

std::vector<double> plain_frequencies(int64_t dims, double base) {
  std::vector<double> out;
  for (int64_t i = 0; i < dims / 2; ++i)
    out.push_back(std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(dims)));
  return out;
}

void apply_yarn(Rotation& rotation, double base, const Yarn& yarn) {
  const auto dims = static_cast<double>(rotation.dims);
  // The pair that turns `turns` times in the trained tokens.
  const auto pair_of = [&](double iterations) {
    return dims * std::log(yarn.trained / (iterations * 2 * M_PI)) / (2 * std::log(base));
  };
  const double low = std::max(std::floor(pair_of(yarn.fast)), 0.0);
  const double high = std::min(std::ceil(pair_of(yarn.slow)), dims - 1);
  for (size_t i = 0; i < rotation.frequencies.size(); ++i) {
    const double kept = 1 - std::clamp((static_cast<double>(i) - low) / std::max(0.001, high - low), 0.0, 1.0);
    rotation.frequencies[i] *= kept + (1 - kept) / yarn.factor;
  }
  rotation.magnitude *= 1 + 0.1 * std::log(yarn.factor);
}

RotationTable::RotationTable(ModelBuilder& builder, const std::string& name, Rotation rotation, int64_t rows,
                             const Tensor& positions)
    : builder_(builder), rotation_(std::move(rotation)) {
  const auto half = static_cast<int64_t>(rotation_.frequencies.size());
  const auto table = [&](const char* which, double shift) {
    const auto write = [frequencies = rotation_.frequencies, magnitude = rotation_.magnitude, rows,
                        shift](std::byte* out) -> Status {
      for (int64_t row = 0; row < rows; ++row)
        for (double frequency : frequencies) {
          const auto value = static_cast<float>(magnitude * std::cos(static_cast<double>(row) * frequency - shift));
          std::memcpy(out, &value, sizeof value);
          out += sizeof value;
        }
      return {};
    };
    const Tensor all = builder_.constant(name + which, {rows, half}, write);
    return builder_.g().op_with(Op::Gather, {all, positions}, AxisParams{0}, name + which + " (of positions)");
  };
  cosines_ = table("_cos", 0);
  sines_ = table("_sin", M_PI / 2);
}

Tensor RotationTable::rotate(const Tensor& x, const std::string& name) const {
  if (!x) return {};
  GraphBuilder& g = builder_.g();
  const int64_t depth = x.sizes().back(), dims = rotation_.dims, half = dims / 2, step = rotation_.neox ? 1 : 2;
  const Tensor a = g.slice(x, 2, 0, rotation_.neox ? half : dims, step);
  const Tensor b = g.slice(x, 2, rotation_.neox ? half : 1, dims, step);
  Tensor left = g.op(Op::Sub, {g.mul(a, cosines_), g.mul(b, sines_)});
  Tensor right = g.add(g.mul(a, sines_), g.mul(b, cosines_));
  if (!left || !right) return {};
  std::vector<Tensor> parts;
  if (rotation_.neox) {
    parts = {left, right};
  } else {
    const Dims apart{left.sizes()[0], left.sizes()[1], half, 1};
    const Tensor pair[] = {g.reshape(left, apart), g.reshape(right, apart)};
    parts = {g.reshape(g.concat(pair, 3), {left.sizes()[0], left.sizes()[1], dims})};
  }
  if (dims < depth) parts.push_back(g.slice(x, 2, dims, depth, 1));
  return parts.size() == 1 ? parts[0] : g.concat(parts, 2, name);
}

}  // namespace arenascope::models
