// SPDX-License-Identifier: GPL-3.0-or-later
// The lifetimes' data, prepared: a row a block, and in it the tensors that used it one after the other.
#pragma once
#include <views/common/plot_view.h>
#include <views/common/slices.h>
#include <views/common/spaces.h>

namespace arenascope::views {

struct LifetimesRow {
  BlockId block;
  Bytes offset = 0, size = 0;
  size_t tensors = 0;
  double used = 0;  // share of all steps in which somebody lives here
};

struct LifetimesPicture : Prepared {
  std::vector<LifetimesRow> rows;         // the largest block first
  std::shared_ptr<const RectSet> spans;   // tags are slices of the plan; y is minus the row, from above
  std::shared_ptr<const RectSet> shares;  // the part of the block's bytes that the tensor takes, from below; same tags
  std::shared_ptr<const RectSet>
      captions;  // where its name has room; style 3 * level + 0 on the share, 1 above it, 2 on a light one
  std::shared_ptr<const RectSet> levels;  // the mark of the reuse level at each span's left; same tags
  // Where the same tensors live in the plan before (style 0), in what is compared with (1), and in the plan that the run
  // did not use (2), on their rows.
  std::shared_ptr<const RectSet> ghosts;
  bool compared = false;
  trace::PlanId plan;
  size_t slices = 0;                            // of that plan
  size_t reused = 0;                            // tensors that took over somebody's block
  size_t seen = 0;                              // of these, how many the run was seen to have
  bool derived = false;                         // from when to when these lay there is derived
  Bytes saved = 0;                              // what all tensors together would take, less the arena
  bool in_spaces = false;                       // rows are places of allocators, and tags these:
  SpaceChoice choice;                           // whose
  std::vector<trace::SpaceSlice> space_slices;  // that were there in the run
  // Where the plan's arena is one of them, the plan's blocks follow as rows; the tags of their slices begin here.
  uint32_t first_of_plan = 0;
  Bytes needed = 0;  // what the plan that the run did not use would need, among `ghosts`; 0: that is not shown
};

// What was handed out in the spaces of allocators.
void prepare_space_lifetimes(const PrepareInput& input, const SpaceChoice& choice, LifetimesPicture& picture,
                             const std::stop_token& stop, bool with_plan);
// Slices without a block get one by where they lie. What the run was seen to have is drawn from when to when it was seen,
// the rest as planned. `with_plan`: where spaces are shown, also when the plan would have had their tensors.
std::shared_ptr<const LifetimesPicture> prepare_lifetimes(const PrepareInput& input, const std::stop_token& stop,
                                                          bool with_plan = false, ArenaShow show = ArenaShow::Auto,
                                                          const SpaceChoice& choice = {});

}  // namespace arenascope::views
