// SPDX-License-Identifier: MIT
#include <arenascope/allocator_sim/caching_settings.h>
#include <doctest/doctest.h>

namespace arenascope::allocator_sim {
namespace {

constexpr Bytes kKiB = 1024, kMiB = CachingSettings::kMiB;

CachingSettings parsed(std::string_view text) {
  auto settings = parse_caching_settings(text, {});
  REQUIRE_MESSAGE(settings.ok(), text);
  return *settings;
}

std::string refused(std::string_view text) {
  auto settings = parse_caching_settings(text, {});
  return settings ? "taken" : settings.error().message;
}

}  // namespace

TEST_CASE("sizes are rounded to 512 bytes or to fractions of a power of two") {
  const CachingSettings plain;
  CHECK(plain.rounded(1) == 512);
  CHECK(plain.rounded(512) == 512);
  CHECK(plain.rounded(513) == 1024);
  const CachingSettings quarters = parsed("roundup_power2_divisions:4");
  // Between 1024 and 2048 there are four steps: 1280, 1536, 1792, 2048.
  CHECK(quarters.rounded(1200 * kKiB) == 1280 * kKiB);
  CHECK(quarters.rounded(1537 * kKiB) == 1792 * kKiB);
  CHECK(quarters.rounded(1793 * kKiB) == 2048 * kKiB);
  CHECK(quarters.rounded(2048 * kKiB) == 2048 * kKiB);
  CHECK(quarters.rounded(2000) == 2048);  // too small for its divisions: 512 at a time
  const CachingSettings by_size = parsed("roundup_power2_divisions:[256:1,512:2,>:4]");
  CHECK(by_size.rounded(200 * kMiB + 1) == 200 * kMiB + 512);
  CHECK(by_size.rounded(300 * kMiB) == 384 * kMiB);
  CHECK(by_size.rounded(600 * kMiB) == 640 * kMiB);
}

TEST_CASE("settings are parsed and printed in the format of the variable") {
  for (const char* text :
       {"max_split_size_mb:128", "expandable_segments:True", "garbage_collection_threshold:0.8",
        "max_split_size_mb:21,garbage_collection_threshold:0.5,expandable_segments:True", "roundup_power2_divisions:8",
        "roundup_power2_divisions:[256:1,512:2,>:4]", "roundup_power2_divisions:[2:4,>:1]"})
    CHECK(to_string(parsed(text)) == text);
  const CachingSettings small = parsed("roundup_power2_divisions:[2:4]");  // larger sizes are not rounded
  CHECK(parsed(to_string(small)) == small);
  CHECK(to_string({}) == "defaults");
  CHECK(parsed("") == CachingSettings());
  CHECK(parsed(" max_split_size_mb : 128 , expandable_segments : False ").max_split_size == 128 * kMiB);
}

TEST_CASE("invalid settings are errors with their name") {
  CHECK(refused("max_split_size_mb:20").find("max_split_size_mb") == 0);
  CHECK(refused("max_split_size_mb:many").find("max_split_size_mb") == 0);
  CHECK(refused("garbage_collection_threshold:1.5").find("garbage_collection_threshold") == 0);
  CHECK(refused("expandable_segments:yes").find("expandable_segments") == 0);
  CHECK(refused("roundup_power2_divisions:3").find("roundup_power2_divisions") == 0);
  CHECK(refused("roundup_power2_divisions:[256:1").find("roundup_power2_divisions") == 0);
  CHECK(refused("roundup_power2_divisions:[256]").find("roundup_power2_divisions") == 0);
  CHECK(refused("backend:native").find("unsupported setting 'backend'") == 0);
  CHECK(refused("expandable_segments").find("found 'expandable_segments'") != std::string::npos);
}

}  // namespace arenascope::allocator_sim
