// SPDX-License-Identifier: MIT
// A build without ICU supports ASCII only.
#include "engine/models/onnx/operators/text.h"

namespace arenascope::models {

Result<std::string> change_case(std::string_view text, bool upper) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) >= 128)
      return Error{"characters beyond ASCII need ICU, which this build does not have"};
    if (c >= (upper ? 'a' : 'A') && c <= (upper ? 'z' : 'Z')) c = static_cast<char>(c ^ 0x20);
  }
  return out;
}

}  // namespace arenascope::models
