// SPDX-License-Identifier: GPL-3.0-or-later
// The lifetimes' data, prepared: a row a block, and in it the tensors that used it one after the other.
#pragma once
#include <views/common/plot_view.h>
#include <views/common/slices.h>

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
  // Where the same tensors live in the plan before (style 0) and in what is compared with (1), on their rows.
  std::shared_ptr<const RectSet> ghosts;
  bool compared = false;
  trace::PlanId plan;
  size_t slices = 0;                            // of that plan
  size_t reused = 0;                            // tensors that took over somebody's block
  Bytes saved = 0;                              // what all tensors together would take, less the arena
  bool in_spaces = false;                       // rows are places of allocators, and tags these:
  std::vector<trace::SpaceSlice> space_slices;  // that were there in the run, weights apart
};

// What was handed out in the spaces of allocators.
void prepare_space_lifetimes(const PrepareInput& input, LifetimesPicture& picture, const std::stop_token& stop);
// Slices without a block get one by where they lie.
std::shared_ptr<const LifetimesPicture> prepare_lifetimes(const PrepareInput& input, const std::stop_token& stop);

}  // namespace arenascope::views
