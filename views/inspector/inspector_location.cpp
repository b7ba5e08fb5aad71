// SPDX-License-Identifier: GPL-3.0-or-later
// The location of a tensor: in a plan's arena, or in allocator spaces.
#include <views/common/spaces.h>
#include <views/common/steps_text.h>
#include "facts_builder.h"

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
void location_in_spaces(FactsBuilder& facts, TensorRef ref) {
  const trace::Snapshot& s = *facts.in.snapshot;
  const trace::TimeRange range = trace::range_of_run(s, facts.in.run);
  const trace::SpaceAllocation* last = nullptr;
  int count = 0;
  const auto slices = s.space_slices_in(range.begin, range.end, trace::kMaxSpaceAllocations);
  for (const trace::SpaceAllocation& slice : slices) {
    if (facts.in.graph == nullptr || slice.graph != facts.in.graph->id || slice.tensor != ref) continue;
    ++count;
    if (last == nullptr || slice.begin > last->begin) last = &slice;
  }
  if (last == nullptr) return;
  facts.section(Texts::tr("Location in memory, observed"));
  facts.row(Texts::tr("purpose"), DisplayNames::kind(last->kind));
  facts.row(Texts::tr("allocator"), allocator_name(s, last->allocator));
  facts.row(Texts::tr("address"), range_text(static_cast<Bytes>(last->address), last->bytes));
  if (last->asked < last->bytes) facts.row(Texts::tr("waste"), format_bytes_exact(last->bytes - last->asked));
  const auto spaces = s.spaces_in(last->begin, last->begin + 1, trace::kMaxSpaceAllocations);
  if (const trace::Space* space = space_of(spaces, *last)) facts.row(Texts::tr("image"), image_text(space->image));
  if (count > 1) facts.row(Texts::tr("placed here"), Texts::tr("%n time(s) in the run", nullptr, count));
}

}  // namespace

void location(FactsBuilder& facts, TensorRef ref) {
  location_in_spaces(facts, ref);
  if (facts.in.plan == nullptr) return;
  std::vector<trace::ArenaAllocation> slices;
  const trace::ArenaAllocation* seen = observed_slice(*facts.in.snapshot, facts.in.run, ref, slices);
  // A plan that the run did not use does not determine the location of its tensors.
  if (seen == nullptr && trace::is_in_spaces(*facts.in.snapshot, facts.in.run, facts.in.plan)) return;
  for (const trace::SliceInfo& slice : facts.in.plan->slices) {
    if (slice.tensor != ref) continue;
    facts.section(Texts::tr("Location in the arena"));
    facts.row(Texts::tr("source of this"), seen == nullptr ? Texts::tr("the plan")
                                           : seen->derived ? Texts::tr("addresses observed, times derived")
                                                           : Texts::tr("observed"));
    if (seen != nullptr && (seen->offset != slice.offset || seen->bytes != slice.size))
      facts.row(Texts::tr("observed at"), range_text(seen->offset, seen->bytes));
    facts.row(Texts::tr("bytes"), range_text(slice.offset, slice.size));
    facts.row(Texts::tr("steps"), format_steps(slice.first.value, slice.last.value));
    facts.row(Texts::tr("block"), facts.block_link(slice.block));
    if (slice.level > 0) facts.row(Texts::tr("reuse"), Texts::tr("level %1").arg(slice.level));
    if (slice.in_place_of.valid()) facts.row(Texts::tr("in place of"), facts.link(slice.in_place_of));
    return;
  }
}

}  // namespace arenascope::views::inspector
