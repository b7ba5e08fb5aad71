// SPDX-License-Identifier: MIT
// Limits for the size of classes and functions of the window and its views, counted in their text. A class has at most
// 35 operations: its functions (except constructors and the destructor), its friends, its members of type
// std::function, and the helpers in its own files that have a parameter of its type. A function has at most 60 lines.
#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

constexpr int kMaxFunctions = 35, kMaxLines = 60;

// 1'000, and not u'x'.
bool is_digit_separator(const std::string& text, size_t at) {
  const auto alnum = [&](size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  size_t begin = at;
  while (begin > 0 && alnum(begin - 1)) --begin;
  return begin < at && std::isdigit(static_cast<unsigned char>(text[begin])) != 0;
}

// The same text without comments, literals and preprocessor lines, each of their characters a blank.
std::string code_of(const std::string& text) {
  std::string out = text;
  const auto blank = [&](size_t from, size_t to) {
    for (size_t i = from; i < std::min(to, out.size()); ++i)
      if (out[i] != '\n') out[i] = ' ';
  };
  for (size_t i = 0; i < text.size();) {
    const auto end_of = [&](const std::string& end, size_t from) {
      const size_t at = text.find(end, from);
      return at == std::string::npos ? text.size() : at + end.size();
    };
    size_t next = i + 1;
    const bool line_begins = i == 0 || text.find_last_not_of(" \t", i - 1) == std::string::npos ||
                             text[text.find_last_not_of(" \t", i - 1)] == '\n';
    if (text.compare(i, 2, "//") == 0) {
      blank(i, next = end_of("\n", i) - 1);
    } else if (text.compare(i, 2, "/*") == 0) {
      blank(i, next = end_of("*/", i + 2));
    } else if (text[i] == '#' && line_begins) {
      next = i;
      do next = end_of("\n", next);
      while (next >= 2 && next < text.size() && text[next - 2] == '\\');
      blank(i, next - 1);
      next = std::max(next - 1, i + 1);
    } else if (text.compare(i, 2, "R\"") == 0) {
      const size_t open = text.find('(', i);
      next = end_of(")" + text.substr(i + 2, open - i - 2) + "\"", open);
      blank(i, next);
    } else if (text[i] == '"' || (text[i] == '\'' && !is_digit_separator(text, i))) {
      while (next < text.size() && text[next] != text[i]) next += text[next] == '\\' ? 2 : 1;
      blank(i, ++next);
    }
    i = next;
  }
  return out;
}

struct Class {
  std::string name, path;
  int does = 0;
};
struct Function {
  std::string head, path;
  int lines = 0;
};

// The text outside parentheses and square brackets.
std::string outside_brackets(const std::string& head) {
  std::string out;
  int depth = 0;
  for (char c : head) {
    if (c == '(' || c == '[') ++depth;
    if (depth == 0) out += c;
    if (c == ')' || c == ']') --depth, out += c;
  }
  return out;
}

class Scan {
 public:
  Scan(const SourceFile& file) : path_(file.path), code_(code_of(file.text)) {
    while (at_ < code_.size()) scope(nullptr);
  }
  std::vector<Class> classes;
  std::vector<Function> functions;

 private:
  enum class Kind { Namespace, Type, Function, Value };

  static Kind kind_of(const std::string& head) {
    static const std::regex name_space(R"((^|\s)namespace(\s|$)|^\s*extern\s*$)"),
        type(R"((^|[\s>])(class|struct|union|enum)\s)"), op(R"(operator\s*[^\s\w(]+)");
    const std::string plain = std::regex_replace(outside_brackets(head), op, "operator");
    if (std::regex_search(head, name_space)) return Kind::Namespace;
    if (plain.find('=') != std::string::npos) return Kind::Value;
    if (plain.find(')') == std::string::npos || std::regex_search(plain, std::regex(R"(^\s*alignas\s*\))")))
      return std::regex_search(head, type) ? Kind::Type : Kind::Value;
    // A constructor's `: a_{1}`: a colon after the parentheses, and a name right before the brace.
    const size_t bracket = plain.find(')'), last = plain.find_last_not_of(" \t\n");
    const size_t colon = plain.find(':', bracket);
    if (colon != std::string::npos && last != std::string::npos && last > colon &&
        (std::isalnum(static_cast<unsigned char>(plain[last])) != 0 || plain[last] == '_' || plain[last] == '>'))
      return Kind::Value;
    return Kind::Function;
  }
  void skip_braces() {
    int depth = 0;
    do {
      if (code_[at_] == '{') ++depth;
      if (code_[at_] == '}') --depth;
      ++at_;
    } while (depth > 0 && at_ < code_.size());
  }
  int line_of(size_t at) const {
    return static_cast<int>(std::count(code_.begin(), code_.begin() + static_cast<ptrdiff_t>(at), '\n'));
  }
  static std::string name_of_type(const std::string& head) {
    static const std::regex name(R"((class|struct|union)\s+(?:\[\[\w+\]\]\s*)?(\w+))");
    std::smatch found;
    return std::regex_search(head, found, name) ? found[2].str() : std::string();
  }

  // One namespace or class, up to its closing brace.
  void scope(Class* of) {
    std::string head;
    size_t begin = at_;
    int brackets = 0;
    const auto fresh = [&] { head.clear(), begin = at_; };
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (c == '(' || c == '[') ++brackets;
      if (c == ')' || c == ']') --brackets;
      if (brackets > 0 && c == '{') {
        skip_braces();
        continue;
      }
      if (c == '{') {
        brace(of, head, begin);
        if (head.empty()) begin = at_;
        continue;
      }
      ++at_;
      if (c == '}') return;
      if (c == ';') {
        if (of != nullptr) of->does += does(*of, head);
        fresh();
      } else if (
          c == ':' &&
          std::regex_match(
              head,
              std::regex(
                  R"(\s*(Q_OBJECT\s+)?(public|private|protected|public\s+Q_SLOTS|Q_SIGNALS|private\s+Q_SLOTS)\s*)"))) {
        fresh();
      } else if (!(head.empty() && std::isspace(static_cast<unsigned char>(c)) != 0)) {
        if (head.empty()) begin = at_ - 1;
        head += c;
      }
    }
  }
  void brace(Class* of, std::string& head, size_t begin) {
    switch (kind_of(head)) {
      case Kind::Namespace:
        ++at_;
        scope(nullptr);
        head.clear();
        return;
      case Kind::Type: {
        if (std::regex_search(head, std::regex(R"(\benum\b)"))) {
          skip_braces();
        } else {
          Class type{name_of_type(head), path_};
          ++at_;
          scope(&type);
          classes.push_back(type);
        }
        head = " ";  // a variable may be declared together with its type
        return;
      }
      case Kind::Function: {
        skip_braces();
        functions.push_back({head, path_, line_of(at_ - 1) - line_of(begin) + 1});
        if (of != nullptr) of->does += does(*of, head);
        head.clear();
        return;
      }
      case Kind::Value:
        skip_braces();
        head += "{}";
        return;
    }
  }
  // 1 for a function, a friend or a std::function member.
  static int does(const Class& of, const std::string& head) {
    static const std::regex kept(R"(\bstd::function\s*<)"), name(R"(([~\w]+)\s*\()"),
        type(R"(^\s*(using|typedef|static_assert)\b)");
    if (std::regex_search(head, type)) return 0;
    if (std::regex_search(head, std::regex(R"(\bfriend\b)"))) return 1;
    if (std::regex_search(head, std::regex(R"(\boperator\b)"))) return 1;
    const std::string plain = outside_brackets(head);
    if (std::regex_search(plain, kept) && plain.find(')') == std::string::npos) return 1;
    std::smatch called;
    if (!std::regex_search(head, called, name)) return 0;
    const size_t value = plain.find('='), bracket = plain.find(')');
    if (bracket == std::string::npos || (value != std::string::npos && value < bracket)) return 0;
    return called[1] == of.name || called[1] == "~" + of.name ? 0 : 1;
  }

  std::string path_, code_;
  size_t at_ = 0;
};

std::string stem(const std::string& path) { return path.substr(0, path.rfind('.')); }

// Functions in a class's own files that have a parameter of its type.
int helpers_of(const Class& type, const std::vector<Function>& functions) {
  const std::regex takes("\\([^)]*\\b" + type.name + "\\s*[&*]");
  int count = 0;
  for (const Function& f : functions) {
    const bool own = f.path.starts_with(stem(type.path)) && f.head.find(type.name + "::") == std::string::npos;
    if (own && std::regex_search(f.head, takes)) ++count;
  }
  return count;
}

bool is_checked(const SourceFile& file) { return file.is_cpp() && (file.in("views/") || file.in("app/")); }

Scan scanned(const std::string& text) { return Scan(SourceFile{"a.cpp", text}); }

}  // namespace

TEST_CASE("classes of the window have at most 35 operations, functions at most 60 lines") {
  std::vector<Class> classes;
  std::vector<Function> functions;
  for (const SourceFile& file : source_tree()) {
    if (!is_checked(file)) continue;
    Scan scan(file);
    classes.insert(classes.end(), scan.classes.begin(), scan.classes.end());
    functions.insert(functions.end(), scan.functions.begin(), scan.functions.end());
  }
  CHECK(classes.size() > 150);
  CHECK(functions.size() > 1500);
  for (const Class& type : classes) {
    const int does = type.does + helpers_of(type, functions);
    CHECK_MESSAGE(does <= kMaxFunctions, type.path << ": " << type.name << " has " << does << " operations");
  }
  for (const Function& f : functions)
    CHECK_MESSAGE(f.lines <= kMaxLines,
                  f.path << ": " << f.lines << " lines: " << f.head.substr(0, std::min<size_t>(f.head.find('('), 60)));
}

TEST_CASE("operations of classes and lines of functions are counted") {
  const Scan scan = scanned(R"(
namespace a {
class B : public C {
  Q_OBJECT
 public:
  explicit B(int x = 3) : x_{x}, y_(2) { go(); }
  ~B() override;
  bool operator==(const B&) const = default;
  int size() const { return x_; }  // { no
  friend class D;
  enum class Mode { One, Two } mode_ = Mode::One;
  struct Inner {
    int a = 0, b = 0;
  };
  using Map = std::map<int, int>;
 private:
  template <class T>
  T* find(const char* id) const {
    return nullptr;
  }
  int x_ = 0, y_{1};
  std::map<int, std::string> names_ = {{1, "}"}};
  std::function<void(int)> on_change_;
};
void help(B& b, int n) {
  if (n) {
  }
}
constexpr int kNumbers[] = {1, 2};
}
)");
  REQUIRE(scan.classes.size() == 2);
  CHECK(scan.classes[0].name == "Inner");
  CHECK(scan.classes[0].does == 0);
  CHECK(scan.classes[1].name == "B");
  CHECK(scan.classes[1].does == 5);
  CHECK(helpers_of(scan.classes[1], scan.functions) == 1);
  REQUIRE(scan.functions.size() == 4);
  CHECK(scan.functions[2].lines == 4);
  CHECK(scan.functions[3].lines == 4);
}

}  // namespace arenascope::test
