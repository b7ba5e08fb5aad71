// SPDX-License-Identifier: GPL-3.0-or-later
// The location of a tensor: in a plan's arena, or in allocator spaces.
#include <views/common/spaces.h>
#include <views/common/steps_text.h>
#include "inspector_page.h"

namespace arenascope::views::inspector {
namespace {

// The observed slice of the run's arena; null: not observed.
const trace::ArenaAllocation* observed_slice(const trace::Snapshot& snapshot, trace::RunId run, TensorRef ref,
                                             std::vector<trace::ArenaAllocation>& slices) {
  const trace::TimeRange range = trace::range_of_run(snapshot, run);
  if (snapshot.run(run) != nullptr)
    slices = snapshot.slices_in(range.begin, range.end + 1, trace::kMaxSpaceAllocations);
  for (const trace::ArenaAllocation& slice : slices)
    if (slice.run == run && slice.tensor == ref) return &slice;
  return nullptr;
}

// The last address of the tensor in an allocator's spaces during the run, and the number of times it was placed.
void location_in_spaces(Page& page, TensorRef ref) {
  const trace::Snapshot& s = *page.in.snapshot;
  const trace::TimeRange range = trace::range_of_run(s, page.in.run);
  const trace::SpaceAllocation* last = nullptr;
  int count = 0;
  const auto slices = s.space_slices_in(range.begin, range.end, trace::kMaxSpaceAllocations);
  for (const trace::SpaceAllocation& slice : slices) {
    if (page.in.graph == nullptr || slice.graph != page.in.graph->id || slice.tensor != ref) continue;
    ++count;
    if (last == nullptr || slice.begin > last->begin) last = &slice;
  }
  if (last == nullptr) return;
  page.section(Texts::tr("Location in memory, observed"));
  page.row(Texts::tr("purpose"), DisplayNames::kind(last->kind));
  page.row(Texts::tr("allocator"), allocator_name(s, last->allocator).toHtmlEscaped());
  page.row(Texts::tr("address"), range_text(static_cast<Bytes>(last->address), last->bytes));
  if (last->asked < last->bytes) page.row(Texts::tr("waste"), format_bytes_exact(last->bytes - last->asked));
  const auto spaces = s.spaces_in(last->begin, last->begin + 1, trace::kMaxSpaceAllocations);
  if (const trace::Space* space = space_of(spaces, *last)) page.row(Texts::tr("image"), image_text(space->image));
  if (count > 1) page.row(Texts::tr("placed here"), Texts::tr("%n time(s) in the run", nullptr, count));
}

}  // namespace

void location(Page& page, TensorRef ref) {
  location_in_spaces(page, ref);
  if (page.in.plan == nullptr) return;
  std::vector<trace::ArenaAllocation> slices;
  const trace::ArenaAllocation* seen = observed_slice(*page.in.snapshot, page.in.run, ref, slices);
  // A plan that the run did not use does not determine the location of its tensors.
  if (seen == nullptr && trace::is_in_spaces(*page.in.snapshot, page.in.run, page.in.plan)) return;
  for (const trace::SliceInfo& slice : page.in.plan->slices) {
    if (slice.tensor != ref) continue;
    page.section(Texts::tr("Location in the arena"));
    page.row(Texts::tr("source of this"), seen == nullptr ? Texts::tr("the plan")
                                          : seen->derived ? Texts::tr("addresses observed, times derived")
                                                          : Texts::tr("observed"));
    if (seen != nullptr && (seen->offset != slice.offset || seen->bytes != slice.size))
      page.row(Texts::tr("observed at"), range_text(seen->offset, seen->bytes));
    page.row(Texts::tr("bytes"), range_text(slice.offset, slice.size));
    page.row(Texts::tr("steps"), format_steps(slice.first.value, slice.last.value));
    page.row(Texts::tr("block"), page.block_link(slice.block));
    if (slice.level > 0) page.row(Texts::tr("reuse"), Texts::tr("level %1").arg(slice.level));
    if (slice.in_place_of.valid()) page.row(Texts::tr("in place of"), page.link(slice.in_place_of));
    return;
  }
}

}  // namespace arenascope::views::inspector
