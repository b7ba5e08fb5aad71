// SPDX-License-Identifier: GPL-3.0-or-later
// What the views ask of spaces and slices (arenascope/trace/space_use.h), of what they are at.
#pragma once
#include <arenascope/trace/space_use.h>
#include <views/common/plot_view.h>

#include <string>

namespace arenascope::views {

using trace::SpaceChoice;
using trace::SpaceTotals;

// Whether the tensors of what is shown lie in allocators' spaces; those of a plan that was never run do not.
bool lies_in_spaces(const PrepareInput& input);
trace::TimeRange range_of_run(const PrepareInput& input);
// "run.0.spaces.working.": of figures that the audit has, too.
std::string space_figure(trace::RunId run, const SpaceChoice& choice, const char* what);
// An allocator's name, or its number.
QString allocator_name(const trace::Snapshot& snapshot, uint32_t id);
// The name of the tensor that a slice holds, or what the memory is for.
QString slice_name(const trace::Snapshot& snapshot, const trace::SpaceSlice& slice);
// Where among these a slice begins; null: in none.
const trace::Space* space_of(const std::vector<trace::Space>& spaces, const trace::SpaceSlice& slice);
// "224 × 224 texels of 16 B"; empty where the space is no image.
QString image_text(const trace::ImageSize& image);
// Of its tensor, or of itself where nobody told whose it is.
Selection slice_selection(const trace::SpaceSlice& slice);

}  // namespace arenascope::views
