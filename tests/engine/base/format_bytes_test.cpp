// SPDX-License-Identifier: MIT
#include <arenascope/base/format_bytes.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

using namespace arenascope;

TEST_CASE("sizes have three significant digits in binary units") {
  const std::pair<Bytes, const char*> expected[] = {{0, "0 B"},
                                                    {1023, "1023 B"},
                                                    {1024, "1.00 KiB"},
                                                    {1536, "1.50 KiB"},
                                                    {-1536, "-1.50 KiB"},
                                                    {10'230, "9.99 KiB"},
                                                    {10'235, "10.0 KiB"},
                                                    {102'348, "99.9 KiB"},
                                                    {102'399, "100 KiB"},
                                                    {(1 << 20) - 512, "1.00 MiB"},
                                                    {43'201'536, "41.2 MiB"},
                                                    {Bytes{5} << 40, "5.00 TiB"},
                                                    {INT64_MAX, "8.00 EiB"},
                                                    {INT64_MIN, "-8.00 EiB"}};
  for (const auto& [bytes, text] : expected) CHECK(format_bytes(bytes) == text);
}
