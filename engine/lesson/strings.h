// SPDX-License-Identifier: MIT
// Tokenises the lines of a lesson.
#pragma once
#include <arenascope/base/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::lesson {

std::vector<std::string_view> split_lines(std::string_view text);
// Splits at any of the separators and drops empty pieces.
std::vector<std::string> split(std::string_view text, std::string_view separators);
std::string join(const std::vector<std::string>& tokens, std::string_view between);
std::string trimmed(std::string_view text);
std::optional<int64_t> parse_integer(std::string_view text);
std::optional<double> number(std::string_view text);
// Parses a number with an optional unit, such as "4608", "2MiB" or "4.5KiB".
std::optional<double> number_with_unit(std::string_view text);

// The first number outside backticks and link addresses; "" if there is none.
std::string stray_digits(std::string_view text);

// Succeeds if all facts of an expression exist and have the required number of arguments (facts.cpp).
Status check_expression(std::string_view expression);

}  // namespace arenascope::lesson
