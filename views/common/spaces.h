// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers of the views for allocator spaces and slices (arenascope/trace/space_use.h).
#pragma once
#include <arenascope/trace/space_use.h>
#include <views/common/call_sites.h>
#include <views/common/figure.h>
#include <views/common/prepare_input.h>
#include <views/common/selection.h>

#include <string>

namespace arenascope::views {

using trace::SpaceChoice;
using trace::SpaceTotals;

// The memory shown by a view.
enum class ArenaMode : uint8_t {
  Auto,   // the arena, or the spaces if the run's tensors are in allocator spaces
  Arena,  // the plan's arena
  Spaces,
};
// True if spaces are shown.
bool shows_spaces(const PrepareInput& input, ArenaMode show);
// True if the tensors of the current run are in allocator spaces; false for a plan that was never run.
bool is_in_spaces(const PrepareInput& input);
trace::TimeRange range_of_run(const PrepareInput& input);
// Id "run.0.spaces.working.…", known to the audit.
std::string space_figure(trace::RunId run, const SpaceChoice& choice, const char* what);
// The name of an allocator, or its number.
QString allocator_name(const trace::Snapshot& snapshot, uint32_t id);
// The name of the tensor stored in a slice, or the purpose of the memory.
QString slice_name(const trace::Snapshot& snapshot, const trace::SpaceAllocation& slice);
// The same; of memory of no known tensor the call site, if it was recorded.
QString slice_name(const trace::Snapshot& snapshot, const trace::SpaceAllocation& slice, const CallSites& sites);
// The name of a memory kind. In a recording without runs, where kinds are not those of a model, the name of its device
// or allocator if there is only one.
QString kind_name(const trace::Snapshot& snapshot, trace::MemoryKind kind);
// The space that contains the start of a slice; null if there is none.
const trace::Space* space_of(const std::vector<trace::Space>& spaces, const trace::SpaceAllocation& slice);
// Id of an allocation: "block.65536.0.bytes.CPU".
std::string block_figure(const trace::Snapshot& snapshot, const trace::SpaceAllocation& slice, const char* what);
// Id of a piece of memory reserved by an allocator: "space.65536.0.bytes.CPU".
std::string piece_figure(const trace::Snapshot& snapshot, const trace::Space& space, const char* what);
// "224 × 224 texels of 16 B"; empty if the space is not an image.
FigureText image_text(const trace::Snapshot& snapshot, const trace::Space& space);
QString image_text(const trace::ImageSize& image);
// Selects the tensor of the slice, or the slice itself if its owner is unknown.
Selection slice_selection(const trace::SpaceAllocation& slice);

}  // namespace arenascope::views
