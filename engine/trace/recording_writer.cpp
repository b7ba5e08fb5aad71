// SPDX-License-Identifier: MIT
#include <arenascope/trace/recording.h>
#include "engine/trace/codec.h"

#include <algorithm>

namespace arenascope::trace {

namespace {
constexpr size_t kWriteAt =
    size_t{1} << 20;  // bytes that are buffered for a file that is not read before it is complete
}

Result<std::shared_ptr<RecordingWriter>> RecordingWriter::create(const std::filesystem::path& path, Options options) {
  auto file = OutputFile::open(path, options.whole ? OutputForm::Whole : OutputForm::Growing, options.inputs);
  if (!file) return file.error();
  return std::shared_ptr<RecordingWriter>(new RecordingWriter(std::move(*file), std::move(options)));
}

RecordingWriter::RecordingWriter(std::unique_ptr<OutputFile> file, Options options)
    : options_(std::move(options)), file_(std::move(file)), path_(file_->path()) {
  packet([&] {
    out_.number(kVersionField, kRecordingVersion);
    out_.number(kFormField, kRecordingForm);
    out_.bytes(kProgramField, "arenascope");
  });
  if (options_.mirror) mirror_.begin(out_);
  write_out();
}

RecordingWriter::~RecordingWriter() { (void)close(); }

// Writes one packet of ours; body() writes its fields.
template <class F>
void RecordingWriter::packet(F&& body) {
  const size_t before = out_.size();
  const size_t outer = out_.begin(kTracePacketField);
  const size_t inner = out_.begin(kRecordingField);
  body();
  out_.end(inner);
  out_.end(outer);
  if (out_.too_large()) {
    out_.cut(before);
    fail("a description exceeds the maximum packet size");
  }
}

void RecordingWriter::describe(const Description& description) {
  std::lock_guard lock(mutex_);
  if (!file_ || !status_.ok()) return;
  try {
    packet([&] { encode(description, out_); });
    if (options_.mirror) mirror_.describe(description, out_);
    packets_done();
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  }
}

// Writes packet_.
void RecordingWriter::write_events(TrackId track) {
  packet([&] { encode(track, packet_, out_); });
  if (options_.mirror) mirror_.events(track, packet_, out_);
  packets_done();
}

// A packet has the events of one track.
void RecordingWriter::events(std::span<const TrackEvent> events) {
  std::lock_guard lock(mutex_);
  if (!file_ || !status_.ok()) return;
  try {
    const auto earlier = [](const TrackEvent& x, const TrackEvent& y) { return x.track < y.track; };
    by_track_.assign(events.begin(), events.end());
    if (!std::is_sorted(by_track_.begin(), by_track_.end(), earlier))
      std::stable_sort(by_track_.begin(), by_track_.end(), earlier);
    for (size_t i = 0; i < by_track_.size();) {
      const TrackId track = by_track_[i].track;
      packet_.clear();
      for (; i < by_track_.size() && by_track_[i].track == track && packet_.size() < kEventsAPacket; ++i)
        packet_.push_back(by_track_[i].event);
      write_events(track);
    }
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  }
}

void RecordingWriter::flush() {
  std::lock_guard lock(mutex_);
  write_out();
}

void RecordingWriter::packets_done() {
  if (!options_.whole || out_.size() >= kWriteAt) write_out();
}

void RecordingWriter::write_out() {
  if (file_ && status_.ok())
    if (auto ok = file_->write(out_.text()); !ok) fail(ok.error().message);
  out_.clear();
}

void RecordingWriter::fail(std::string what) {
  if (!status_.ok()) return;
  const int64_t written = file_ ? file_->bytes_written() : written_;
  status_ = Error{path_.string() + ": the recording ends after " + std::to_string(written) +
                  " bytes: " + std::move(what) + "."};
}

Status RecordingWriter::status() const {
  std::lock_guard lock(mutex_);
  return status_;
}

int64_t RecordingWriter::bytes_written() const {
  std::lock_guard lock(mutex_);
  return file_ ? file_->bytes_written() : written_;
}

Status RecordingWriter::close() {
  std::lock_guard lock(mutex_);
  if (!file_) return status_;
  try {
    if (status_.ok()) packet([&] { out_.bytes(kEndField, ""); });
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  }
  write_out();
  if (!status_.ok())
    file_->discard();  // of one that grows, what was written stays
  else if (auto closed = file_->close(); !closed)
    fail(closed.error().message);
  written_ = file_->bytes_written();
  file_ = nullptr;
  return status_;
}

void RecordingWriter::discard() {
  std::lock_guard lock(mutex_);
  if (!file_) return;
  out_.clear();
  file_->remove();
  file_ = nullptr;
}

}  // namespace arenascope::trace
