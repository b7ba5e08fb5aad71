// SPDX-License-Identifier: MIT
// Mutated lessons of the course: refused or checked, in bounded time, with a message for every fault.
#include <arenascope/lesson/lesson.h>
#include <arenascope/lesson/stage.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <doctest/doctest.h>

#include "sanitized.h"

namespace arenascope::lesson {
namespace {

constexpr const char* kTellingNumbers[] = {"0",     "-1",      "3",        "65536",      "1000000",
                                           "1e9",   "nan",     "16777216", "4294967296", "9223372036854775807",
                                           "1e308", "1048576", "1TiB"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The mutants of a seed are the same in every run.
class LessonMutator {
 public:
  explicit LessonMutator(uint64_t seed) : random_(seed) {}

  std::string mutate(std::string text) {
    for (size_t changes = 1 + below(4); changes > 0; --changes) {
      switch (below(5)) {
        case 0: replace_run(text, is_digit, kTellingNumbers[below(std::size(kTellingNumbers))]); break;
        case 1: replace_run(text, is_word, run_at(text, below(text.size()), is_word)); break;
        case 2: text[below(text.size())] = static_cast<char>(32 + below(95)); break;
        case 3: edit_line(text, true); break;
        default: edit_line(text, false); break;
      }
    }
    return text;
  }

 private:
  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }

  // The first run of such characters from `at` on.
  static std::string run_at(const std::string& text, size_t at, bool (*in)(char)) {
    while (at < text.size() && !in(text[at])) ++at;
    size_t end = at;
    while (end < text.size() && in(text[end])) ++end;
    return text.substr(at, end - at);
  }
  void replace_run(std::string& text, bool (*in)(char), const std::string& by) {
    size_t at = below(text.size());
    while (at < text.size() && !in(text[at])) ++at;
    if (at < text.size()) text.replace(at, run_at(text, at, in).size(), by);
  }
  // Removes a line, or inserts it again elsewhere.
  void edit_line(std::string& text, bool remove) {
    const size_t begin = text.rfind('\n', below(text.size())) + 1;
    const size_t length = std::min(text.find('\n', begin), text.size() - 1) + 1 - begin;
    const std::string line = text.substr(begin, length);
    if (remove && line.size() < text.size()) return void(text.erase(begin, length));
    text.insert(text.rfind('\n', below(text.size())) + 1, line);
  }

  std::mt19937_64 random_;
};

std::vector<std::pair<std::string, std::string>> course() {
  std::vector<std::pair<std::string, std::string>> lessons;  // path and text
  for (const auto& entry : std::filesystem::directory_iterator(ARENASCOPE_LESSONS)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".en.md") || entry.path().stem().stem() == "devices") continue;  // which compiles kernels
    std::ifstream in(path, std::ios::binary);
    lessons.emplace_back(path, std::string(std::istreambuf_iterator<char>(in), {}));
  }
  std::sort(lessons.begin(), lessons.end());
  return lessons;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

TEST_CASE("mutated lessons are refused or checked in bounded time") {
  const auto lessons = course();
  REQUIRE(lessons.size() > 10);
  const uint64_t mutants = std::getenv("ARENASCOPE_LONG_TESTS") ? 5000 : test::kSanitized ? 20 : 75;
  int refused = 0, faulty = 0;
  for (uint64_t seed = 0; seed < mutants; ++seed) {
    const auto& [path, text] = lessons[seed % lessons.size()];
    CAPTURE(path);
    CAPTURE(seed);
    const double begin = cpu_seconds();
    const auto lesson = parse(path, LessonMutator(seed).mutate(text));
    const auto problems = lesson ? check(*lesson) : std::vector<Error>{lesson.error()};
    if (!test::kSanitized) CHECK(cpu_seconds() - begin < 5);
    ++(lesson ? faulty : refused);
    for (const Error& problem : problems) CHECK(problem.message.starts_with(path + ":"));
  }
  CHECK(refused > 0);
  CHECK(faulty > 0);
}

}  // namespace arenascope::lesson
