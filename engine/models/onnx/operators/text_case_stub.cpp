// SPDX-License-Identifier: MIT
// In a build without ICU: ASCII's letters.
#include "engine/models/onnx/operators/text.h"

namespace arenascope::models {

Result<std::string> change_case(std::string_view text, bool upper) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) >= 128)
      return Error{"letters beyond ASCII need Unicode's classes, and this build has no ICU"};
    if (c >= (upper ? 'a' : 'A') && c <= (upper ? 'z' : 'Z')) c = static_cast<char>(c ^ 0x20);
  }
  return out;
}

}  // namespace arenascope::models
