// SPDX-License-Identifier: MIT
// Each fuzz target runs on its seeds, on nothing, on cut seeds and on mutants.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "tests/engine/trace/mutate.h"
#include "tests/fuzz/targets.h"

using namespace arenascope;

namespace {

void run(const fuzz::Target& target, const std::string& input) { target.run(trace::as_bytes(input)); }

}  // namespace

TEST_CASE("fuzz targets accept their seeds, cut seeds and mutants") {
  std::mt19937_64 random(1);
  for (const fuzz::Target& target : fuzz::all_targets()) {
    CAPTURE(target.name);
    const std::vector<std::string> seeds = target.seeds();
    CHECK_FALSE(seeds.empty());
    run(target, "");
    for (const std::string& seed : seeds) {
      CHECK_FALSE(seed.empty());
      run(target, seed);
      run(target, seed.substr(0, seed.size() / 2));
      for (int i = 0; i < 20; ++i) run(target, test::mutate(seed, random));
    }
  }
}

TEST_CASE("the names of fuzz targets are distinct") {
  std::vector<std::string_view> names;
  for (const fuzz::Target& target : fuzz::all_targets()) {
    CHECK(std::find(names.begin(), names.end(), target.name) == names.end());
    names.push_back(target.name);
  }
  CHECK(names.size() >= 20);
}

TEST_CASE("the page on reliability lists every fuzz target") {
  std::ifstream in(ARENASCOPE_SOURCE_DIR "/docs/dev/reliability.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  REQUIRE_FALSE(page.empty());
  for (const fuzz::Target& target : fuzz::all_targets()) {
    CAPTURE(target.name);
    CHECK(page.find("\n| " + std::string(target.name) + " | ") != std::string::npos);
  }
}
