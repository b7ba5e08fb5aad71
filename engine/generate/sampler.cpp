// SPDX-License-Identifier: MIT
#include <arenascope/base/counted_random.h>
#include <arenascope/generate/sampler.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace arenascope {

Result<Sampler> Sampler::create(const SamplerOptions& options) {
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature))
    return Error{fmt::format("a temperature of {}", options.temperature)};
  if (options.top_k < 0) return Error{fmt::format("the {} most likely tokens", options.top_k)};
  if (!(options.top_p > 0 && options.top_p <= 1))
    return Error{fmt::format("a probability of {} is not above 0 and at most 1", options.top_p)};
  return Sampler(options);
}

// The n-th number of the seed's sequence in [0, 1): SplitMix64 (Steele 2014) of a counter.
double Sampler::draw() {
  const uint64_t z = CountedRandom::mixed(options_.seed + ++drawn_ * CountedRandom::kStep);
  return static_cast<double>(z >> 11) * 0x1p-53;
}

Result<int32_t> Sampler::pick(std::span<const float> logits) {
  if (logits.empty()) return Error{"no logits were given to sample from"};
  const auto bad = std::find_if(logits.begin(), logits.end(), [](float x) { return std::isnan(x); });
  if (bad != logits.end()) return Error{fmt::format("the logit of token {} is NaN", bad - logits.begin())};
  if (options_.temperature == 0)
    return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  candidates_.clear();
  for (size_t i = 0; i < logits.size(); ++i) candidates_.push_back({static_cast<int32_t>(i), logits[i]});
  const auto likelier = [](const Candidate& a, const Candidate& b) {
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
  };
  size_t left = candidates_.size();
  if (options_.top_k > 0) left = std::min(left, static_cast<size_t>(options_.top_k));
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<ptrdiff_t>(left), candidates_.end(),
                    likelier);
  candidates_.resize(left);
  const auto weight = [&](const Candidate& c, float temperature) {
    return std::exp(static_cast<double>(c.logit - candidates_[0].logit) / static_cast<double>(temperature));
  };
  if (options_.top_p < 1) {
    double all = 0, sum = 0;
    for (const Candidate& c : candidates_) all += weight(c, 1);
    size_t kept = 0;
    while (kept < candidates_.size() && sum < static_cast<double>(options_.top_p) * all)
      sum += weight(candidates_[kept++], 1);
    candidates_.resize(std::max<size_t>(kept, 1));
  }
  double all = 0;
  for (const Candidate& c : candidates_) all += weight(c, options_.temperature);
  double rest = draw() * all;
  for (const Candidate& c : candidates_)
    if ((rest -= weight(c, options_.temperature)) < 0) return c.id;
  return candidates_.back().id;
}

}  // namespace arenascope
