// SPDX-License-Identifier: MIT
#include <arenascope/graph/graph_text.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include <arenascope/base/trimmed.h>
#include <arenascope/graph/fused.h>
#include <fmt/format.h>

#include "engine/graph/op_param_text.h"

namespace arenascope {
namespace {

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// Reads a string of json_string() from the opening quote on, to the closing one. Errors: it has none.
Result<std::string> unquoted(std::string_view line, size_t& at) {
  std::string out;
  for (++at; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\' || at + 1 == line.size()) {
      out += line[at];
      continue;
    }
    ++at;
    uint32_t code = 0;
    const char* const digits = line.data() + at + 1;
    if (line[at] == 'u' && at + 4 < line.size() && std::from_chars(digits, digits + 4, code, 16).ptr == digits + 4) {
      append_utf8(out, code);
      at += 4;
    } else {
      out += line[at];
    }
  }
  if (at == line.size()) return Error{"expected a closing quote, found the end of the line"};
  ++at;
  return out;
}

std::optional<std::string> field(std::span<std::string> tokens, std::string_view name) {
  for (const std::string& token : tokens)
    if (token.starts_with(name) && token.size() > name.size() && token[name.size()] == '=')
      return token.substr(name.size() + 1);
  return std::nullopt;
}

// The entries of "{ OP … ; OP … }".
Result<std::vector<std::vector<std::string>>> fused_entries(std::span<const std::string> tokens) {
  if (tokens.size() < 2 || tokens.front() != "{" || tokens.back() != "}")
    return Error{"FUSED: expected its ops in braces after its inputs"};
  std::vector<std::vector<std::string>> out(1);
  for (const std::string& token : tokens.subspan(1, tokens.size() - 2)) {
    if (token == ";")
      out.emplace_back();
    else
      out.back().push_back(token);
  }
  if (std::any_of(out.begin(), out.end(), [](const auto& entry) { return entry.empty(); }))
    return Error{"FUSED: expected an op, found an empty entry in the braces"};
  return out;
}

class FusedParser {
 public:
  FusedParser(const NodeText& node, std::span<const Tensor> sources) : node_(node), sources_(sources) {}

  // The parameters and the name, which is joined from those of the entries or, without them, is that of the line.
  Result<std::pair<OpParams, std::string>> parse() {
    auto entries = fused_entries(node_.arguments);
    if (!entries) return entries.error();
    std::vector<std::string> names;
    for (std::vector<std::string>& entry : *entries) {
      const auto op = parse_op(entry.front());
      if (!op) return Error{fmt::format("unknown op '{}'", entry.front())};
      if (const auto name = field(entry, "name")) names.push_back(*name);
      std::erase_if(entry, [](const std::string& token) { return token.starts_with("name="); });
      const bool anchors = &entry == &entries->front() && field(entry, "sources");
      if (auto ok = anchors ? anchor(*op, entry) : step(*op, entry); !ok) return ok.error();
    }
    std::string name = node_.name;
    if (names.size() == entries->size()) name = join_names(names, params_);
    OpParams out;
    out.set(params_);
    return std::pair(out, std::move(name));
  }

 private:
  Status anchor(Op op, std::vector<std::string>& entry) {
    const std::string count = *field(entry, "sources");
    std::erase_if(entry, [](const std::string& token) { return token.starts_with("sources="); });
    if (!parse_number(count, params_.anchor_sources) || params_.anchor_sources > sources_.size())
      return Error{fmt::format("FUSED: sources: expected an integer from 0 to {}, found '{}'", sources_.size(), count)};
    auto params = parse_op_params(op, std::span(entry).subspan(1), sources_.empty() ? 0 : sources_[0]->rank(),
                                  params_.anchor_sources);
    if (!params) return params.error();
    if (params->bytes().size() > sizeof params_.anchor_params)
      return Error{fmt::format("FUSED: '{}' cannot be its first op", entry.front())};
    params_.anchor = static_cast<uint16_t>(op);
    std::copy(params->bytes().begin(), params->bytes().end(), params_.anchor_params);
    return {};
  }

  Status step(Op op, std::span<std::string> entry) {
    if (params_.steps == FusedParams::kMaxSteps)
      return Error{fmt::format("FUSED: expected at most {} steps", FusedParams::kMaxSteps)};
    FusedStep& step = params_.step[params_.steps++];
    step.op = static_cast<uint16_t>(op);
    const auto operands = static_cast<size_t>(step_operands(op));
    if (entry.size() < 1 + operands)
      return Error{fmt::format("FUSED: {}: expected {} operands, found {}", entry[0], operands, entry.size() - 1)};
    for (size_t i = 0; i < operands; ++i) {
      const std::string& token = entry[1 + i];
      int index = 0;
      const bool source = token.starts_with('s');
      if ((!source && !token.starts_with('v')) || !parse_number(std::string_view(token).substr(1), index) ||
          index < 0 || index > 100)
        return Error{fmt::format("FUSED: expected an operand such as s0 or v0, found '{}'", token)};
      (i == 0 ? step.left : step.right) = static_cast<int8_t>(source ? index : -1 - index);
    }
    return op == Op::Cast ? cast_type(entry, step) : scalars(entry, 1 + operands, step);
  }

  static Status cast_type(std::span<const std::string> entry, FusedStep& step) {
    const auto type =
        entry.size() == 3 && entry[2].starts_with("dtype=") ? parse_dtype(entry[2].substr(6)) : std::nullopt;
    if (!type) return Error{"FUSED: CAST: expected an operand and dtype=…"};
    step.p = static_cast<float>(static_cast<int>(*type));
    return {};
  }

  // p=NUMBER and q=NUMBER, from `first` on.
  static Status scalars(std::span<const std::string> entry, size_t first, FusedStep& step) {
    for (const std::string& token : entry.subspan(first)) {
      const bool p = token.starts_with("p=");
      if (!p && !token.starts_with("q="))
        return Error{fmt::format("FUSED: {}: expected p=NUMBER or q=NUMBER, found '{}'", entry[0], token)};
      if (!parse_number(std::string_view(token).substr(2), p ? step.p : step.q))
        return Error{fmt::format("FUSED: expected a number, found '{}'", token.substr(2))};
    }
    return {};
  }

  const NodeText& node_;
  std::span<const Tensor> sources_;
  FusedParams params_;
};

class GraphParser {
 public:
  explicit GraphParser(Context context) : builder_(std::move(context)) {}

  Result<ParsedGraph> parse(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = trimmed(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.empty() || line.starts_with('#')) continue;
      auto tokens = graph_tokens(line);
      Status ok = tokens ? parse_line(std::move(*tokens)) : Status(tokens.error());
      if (ok && !builder_.ok()) ok = builder_.status();
      if (!ok) return Error{fmt::format("line {}: {}", number, ok.error().message)};
    }
    auto graph = builder_.context().new_graph(std::max<size_t>(tensors_.size(), 1));
    if (!graph) return graph.error();
    for (const Tensor& tensor : tensors_)
      if (auto ok = graph->expand(tensor); !ok) return ok.error();
    out_.graph = std::move(*graph);
    return std::move(out_);
  }

 private:
  Status parse_line(std::vector<std::string> tokens) {
    if (tokens.empty()) return parse_node(tokens, {}).error();
    if (tokens[0] == "layer" && tokens.size() == 2) {
      builder_.layer(tokens[1]);
      return {};
    }
    if (tokens[0] == "output" && (tokens.size() < 2 || tokens[1] != "="))
      return mark_outputs(std::span(tokens).subspan(1));
    const auto arrow = std::find(tokens.begin(), tokens.end(), "->");
    std::vector<std::string> result(arrow, tokens.end());
    tokens.erase(arrow, tokens.end());
    auto node = parse_node(tokens, [&](const std::string& name) { return out_.tensors.contains(name); });
    if (!node) return node.error();
    if (out_.tensors.contains(node->name)) return Error{fmt::format("'{}' is defined twice", node->name)};
    const bool given = node->sources.empty() && !parse_op(node->op);
    auto tensor = given ? leaf(*node, result) : computed(*node);
    if (!tensor) return tensor.error();
    if (!*tensor) return builder_.status();
    out_.tensors.emplace(node->name, *tensor);
    tensors_.push_back(*tensor);
    return result.empty() ? Status() : check_result(*node, **tensor, std::span(result).subspan(1));
  }

  Status mark_outputs(std::span<const std::string> names) {
    for (const std::string& name : names) {
      const auto tensor = out_.tensors.find(name);
      if (tensor == out_.tensors.end()) return Error{fmt::format("the output '{}' is not defined", name)};
      builder_.output(tensor->second);
    }
    return {};
  }

  // KIND TYPE SIZES MARK …: the marks follow without an arrow.
  Result<Tensor> leaf(NodeText& node, std::vector<std::string>& result) {
    uint32_t flags = 0;
    for (std::string_view kinds = node.op; !kinds.empty();) {
      const size_t end = std::min(kinds.find('+'), kinds.size());
      const std::string_view kind = kinds.substr(0, end);
      if (kind != "leaf" && kind != "input" && kind != "weight" && kind != "parameter")
        return Error{fmt::format("unknown op '{}'", node.op)};
      flags |= kind == "input"       ? kFlagInput
               : kind == "weight"    ? kFlagWeight
               : kind == "parameter" ? kFlagParameter
                                     : 0u;
      kinds.remove_prefix(std::min(end + 1, kinds.size()));
    }
    const auto type = node.arguments.empty() ? std::nullopt : parse_dtype(node.arguments.front());
    if (!type) return Error{"leaf tensor: expected a data type and sizes"};
    const auto marks = std::find_if(node.arguments.begin() + 1, node.arguments.end(), [](const std::string& token) {
      return token[0] == '_' || (token[0] >= 'a' && token[0] <= 'z');
    });
    auto sizes = parse_dims_text(std::span(node.arguments.begin() + 1, marks));
    if (!sizes) return sizes.error();
    auto made = builder_.context().new_tensor(*type, *sizes, field(node.arguments, "name").value_or(node.name));
    if (!made) return made;
    (*made)->flags |= flags;
    result = {"->", name(*type), dims_text(sizes->span())};
    result.insert(result.end(), marks, node.arguments.end());
    return made;
  }

  Result<Tensor> computed(const NodeText& node) {
    std::vector<Tensor> sources;
    for (const std::string& name : node.sources) sources.push_back(out_.tensors.find(name)->second);
    return add_node(builder_, node, sources);
  }

  // TYPE SIZES MARK …
  static Status check_result(const NodeText& node, TensorImpl& tensor, std::span<std::string> result) {
    if (result.size() < 2) return Error{"expected a data type and sizes after the arrow"};
    auto sizes = parse_dims_text(result.subspan(1, 1));
    if (!sizes) return sizes.error();
    if (result[0] != name(tensor.dtype) || !(tensor.sizes == *sizes))
      return Error{fmt::format("'{}' is {} {}, expected {} {}", node.name, name(tensor.dtype),
                               dims_text(tensor.sizes.span()), result[0], dims_text(sizes->span()))};
    for (const std::string& mark : result.subspan(2)) {
      if (mark.starts_with("name=")) {
        Tensor(&tensor).set_name(mark.substr(5));
        continue;
      }
      const bool placed = mark == "host" || mark == "packed" || mark == "given";
      if (!placed && mark != "channels_last") return Error{fmt::format("unknown mark '{}' of '{}'", mark, node.name)};
      std::string reason;
      if (placed && tensor.op == Op::None) reason = "it is a leaf";
      if (!placed && tensor.is_view()) reason = "it is a view";
      if (!placed && sizes->rank() != 4) reason = fmt::format("it has {} dimensions, expected 4", sizes->rank());
      if (!reason.empty()) return Error{fmt::format("'{}' cannot be {}: {}", node.name, mark, reason)};
      if (placed)
        tensor.placement = mark == "host" ? Placement::Host : mark == "packed" ? Placement::Packed : Placement::Given;
      else
        tensor.strides.set(channels_last_strides(*sizes).span());
    }
    return {};
  }

  GraphBuilder builder_;
  ParsedGraph out_;
  std::vector<Tensor> tensors_;  // in the order of the text
};

}  // namespace

Result<ParsedGraph> parse_graph(std::string_view text, Context context) {
  return GraphParser(std::move(context)).parse(text);
}

Result<std::vector<std::string>> graph_tokens(std::string_view line) {
  std::vector<std::string> tokens;
  for (size_t at = 0; (at = line.find_first_not_of(" \t,\r", at)) != line.npos;) {
    std::string& token = tokens.emplace_back();
    for (int brackets = 0; at < line.size();) {
      const char c = line[at];
      if (c == '"') {
        auto text = unquoted(line, at);
        if (!text) return text.error();
        token += *text;
        continue;
      }
      if (brackets == 0 && (c == ' ' || c == '\t' || c == ',' || c == '\r')) break;
      brackets += c == '[' ? 1 : c == ']' && brackets > 0 ? -1 : 0;
      if (c != ' ' && c != '\t') token += c;
      ++at;
    }
  }
  return tokens;
}

Result<NodeText> parse_node(std::span<const std::string> tokens, const std::function<bool(const std::string&)>& known) {
  if (tokens.size() < 3 || tokens[1] != "=") return Error{"node: expected a name, =, an op and its inputs"};
  NodeText out{tokens[0], tokens[2], {}, {}};
  for (const std::string& token : tokens.subspan(3)) {
    const bool source = out.arguments.empty() && known(token);
    (source ? out.sources : out.arguments).push_back(token);
  }
  return out;
}

Result<Tensor> add_node(GraphBuilder& builder, const NodeText& node, std::span<const Tensor> sources) {
  if (node.op == "SLICE" && sources.size() == 1) {
    auto range = parse_dims_text(node.arguments);
    if (!range || range->rank() != 3) return Error{"SLICE: expected an axis, a start and an end after its input"};
    if ((*range)[0] < 0 || (*range)[0] >= sources[0]->rank())
      return Error{fmt::format("'{}' does not have dimension {}", node.sources.front(), (*range)[0])};
    return builder.slice(sources[0], static_cast<int>((*range)[0]), (*range)[1], (*range)[2], 1, node.name);
  }
  const auto op = parse_op(node.op);
  if (!op || *op == Op::None) return Error{fmt::format("unknown op '{}'", node.op)};
  if (sources.size() < static_cast<size_t>(info(*op).min_sources)) {
    const std::string next = node.arguments.empty() ? "" : node.arguments.front();
    if (next.empty() || (std::isalpha(static_cast<unsigned char>(next[0])) == 0 && next[0] != '_'))
      return Error{fmt::format("'{}': expected {} inputs, found {}", node.op, info(*op).min_sources, sources.size())};
    return Error{fmt::format("'{}' is not defined before this line", next)};
  }
  if (*op == Op::Fused) {
    auto fused = FusedParser(node, sources).parse();
    if (!fused) return fused.error();
    return builder.op(*op, sources, fused->first, fused->second);
  }
  const int rank = sources.empty() ? 0 : sources[0]->rank();
  auto params = parse_op_params(*op, node.arguments, rank, sources.size());
  if (!params) return params.error();
  if (*op == Op::Reshape) return builder.reshape(sources[0], params->get<ReshapeParams>().sizes, node.name);
  return builder.op(*op, sources, *params, node.name);
}

}  // namespace arenascope
