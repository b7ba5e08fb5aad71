// SPDX-License-Identifier: MIT
// Liveness is computed in engine/graph/lifetime.* alone; all other code reads a Lifetime for the storage of a tensor
// and for its last use. Types cannot enforce this, so the test searches for code that every such analysis contains:
//
//   - the owner of the bytes of a view:       view_source ? *view_source : tensor
//   - a recorded step per tensor:             last_use[i] = step, life[i].last = step
//   - a count of the remaining uses:          --state.uses == 0, --left[i] == 0
//
// The first is rejected in all modules that have a graph; the others in files that read the sources of nodes.
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

// Exceptions.
bool may(const std::string& path) {
  static const std::set<std::string> files{
      "engine/graph/lifetime.cpp",
      "engine/include/arenascope/graph/lifetime.h",
      "engine/graph/context.cpp",  // creates views
      "engine/schedule/restore.cpp",
      // Tracks many orders of the same ops; the owners of bytes come from find_owners().
      "engine/graph/order_problem.cpp",
  };
  return files.count(path) > 0;
}

bool has_graph(const SourceFile& file) {
  for (const char* module_name : {"graph", "transform", "schedule", "runtime", "run", "bench"})
    if (file.in((std::string("engine/") + module_name + "/").c_str()) ||
        file.in((std::string("engine/include/arenascope/") + module_name + "/").c_str()))
      return true;
  // Kernels have one node and no order.
  return file.in("engine/backends/") && file.path.find("/kernels/") == std::string::npos;
}

// The violation in a line; empty if there is none.
std::string fault(const std::string& line, bool reads_sources) {
  static const std::regex owner(R"(view_source(\.valid\(\)|\.is_node\(\))?\s*\?|is_view\(\)\s*\?.*view_source)");
  static const std::regex last(
      R"(((^|[^\w])(\w*_)?(last|dies|death|until)(_\w+)?\s*\[.*\]|\]\s*\.(last|dies|until))\s*=[^=])");
  static const std::regex count(R"(--\s*[\w.\->]*(uses|readers|users|consumers|left|pending)_?(\[.*\])?\s*==)");
  if (line.size() > 300) return {};
  if (std::regex_search(line, owner)) return "finds the owner of a view";
  if (reads_sources && std::regex_search(line, last)) return "records a last use";
  if (reads_sources && std::regex_search(line, count)) return "counts down uses";
  return {};
}

std::vector<std::string> faults(const std::string& text) {
  static const std::regex sources(R"((\.|->)sources\b)");
  const bool reads_sources = std::regex_search(text, sources);
  std::vector<std::string> out;
  for (const std::string& line : lines_of(text))
    if (const std::string what = fault(line, reads_sources); !what.empty()) out.push_back(what + ": " + line);
  return out;
}

}  // namespace

TEST_CASE("a last use is computed in lifetime.h only") {
  int seen = 0;
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp() || !has_graph(file) || may(file.path)) continue;
    ++seen;
    for (const std::string& what : faults(file.text)) FAIL_CHECK(file.path << " " << what);
  }
  CHECK(seen > 60);
}

TEST_CASE("each way to compute a last use is recognised") {
  const std::string loop = "for (const TensorImpl* source : node.sources)\n";
  for (const char* line : {"const TensorImpl& base = tensor.view_source ? *tensor.view_source : tensor;",
                           "const TensorRef base = t.view_source.valid() ? t.view_source : ref;",
                           "  if (const NodeId owner = owner_of(graph, *source)) last_use[owner.index()] = step;",
                           "  last[from.index()] = std::max(last[from.index()], step);",
                           "  p.life[static_cast<size_t>(base)].last = at;", "  if (--state.uses == 0) give(state);",
                           "  if (--left[static_cast<size_t>(b)] == 0) end(b);", "  tensors[i].dies = step;"})
    CHECK_MESSAGE(faults(loop + line).size() == 1, line);
  for (const char* line : {"  if (life.last == at + 1) share(life);", "  if (last[i] == step) return;",
                           "  before->sync_after = SyncAfter::Barrier;", "  tensor.last = Step(i + 1);",
                           "  const bool last = i + 1 == n;"})
    CHECK_MESSAGE(faults(loop + line).empty(), line);
  CHECK(faults("  last[v] = v;").empty());  // no graph is read
}

}  // namespace arenascope::test
