// SPDX-License-Identifier: MIT
#include "tests/fuzz/targets.h"

#include <cstdio>
#include <cstdlib>

#include "tests/support/temp_folder.h"

namespace arenascope::fuzz {

std::vector<Target> all_targets() {
  std::vector<Target> all;
  for (const auto& part : {model_targets(), trace_targets(), text_targets()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz target: %s\n", what);
  std::abort();
}

std::string input_file(trace::ByteSpan contents, std::string_view extension) {
  static const test::TempFolder folder;
  const std::string path = folder / ("input" + std::string(extension));
  std::FILE* file = std::fopen(path.c_str(), "wb");
  require(file != nullptr, "the input file cannot be written");
  const size_t written = std::fwrite(contents.data(), 1, contents.size(), file);
  require(std::fclose(file) == 0 && written == contents.size(), "the input file cannot be written");
  return path;
}

}  // namespace arenascope::fuzz
