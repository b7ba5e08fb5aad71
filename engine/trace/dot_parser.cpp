// SPDX-License-Identifier: MIT
#include "engine/trace/dot_parser.h"

#include <cctype>
#include <unordered_map>

namespace arenascope::trace {

namespace {

constexpr size_t kMaxDotNodes = 500'000, kMaxDotEdges = 2'000'000, kMaxDotText = 64 << 10;
constexpr int kMaxDotDepth = 64;

enum class TokenKind : uint8_t { End, Id, Arrow, Symbol };

struct DotToken {
  TokenKind kind = TokenKind::End;
  std::string text;  // of an id; a symbol has one character
  bool quoted = false;
  bool is(char symbol) const { return kind == TokenKind::Symbol && text[0] == symbol; }
  bool is_keyword(std::string_view word) const {
    if (kind != TokenKind::Id || quoted || text.size() != word.size()) return false;
    for (size_t i = 0; i < word.size(); ++i)
      if (std::tolower(static_cast<unsigned char>(text[i])) != word[i]) return false;
    return true;
  }
};

bool is_dot_id_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '.' || byte >= 0x80;
}

class DotLexer {
 public:
  explicit DotLexer(std::string_view text) : text_(text) {}

  int line() const { return line_; }
  const std::string& problem() const { return problem_; }

  DotToken next() {
    skip_blanks();
    if (at_ >= text_.size()) return {};
    const char c = text_[at_];
    if (c == '"') return quoted();
    if (c == '<') return html();
    if (c == '-' && at_ + 1 < text_.size() && (text_[at_ + 1] == '>' || text_[at_ + 1] == '-')) {
      at_ += 2;
      return {TokenKind::Arrow, {}};
    }
    if (is_dot_id_char(c) || (c == '-' && at_ + 1 < text_.size() && is_dot_id_char(text_[at_ + 1]))) return plain();
    step();
    return {TokenKind::Symbol, std::string(1, c)};
  }

 private:
  void step() {
    if (text_[at_] == '\n') ++line_;
    ++at_;
  }
  bool starts_with(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  void skip_blanks() {
    for (;;) {
      const bool begins_line = at_ == 0 || (at_ <= text_.size() && text_[at_ - 1] == '\n');
      if (at_ >= text_.size()) return;
      if (starts_with("//") || (begins_line && text_[at_] == '#')) {
        skip_line();
      } else if (starts_with("/*")) {
        at_ += 2;
        while (at_ < text_.size() && !starts_with("*/")) step();
        at_ = std::min(at_ + 2, text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '\0') {
        step();
      } else {
        return;
      }
    }
  }
  void add(std::string& to, char c) {
    if (to.size() < kMaxDotText)
      to += c;
    else
      problem_ = "a text is longer than 65536 bytes";
  }

  // Several quoted strings may be joined with '+'. Escapes are kept, except for that of the quote.
  DotToken quoted() {
    DotToken token{TokenKind::Id, {}, true};
    for (;;) {
      step();
      while (at_ < text_.size() && text_[at_] != '"') {
        if (starts_with("\\\"") || starts_with("\\\n")) {
          step();
          if (text_[at_] == '\n') {
            step();
            continue;
          }
        } else if (starts_with("\\\\")) {
          add(token.text, '\\');
          step();
        }
        add(token.text, text_[at_]);
        step();
      }
      if (at_ >= text_.size()) {
        problem_ = "a quoted text has no end";
        return token;
      }
      step();
      const size_t end = at_;
      const int line = line_;
      skip_blanks();
      if (at_ < text_.size() && text_[at_] == '+') {
        step();
        skip_blanks();
        if (at_ < text_.size() && text_[at_] == '"') continue;
      }
      at_ = end;
      line_ = line;
      return token;
    }
  }

  // The text of an HTML label without its tags.
  DotToken html() {
    DotToken token{TokenKind::Id, {}, true};
    int depth = 0;
    for (; at_ < text_.size(); step()) {
      const char c = text_[at_];
      if (c == '<') ++depth;
      if (depth == 1 && c != '<' && c != '>') add(token.text, c);
      if (c == '>') {
        if (depth == 2 && !token.text.empty() && token.text.back() != ' ') add(token.text, ' ');
        if (--depth == 0) break;
      }
    }
    if (at_ >= text_.size())
      problem_ = "an HTML label has no end";
    else
      step();
    return token;
  }

  DotToken plain() {
    DotToken token{TokenKind::Id, {}};
    while (at_ < text_.size() && (is_dot_id_char(text_[at_]) || (token.text.empty() && text_[at_] == '-'))) {
      add(token.text, text_[at_]);
      ++at_;
    }
    return token;
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  std::string problem_;
};

class DotParser {
 public:
  DotParser(std::string_view text, const std::string& name) : lexer_(text), name_(name) { advance(); }

  Result<DotGraph> run() {
    if (token_.is_keyword("strict")) advance();
    if (!token_.is_keyword("graph") && !token_.is_keyword("digraph")) return error("expected 'graph' or 'digraph'");
    advance();
    if (token_.kind == TokenKind::Id) {
      graph_.name = token_.text;
      advance();
    }
    if (!token_.is('{')) return error("expected '{'");
    advance();
    statements(0);
    if (!problem_.empty()) return error(problem_);
    return std::move(graph_);
  }

 private:
  Error error(const std::string& what) const {
    const std::string& reason = lexer_.problem().empty() ? what : lexer_.problem();
    return Error{name_ + ": line " + std::to_string(lexer_.line()) + " of the DOT graph: " + reason + "."};
  }
  bool ok() const { return problem_.empty() && lexer_.problem().empty(); }
  void fail(const char* what) {
    if (problem_.empty()) problem_ = what;
  }
  void advance() {
    token_ = lexer_.next();
    if (!lexer_.problem().empty()) fail("malformed text");
  }

  // Up to and including the closing brace. Nodes that are mentioned are appended to `mentioned`.
  void statements(int depth) {
    if (depth > kMaxDotDepth) return fail("subgraphs are nested more than 64 levels deep");
    while (ok() && !token_.is('}')) {
      if (token_.kind == TokenKind::End) return fail("expected '}' before the end of the file");
      if (token_.is(';') || token_.is(',')) {
        advance();
        continue;
      }
      statement(depth);
    }
    advance();
  }

  void statement(int depth) {
    if (token_.is_keyword("node") || token_.is_keyword("edge") || token_.is_keyword("graph")) {
      const bool of_graph = token_.is_keyword("graph");
      advance();
      std::string label;
      bool record = default_record_, has_label = false;
      attributes(label, has_label, record);
      if (of_graph && has_label && !layers_.empty()) layers_.back() = dot_text(label);
      if (!of_graph) default_record_ = record;
      return;
    }
    std::vector<uint32_t> left;
    if (!operand(left, depth)) return;
    if (token_.is('=')) return assignment();
    bool is_edge = false;
    while (ok() && token_.kind == TokenKind::Arrow) {
      advance();
      is_edge = true;
      std::vector<uint32_t> right;
      if (!operand(right, depth)) return fail("expected a node after an edge operator");
      connect(left, right);
      left = std::move(right);
    }
    std::string label;
    bool has_label = false, record = default_record_;
    const bool has_attributes = attributes(label, has_label, record);
    if (is_edge || left.size() != 1 || !last_was_node_) return;
    DotNode& node = graph_.nodes[left.front()];
    if (has_label) node.label = std::move(label);
    if (has_attributes) node.record = record;
  }

  // "label = text" sets the label of the enclosing subgraph. The id was taken for a node.
  void assignment() {
    const std::string key = last_id_;
    forget_last_node();
    advance();
    if (token_.kind != TokenKind::Id) return fail("expected a value after '='");
    if (key == "label" && !layers_.empty()) layers_.back() = dot_text(token_.text);
    advance();
  }

  // A node or a subgraph; false: neither.
  bool operand(std::vector<uint32_t>& nodes, int depth) {
    last_was_node_ = false;
    if (token_.is('{') || token_.is_keyword("subgraph")) {
      subgraph(nodes, depth);
      return ok();
    }
    if (token_.kind != TokenKind::Id) {
      fail("expected a node, an edge or a subgraph");
      return false;
    }
    last_id_ = token_.text;
    last_was_node_ = true;
    nodes.push_back(node_of(token_.text));
    advance();
    for (int port = 0; ok() && token_.is(':') && port < 2; ++port) {  // "node:port:compass"
      advance();
      if (token_.kind == TokenKind::Id) advance();
    }
    return ok();
  }

  void subgraph(std::vector<uint32_t>& nodes, int depth) {
    std::string title;
    if (token_.is_keyword("subgraph")) {
      advance();
      if (token_.kind == TokenKind::Id) {
        title = token_.text.starts_with("cluster") ? token_.text : std::string();
        advance();
      }
      if (!token_.is('{')) return fail("expected '{' after 'subgraph'");
    }
    advance();
    const size_t first = graph_.nodes.size();
    const bool record = default_record_;
    const std::vector<uint32_t> outer = std::exchange(mentioned_, {});
    layers_.push_back(title);
    statements(depth + 1);
    // The label of a subgraph may follow its nodes.
    for (size_t i = first; i < graph_.nodes.size(); ++i)
      if (graph_.nodes[i].layers.size() >= layers_.size()) graph_.nodes[i].layers[layers_.size() - 1] = layers_.back();
    layers_.pop_back();
    default_record_ = record;
    nodes = mentioned_;
    mentioned_.insert(mentioned_.begin(), outer.begin(), outer.end());
    last_was_node_ = false;
  }

  void connect(const std::vector<uint32_t>& left, const std::vector<uint32_t>& right) {
    for (const uint32_t from : left)
      for (const uint32_t to : right) {
        if (graph_.edges.size() >= kMaxDotEdges) return fail("more than 2,000,000 edges");
        graph_.edges.push_back({from, to});
      }
  }

  uint32_t node_of(const std::string& id) {
    const auto [it, added] = index_.try_emplace(id, static_cast<uint32_t>(graph_.nodes.size()));
    if (added) {
      if (graph_.nodes.size() >= kMaxDotNodes) fail("more than 500,000 nodes");
      graph_.nodes.push_back({id, {}, default_record_, layers_});
    }
    // As in Graphviz, a later mention in a subgraph moves the node into it.
    if (DotNode& node = graph_.nodes[it->second]; node.layers.empty()) node.layers = layers_;
    added_last_ = added;
    mentioned_.push_back(it->second);
    return it->second;
  }
  void forget_last_node() {
    if (!last_was_node_) return;
    mentioned_.pop_back();
    if (!added_last_) return;
    index_.erase(graph_.nodes.back().id);
    graph_.nodes.pop_back();
  }

  // Lists of attributes in brackets; false: there are none.
  bool attributes(std::string& label, bool& has_label, bool& record) {
    bool any = false;
    while (ok() && token_.is('[')) {
      any = true;
      advance();
      while (ok() && !token_.is(']')) {
        if (token_.is(';') || token_.is(',')) {
          advance();
          continue;
        }
        if (token_.kind != TokenKind::Id) {
          fail("expected an attribute or ']'");
          return any;
        }
        const std::string key = token_.text;
        advance();
        if (!token_.is('=')) continue;
        advance();
        if (token_.kind != TokenKind::Id) {
          fail("expected the value of an attribute");
          return any;
        }
        if (key == "label") label = token_.text, has_label = true;
        if (key == "shape") record = token_.text == "record" || token_.text == "Mrecord";
        advance();
      }
      advance();
    }
    return any;
  }

  DotLexer lexer_;
  const std::string& name_;
  DotToken token_;
  DotGraph graph_;
  std::unordered_map<std::string, uint32_t> index_;
  std::vector<std::string> layers_;  // titles of the open subgraphs
  std::vector<uint32_t> mentioned_;  // nodes of the current subgraph
  std::string problem_, last_id_;
  bool default_record_ = false, last_was_node_ = false, added_last_ = false;
};

}  // namespace

bool is_dot(ByteSpan head) {
  DotLexer lexer({reinterpret_cast<const char*>(head.data()), std::min<size_t>(head.size(), 4096)});
  DotToken token = lexer.next();
  if (token.is_keyword("strict")) token = lexer.next();
  if (!token.is_keyword("graph") && !token.is_keyword("digraph")) return false;
  token = lexer.next();
  if (token.kind == TokenKind::Id) token = lexer.next();
  return token.is('{');
}

Result<DotGraph> parse_dot(std::string_view text, const std::string& name) { return DotParser(text, name).run(); }

std::string dot_text(std::string_view label) {
  std::string out;
  const auto space = [&] {
    if (!out.empty() && out.back() != ' ') out += ' ';
  };
  for (size_t i = 0; i < label.size(); ++i) {
    const char c = label[i];
    if (c == '\\' && i + 1 < label.size()) {
      const char next = label[++i];
      next == 'n' || next == 'l' || next == 'r' ? space() : void(out += next);
    } else if (static_cast<unsigned char>(c) <= 0x20) {
      space();
    } else {
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::vector<std::string> dot_fields(std::string_view label) {
  std::vector<std::string> fields;
  std::string raw;
  bool in_port = false;
  const auto close = [&] {
    if (std::string text = dot_text(raw); !text.empty()) fields.push_back(std::move(text));
    raw.clear();
  };
  for (size_t i = 0; i < label.size(); ++i) {
    const char c = label[i];
    if (c == '\\' && i + 1 < label.size()) {
      raw += c;
      raw += label[++i];
    } else if (c == '|') {
      close();
    } else if (c == '<' || c == '>') {
      in_port = c == '<';
    } else if (!in_port && c != '{' && c != '}') {
      raw += c;
    }
  }
  close();
  return fields;
}

}  // namespace arenascope::trace
