// SPDX-License-Identifier: MIT
// Folds weighted paths into a FlameTree.
#pragma once
#include <arenascope/trace/flame_tree.h>

#include <unordered_map>

namespace arenascope::trace {

class FlameTreeBuilder {
 public:
  FlameTreeBuilder();
  uint32_t intern(std::string name);
  // The child of that name and kind; it is created on first use. The root is 0.
  uint32_t child(uint32_t parent, uint32_t name, FlameKind kind, const FlameOrigin& origin = {});
  // Always a new child.
  uint32_t new_child(uint32_t parent, uint32_t name, FlameKind kind, const FlameOrigin& origin = {});
  // Adds to the frame's own weight. The origin of the largest addition becomes the frame's.
  void add(uint32_t frame, double weight, int64_t count, const FlameOrigin& origin);
  void subtract(uint32_t frame, double weight) { frames_[frame].self -= weight; }
  FlameTree finish(FlameUnit unit) &&;

 private:
  void sum_up();

  std::vector<FlameFrame> frames_;  // a parent precedes its children
  std::vector<double> largest_;     // addition to each frame
  std::vector<std::string> names_;
  std::unordered_map<std::string, uint32_t> name_of_;
  std::unordered_map<uint64_t, uint32_t> child_of_;  // by parent, name and kind
};

}  // namespace arenascope::trace
