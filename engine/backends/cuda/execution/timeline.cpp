// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/execution/timeline.h"
#include <arenascope/graph/op.h>

#include <algorithm>

namespace arenascope::cuda {
namespace {

constexpr size_t kMaxPieces = 1 << 20;  // limit if the spans are never taken

std::string_view what_of(const TensorImpl* node, bool to_device) {
  if (node) return name(node->op);
  return to_device ? "copy to the device" : "copy from the device";
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

Result<size_t> Timeline::record(StreamHandle stream) {
  if (used_ == timers_.size()) {
    auto timer = driver_->create_timer();
    if (!timer) return timer.error();
    timers_.push_back(*timer);
  }
  if (auto ok = driver_->record_event(timers_[used_], {driver_->device(), stream}); !ok) return ok.error();
  return used_++;
}

Status Timeline::around(const TensorImpl* node, StreamHandle stream, Bytes copied, bool to_device,
                        const std::function<Status()>& queue) {
  if (!keeps_ || pieces_.size() >= kMaxPieces) return queue();
  Piece piece{node ? node : copies_of_, copied, to_device, 0, 0, 0};
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

std::vector<DeviceSpan> Timeline::from_activities(const std::function<Nanoseconds()>& now) {
  std::vector<DeviceSpan> spans;
  for (const Activity& activity : driver_->take_activities(now)) {
    if (activity.label == 0 || activity.label > pieces_.size()) continue;
    const Piece& piece = pieces_[activity.label - 1];
    DeviceSpan span;
    span.node = piece.node;
    span.what = *texts_.insert(activity.what).first;
    span.begin = activity.begin;
    span.end = std::max(activity.begin, activity.end);
    span.queued = span.submitted = std::min(activity.queued, span.begin);
    span.copied = activity.copied;
    span.to_device = activity.to_device;
    spans.push_back(span);
  }
  return spans;
}

std::vector<DeviceSpan> Timeline::take(StreamHandle idle, const std::function<Nanoseconds()>& now) {
  std::vector<DeviceSpan> spans;
  texts_.clear();
  if (activities_) {
    spans = from_activities(now);
    forget();
    return spans;
  }
  if (pieces_.empty()) return spans;
  // A timer that passes between two reads of the host's clock relates both clocks; the closest pair is used.
  Nanoseconds base = 0, width = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const Nanoseconds before = now();
    auto tie = record(idle);
    if (!tie || !driver_->wait_event(timers_[*tie])) break;
    const Nanoseconds after = now();
    auto since = driver_->between(timers_[0], timers_[*tie]);
    if (!since) break;
    if (after - before >= width) continue;
    width = after - before;
    base = before + width / 2 - *since;
  }
  if (width != INT64_MAX) clock_error_ = (width + 1) / 2;
  for (const Piece& piece : pieces_) {
    if (width == INT64_MAX) break;
    auto begin = driver_->between(timers_[0], timers_[piece.begin]);
    auto end = driver_->between(timers_[0], timers_[piece.end]);
    if (!begin || !end) continue;
    DeviceSpan span;
    span.node = piece.node;
    span.what = what_of(piece.copied > 0 ? nullptr : piece.node, piece.to_device);
    span.begin = base + *begin;
    span.end = base + std::max(*begin, *end);
    span.queued = span.submitted = span.begin;
    span.copied = piece.copied;
    span.to_device = piece.to_device;
    spans.push_back(span);
  }
  forget();
  return spans;
}

}  // namespace arenascope::cuda
