// SPDX-License-Identifier: MIT
#include "engine/trace/dot_parser.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/trace/dot_lexer.h"

namespace arenascope::trace {

namespace {

constexpr size_t kMaxDotNodes = 500'000, kMaxDotEdges = 2'000'000, kMaxDotSubgraphs = 500'000;
constexpr int kMaxDotDepth = 64;

class DotParser {
 public:
  DotParser(std::string_view text, const std::string& name) : lexer_(text), name_(name) { advance(); }

  Result<DotGraph> run() {
    if (token_.is_keyword("strict")) advance();
    if (!token_.is_keyword("graph") && !token_.is_keyword("digraph")) return error("expected 'graph' or 'digraph'");
    advance();
    if (token_.kind == DotTokenKind::Id) {
      graph_.name = dot_text(token_.text);
      advance();
    }
    if (!token_.is('{')) return error("expected '{'");
    advance();
    statements(0);
    if (!problem_.empty()) return error(problem_);
    return std::move(graph_);
  }

 private:
  struct Attributes {
    std::optional<std::string> label;
    std::optional<bool> record;  // from the shape
  };

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
  bool skip_separator() {
    if (!token_.is(';') && !token_.is(',')) return false;
    advance();
    return true;
  }

  // Up to and including the closing brace.
  void statements(int depth) {
    if (depth > kMaxDotDepth) return fail("subgraphs are nested more than 64 levels deep");
    while (ok() && !token_.is('}')) {
      if (token_.kind == DotTokenKind::End) return fail("expected '}' before the end of the file");
      if (skip_separator()) continue;
      statement(depth);
      if (depth == 0) mentions_.clear();  // only an enclosing subgraph needs them
    }
    advance();
  }

  void statement(int depth) {
    if (token_.is_keyword("node") || token_.is_keyword("edge") || token_.is_keyword("graph")) return defaults();
    size_t sources = mentions_.size();
    bool is_node = token_.kind == DotTokenKind::Id && !token_.is_keyword("subgraph");
    if (is_node) {
      const std::string id = std::move(token_.text);
      advance();
      if (token_.is('=')) return assignment(id);
      mention(id);
    } else {
      operand(depth);
    }
    while (ok() && token_.kind == DotTokenKind::Arrow) {
      is_node = false;
      advance();
      const size_t targets = mentions_.size();
      operand(depth);
      connect(sources, targets);
      sources = targets;
    }
    const Attributes given = attributes();
    if (!is_node || !ok()) return;
    DotNode& node = graph_.nodes[mentions_[sources]];
    node.label = given.label.value_or(node.label);
    node.record = given.record.value_or(node.record);
  }

  // Attributes of the nodes that follow, or the label of the enclosing subgraph.
  void defaults() {
    const bool of_graph = token_.is_keyword("graph"), of_nodes = token_.is_keyword("node");
    advance();
    const Attributes given = attributes();
    if (of_graph && given.label) set_title(*given.label);
    if (of_nodes) default_record_ = given.record.value_or(default_record_);
  }

  void assignment(const std::string& key) {
    advance();
    if (token_.kind != DotTokenKind::Id) return fail("expected a value after '='");
    if (key == "label") set_title(token_.text);
    advance();
  }
  void set_title(std::string_view label) {
    if (subgraph_ >= 0) graph_.subgraphs[static_cast<size_t>(subgraph_)].title = dot_text(label);
  }

  // A node or a subgraph.
  void operand(int depth) {
    if (token_.is('{') || token_.is_keyword("subgraph")) return subgraph(depth);
    if (token_.kind != DotTokenKind::Id) return fail("expected a node, an edge or a subgraph");
    const std::string id = std::move(token_.text);
    advance();
    mention(id);
  }

  // Appends a node and skips its port: "node:port:compass".
  void mention(const std::string& id) {
    mentions_.push_back(node_of(id));
    for (int port = 0; ok() && token_.is(':') && port < 2; ++port) {
      advance();
      if (token_.kind == DotTokenKind::Id) advance();
    }
  }

  uint32_t node_of(const std::string& id) {
    const auto [it, added] = index_.try_emplace(id, static_cast<uint32_t>(graph_.nodes.size()));
    if (added) {
      if (graph_.nodes.size() >= kMaxDotNodes) fail("more than 500,000 nodes");
      graph_.nodes.push_back({id, {}, default_record_, subgraph_});
      seen_in_.push_back(0);
    }
    // As in Graphviz, a later mention in a cluster moves the node into it.
    if (DotNode& node = graph_.nodes[it->second]; !is_titled(node.subgraph)) node.subgraph = subgraph_;
    return it->second;
  }
  // True if the subgraph or one around it has a title.
  bool is_titled(int32_t subgraph) const {
    for (; subgraph >= 0; subgraph = graph_.subgraphs[static_cast<size_t>(subgraph)].parent)
      if (!graph_.subgraphs[static_cast<size_t>(subgraph)].title.empty()) return true;
    return false;
  }

  // Appends its nodes, each once.
  void subgraph(int depth) {
    std::string title;
    if (token_.is_keyword("subgraph")) {
      advance();
      if (token_.kind == DotTokenKind::Id) {
        if (token_.text.starts_with("cluster")) title = token_.text;
        advance();
      }
      if (!token_.is('{')) return fail("expected '{' after 'subgraph'");
    }
    advance();
    if (graph_.subgraphs.size() >= kMaxDotSubgraphs) return fail("more than 500,000 subgraphs");
    const int32_t parent = subgraph_;
    const bool record = default_record_;
    const size_t first = mentions_.size();
    subgraph_ = static_cast<int32_t>(graph_.subgraphs.size());
    graph_.subgraphs.push_back({std::move(title), parent});
    statements(depth + 1);
    drop_repeated_mentions(first);
    subgraph_ = parent;
    default_record_ = record;
  }
  void drop_repeated_mentions(size_t first) {
    ++closed_subgraphs_;
    const auto begin = mentions_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto is_repeated = [&](uint32_t node) {
      return std::exchange(seen_in_[node], closed_subgraphs_) == closed_subgraphs_;
    };
    mentions_.erase(std::remove_if(begin, mentions_.end(), is_repeated), mentions_.end());
  }

  // The mentions in [sources, targets) with those from `targets` on.
  void connect(size_t sources, size_t targets) {
    for (size_t from = sources; from < targets; ++from)
      for (size_t to = targets; to < mentions_.size(); ++to) {
        if (graph_.edges.size() >= kMaxDotEdges) return fail("more than 2,000,000 edges");
        graph_.edges.push_back({mentions_[from], mentions_[to]});
      }
  }

  // Lists of attributes in brackets, if there are any.
  Attributes attributes() {
    Attributes given;
    while (ok() && token_.is('[')) {
      advance();
      while (ok() && !token_.is(']'))
        if (!skip_separator()) attribute(given);
      advance();
    }
    return given;
  }
  void attribute(Attributes& given) {
    if (token_.kind != DotTokenKind::Id) return fail("expected an attribute or ']'");
    const std::string key = std::move(token_.text);
    advance();
    if (!token_.is('=')) return;
    advance();
    if (token_.kind != DotTokenKind::Id) return fail("expected the value of an attribute");
    if (key == "label") given.label = token_.text;
    if (key == "shape") given.record = token_.text == "record" || token_.text == "Mrecord";
    advance();
  }

  DotLexer lexer_;
  const std::string& name_;
  DotToken token_;
  DotGraph graph_;
  std::unordered_map<std::string, uint32_t> index_;
  int32_t subgraph_ = -1;           // the innermost open one
  std::vector<uint32_t> mentions_;  // nodes mentioned in this statement and in the open subgraphs
  std::vector<uint32_t> seen_in_;   // per node: number of the subgraph that was closed with it last
  uint32_t closed_subgraphs_ = 0;
  std::string problem_;
  bool default_record_ = false;
};

bool is_dot_blank(char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }

}  // namespace

bool is_dot(ByteSpan head) {
  DotLexer lexer({reinterpret_cast<const char*>(head.data()), std::min<size_t>(head.size(), 4096)});
  DotToken token = lexer.next();
  if (token.is_keyword("strict")) token = lexer.next();
  if (!token.is_keyword("graph") && !token.is_keyword("digraph")) return false;
  token = lexer.next();
  if (token.kind == DotTokenKind::Id) token = lexer.next();
  return token.is('{');
}

Result<DotGraph> parse_dot(std::string_view text, const std::string& name) { return DotParser(text, name).run(); }

std::string dot_text(std::string_view label) {
  std::string out;
  for (size_t i = 0; i < label.size(); ++i) {
    const bool is_escape = label[i] == '\\' && i + 1 < label.size();
    const char c = is_escape ? label[++i] : label[i];
    const bool is_line_end = is_escape && (c == 'n' || c == 'l' || c == 'r');
    if (!is_line_end && !is_dot_blank(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
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
      ++i;
      if (!in_port) raw.append({c, label[i]});
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
