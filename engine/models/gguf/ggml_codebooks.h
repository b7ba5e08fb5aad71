// SPDX-License-Identifier: MIT
// Codebooks of ggml's i-quants (iq2xxs_grid and others in ggml-common.h): code → eight or four values, without scale and signs.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace arenascope::models::ggml {

using Points8 = std::vector<std::array<int8_t, 8>>;
using Points4 = std::vector<std::array<int8_t, 4>>;

const Points8& iq2_xxs_points();  // 256
const Points8& iq2_xs_points();   // 512
const Points8& iq2_s_points();    // 1024
const Points8& iq1_points();      // 2048
const Points4& iq3_xxs_points();  // 256
const Points4& iq3_s_points();    // 512

}  // namespace arenascope::models::ggml
