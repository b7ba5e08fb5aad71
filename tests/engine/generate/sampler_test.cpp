// SPDX-License-Identifier: MIT
#include <arenascope/generate/sampler.h>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>

using namespace arenascope;

namespace {

// How often each token is drawn of `times`.
std::map<int32_t, int> drawn(const SamplerOptions& options, const std::vector<float>& logits, int times) {
  auto sampler = Sampler::create(options);
  REQUIRE(sampler.ok());
  std::map<int32_t, int> out;
  for (int i = 0; i < times; ++i) ++out[*sampler->pick(logits)];
  return out;
}

}  // namespace

TEST_CASE("temperature 0 takes the first largest logit") {
  CHECK(drawn({}, {1, 5, 2, 5}, 3) == std::map<int32_t, int>{{1, 3}});
  CHECK(drawn({}, {-std::numeric_limits<float>::infinity(), -4}, 1) == std::map<int32_t, int>{{1, 1}});
}

TEST_CASE("samples follow the softmax probabilities") {
  const std::vector<float> logits{std::log(0.1f), std::log(0.6f), std::log(0.3f)};
  const auto plain = drawn({1, 0, 1, 7}, logits, 20000);
  CHECK(std::abs(plain.at(0) - 2000) < 200);
  CHECK(std::abs(plain.at(1) - 12000) < 300);
  // At a temperature of 1/2 probabilities are squared: 1 : 36 : 9.
  const auto cold = drawn({0.5f, 0, 1, 7}, logits, 20000);
  CHECK(std::abs(cold.at(1) - 20000 * 36 / 46) < 300);
  CHECK(drawn({1, 0, 1, 7}, logits, 100) == drawn({1, 0, 1, 7}, logits, 100));
}

TEST_CASE("top-k and top-p keep the most probable tokens") {
  const std::vector<float> logits{std::log(0.1f), std::log(0.6f), std::log(0.3f)};
  CHECK(drawn({1, 1, 1, 3}, logits, 50) == std::map<int32_t, int>{{1, 50}});
  CHECK(drawn({1, 2, 1, 3}, logits, 500).count(0) == 0);
  CHECK(drawn({1, 0, 0.5f, 3}, logits, 50) == std::map<int32_t, int>{{1, 50}});
  const auto two = drawn({1, 0, 0.7f, 3}, logits, 500);
  CHECK(two.count(0) == 0);
  CHECK(two.count(2) == 1);
  // Top-p is applied before the temperature: a higher temperature does not add tokens.
  CHECK(drawn({100, 0, 0.5f, 3}, logits, 50).size() == 1);
}

TEST_CASE("invalid sampler options are errors") {
  CHECK(!Sampler::create({-1}).ok());
  CHECK(!Sampler::create({std::numeric_limits<float>::quiet_NaN()}).ok());
  CHECK(!Sampler::create({1, -1}).ok());
  CHECK(!Sampler::create({1, 0, 0}).ok());
  CHECK(!Sampler::create({1, 0, 1.5f}).ok());
  auto sampler = Sampler::create({});
  REQUIRE(sampler.ok());
  CHECK(!sampler->pick({}).ok());
  const std::vector<float> bad{1, std::numeric_limits<float>::quiet_NaN()};
  auto picked = sampler->pick(bad);
  REQUIRE(!picked.ok());
  CHECK(picked.error().message.find("token 1") != std::string::npos);
}
