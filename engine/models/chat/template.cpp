// SPDX-License-Identifier: MIT
#include "engine/models/chat/template.h"

#include <arenascope/base/trimmed.h>
#include <fmt/format.h>

namespace arenascope::models::chat {
namespace {

using Node = Template::Node;
constexpr size_t kMaxText = size_t{1} << 24;
constexpr int kDeepestStatement = 50;
constexpr size_t kMaxSteps = 1 << 18;

// Text between tags ('t'), an expression ('{') or a statement ('%').
struct Piece {
  char kind;
  std::string text;
};

// The start of the line if only blanks are between it and `at`, else `at`. Does not look before `from`.
size_t line_blank(std::string_view text, size_t from, size_t at) {
  size_t begin = at;
  while (begin > from && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  return begin == 0 || text[begin - 1] == '\n' ? begin : at;
}

Result<std::vector<Piece>> cut(std::string_view text) {
  std::vector<Piece> out;
  size_t at = 0;
  while (at < text.size()) {
    size_t tag = at;
    while ((tag = text.find('{', tag)) != std::string_view::npos &&
           (tag + 1 == text.size() || std::string_view("{%#").find(text[tag + 1]) == std::string_view::npos))
      ++tag;
    if (tag == std::string_view::npos) {
      out.push_back({'t', std::string(text.substr(at))});
      break;
    }
    const char kind = text[tag + 1];
    const bool left = tag + 2 < text.size() && text[tag + 2] == '-';
    std::string before(text.substr(at, (kind == '{' ? tag : line_blank(text, at, tag)) - at));
    if (left) before.resize(before.find_last_not_of(kBlank) + 1);
    out.push_back({'t', std::move(before)});
    const std::string closing = kind == '{' ? "}}" : std::string(1, kind) + "}";
    const size_t end = text.find(closing, tag + 2);
    if (end == std::string_view::npos) return Error{fmt::format("'{}' has no '{}'", text.substr(tag, 40), closing)};
    const bool right = end > tag + 2 && text[end - 1] == '-';
    const size_t first = tag + 2 + (left ? 1 : 0), last = end - (right && end - 1 >= first ? 1 : 0);
    if (kind != '#') out.push_back({kind, std::string(trimmed(text.substr(first, last - first)))});
    at = end + 2;
    if (right)
      at = std::min(text.find_first_not_of(kBlank, at), text.size());
    else if (kind != '{' && at < text.size() && text[at] == '\n')
      ++at;
  }
  return out;
}

class Reader {
 public:
  explicit Reader(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  // Up to the end, or to a statement whose first word is one of `ends`, which is left in word_ and rest_.
  Result<std::vector<Node>> body(std::initializer_list<std::string_view> ends) {
    if (++depth_ > kDeepestStatement) return Error{"its statements are nested too deep"};
    std::vector<Node> out;
    for (; at_ < pieces_.size(); ++at_) {
      const Piece& piece = pieces_[at_];
      Node node;
      if (piece.kind == 't') {
        node.text = piece.text;
        if (!piece.text.empty()) out.push_back(std::move(node));
        continue;
      }
      if (piece.kind == '{') {
        node.kind = Node::Kind::Print;
        if (auto ok = add(node, piece.text); !ok) return ok.error();
        out.push_back(std::move(node));
        continue;
      }
      const size_t space = std::min(piece.text.find_first_of(kBlank), piece.text.size());
      word_ = piece.text.substr(0, space);
      rest_ = std::string(trimmed(std::string_view(piece.text).substr(space)));
      for (std::string_view end : ends)
        if (word_ == end) {
          ++at_, --depth_;
          return out;
        }
      ++at_;
      auto made = statement();
      --at_;
      if (!made) return made.error();
      if (*made) out.push_back(std::move(**made));
    }
    if (ends.size() > 0) return Error{fmt::format("a statement has no '{}'", *(ends.end() - 1))};
    --depth_;
    return out;
  }

 private:
  static Status add(Node& node, std::string_view text) {
    auto expression = parse_expression(text);
    if (!expression) return expression.error();
    node.expressions.push_back(std::move(*expression));
    return {};
  }
  Status add_body(Node& node, std::initializer_list<std::string_view> ends) {
    auto inside = body(ends);
    if (!inside) return inside.error();
    node.branches.push_back(std::move(*inside));
    return {};
  }

  // Parses the statement whose keyword has just been read.
  Result<std::optional<Node>> statement() {
    if (word_ == "generation" || word_ == "endgeneration") return std::optional<Node>();  // marks, for training
    Node node;
    Status ok;
    if (word_ == "set")
      ok = set(node);
    else if (word_ == "for")
      ok = loop(node);
    else if (word_ == "if")
      ok = choice(node);
    else
      ok = Error{fmt::format("the statement '{}' is not supported", word_)};
    if (!ok) return ok.error();
    return std::optional(std::move(node));
  }
  Status set(Node& node) {
    node.kind = Node::Kind::Set;
    const size_t sign = rest_.find('=');
    if (sign == std::string::npos) return Error{fmt::format("'set {}' has no value", rest_)};
    const std::string to(trimmed(std::string_view(rest_).substr(0, sign)));
    const size_t dot = to.find('.');
    node.field = dot != std::string::npos;
    node.names = node.field ? std::vector{to.substr(0, dot), to.substr(dot + 1)} : std::vector{to};
    return add(node, std::string_view(rest_).substr(sign + 1));
  }
  Status loop(Node& node) {
    node.kind = Node::Kind::For;
    const std::string head = rest_;
    const size_t in = head.find(" in ");
    if (in == std::string::npos) return Error{fmt::format("'for {}' has nothing to walk over", head)};
    for (size_t begin = 0; begin <= in;) {
      const size_t end = std::min(head.find(',', begin), in);
      node.names.emplace_back(trimmed(std::string_view(head).substr(begin, end - begin)));
      begin = end + 1;
    }
    const size_t condition = head.find(" if ", in);
    if (auto ok = add(node, std::string_view(head).substr(
                                in + 4, condition == std::string::npos ? condition : condition - in - 4));
        !ok)
      return ok;
    if (condition != std::string::npos)
      if (auto ok = add(node, std::string_view(head).substr(condition + 4)); !ok) return ok;
    if (auto ok = add_body(node, {"else", "endfor"}); !ok) return ok;
    return word_ == "else" ? add_body(node, {"endfor"}) : Status();
  }
  Status choice(Node& node) {
    node.kind = Node::Kind::If;
    do {
      if (auto ok = add(node, rest_); !ok) return ok;
      if (auto ok = add_body(node, {"elif", "else", "endif"}); !ok) return ok;
    } while (word_ == "elif");
    return word_ == "else" ? add_body(node, {"endif"}) : Status();
  }

  std::vector<Piece> pieces_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string word_, rest_;
};

class Renderer {
 public:
  explicit Renderer(Object names) : names_(std::move(names)) {}
  std::string out;

  Status render(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      auto ok = render(node);
      if (ok) ok = count(1);
      if (!ok) return ok;
    }
    return {};
  }

 private:
  Status count(size_t steps) {
    steps_ += steps;
    if (out.size() <= kMaxText && steps_ <= kMaxSteps) return {};
    return Error{"it exceeds the limit of generated text or of executed steps"};
  }
  Status render(const Node& node) {
    if (node.kind == Node::Kind::Text) {
      out += node.text;
      return {};
    }
    if (node.kind == Node::Kind::If) return choose(node);
    auto value = evaluate(node.expressions[0], names_);
    if (!value) return value.error();
    if (node.kind == Node::Kind::For) return walk(node, *value);
    if (node.kind == Node::Kind::Print) {
      out += text_of(*value);
      return {};
    }
    if (!node.field) {
      names_[node.names[0]] = std::move(*value);
      return {};
    }
    Object* object = names_[node.names[0]].as_object();
    if (!object) return Error{fmt::format("'{}' has no fields", node.names[0])};
    (*object)[node.names[1]] = std::move(*value);
    return {};
  }
  Status choose(const Node& node) {
    for (size_t i = 0; i < node.expressions.size(); ++i) {
      auto value = evaluate(node.expressions[i], names_);
      if (!value) return value.error();
      if (truth(*value)) return render(node.branches[i]);
    }
    return node.branches.size() > node.expressions.size() ? render(node.branches.back()) : Status();
  }
  // Variables that a loop sets are local to it; fields of a namespace keep their values.
  Status walk(const Node& node, const Value& over) {
    const Object before = names_;
    std::vector<Value> items;
    if (const List* list = over.as_list())
      items = *list;
    else if (const Object* object = over.as_object())
      for (const auto& [key, value] : *object) items.emplace_back(key);
    if (auto ok = count(items.size()); !ok) return ok;
    if (node.expressions.size() > 1) {
      std::vector<Value> kept;
      for (const Value& item : items) {
        if (auto ok = bind(node, item); !ok) return ok;
        auto selected = evaluate(node.expressions[1], names_);
        if (!selected) return selected.error();
        if (truth(*selected)) kept.push_back(item);
      }
      items = std::move(kept);
    }
    for (size_t i = 0; i < items.size(); ++i) {
      names_ = before;
      names_["loop"] = Value::object({{"index", static_cast<int64_t>(i + 1)},
                                      {"index0", static_cast<int64_t>(i)},
                                      {"first", i == 0},
                                      {"last", i + 1 == items.size()},
                                      {"length", static_cast<int64_t>(items.size())},
                                      {"previtem", i > 0 ? items[i - 1] : Value()},
                                      {"nextitem", i + 1 < items.size() ? items[i + 1] : Value()}});
      if (auto ok = bind(node, items[i]); !ok) return ok;
      if (auto ok = render(node.branches[0]); !ok) return ok;
    }
    names_ = before;
    return items.empty() && node.branches.size() > 1 ? render(node.branches[1]) : Status();
  }
  Status bind(const Node& node, const Value& item) {
    if (node.names.size() == 1) {
      names_[node.names[0]] = item;
      return {};
    }
    const List* list = item.as_list();
    if (!list || list->size() != node.names.size()) return Error{"a loop has other names than what it walks over"};
    for (size_t i = 0; i < list->size(); ++i) names_[node.names[i]] = (*list)[i];
    return {};
  }

  Object names_;
  size_t steps_ = 0;
};

}  // namespace

Result<Template> Template::parse(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  auto pieces = cut(text);
  if (!pieces) return pieces.error();
  auto nodes = Reader(std::move(*pieces)).body({});
  if (!nodes) return nodes.error();
  Template out;
  out.nodes_ = std::move(*nodes);
  return out;
}

Result<std::string> Template::render(Object names) const {
  Renderer renderer(std::move(names));
  if (auto ok = renderer.render(nodes_); !ok) return ok.error();
  return std::move(renderer.out);
}

}  // namespace arenascope::models::chat
