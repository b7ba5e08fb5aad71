// SPDX-License-Identifier: GPL-3.0-or-later
// Prepared data of the lifetimes view: one row per block, with the tensors that used it in sequence.
#pragma once
#include <views/common/prepared.h>
#include <views/common/rect_set.h>
#include <views/common/slice_style.h>
#include <views/common/slices.h>
#include <views/common/spaces.h>

namespace arenascope::views {

struct LifetimesRow {
  BlockId block;
  Bytes offset = 0, size = 0;
  size_t tensors = 0;
  double used = 0;  // share of all steps in which it is occupied
};

struct LifetimesPicture : Prepared {
  std::vector<LifetimesRow> rows;        // largest block first
  std::shared_ptr<const RectSet> spans;  // tags are slices of the plan; y is minus the row number
  std::shared_ptr<const RectSet>
      shares;  // share of the block's bytes that the tensor occupies, from the bottom; same tags
  std::shared_ptr<const RectSet>
      captions;  // position of the label; style is 3 × level + 0 on the share, 1 above it, 2 on a light share
  std::shared_ptr<const RectSet> levels;  // the mark of the reuse level on the left of each span; same tags
  // Lifetimes of the same tensors, in their rows, in the previous plan (style 0), on the other side of the comparison
  // (1), and in the plan that the run did not use (2).
  std::shared_ptr<const RectSet> ghosts;
  bool compared = false;
  trace::PlanId plan;
  size_t slices = 0;                                 // number of slices of the plan
  size_t reused = 0;                                 // tensors that reuse another tensor's block
  size_t seen = 0;                                   // number of them that were observed in the run
  bool derived = false;                              // observed times are derived
  Bytes saved = 0;                                   // total size of all tensors minus the arena
  bool in_spaces = false;                            // rows are addresses in allocator spaces, and tags refer to:
  SpaceChoice choice;                                // the chosen spaces
  std::vector<trace::SpaceAllocation> space_slices;  // the allocations in the run
  std::shared_ptr<const CallSites> call_sites;       // call sites of these, for their labels
  // If the plan's arena is one of the allocations, the plan's blocks follow as rows; tags of their slices start here.
  uint32_t first_of_plan = 0;
  Bytes needed = 0;  // memory requirement of the plan that the run did not use, drawn in `ghosts`; 0: not shown
};

// Rows for the allocations in allocator spaces.
void prepare_space_lifetimes(const PrepareInput& input, const SpaceChoice& choice, LifetimesPicture& picture,
                             const std::stop_token& stop, bool with_plan);
// Slices without a block are grouped by offset. Observed tensors are drawn with their observed times, the others as
// planned. `with_plan`: if spaces are shown, also draw the lifetimes in the plan.
std::shared_ptr<const LifetimesPicture> prepare_lifetimes(const PrepareInput& input, const std::stop_token& stop,
                                                          bool with_plan = false, ArenaMode show = ArenaMode::Auto,
                                                          const SpaceChoice& choice = {});

}  // namespace arenascope::views
