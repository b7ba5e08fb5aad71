// SPDX-License-Identifier: MIT
// Seeded numbers for the zoo's weights and inputs: the i-th number of a tensor depends on its name, the seed and i
// only, so that a tensor's bytes are the same in every run, order and thread count.
// Source: splitmix64 (Steele, Lea, Flood 2014) over the 64-bit FNV-1a hash of the name.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace arenascope::models {

uint64_t fnv1a(std::string_view text);

// Where the numbers of a tensor lie: uniform in [low, high).
struct Range {
  double low = 0;
  double high = 0;
};

// Writes `count` numbers of type F32, I64 or I32 (whole numbers from `low` to below `high`).
std::function<Status(std::byte* out)> seeded_writer(std::string name, DType dtype, int64_t count, Range range,
                                                    uint64_t seed = 1);

}  // namespace arenascope::models
