// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>

#include "engine/models/chat/expression.h"

namespace arenascope::models::chat {
namespace {

using Kind = Expression::Kind;
constexpr int kDeepest = 100;

Expression made(Kind kind, std::string name, std::vector<Expression> parts) {
  Expression out;
  out.kind = kind, out.name = std::move(name), out.parts = std::move(parts);
  return out;
}

// Recursive descent, from the operators that bind least to those that bind most.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  Result<Expression> parse() {
    Expression out = choice();
    if (error_.empty() && kind_ != Token::End) fail("the end");
    if (!error_.empty()) return Error{error_};
    return out;
  }

 private:
  enum class Token { End, Name, Text, Number, Sign };

  void advance() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    begin_ = at_;
    if (at_ == text_.size()) return set(Token::End, 0);
    const char c = text_[at_];
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
      size_t end = at_;
      while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) ++end;
      return set(Token::Name, end - at_);
    }
    if (std::isdigit(static_cast<unsigned char>(c))) {
      size_t end = at_;
      while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
      return set(Token::Number, end - at_);
    }
    if (c == '\'' || c == '"') return quoted(c);
    for (std::string_view two : {"==", "!=", "<=", ">=", "//"})
      if (text_.substr(at_, 2) == two) return set(Token::Sign, 2);
    set(Token::Sign, 1);
  }
  void set(Token kind, size_t size) {
    kind_ = kind;
    word_ = std::string(text_.substr(at_, size));
    at_ += size;
  }
  void quoted(char quote) {
    kind_ = Token::Text;
    word_.clear();
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] != '\\' || at_ + 1 == text_.size()) {
        word_ += text_[at_];
        continue;
      }
      const char c = text_[++at_];
      word_ += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
    if (at_ == text_.size())
      fail("a closing quote");
    else
      ++at_;
  }

  void fail(const std::string& expected) {
    if (error_.empty())
      error_ =
          fmt::format("'{}' where {} was expected in '{}'", text_.substr(begin_, 20), expected, text_.substr(0, 60));
    kind_ = Token::End;
    at_ = text_.size();
  }
  bool is(std::string_view word) const { return (kind_ == Token::Sign || kind_ == Token::Name) && word_ == word; }
  bool take(std::string_view word) {
    if (!is(word)) return false;
    advance();
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail(fmt::format("'{}'", word));
  }

  Expression choice() {
    if (++depth_ > kDeepest) fail("less deep nesting");
    Expression out = either();
    if (take("if")) {
      Expression condition = either();
      Expression otherwise;
      if (take("else")) otherwise = choice();
      out = made(Kind::Choice, "", {std::move(condition), std::move(out), std::move(otherwise)});
    }
    --depth_;
    return out;
  }
  Expression either() {
    Expression out = both();
    while (take("or")) out = made(Kind::Binary, "or", {std::move(out), both()});
    return out;
  }
  Expression both() {
    Expression out = negation();
    while (take("and")) out = made(Kind::Binary, "and", {std::move(out), negation()});
    return out;
  }
  Expression negation() {
    if (++depth_ > kDeepest) fail("less deep nesting");
    Expression out = take("not") ? made(Kind::Unary, "not", {negation()}) : comparison();
    --depth_;
    return out;
  }
  Expression comparison() {
    Expression out = sum();
    for (;;) {
      if (take("is")) {
        const bool inverted = take("not");
        Expression test = made(Kind::Test, word_, {std::move(out)});
        if (kind_ != Token::Name) fail("a test");
        advance();
        out = inverted ? made(Kind::Unary, "not", {std::move(test)}) : std::move(test);
      } else if (take("in")) {
        out = made(Kind::Binary, "in", {std::move(out), sum()});
      } else if (is("not")) {
        advance();
        expect("in");
        out = made(Kind::Unary, "not", {made(Kind::Binary, "in", {std::move(out), sum()})});
      } else if (kind_ == Token::Sign && (is("==") || is("!=") || is("<") || is(">") || is("<=") || is(">="))) {
        std::string sign = word_;
        advance();
        out = made(Kind::Binary, std::move(sign), {std::move(out), sum()});
      } else {
        return out;
      }
    }
  }
  Expression sum() {
    return chain({"+", "-", "~"}, [this] { return product(); });
  }
  Expression product() {
    return chain({"*", "//", "%"}, [this] { return unary(); });
  }
  template <class Next>
  Expression chain(std::array<std::string_view, 3> signs, Next next) {
    Expression out = next();
    for (;;) {
      std::string sign;
      for (std::string_view candidate : signs)
        if (kind_ == Token::Sign && word_ == candidate) sign = candidate;
      if (sign.empty()) return out;
      advance();
      out = made(Kind::Binary, sign, {std::move(out), next()});
    }
  }
  Expression unary() {
    if (kind_ == Token::Sign && take("-")) return made(Kind::Unary, "-", {postfix()});
    return postfix();
  }

  Expression postfix() {
    Expression out = primary();
    for (;;) {
      if (take(".")) {
        out = made(Kind::Field, word_, {std::move(out)});
        if (kind_ != Token::Name) fail("a name");
        advance();
      } else if (take("[")) {
        out = subscript(std::move(out));
      } else if (kind_ == Token::Sign && is("(")) {
        out = arguments(made(Kind::Call, "", {std::move(out)}));
      } else if (take("|")) {
        out = made(Kind::Filter, word_, {std::move(out)});
        if (kind_ != Token::Name) fail("a filter");
        advance();
        if (kind_ == Token::Sign && is("(")) out = arguments(std::move(out));
      } else {
        return out;
      }
    }
  }
  Expression subscript(Expression of) {
    std::array<Expression, 3> parts;
    size_t count = 0;
    bool colon = false;
    for (; count < 3; ++count) {
      if (!is(":") && !is("]")) parts[count] = choice();
      if (!take(":")) break;
      colon = true;
    }
    expect("]");
    if (!colon) return made(Kind::Index, "", {std::move(of), std::move(parts[0])});
    return made(Kind::Slice, "", {std::move(of), std::move(parts[0]), std::move(parts[1]), std::move(parts[2])});
  }
  Expression arguments(Expression call) {
    expect("(");
    call.keys.assign(call.parts.size(), "");
    while (kind_ != Token::End && !is(")")) {
      std::string key;
      const size_t from = begin_;
      if (kind_ == Token::Name) {
        key = word_;
        advance();
        if (!take("=")) key.clear(), at_ = from, advance();
      }
      call.parts.push_back(choice());
      call.keys.push_back(key);
      if (!take(",")) break;
    }
    expect(")");
    return call;
  }

  Expression constant(Value value) {
    Expression out;
    out.constant = std::move(value);
    advance();
    return out;
  }
  Expression primary() {
    if (kind_ == Token::Text) return constant(word_);
    if (kind_ == Token::Number) {
      int64_t number = 0;
      const auto [rest, problem] = std::from_chars(word_.data(), word_.data() + word_.size(), number);
      if (problem != std::errc()) fail("a smaller number");
      return constant(number);
    }
    if (kind_ == Token::Name) {
      if (word_ == "true" || word_ == "True") return constant(true);
      if (word_ == "false" || word_ == "False") return constant(false);
      if (word_ == "none" || word_ == "None") return constant(None());
      Expression out = made(Kind::Name, word_, {});
      advance();
      return out;
    }
    if (take("(")) {
      Expression out = choice();
      expect(")");
      return out;
    }
    Expression out;
    if (take("[")) {
      out.kind = Kind::MakeList;
      while (kind_ != Token::End && !is("]")) {
        out.parts.push_back(choice());
        if (!take(",")) break;
      }
      expect("]");
    } else if (take("{")) {
      out.kind = Kind::MakeObject;
      while (kind_ != Token::End && !is("}")) {
        out.keys.push_back(word_);
        if (kind_ != Token::Text) fail("a key");
        advance();
        expect(":");
        out.parts.push_back(choice());
        if (!take(",")) break;
      }
      expect("}");
    } else {
      fail("a value");
    }
    return out;
  }

  std::string_view text_;
  size_t at_ = 0, begin_ = 0;  // end and begin of the current token
  Token kind_ = Token::End;
  std::string word_;
  std::string error_;
  int depth_ = 0;
};

}  // namespace

Result<Expression> parse_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace arenascope::models::chat
