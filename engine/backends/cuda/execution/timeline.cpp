// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/execution/timeline.h"
#include <arenascope/graph/op.h>

#include <algorithm>
#include <map>

namespace arenascope::cuda {
namespace {

constexpr size_t kMaxPieces = 1 << 20;  // limit if the spans are never taken
constexpr std::string_view kGraph = "captured graph";

std::string_view what_of(const TensorImpl* node, Bytes copied, bool to_device) {
  if (copied > 0) return to_device ? "copy to the device" : "copy from the device";
  return node ? name(node->op) : kGraph;
}

}  // namespace

Timeline::~Timeline() {
  if (!driver_->alive()) return;
  if (activities_) driver_->keep_activities(false);
  for (EventHandle timer : timers_) driver_->destroy_event(timer);
}

void Timeline::keep(bool keep) {
  if (keep == keeps_) return;
  keeps_ = keep;
  if (keep)
    activities_ = driver_->keep_activities(true);
  else if (activities_)
    activities_ = (driver_->keep_activities(false), false);
  forget();
}

void Timeline::forget() {
  pieces_.clear();
  used_ = 0;
}

Result<EventHandle> Timeline::record(StreamHandle stream) {
  if (used_ == timers_.size()) {
    auto timer = driver_->create_timer();
    if (!timer) return timer.error();
    timers_.push_back(*timer);
  }
  if (auto ok = driver_->record_event(timers_[used_], {driver_->device(), stream}); !ok) return ok.error();
  return timers_[used_++];
}

Result<EventHandle> Timeline::record_in_graph(StreamHandle stream) {
  auto timer = driver_->create_timer();
  if (!timer) return timer.error();
  capturing_->timers.push_back(*timer);
  if (auto ok = driver_->record_event(*timer, {driver_->device(), stream}); !ok) return ok.error();
  return *timer;
}

Status Timeline::around(const TensorImpl* node, StreamHandle stream, Bytes copied, bool to_device,
                        const std::function<Status()>& queue) {
  if (capturing_) return capture(node, stream, queue);
  Piece piece;
  piece.node = node ? node : copies_of_;
  piece.copied = copied;
  piece.to_device = to_device;
  return label_or_time(piece, stream, queue);
}

Status Timeline::label_or_time(Piece piece, StreamHandle stream, const std::function<Status()>& queue) {
  if (!keeps_ || pieces_.size() >= kMaxPieces) return queue();
  if (activities_) {
    pieces_.push_back(piece);
    driver_->label(pieces_.size());
    const Status queued = queue();
    driver_->label(0);
    return queued;
  }
  auto begin = record(stream);
  if (!begin) return begin.error();
  if (auto ok = queue(); !ok) return ok;
  auto end = record(stream);
  if (!end) return end.error();
  piece.begin = *begin;
  piece.end = *end;
  pieces_.push_back(piece);
  return {};
}

Status Timeline::capture(const TensorImpl* node, StreamHandle stream, const std::function<Status()>& queue) {
  CapturedPieces::Piece piece{node};
  if (capturing_timers_) {
    auto begin = record_in_graph(stream);
    if (!begin) return begin.error();
    if (auto ok = queue(); !ok) return ok;
    auto end = record_in_graph(stream);
    if (!end) return end.error();
    piece.begin = *begin;
    piece.end = *end;
  } else {
    auto before = driver_->captured(stream);
    if (!before) return before.error();
    if (auto ok = queue(); !ok) return ok;
    auto after = driver_->captured(stream);
    if (!after) return after.error();
    piece.activities = *after - *before;
  }
  capturing_->pieces.push_back(piece);
  return {};
}

void Timeline::capture_into(CapturedPieces* pieces, bool timed) {
  capturing_ = pieces;
  capturing_timers_ = timed;
}

Status Timeline::launch(const CapturedPieces& graph, StreamHandle stream, const std::function<Status()>& launch) {
  Piece piece;
  piece.graph = &graph;
  if (!needs_timers_in_graphs() || graph.timers.empty()) return label_or_time(piece, stream, launch);
  if (auto ok = launch(); !ok) return ok;
  // The timers now hold the times of this launch.
  std::erase_if(pieces_, [&](const Piece& of) { return of.graph == &graph; });
  for (const CapturedPieces::Piece& part : graph.pieces) {
    if (pieces_.size() >= kMaxPieces) break;
    piece.node = part.node;
    piece.begin = part.begin;
    piece.end = part.end;
    pieces_.push_back(piece);
  }
  return {};
}

void Timeline::drop(CapturedPieces& graph) noexcept {
  for (Piece& piece : pieces_)
    if (piece.graph == &graph) piece = {};
  for (EventHandle timer : graph.timers) driver_->destroy_event(timer);
  graph.timers.clear();
  graph.pieces.clear();
}

DeviceSpan Timeline::span_of(const TensorImpl* node, const Activity& activity) {
  DeviceSpan span;
  span.node = node;
  span.what = *texts_.insert(activity.what).first;
  span.begin = activity.begin;
  span.end = std::max(activity.begin, activity.end);
  span.queued = span.submitted = std::min(activity.queued, span.begin);
  span.copied = activity.copied;
  span.to_device = activity.to_device;
  return span;
}

// A graph that was captured from one stream executes in that order. If its records are incomplete, they cannot be
// attributed to nodes.
void Timeline::add_graph(const CapturedPieces& graph, std::vector<Activity>& activities,
                         std::vector<DeviceSpan>& spans) {
  std::stable_sort(activities.begin(), activities.end(),
                   [](const Activity& a, const Activity& b) { return a.begin < b.begin; });
  size_t expected = 0;
  for (const CapturedPieces::Piece& piece : graph.pieces) expected += piece.activities;
  if (expected != activities.size()) {
    for (const Activity& activity : activities) spans.push_back(span_of(nullptr, activity));
    return;
  }
  auto next = activities.begin();
  for (const CapturedPieces::Piece& piece : graph.pieces)
    for (size_t i = 0; i < piece.activities; ++i) spans.push_back(span_of(piece.node, *next++));
}

std::vector<DeviceSpan> Timeline::from_activities(const std::function<Nanoseconds()>& now) {
  std::vector<DeviceSpan> spans;
  std::map<uint64_t, std::vector<Activity>> of_graphs;  // by label
  for (Activity& activity : driver_->take_activities(now)) {
    if (activity.label == 0 || activity.label > pieces_.size()) continue;
    if (const Piece& piece = pieces_[activity.label - 1]; piece.graph)
      of_graphs[activity.label].push_back(std::move(activity));
    else
      spans.push_back(span_of(piece.node, activity));
  }
  for (auto& [label, activities] : of_graphs) add_graph(*pieces_[label - 1].graph, activities, spans);
  return spans;
}

std::vector<DeviceSpan> Timeline::from_timers(StreamHandle idle, const std::function<Nanoseconds()>& now) {
  std::vector<DeviceSpan> spans;
  const auto first = std::find_if(pieces_.begin(), pieces_.end(), [](const Piece& piece) { return piece.begin != 0; });
  if (first == pieces_.end()) return spans;
  // A timer that passes between two reads of the host's clock relates both clocks; the closest pair is used.
  Nanoseconds base = 0, width = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const Nanoseconds before = now();
    auto tie = record(idle);
    if (!tie || !driver_->wait_event(*tie)) break;
    const Nanoseconds after = now();
    auto since = driver_->between(first->begin, *tie);
    if (!since) break;
    if (after - before >= width) continue;
    width = after - before;
    base = before + width / 2 - *since;
  }
  if (width == INT64_MAX) return spans;
  clock_error_ = (width + 1) / 2;
  for (const Piece& piece : pieces_) {
    if (piece.begin == 0) continue;
    auto begin = driver_->between(first->begin, piece.begin);
    auto end = driver_->between(first->begin, piece.end);
    if (!begin || !end) continue;
    DeviceSpan span;
    span.node = piece.node;
    span.what = what_of(piece.node, piece.copied, piece.to_device);
    span.begin = base + *begin;
    span.end = base + std::max(*begin, *end);
    span.queued = span.submitted = span.begin;
    span.copied = piece.copied;
    span.to_device = piece.to_device;
    spans.push_back(span);
  }
  return spans;
}

std::vector<DeviceSpan> Timeline::take(StreamHandle idle, const std::function<Nanoseconds()>& now) {
  texts_.clear();
  std::vector<DeviceSpan> spans = activities_ ? from_activities(now) : from_timers(idle, now);
  forget();
  return spans;
}

}  // namespace arenascope::cuda
