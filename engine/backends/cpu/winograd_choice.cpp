// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/winograd_choice.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "engine/backends/cpu/kernels/conv_algorithm.h"
#include "engine/backends/cpu/packed.h"

namespace arenascope::cpu {
namespace {

constexpr Bytes kAlways = 64 << 10;  // always allowed, even in graphs with few weights

struct Candidate {
  const std::byte* weight = nullptr;
  Bytes more = 0;  // bytes beyond those of the weight
  int64_t places =
      0;  // result positions of all nodes that read it; each saves the same number of multiplications per byte
  bool needed = false;  // no other kernel supports a node's layout
};

Bytes bytes_of_weights(std::span<const TensorImpl* const> nodes) {
  std::unordered_map<const std::byte*, Bytes> weights;
  for (const TensorImpl* node : nodes)
    for (const TensorImpl* source : node->sources)
      if (source && source->has(kFlagWeight) && source->data())
        weights[source->data()] = std::max(weights[source->data()], source->byte_span());
  Bytes sum = 0;
  for (const auto& [at, bytes] : weights) sum += bytes;
  return sum;
}

// Sorted by preference.
std::vector<Candidate> candidates(std::span<const TensorImpl* const> nodes) {
  std::vector<Candidate> out;
  std::unordered_map<const std::byte*, size_t> known;
  for (const TensorImpl* node : nodes) {
    if (!is_winograd_candidate(*node)) continue;
    const TensorImpl& weight = *packable_weight(*node);
    const auto [at, fresh] = known.try_emplace(weight.data(), out.size());
    if (fresh) out.push_back({weight.data()});
    Candidate& one = out[at->second];
    const ConvGeometry g(*node);
    one.more = std::max(one.more, kConvWinograd.packed_bytes(*node, g) - weight.byte_count());
    one.places += g.batch * g.positions;
    one.needed = one.needed || (g.groups > 1 && node->channels_last());
  }
  std::stable_sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) {
    return a.needed != b.needed ? a.needed : a.places > b.places;
  });
  return out;
}

}  // namespace

WinogradChoice::WinogradChoice(std::span<const TensorImpl* const> nodes, double most) {
  const std::vector<Candidate> all = candidates(nodes);
  if (all.empty()) return;
  const double room = std::max<double>(kAlways, (most - 1) * static_cast<double>(bytes_of_weights(nodes)));
  for (const Candidate& one : all) {
    const bool fits = one.needed || static_cast<double>(summary_.winograd.more + one.more) <= room;
    if (fits) taken_.insert(one.weight);
    PackedWeights::Widened& of = fits ? summary_.winograd : summary_.direct;
    ++of.count;
    of.more += one.more;
  }
}

bool WinogradChoice::takes(const TensorImpl& node) const {
  return !taken_.empty() && is_winograd_candidate(node) && taken_.contains(packable_weight(node)->data());
}

}  // namespace arenascope::cpu
