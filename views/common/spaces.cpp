// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/figure.h>
#include <views/common/format.h>
#include <views/common/spaces.h>

#include <QCoreApplication>

namespace arenascope::views {

namespace {
struct SpaceTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Spaces)
};
}  // namespace

bool is_in_spaces(const PrepareInput& in) {
  return in.shown_plan == nullptr && trace::is_in_spaces(*in.snapshot, in.run, in.plan);
}

bool shows_spaces(const PrepareInput& in, ArenaMode show) {
  return show == ArenaMode::Spaces || (show == ArenaMode::Auto && is_in_spaces(in));
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

QString slice_name(const trace::Snapshot& snapshot, const trace::SpaceAllocation& slice) {
  if (trace::is_arena(slice)) return SpaceTexts::tr("arena of a plan");
  const trace::TensorInfo* tensor = snapshot.tensor(slice.graph, slice.tensor);
  return tensor != nullptr && !tensor->name.empty() ? QString::fromStdString(tensor->name)
                                                    : DisplayNames::kind(slice.kind);
}

QString slice_name(const trace::Snapshot& snapshot, const trace::SpaceAllocation& slice, const CallSites& sites) {
  const bool named = trace::is_arena(slice) || snapshot.tensor(slice.graph, slice.tensor) != nullptr;
  const uint32_t site = named ? CallSites::kUnknown : sites.of(slice.block);
  return site == CallSites::kUnknown ? slice_name(snapshot, slice) : QString::fromStdString(sites.name(site));
}

QString kind_name(const trace::Snapshot& snapshot, trace::MemoryKind kind) {
  const trace::AllocatorInfo* only = nullptr;
  int count = 0;
  for (const trace::AllocatorInfo& allocator : snapshot.allocators)
    if (allocator.kind == kind) only = &allocator, ++count;
  if (!snapshot.runs.empty() || count != 1) return DisplayNames::kind(kind);
  // The device does not distinguish the kind from another one of the same device.
  for (const trace::AllocatorInfo& allocator : snapshot.allocators)
    if (allocator.kind != kind && allocator.device == only->device) return DisplayNames::kind(kind);
  const bool known = only->device.valid() && only->device.index() < snapshot.devices.size();
  const std::string& name = known ? snapshot.devices[only->device.index()].name : only->name;
  return name.empty() ? DisplayNames::kind(kind) : QString::fromStdString(name);
}

const trace::Space* space_of(const std::vector<trace::Space>& spaces, const trace::SpaceAllocation& slice) {
  for (const trace::Space& space : spaces)
    if (space.device == slice.device && slice.address - space.address < static_cast<uint64_t>(space.bytes) &&
        space.begin <= slice.begin && (space.open || space.end > slice.begin))
      return &space;
  return nullptr;
}

std::string block_figure(const trace::Snapshot& s, const trace::SpaceAllocation& slice, const char* what) {
  const bool known = slice.device.valid() && slice.device.index() < s.devices.size();
  return "block." + std::to_string(slice.address) + "." + std::to_string(slice.begin - s.time.begin) + "." + what +
         "." + (known ? s.devices[slice.device.index()].name : std::string());
}

std::string piece_figure(const trace::Snapshot& s, const trace::Space& space, const char* what) {
  const bool known = space.device.valid() && space.device.index() < s.devices.size();
  return "space." + std::to_string(space.address) + "." + std::to_string(space.begin - s.time.begin) + "." + what +
         "." + (known ? s.devices[space.device.index()].name : std::string());
}

FigureText image_text(const trace::Snapshot& s, const trace::Space& space) {
  if (!space.image.valid()) return {};
  const auto of = [&](const char* what, auto value, FigureUnit unit) {
    return figure(piece_figure(s, space, what), static_cast<double>(value), unit);
  };
  return with_figures(SpaceTexts::tr("%1 × %2 texels of %3"), {of("width", space.image.width, FigureUnit::Count),
                                                               of("height", space.image.height, FigureUnit::Count),
                                                               of("texel", space.image.texel, FigureUnit::Bytes)});
}

QString image_text(const trace::ImageSize& image) {
  if (!image.valid()) return {};
  return SpaceTexts::tr("%1 × %2 texels of %3")
      .arg(format_count(image.width), format_count(image.height), format_bytes(image.texel));
}

Selection slice_selection(const trace::SpaceAllocation& slice) {
  if (slice.tensor.valid()) return NodeSelection{slice.graph, slice.tensor};
  return AllocationSelection{slice.device, slice.address, slice.begin};
}

}  // namespace arenascope::views
