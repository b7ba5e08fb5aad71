// SPDX-License-Identifier: MIT
#include <arenascope/lesson/draft.h>

#include <fmt/format.h>

#include "engine/lesson/words.h"

namespace arenascope::lesson {
namespace {

// "! expect FACT VALUE" where the fact can be had and says something.
std::string expectation(const Scene& scene, const std::string& fact) {
  auto value = evaluate(scene, fact);
  if (!value || plain(*value).empty() || plain(*value).find(' ') != std::string::npos) return "";
  return fmt::format("! expect {} {}\n", fact, plain(*value));
}

}  // namespace

Result<std::string> draft(const Scene& scene, const std::string& spec, const std::string& title) {
  if (!scene.graph && scene.snapshot->memory_events.size() == 0)
    return Error{"nothing is open that a lesson could be of"};
  std::string name;  // digits in a text are figures
  for (char c : title) name += c >= '0' && c <= '9' ? '_' : c;
  std::string out = fmt::format(
      "title: {}\nsummary: What this lesson is about, in one line.\n\n## What is open\n! open {}\n! layout lesson\n! "
      "clear\n",
      name.empty() ? "A lesson" : name, spec);
  if (scene.graph) {
    out += expectation(scene, "nodes") + expectation(scene, "leafs");
    out += "This graph has {nodes} nodes and {leafs} leafs. Say here what it computes.\n";
  } else {
    out += expectation(scene, "allocations");
    out += "Memory was handed out {allocations} times. Say here what the program does.\n";
  }
  if (scene.graph && scene.plan) {
    out += "\n## The peak\n! show occupancy\n! step peak\n" + expectation(scene, "peak") + expectation(scene, "arena") +
           expectation(scene, "without_reuse");
    out += "At the peak {peak} live at once; the arena has {arena}. Without reuse it would be {without_reuse}.\n";
    out += "\n## A question\n! show arena\n! ask number peak\n! hint The highest point of the occupancy.\n";
    auto peak = evaluate(scene, "peak"), all = evaluate(scene, "without_reuse");
    if (peak && all && peak->number != all->number)
      out += "! wrong without_reuse That is what all tensors need if none gives its bytes back.\n";
    out += "! right Yes: so many bytes live at once.\nHow many bytes must an arena have at least?\n";
  } else {
    out +=
        "\n## A question\n! ask number never_freed\n! hint Compare what was handed out with what was taken back.\n"
        "! right Yes.\nHow many pieces of memory were never given back?\n";
  }
  return out;
}

}  // namespace arenascope::lesson
