// SPDX-License-Identifier: MIT
// Cutting a lesson's lines into words.
#pragma once
#include <arenascope/base/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::lesson {

std::vector<std::string_view> split_lines(std::string_view text);
// At any of the separators; empty pieces are left out.
std::vector<std::string> split(std::string_view text, std::string_view separators);
std::string joined(const std::vector<std::string>& words, std::string_view between);
std::string trimmed(std::string_view text);
std::optional<int64_t> whole_number(std::string_view text);
std::optional<double> number(std::string_view text);
// "4608", "2MiB", "4.5KiB".
std::optional<double> number_with_unit(std::string_view text);

// The first digits that stand neither in a name in backticks nor in a link's address; "" for none.
std::string stray_digits(std::string_view text);

// Whether all facts of an expression exist and have as many arguments as they want (facts.cpp).
Status check_expression(std::string_view expression);

}  // namespace arenascope::lesson
