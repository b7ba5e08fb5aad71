// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/figure.h>
#include <views/common/format.h>
#include <views/common/spaces.h>

namespace arenascope::views {

namespace {
struct SpaceTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Spaces)
};
}  // namespace

bool lies_in_spaces(const PrepareInput& in) {
  return in.shown_plan == nullptr && trace::lies_in_spaces(*in.snapshot, in.run, in.plan);
}

trace::TimeRange range_of_run(const PrepareInput& in) { return trace::range_of_run(*in.snapshot, in.run); }

std::string space_figure(trace::RunId run, const SpaceChoice& choice, const char* what) {
  std::string id = run.valid() ? run_figure(run, "spaces.") : "recording.spaces.";
  if (choice.of == SpaceChoice::Of::Working) id += "working.";
  if (choice.of == SpaceChoice::Of::All) id += "all.";
  if (choice.of == SpaceChoice::Of::Allocator) id += "allocator." + std::to_string(choice.allocator) + ".";
  return id + what;
}

QString allocator_name(const trace::Snapshot& snapshot, uint32_t id) {
  const trace::AllocatorInfo* allocator = snapshot.allocator(id);
  return allocator != nullptr && !allocator->name.empty() ? QString::fromStdString(allocator->name)
                                                          : SpaceTexts::tr("allocator %1").arg(id);
}

QString slice_name(const trace::Snapshot& snapshot, const trace::SpaceSlice& slice) {
  if (trace::is_arena(slice)) return SpaceTexts::tr("arena of a plan");
  const trace::TensorInfo* tensor = snapshot.tensor(slice.graph, slice.tensor);
  return tensor != nullptr && !tensor->name.empty() ? QString::fromStdString(tensor->name) : Words::kind(slice.kind);
}

const trace::Space* space_of(const std::vector<trace::Space>& spaces, const trace::SpaceSlice& slice) {
  for (const trace::Space& space : spaces)
    if (space.device == slice.device && slice.address - space.address < static_cast<uint64_t>(space.bytes) &&
        space.begin <= slice.begin && (space.open || space.end > slice.begin))
      return &space;
  return nullptr;
}

QString image_text(const trace::ImageSize& image) {
  if (!image.valid()) return {};
  return SpaceTexts::tr("%1 × %2 texels of %3")
      .arg(format_count(image.width), format_count(image.height), format_bytes(image.texel));
}

Selection slice_selection(const trace::SpaceSlice& slice) {
  if (slice.tensor.valid()) return NodeSelection{slice.graph, slice.tensor};
  return AllocationSelection{slice.device, slice.address, slice.begin};
}

}  // namespace arenascope::views
