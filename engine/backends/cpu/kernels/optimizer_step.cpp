// SPDX-License-Identifier: MIT
// OPTIMIZER_STEP: one pass over gradient, parameter and states, which are updated in place.
#include <cmath>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"

namespace arenascope::cpu {
namespace {

// One loop per instruction set. Not under the thread sanitizer, which is called during ifunc resolution before it is
// initialised.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define ARENASCOPE_EACH_LEVEL __attribute__((target_clones("avx512f", "avx2", "default"), optimize("no-math-errno")))
#else
#define ARENASCOPE_EACH_LEVEL
#endif

ARENASCOPE_EACH_LEVEL
void adaptive(const OptimizerStepParams& p, const float* numbers, int64_t n, const float* __restrict g,
              float* __restrict to, float* __restrict m, float* __restrict v) {
  const float keep = numbers[p.keep], rate = numbers[1], root = numbers[2];
  for (int64_t i = 0; i < n; ++i) {
    m[i] = p.beta1 * m[i] + p.rest1 * g[i];
    v[i] = p.beta2 * v[i] + p.rest2 * (g[i] * g[i]);
    to[i] = to[i] * keep - rate * (m[i] / (std::sqrt(v[i]) * root + p.epsilon));
  }
}

ARENASCOPE_EACH_LEVEL
void with_momentum(const OptimizerStepParams& p, const float* numbers, int64_t n, const float* __restrict g,
                   float* __restrict to, float* __restrict v) {
  for (int64_t i = 0; i < n; ++i) {
    v[i] = p.beta1 * v[i] + (g[i] + p.decay * to[i]);
    to[i] -= numbers[0] * v[i];
  }
}

ARENASCOPE_EACH_LEVEL
void plain_step(const OptimizerStepParams& p, const float* numbers, int64_t n, const float* __restrict g,
                float* __restrict to) {
  for (int64_t i = 0; i < n; ++i) to[i] -= numbers[0] * (g[i] + p.decay * to[i]);
}

}  // namespace

Status optimizer_step(const KernelArgs& args) {
  const auto p = args.node.params.get<OptimizerStepParams>();
  if (*reinterpret_cast<const uint8_t*>(args.source(3).data()) != 0) return {};
  const Range part = args.part(args.node.element_count(), 16);
  const int64_t n = part.size();
  if (n <= 0) return {};
  const float *g = args.source(1).data_as<float>() + part.begin, *numbers = args.source(2).data_as<float>();
  float* const to = args.node.data_as<float>() + part.begin;
  const auto state = [&](size_t i) { return args.source(4 + i).data_as<float>() + part.begin; };
  if (p.adaptive)
    adaptive(p, numbers, n, g, to, state(0), state(1));
  else if (p.states > 0)
    with_momentum(p, numbers, n, g, to, state(0));
  else
    plain_step(p, numbers, n, g, to);
  return {};
}

}  // namespace arenascope::cpu
