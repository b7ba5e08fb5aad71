// SPDX-License-Identifier: MIT
// Recordings: a stream of length-delimited TracePackets as Perfetto has them. Each thing that happened stands there
// twice: in Perfetto's words, so that it opens in that tool, and exactly, in a field of our own that others skip.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/perfetto.h>
#include <arenascope/trace/sink.h>
#include <arenascope/trace/wire.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>

namespace arenascope::trace {

class Snapshot;

// Writes as the run goes; each flush() makes everything so far readable, also after a crash. Thread-safe.
class RecordingWriter : public Sink {
 public:
  struct Options {
    bool mirror = true;  // Perfetto's words too; without them the file is a fifth of the size and only we read it
  };
  static Result<std::shared_ptr<RecordingWriter>> create(const std::filesystem::path& path) {
    return create(path, Options{});
  }
  static Result<std::shared_ptr<RecordingWriter>> create(const std::filesystem::path& path, Options options);
  ~RecordingWriter() override;
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  void describe(const Description& description) override;
  void events(TrackId track, std::span<const Event> events) override;
  void flush() override;

  // What went wrong so far, if anything: "FILE: no space left on device after N bytes". After that nothing more is
  // written; what was written stays and opens.
  Status status() const;
  Status close();  // flushes; further calls do nothing
  int64_t bytes_written() const;

 private:
  RecordingWriter(int file, std::filesystem::path path, Options options);
  void write_out();
  void fail(std::string what);
  template <class F>
  void packet(F&& body);

  const std::filesystem::path path_;
  const Options options_;
  mutable std::mutex mutex_;
  int file_;
  WireWriter out_;
  PerfettoMirror mirror_;
  Status status_;
  int64_t written_ = 0;
};

struct ReadReport {
  int64_t packets = 0;
  int64_t bytes = 0;          // read in whole packets
  int64_t dropped_bytes = 0;  // behind the last whole packet
  int64_t broken_packets = 0;
  std::string problem;  // "" or one sentence about what was left out
};

struct ReadOptions {
  std::function<bool(double)> progress;  // 0 to 1, now and then; false stops reading (an error "stopped")
};

// Whether these first bytes of a file are those of one of our recordings.
bool looks_like_recording(ByteSpan head);

// Hands what a recording holds to `sink`, in the order in which it was written. A recording that is cut or has garbage
// in it opens up to there: the report and a Problem in the sink say what is missing. An Error means nothing could be
// read: no such file, not a recording, a newer format.
Result<ReadReport> read_recording(const std::filesystem::path& path, Sink& sink, const ReadOptions& options = {});
Result<ReadReport> read_recording(ByteSpan bytes, const std::string& name, Sink& sink, const ReadOptions& options = {});

// Feeds a sink with all that a snapshot holds, so that a session made of it shows the same.
void replay(const Snapshot& snapshot, Sink& sink);
// Asked now and then while a file is written, with what is done of it, 0 to 1, below nought where nobody knows; false
// stops, takes the file away and is an error, "stopped".
using WriteProgress = std::function<bool(double share)>;
// A live or imported session to a file.
Status save_recording(const Snapshot& snapshot, const std::filesystem::path& path, const WriteProgress& progress = {});

}  // namespace arenascope::trace
