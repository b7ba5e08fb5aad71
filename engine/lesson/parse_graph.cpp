// SPDX-License-Identifier: MIT
#include "engine/lesson/parse_graph.h"

#include <algorithm>

#include <arenascope/graph/graph_text.h>
#include <fmt/format.h>

#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr Bytes kLargestBuffer = Bytes{1} << 40;

bool known(std::span<const GraphLine> before, const std::string& name) {
  return std::ranges::any_of(before, [&](const GraphLine& l) { return l.name == name; });
}

// NAME BYTES [<- SOURCE …]
Result<GraphLine> buffer(const std::vector<std::string>& tokens, std::span<const GraphLine> before) {
  GraphLine line;
  line.name = tokens.front();
  const auto bytes = tokens.size() > 1 ? parse_integer(tokens[1]) : std::nullopt;
  if (!bytes || *bytes < 0 || *bytes > kLargestBuffer || (tokens.size() > 2 && tokens[2] != "<-"))
    return Error{"a buffer requires a name and a size in bytes, optionally followed by <- and its inputs"};
  line.bytes = *bytes;
  if (tokens.size() > 3) line.sources.assign(tokens.begin() + 3, tokens.end());
  for (const std::string& source : line.sources)
    if (!known(before, source)) return Error{fmt::format("'{}' is not defined before this line", source)};
  return line;
}

// NAME = OP SOURCE … ARGUMENT … [: VALUE …]
Result<GraphLine> node(std::span<const std::string> tokens, std::span<const GraphLine> before) {
  size_t i = static_cast<size_t>(std::find(tokens.begin(), tokens.end(), ":") - tokens.begin());
  auto parsed = parse_node(tokens.first(i), [&](const std::string& name) { return known(before, name); });
  if (!parsed) return parsed.error();
  GraphLine line;
  line.name = std::move(parsed->name);
  line.op = std::move(parsed->op);
  line.sources = std::move(parsed->sources);
  line.arguments = std::move(parsed->arguments);
  for (++i; i < tokens.size(); ++i) {
    if (tokens[i] == "of" && i + 2 == tokens.size() && known(before, tokens[i + 1])) {
      line.values_of = tokens[i + 1];
      break;
    }
    const auto value = number(tokens[i]);
    if (!value) return Error{fmt::format("expected a number, found '{}'", tokens[i])};
    line.values.push_back(*value);
  }
  return line;
}

}  // namespace

Result<GraphLine> parse_graph_line(std::string_view text, std::span<const GraphLine> before) {
  auto read = graph_tokens(text);
  if (!read) return read.error();
  const std::vector<std::string>& tokens = *read;
  if (tokens.empty()) return Error{"an empty line in the graph"};
  if (known(before, tokens.front())) return Error{fmt::format("'{}' is defined twice", tokens.front())};
  const bool is_node = tokens.size() > 1 && tokens[1] == "=";
  if (!before.empty() && is_node == before.front().op.empty()) return Error{"a graph has buffers or nodes, not both"};
  return is_node ? node(tokens, before) : buffer(tokens, before);
}

}  // namespace arenascope::lesson
