// SPDX-License-Identifier: MIT
#include "engine/lesson/parse_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/words.h"

namespace arenascope::lesson {
namespace {

constexpr Bytes kLargestBuffer = Bytes{1} << 40;

bool known(std::span<const GraphLine> before, const std::string& name) {
  return std::ranges::any_of(before, [&](const GraphLine& l) { return l.name == name; });
}

// NAME BYTES [<- SOURCE …]
Result<GraphLine> buffer(const std::vector<std::string>& words, std::span<const GraphLine> before) {
  GraphLine line;
  line.name = words.front();
  const auto bytes = words.size() > 1 ? whole_number(words[1]) : std::nullopt;
  if (!bytes || *bytes < 0 || *bytes > kLargestBuffer || (words.size() > 2 && words[2] != "<-"))
    return Error{"a buffer is a name, bytes and what it reads"};
  line.bytes = *bytes;
  if (words.size() > 3) line.sources.assign(words.begin() + 3, words.end());
  for (const std::string& source : line.sources)
    if (!known(before, source)) return Error{fmt::format("there is no '{}' before it", source)};
  return line;
}

// NAME = OP SOURCE … ARGUMENT … [: VALUE …]
Result<GraphLine> node(const std::vector<std::string>& words, std::span<const GraphLine> before) {
  GraphLine line;
  line.name = words.front();
  if (words.size() < 3) return Error{"a node is a name, =, an op and what it reads"};
  line.op = words[2];
  size_t i = 3;
  for (; i < words.size() && words[i] != ":"; ++i) {
    if (known(before, words[i]) && line.arguments.empty())
      line.sources.push_back(words[i]);
    else
      line.arguments.push_back(words[i]);
  }
  for (++i; i < words.size(); ++i) {
    if (words[i] == "of" && i + 2 == words.size() && known(before, words[i + 1])) {
      line.values_of = words[i + 1];
      break;
    }
    const auto value = number(words[i]);
    if (!value) return Error{fmt::format("'{}' is no number", words[i])};
    line.values.push_back(*value);
  }
  return line;
}

}  // namespace

Result<GraphLine> parse_graph_line(std::string_view text, std::span<const GraphLine> before) {
  const std::vector<std::string> words = split(text, " \t,");
  if (words.empty()) return Error{"an empty line in the graph"};
  if (known(before, words.front())) return Error{fmt::format("'{}' stands there twice", words.front())};
  const bool is_node = words.size() > 1 && words[1] == "=";
  if (!before.empty() && is_node == before.front().op.empty()) return Error{"a graph has buffers or nodes, not both"};
  return is_node ? node(words, before) : buffer(words, before);
}

}  // namespace arenascope::lesson
