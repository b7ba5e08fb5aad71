// SPDX-License-Identifier: MIT
#include <arenascope/lesson/draft.h>

#include <fmt/format.h>

#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

// "! expect FACT VALUE" if the fact exists and has a value.
std::string expectation(const Scene& scene, const std::string& fact) {
  auto value = evaluate(scene, fact);
  if (!value || plain(*value).empty() || plain(*value).find(' ') != std::string::npos) return "";
  return fmt::format("! expect {} {}\n", fact, plain(*value));
}

}  // namespace

Result<std::string> draft(const Scene& scene, const std::string& spec, const std::string& title) {
  const bool has_graph = scene.graph && !scene.graph->nodes.empty();  // a program only names its tensors
  if (!has_graph && scene.snapshot->memory_events.size() == 0)
    return Error{"cannot draft a lesson: no model or recording is open"};
  if (spec.starts_with("lesson:"))
    return Error{
        fmt::format("cannot draft a lesson about '{}', the graph of a lesson: copy the file of that lesson", title)};
  constexpr std::string_view kProgram = "program:";
  const std::string open =
      spec.starts_with(kProgram) ? "program " + spec.substr(kProgram.size()) : fmt::format("open {}", spec);
  std::string name;  // digits in the text would be checked as figures
  for (char c : title) name += c >= '0' && c <= '9' ? '_' : c;
  std::string out = fmt::format(
      "title: {}\nsummary: The subject of this lesson in one line.\n\n## What is open\n! {}\n! show "
      "{}\n",
      name.empty() ? "A lesson" : name, open, has_graph ? "graph" : "allocators");
  if (has_graph) {
    out += expectation(scene, "nodes") + expectation(scene, "leafs");
    out += "This graph has {nodes} nodes and {leafs} leafs. Describe here what it computes.\n";
  } else {
    out += expectation(scene, "allocations");
    out += "The program makes {allocations} allocations. Describe here what it does.\n";
  }
  if (has_graph && scene.plan) {
    out += "\n## The peak\n! show occupancy\n! step peak\n" + expectation(scene, "peak") +
           expectation(scene, "without_reuse");
    out += "At the peak, {peak} are live. Without reuse the tensors would need {without_reuse}.\n";
    out +=
        "\n## A question\n! show lifetimes\n! ask number peak\n! hint Add up, at each step, the bytes of the tensors "
        "that are alive.\n";
    auto peak = evaluate(scene, "peak"), all = evaluate(scene, "without_reuse");
    if (peak && all && peak->number != all->number)
      out += "! wrong without_reuse That is the sum of all tensors, without any memory reuse.\n";
    out += "! right Yes: these bytes are live at the same time.\nWhat is the minimum size of the arena in bytes?\n";
  } else {
    out +=
        "\n## A question\n! show allocators\n! ask number never_freed\n! hint Compare the allocations with the frees.\n"
        "! right Yes.\nHow many allocations were never freed?\n";
  }
  return out;
}

}  // namespace arenascope::lesson
