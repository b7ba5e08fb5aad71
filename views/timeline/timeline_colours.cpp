// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/categories.h>
#include <views/common/format.h>
#include <views/timeline/timeline_colours.h>

#include <algorithm>

namespace arenascope::views {

namespace {

constexpr uint32_t kOwnCategories = kSpanCategories - 1;  // without the last one, which is black

// FNV-1a; equal names of different documents have equal colours.
uint32_t category_of_name(const std::string& name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash % kOwnCategories;
}

bool is_coloured(const trace::Event& e) {
  return e.kind() == trace::EventKind::Work || e.kind() == trace::EventKind::Slice ||
         e.kind() == trace::EventKind::Copy;
}

}  // namespace

TimelineColours::TimelineColours(const trace::Snapshot& snapshot, const trace::GraphInfo* graph, TimelineColour by)
    : snapshot_(snapshot), graph_(graph), by_(by) {
  if (graph_ == nullptr || (by_ != TimelineColour::Op && by_ != TimelineColour::Layer)) return;
  categories_ = categories_of(*graph_, by_ == TimelineColour::Op ? &trace::TensorInfo::op : &trace::TensorInfo::layer,
                              kOwnCategories);
}

std::string TimelineColours::thread_name(trace::TrackId track) const {
  const trace::ThreadInfo& info = snapshot_.tracks[track.index()].info;
  return info.name.empty() ? std::to_string(track.value) : info.name;
}

// The text that determines the category.
std::string TimelineColours::text_of(const trace::Event& e) const {
  if (by_ == TimelineColour::Kernel) {
    const std::string_view kernel = snapshot_.kernel(e);
    if (!kernel.empty()) return std::string(kernel);
    return e.kind() == trace::EventKind::Slice ? snapshot_.label(e) : std::string();
  }
  if (e.kind() == trace::EventKind::Slice) return by_ == TimelineColour::Op ? snapshot_.label(e) : std::string();
  const trace::GraphInfo* graph = snapshot_.graph_of(e.run());
  if (graph == nullptr || !e.node().valid() || e.node().index() >= graph->nodes.size()) return {};
  const trace::TensorInfo& node = graph->nodes[e.node().index()];
  return by_ == TimelineColour::Op ? node.op : node.layer;
}

std::optional<SpanColour> TimelineColours::of(const trace::SpanRef& span) {
  const trace::Event& e = snapshot_.event(span);
  if (by_ == TimelineColour::Activity || !is_coloured(e) || e.is_pause()) return std::nullopt;
  if (by_ == TimelineColour::Duration) {
    const SpanColour colour{true, shade_of_duration(e.end() - e.begin())};
    used_[colour];
    return colour;
  }
  const bool by_thread = by_ == TimelineColour::Thread;
  const std::string text = by_thread ? thread_name(span.track) : text_of(e);
  if (text.empty()) return std::nullopt;
  const auto known = categories_.find(text);
  const SpanColour colour{false, by_thread                    ? span.track.value % kOwnCategories
                                 : known != categories_.end() ? known->second
                                                              : category_of_name(text)};
  used_[colour].insert(text);
  return colour;
}

std::vector<TimelineMeaning> TimelineColours::meanings() const {
  std::vector<TimelineMeaning> out;
  for (const auto& [colour, texts] : used_) {
    const auto count = static_cast<int>(texts.size());
    out.push_back({colour, colour.shade ? TimelineColourNames::shade(colour.number)
                           : count == 1 ? QString::fromStdString(*texts.begin())
                                        : TimelineColourNames::tr("%n name(s)", nullptr, count)});
  }
  return out;
}

uint32_t shade_of_duration(Nanoseconds duration) {
  uint32_t shade = 0;
  for (Nanoseconds limit = 1000; duration >= limit && shade + 1 < kSpanShades; limit *= 10) ++shade;
  return shade;
}

QString TimelineColourNames::of(TimelineColour colour) {
  switch (colour) {
    case TimelineColour::Activity: return tr("Activity");
    case TimelineColour::Op: return tr("Op or span name");
    case TimelineColour::Kernel: return tr("Kernel");
    case TimelineColour::Layer: return tr("Layer");
    case TimelineColour::Thread: return tr("Thread");
    case TimelineColour::Duration: return tr("Duration");
  }
  return {};
}

QString TimelineColourNames::shade(uint32_t shade) {
  Nanoseconds limit = 1000;
  for (uint32_t i = 1; i < std::max(shade, 1U); ++i) limit *= 10;
  return shade == 0 ? tr("< %1").arg(format_ns(limit)) : tr("≥ %1").arg(format_ns(limit));
}

}  // namespace arenascope::views
