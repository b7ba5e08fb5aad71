// SPDX-License-Identifier: MIT
// Words that have a standard term are not used in comments, strings, identifiers and documents (docs/reference/glossary.md).
// prose_allowed.txt lists the lines where such a word is meant literally.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

const std::filesystem::path kRoot = ARENASCOPE_SOURCE_DIR;

// In prose: phrases of one to three words.
const std::vector<std::vector<std::string>>& phrases() {
  static const std::vector<std::vector<std::string>> list = [] {
    std::vector<std::vector<std::string>> out;
    for (const char* phrase :
         {"behind",        "told",        "anew",         "nought",       "noughts",    "whole number",
          "whole numbers", "truth value", "truth values", "turned round", "goes round", "go round",
          "going round",   "nobody",      "whoever",      "somebody",     "at hand",    "sooner",
          "quicker",       "lent",        "mishap",       "mend",         "mended",     "in a sentence",
          "opened bytes",  "asked ahead", "ask ahead",    "unless told",  "give back",  "gives back",
          "given back",    "take over",   "let go",       "lets go",      "as usual",   "any more",
          "by hand",       "who lives",   "who reads",    "who sits",     "front door"}) {
      std::stringstream words(phrase);
      std::vector<std::string>& list_of_words = out.emplace_back();
      for (std::string word; words >> word;) list_of_words.push_back(word);
    }
    return out;
  }();
  return list;
}

// A statement does not begin with these; a question may, and "What if" is the name of an analysis.
const std::set<std::string>& bad_beginnings() {
  static const std::set<std::string> list{"What", "Whose", "Who", "Whether", "Of"};
  return list;
}

// Parts of identifiers.
const std::set<std::string>& bad_parts() {
  static const std::set<std::string> list{"behind",   "told",   "anew",     "nought", "noughts", "nobody", "whoever",
                                          "somebody", "lent",   "leavings", "desk",   "wish",    "voice",  "news",
                                          "thing",    "things", "twin",     "twins",  "sooner",  "mishap", "kit",
                                          "wanted",   "shut",   "looks",    "turns",  "rooms",   "wishes"};
  return list;
}

struct Finding {
  std::string path;
  size_t line;
  std::string what;
  bool in_text = false;  // in a string literal
};

// True if the sentence that begins at `begin` ends with a question mark.
bool is_question(std::string_view text, size_t begin) {
  const size_t end = text.find_first_of(".!?", begin);
  return end != std::string_view::npos && text[end] == '?';
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

void check_prose(const std::string& path, size_t line, std::string_view text, bool begins_sentence,
                 std::vector<Finding>& findings) {
  std::vector<std::string> words, lower;
  std::vector<bool> first;
  std::vector<size_t> begins;
  bool next_is_first = begins_sentence;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '`') {  // code in prose
      const size_t end = text.find('`', i + 1);
      if (end == std::string_view::npos) break;
      i = end + 1;
      next_is_first = false;
      continue;
    }
    if (!is_letter(text[i])) {
      if ((text[i] == '.' || text[i] == '!' || text[i] == '?') && i + 1 < text.size() && text[i + 1] == ' ')
        next_is_first = true;
      else if (text[i] != ' ' && text[i] != '*' && text[i] != '-' && text[i] != '#' && text[i] != '>')
        next_is_first = next_is_first && text[i] == '|';
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && (is_letter(text[end]) || text[end] == '_')) ++end;
    words.emplace_back(text.substr(i, end - i));
    first.push_back(next_is_first);
    begins.push_back(i);
    next_is_first = false;
    std::string& small = lower.emplace_back(words.back());
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
    i = end;
  }
  for (size_t i = 0; i < words.size(); ++i) {
    const bool what_if = i + 1 < words.size() && words[i] == "What" && words[i + 1] == "if";
    if (first[i] && bad_beginnings().count(words[i]) != 0 && !what_if && !is_question(text, begins[i]))
      findings.push_back({path, line, "begins with " + words[i]});
    for (const auto& phrase : phrases()) {
      if (i + phrase.size() > lower.size()) continue;
      if (std::equal(phrase.begin(), phrase.end(), lower.begin() + static_cast<std::ptrdiff_t>(i)))
        findings.push_back({path, line, phrase.size() == 1 ? phrase[0] : phrase[0] + " " + phrase[1]});
    }
  }
}

void check_identifier(const std::string& path, size_t line, std::string_view name, std::vector<Finding>& findings) {
  std::string part;
  const auto take = [&] {
    if (bad_parts().count(part) != 0) findings.push_back({path, line, "identifier " + std::string(name)});
    part.clear();
  };
  // The element that occurs most often, and the name of an order.
  const bool superlative = name.find("frequent") != std::string_view::npos || name.starts_with("least_peak");
  if (!superlative && (name.starts_with("kMost") || name.starts_with("kLeast") || name.starts_with("most_") ||
                       name.starts_with("least_")))
    findings.push_back({path, line, "identifier " + std::string(name)});
  for (const char c : name) {
    if (!is_letter(c) || std::isupper(static_cast<unsigned char>(c)) != 0) take();
    if (is_letter(c)) part += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  take();
}

// True if the sentence of a comment may go on in the next line.
bool is_unfinished(std::string_view comment) {
  const size_t end = comment.find_last_not_of(" */");
  return end != std::string_view::npos && std::string_view(".!?:").find(comment[end]) == std::string_view::npos &&
         comment.find("SPDX") == std::string_view::npos;
}

// Comments, literals and identifiers of C and C++ text.
void check_code(const SourceFile& file, std::vector<Finding>& findings) {
  size_t line = 1;
  bool continues = false;  // the line above ended within a sentence
  for (const std::string& text : lines_of(file.text)) {
    bool unfinished = false;
    for (size_t i = 0; i < text.size();) {
      if (text.compare(i, 2, "//") == 0 || text.compare(i, 2, "/*") == 0) {
        check_prose(file.path, line, std::string_view(text).substr(i + 2), !continues, findings);
        unfinished = is_unfinished(std::string_view(text).substr(i + 2));
        break;
      }
      if (text[i] == '"') {
        size_t end = i + 1;
        while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        const std::string_view literal = std::string_view(text).substr(i + 1, std::min(end, text.size()) - i - 1);
        const size_t before = findings.size();
        if (literal.find(' ') != std::string_view::npos)
          check_prose(file.path, line, literal, std::count(literal.begin(), literal.end(), ' ') > 2, findings);
        for (size_t f = before; f < findings.size(); ++f) findings[f].in_text = true;
        i = end + 1;
      } else if (text[i] == '\'') {
        i += i + 1 < text.size() && text[i + 1] == '\\' ? 4 : 3;
      } else if (is_letter(text[i]) || text[i] == '_') {
        size_t end = i;
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
          ++end;
        check_identifier(file.path, line, std::string_view(text).substr(i, end - i), findings);
        i = end;
      } else {
        ++i;
      }
    }
    continues = unfinished;
    ++line;
  }
}

void check_document(const std::string& path, const std::string& text, std::vector<Finding>& findings) {
  size_t line = 0;
  bool code = false, blank = true;
  for (const std::string& row : lines_of(text)) {
    ++line;
    if (row.starts_with("```")) code = !code;
    const bool skip = code || row.starts_with("    ") || row.starts_with("```");
    const bool list = row.starts_with("- ") || row.starts_with("|") || row.starts_with("#") || row.starts_with("* ");
    if (!skip) check_prose(path, line, row, blank || list, findings);
    blank = row.empty();
  }
}

std::vector<Finding> all_findings() {
  std::vector<Finding> findings;
  for (const SourceFile& file : source_tree()) {
    if (file.path.starts_with("tests/packaging/prose_test")) continue;
    if (file.is_cpp() || file.ends(".c") || file.ends(".cl")) check_code(file, findings);
    if (file.ends(".md") && !file.ends(".zh_CN.md")) check_document(file.path, file.text, findings);
  }
  std::vector<std::filesystem::path> documents;
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) documents.push_back(kRoot / name);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "docs"))
    if (entry.path().extension() == ".md" && entry.path().string().find("zh_CN") == std::string::npos)
      documents.push_back(entry.path());
  std::sort(documents.begin(), documents.end());
  for (const auto& path : documents) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    check_document(std::filesystem::relative(path, kRoot).generic_string(), text.str(), findings);
  }
  return findings;
}

}  // namespace

TEST_CASE("forbidden words are found in comments, strings, identifiers and documents") {
  std::vector<Finding> findings;
  check_code({"a.cpp", "int told_before;  // What lies behind it\ncall(\"a whole number is asked\");\nint total;\n"},
             findings);
  REQUIRE(findings.size() == 4);
  CHECK(findings[0].what == "identifier told_before");
  CHECK(findings[1].what == "begins with What");
  CHECK(findings[2].what == "behind");
  CHECK(findings[3].what == "whole number");
  findings.clear();
  check_code({"a.cpp", "// SPDX\n// Of this.\n// What is that\n// What follows\nint a;\nint b;  // Of c\n"}, findings);
  CHECK(findings.size() == 3);  // the fourth line continues a sentence
  findings.clear();
  check_document("a.md", "A title\n\nOf this. `behind` is code. Whose. Whose is it? What if.\n\n    told\n", findings);
  CHECK(findings.size() == 2);
}

// A line where a listed word is meant literally: "PATH: WORD: PART OF THE LINE".
struct Exception {
  std::string path, word, excerpt;
  bool used = false;
};

std::vector<Exception> exceptions() {
  std::vector<Exception> list;
  std::ifstream in(kRoot / "tests/packaging/prose_allowed.txt");
  REQUIRE(in.good());
  for (std::string row; std::getline(in, row);) {
    if (row.empty() || row[0] == '#') continue;
    const size_t word = row.find(": "), excerpt = row.find(": ", word + 2);
    REQUIRE_MESSAGE(excerpt != std::string::npos, row << ": expected PATH: WORD: PART OF THE LINE");
    list.push_back({row.substr(0, word), row.substr(word + 2, excerpt - word - 2), row.substr(excerpt + 2)});
  }
  return list;
}

std::string text_of(const Finding& finding) {
  std::ifstream in(kRoot / finding.path);
  std::string row;
  for (size_t line = 0; line < finding.line; ++line) std::getline(in, row);
  return row;
}

TEST_CASE("messages of the programs have no words that have a standard term") {
  for (const Finding& finding : all_findings())
    if (finding.in_text && !finding.path.starts_with("tests/"))
      FAIL_CHECK(finding.path << ":" << finding.line << ": " << finding.what);
}

TEST_CASE("words that have a standard term are not used") {
  std::vector<Exception> allowed = exceptions();
  std::string list;
  size_t count = 0;
  for (const Finding& finding : all_findings()) {
    const auto exception = std::find_if(allowed.begin(), allowed.end(), [&](const Exception& e) {
      return e.path == finding.path && e.word == finding.what && text_of(finding).find(e.excerpt) != std::string::npos;
    });
    if (exception != allowed.end()) {
      exception->used = true;
      continue;
    }
    ++count;
    list += finding.path + ":" + std::to_string(finding.line) + ": " + finding.what + "\n";
  }
  if (const char* file = std::getenv("ARENASCOPE_PROSE_LIST")) std::ofstream(file) << list;
  CHECK_MESSAGE(count == 0, count << " words that have a standard term:\n" << list);
  for (const Exception& e : allowed)
    CHECK_MESSAGE(e.used, "prose_allowed.txt: '" << e.word << "' is no longer in " << e.path << ": remove its line");
}

}  // namespace arenascope::test
