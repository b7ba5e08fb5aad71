// SPDX-License-Identifier: MIT
#include <arenascope/trace/recording.h>
#include <fcntl.h>
#include <unistd.h>
#include "engine/trace/codec.h"

#include <cerrno>
#include <cstring>

namespace arenascope::trace {

namespace {
constexpr size_t kWriteAt = size_t{1} << 20;  // bytes buffered before they are written without a flush
}

Result<std::shared_ptr<RecordingWriter>> RecordingWriter::create(const std::filesystem::path& path, Options options) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return Error{path.string() + ": cannot create the recording: " + std::strerror(errno) + "."};
  return std::shared_ptr<RecordingWriter>(new RecordingWriter(file, path, options));
}

RecordingWriter::RecordingWriter(int file, std::filesystem::path path, Options options)
    : path_(std::move(path)), options_(options), file_(file) {
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
  if (file_ < 0 || !status_.ok()) return;
  try {
    packet([&] { encode(description, out_); });
    if (options_.mirror) mirror_.describe(description, out_);
    if (out_.size() >= kWriteAt) write_out();
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  }
}

void RecordingWriter::events(TrackId track, std::span<const Event> events) {
  std::lock_guard lock(mutex_);
  if (file_ < 0 || !status_.ok()) return;
  try {
    while (!events.empty()) {
      const auto some = events.first(std::min(events.size(), kEventsAPacket));
      events = events.subspan(some.size());
      packet([&] { encode(track, some, out_); });
      if (options_.mirror) mirror_.events(track, some, out_);
      if (out_.size() >= kWriteAt) write_out();
    }
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  }
}

void RecordingWriter::flush() {
  std::lock_guard lock(mutex_);
  write_out();
}

void RecordingWriter::write_out() {
  if (file_ < 0 || !status_.ok()) return out_.clear();
  std::string_view rest = out_.text();
  while (!rest.empty()) {
    const ssize_t n = ::write(file_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      fail(std::string(n < 0 ? std::strerror(errno) : "no bytes were written"));
      break;
    }
    written_ += n;
    rest.remove_prefix(static_cast<size_t>(n));
  }
  out_.clear();
}

void RecordingWriter::fail(std::string what) {
  if (!status_.ok()) return;
  status_ = Error{path_.string() + ": the recording ends after " + std::to_string(written_) +
                  " bytes: " + std::move(what) + "."};
}

Status RecordingWriter::status() const {
  std::lock_guard lock(mutex_);
  return status_;
}

int64_t RecordingWriter::bytes_written() const {
  std::lock_guard lock(mutex_);
  return written_;
}

Status RecordingWriter::close() {
  std::lock_guard lock(mutex_);
  if (file_ < 0) return status_;
  write_out();
  if (::close(file_) != 0 && status_.ok()) fail(std::strerror(errno));
  file_ = -1;
  return status_;
}

}  // namespace arenascope::trace
