// SPDX-License-Identifier: MIT
// The engine's error messages that the window translates (views/common/engine_errors.cpp) are those of today's sources.
#include <regex>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

// A format string as a frame: "{}" and "{:x}" become %1, %2….
std::string frame_of(const std::string& format) {
  static const std::regex argument(R"(\{(:[^{}]*)?\})");
  std::string out;
  auto from = format.begin();
  int number = 0;
  for (std::sregex_iterator m(format.begin(), format.end(), argument), end; m != end; ++m) {
    out.append(from, format.begin() + m->position()).append("%" + std::to_string(++number));
    from = format.begin() + m->position() + m->length();
  }
  return out.append(from, format.end());
}

}  // namespace

TEST_CASE("every error message that the window translates is one of the engine's") {
  static const std::regex literal(R"re("((?:[^"\\\n]|\\.)*)")re"), line_end(R"re("\s*\n\s*")re");
  std::set<std::string> known;
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp() || file.in("tests/") || !(file.in("engine/") || file.in("app/"))) continue;
    for (const std::string& text : matches(std::regex_replace(file.text, line_end, ""), literal))
      known.insert(frame_of(text));
  }
  static const std::regex frame(R"re(QT_TRANSLATE_NOOP\(\s*"EngineError",\s*"((?:[^"\\]|\\.)*)"\))re");
  const auto frames = matches(text_of("views/common/engine_errors.cpp"), frame);
  const auto macros = matches(text_of("views/common/engine_errors.cpp"), std::regex("(QT_TRANSLATE_NOOP)"));
  CHECK(frames.size() > 150);
  CHECK(frames.size() == macros.size());
  CHECK(std::set(frames.begin(), frames.end()).size() == frames.size());
  for (const std::string& each : frames) {
    CAPTURE(each);
    CHECK(known.contains(each));
  }
}

}  // namespace arenascope::test
