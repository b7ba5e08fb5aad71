// SPDX-License-Identifier: MIT
// The Chinese translation uses the terms of the glossary, and every text with a number has an English plural.
#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

struct Message {
  std::string source;
  std::vector<std::string> forms;  // translations
  bool has_number = false;
};

std::string unescaped(std::string text) {
  for (const auto& [entity, character] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}})
    for (size_t at = 0; (at = text.find(entity, at)) != std::string::npos; ++at)
      text.replace(at, std::string_view(entity).size(), character);
  return text;
}

// The text of the first element `name` in `xml` from `at` on; `at` moves past it. Empty at the end.
std::string next_element(const std::string& xml, const std::string& name, size_t& at) {
  const size_t open = xml.find("<" + name, at);
  if (open == std::string::npos) return at = xml.size(), "";
  const size_t begin = xml.find('>', open) + 1, end = xml.find("</" + name + ">", begin);
  at = end;
  return xml.substr(begin, end - begin);
}

std::vector<Message> messages_of(const std::string& language) {
  const std::string xml = text_of("translations/arenascope_" + language + ".ts");
  std::vector<Message> messages;
  for (size_t at = xml.find("<message"); at != std::string::npos; at = xml.find("<message", at + 1)) {
    const std::string element = xml.substr(at, xml.find("</message>", at) - at);
    Message message;
    message.has_number = element.starts_with("<message numerus=\"yes\"");
    size_t inside = 0;
    message.source = unescaped(next_element(element, "source", inside));
    if (!message.has_number) message.forms.push_back(unescaped(next_element(element, "translation", inside)));
    while (message.has_number && element.find("<numerusform", inside) != std::string::npos)
      message.forms.push_back(unescaped(next_element(element, "numerusform", inside)));
    messages.push_back(std::move(message));
  }
  return messages;
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::vector<std::string> parts(const std::string& text, const std::string& separators) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (separators.find(c) != std::string::npos)
      out.emplace_back();
    else
      out.back() += c;
  }
  for (std::string& part : out) part = trimmed(std::regex_replace(part, std::regex(R"(\(.*\))"), ""));
  return out;
}

// English term → Chinese term, from the tables of the glossary.
std::map<std::string, std::string> glossary() {
  std::map<std::string, std::string> terms;
  for (const std::string& line : lines_of(text_of("docs/reference/glossary.md"))) {
    if (!line.starts_with("| ") || line.starts_with("| term")) continue;
    const std::vector<std::string> cells = parts(line, "|");
    REQUIRE(cells.size() >= 4);
    const std::vector<std::string> english = parts(cells[1], ","), chinese = parts(cells[2], ",");
    CHECK_MESSAGE((chinese.size() == 1 || chinese.size() == english.size()), "terms without a pair: " << line);
    for (size_t i = 0; i < english.size(); ++i) terms[english[i]] = chinese[std::min(i, chinese.size() - 1)];
  }
  return terms;
}

// Words with further meanings, which have their own translations.
const std::set<std::string> kAmbiguous{"allocated", "block",    "cached", "free",    "observed", "op",
                                       "overlay",   "page",     "pass",   "planned", "reserved", "run",
                                       "step",      "schedule", "tab",    "user",    "value"};

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Replaces `term`, also in the plural, where it is a word of its own. Returns whether it was found.
bool take_word(std::string& text, const std::string& term) {
  bool found = false;
  for (size_t at = 0; (at = text.find(term, at)) != std::string::npos; ++at) {
    size_t end = at + term.size();
    if (text.compare(end, 2, "es") == 0 && !is_letter(text[std::min(end + 2, text.size() - 1)])) end += 2;
    if (end < text.size() && text[end] == 's') ++end;
    if ((at > 0 && is_letter(text[at - 1])) || (end < text.size() && is_letter(text[end]))) continue;
    text.replace(at, end - at, "_");
    found = true;
  }
  return found;
}

}  // namespace

TEST_CASE("the Chinese translation uses the terms of the glossary") {
  const auto terms = glossary();
  CHECK(terms.size() > 90);
  std::vector<std::string> longest_first;
  for (const auto& [term, chinese] : terms) longest_first.push_back(term);
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  for (const Message& message : messages_of("zh_CN")) {
    std::string text;
    for (const char c : message.source)
      if (c != '&') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const std::string& term : longest_first) {
      std::string lower = term;
      std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
      if (!take_word(text, lower) || kAmbiguous.count(term) == 1) continue;
      for (const std::string& form : message.forms)
        CHECK_MESSAGE(form.find(terms.at(term)) != std::string::npos,
                      "'" << term << "' is not '" << terms.at(term) << "': " << message.source << " → " << form);
    }
  }
}

TEST_CASE("a Chinese term stands for one row of the glossary") {
  std::map<std::string, std::string> row_of;
  for (const std::string& line : lines_of(text_of("docs/reference/glossary.md"))) {
    if (!line.starts_with("| ") || line.starts_with("| term")) continue;
    for (const std::string& chinese : parts(parts(line, "|")[2], ",")) {
      CHECK_MESSAGE(row_of.count(chinese) == 0, chinese << " in two rows: " << line << row_of[chinese]);
      row_of[chinese] = line;
    }
  }
}

TEST_CASE("Chinese words that are not terms of the glossary do not occur") {
  for (const Message& message : messages_of("zh_CN"))
    for (const std::string& form : message.forms)
      for (const char* word : {"生存期", "逻辑值", "方案", "计划", "键值缓存", "重算"})
        CHECK_MESSAGE(form.find(word) == std::string::npos, word << ": " << message.source << " → " << form);
}

TEST_CASE("every text with a number has an English singular and plural") {
  std::map<std::string, std::vector<std::string>> english;
  for (const Message& message : messages_of("en")) english[message.source] = message.forms;
  size_t count = 0;
  for (const Message& message : messages_of("zh_CN")) {
    CHECK_MESSAGE(message.has_number == (message.source.find("%n") != std::string::npos), message.source);
    if (!message.has_number) continue;
    ++count;
    const auto found = english.find(message.source);
    REQUIRE_MESSAGE(found != english.end(), "no English plural: " << message.source);
    REQUIRE_MESSAGE(found->second.size() == 2, message.source);
    if (message.source.find("(s)") != std::string::npos)
      CHECK_MESSAGE(found->second[0] != found->second[1], message.source);
    for (const std::string& form : found->second) {
      CHECK_MESSAGE(!form.empty(), message.source);
      CHECK_MESSAGE(form.find("(s)") == std::string::npos, form);
    }
  }
  CHECK(count > 20);
}

}  // namespace arenascope::test
