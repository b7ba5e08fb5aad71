// SPDX-License-Identifier: GPL-3.0-or-later
// What the views ask of spaces and slices (arenascope/trace/space_use.h), of what they are at.
#pragma once
#include <arenascope/trace/space_use.h>
#include <views/common/plot_view.h>

#include <functional>
#include <string>

class QMenu;

namespace arenascope::views {

using trace::SpaceChoice;
using trace::SpaceTotals;

// Whose places a view shows.
enum class ArenaShow : uint8_t {
  Auto,   // the arena's, or those of spaces where the run's tensors lie in these
  Arena,  // of the plan
  Spaces,
};
// Whether spaces are shown.
bool shows_spaces(const PrepareInput& input, ArenaShow show);
// Adds a submenu from which one of them is chosen: the plan's arena, all spaces or those of an allocator.
void add_space_choices(QMenu& menu, const QString& title, const SessionSource& source, ArenaShow show,
                       const SpaceChoice& choice, const std::function<void(ArenaShow, const SpaceChoice&)>& chosen);

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
// Of what was handed out: "block.65536.0.bytes.CPU".
std::string block_figure(const trace::Snapshot& snapshot, const trace::SpaceSlice& slice, const char* what);
// Of a piece of memory that an allocator took: "space.65536.0.bytes.CPU".
std::string piece_figure(const trace::Snapshot& snapshot, const trace::Space& space, const char* what);
// "224 × 224 texels of 16 B"; empty where the space is no image.
FigureText image_text(const trace::Snapshot& snapshot, const trace::Space& space);
QString image_text(const trace::ImageSize& image);
// Of its tensor, or of itself where nobody told whose it is.
Selection slice_selection(const trace::SpaceSlice& slice);

}  // namespace arenascope::views
