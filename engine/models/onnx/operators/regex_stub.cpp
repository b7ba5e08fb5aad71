// SPDX-License-Identifier: MIT
// In a build without RE2.
#include "engine/models/onnx/operators/text.h"

namespace arenascope::models {

Result<std::unique_ptr<Regex>> Regex::make(const std::string&) {
  return Error{"it matches by a regular expression, and this build has no RE2"};
}

}  // namespace arenascope::models
