// SPDX-License-Identifier: MIT
// Which token comes next, given the logits of all of them.
#pragma once
#include <arenascope/base/result.h>

#include <cstdint>
#include <span>
#include <vector>

namespace arenascope {

struct SamplerOptions {
  float temperature = 0;  // 0: greedy, the largest logit, of equal ones the first
  int32_t top_k = 0;      // 0: all
  float top_p = 1;
  uint64_t seed = 0;
};

// In this order: the top_k largest logits stay; of these the most likely ones whose probabilities reach top_p together
// (Holtzman 2020), at least one; the logits are divided by the temperature, and one token is sampled. The same seed and logits
// give the same tokens on every machine that computes the same logits.
class Sampler {
 public:
  // Error: a temperature, a count or a probability that makes no sense.
  static Result<Sampler> create(const SamplerOptions& options);
  // Error: no logits, or one that is no number.
  Result<int32_t> pick(std::span<const float> logits);

 private:
  explicit Sampler(const SamplerOptions& options) : options_(options) {}
  double draw();

  struct Candidate {
    int32_t id;
    float logit;
  };
  SamplerOptions options_;
  uint64_t drawn_ = 0;
  std::vector<Candidate> candidates_;
};

}  // namespace arenascope
