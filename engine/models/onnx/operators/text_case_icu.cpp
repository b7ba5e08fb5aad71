// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unicode/ustring.h>
#include "engine/models/onnx/operators/text.h"

namespace arenascope::models {

Result<std::string> change_case(std::string_view text, bool upper) {
  constexpr size_t kMax = size_t{1} << 28;
  if (text.size() > kMax)
    return Error{fmt::format("a string of {} bytes exceeds the maximum of {}", text.size(), kMax)};
  UErrorCode status = U_ZERO_ERROR;
  // UTF-16 never has more units than UTF-8 has bytes; case mapping may triple a character.
  std::u16string wide(text.size() + 1, u'\0'), transposed(3 * text.size() + 1, u'\0');
  int32_t units = 0;
  u_strFromUTF8(wide.data(), static_cast<int32_t>(wide.size()), &units, text.data(), static_cast<int32_t>(text.size()),
                &status);
  if (U_FAILURE(status)) return Error{fmt::format("the string '{}' is not valid UTF-8", text.substr(0, 64))};
  const auto change = upper ? u_strToUpper : u_strToLower;
  const int32_t changed =
      change(transposed.data(), static_cast<int32_t>(transposed.size()), wide.data(), units, "", &status);
  std::string out(3 * static_cast<size_t>(changed) + 1, '\0');
  int32_t bytes = 0;
  u_strToUTF8(out.data(), static_cast<int32_t>(out.size()), &bytes, transposed.data(), changed, &status);
  if (U_FAILURE(status)) return Error{fmt::format("ICU cannot change the case of '{}'", text.substr(0, 64))};
  out.resize(static_cast<size_t>(bytes));
  return out;
}

}  // namespace arenascope::models
