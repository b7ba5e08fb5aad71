// SPDX-License-Identifier: MIT
// The parameters of an op as text: "axis=1 scale=0.5".
#pragma once
#include <charconv>
#include <span>
#include <string>
#include <string_view>

#include <arenascope/graph/op.h>
#include <arenascope/tensor/op_params_bytes.h>

namespace arenascope {

// True if the whole text is a number of this type.
template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// The fields that differ from their defaults, each preceded by a space. `rank`: of the first source; `sources`: their number.
std::string op_params_text(Op op, const OpParams& params, int rank, size_t sources);

// Each argument is FIELD=VALUE, or the value of the next field in the order of op_params_text(); a list takes all further
// values, or is one argument "[1,2]". Omitted fields have their defaults. Errors: an unknown field, an invalid value, too
// many arguments.
Result<OpParams> parse_op_params(Op op, std::span<const std::string> arguments, int rank, size_t sources);

// "[1,2]" or the elements one by one. Errors: not integers, more than kMaxDims.
Result<Dims> parse_dims_text(std::span<const std::string> arguments);
std::string dims_text(std::span<const int64_t> values);

}  // namespace arenascope
