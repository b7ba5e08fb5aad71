// SPDX-License-Identifier: MIT
// Recordings: a stream of length-delimited TracePackets as Perfetto has them. Each event is stored twice: as
// Perfetto's own messages, and exactly, in an extension field that other tools skip.
#pragma once
#include <arenascope/base/output_file.h>
#include <arenascope/base/result.h>
#include <arenascope/trace/perfetto.h>
#include <arenascope/trace/sink.h>
#include <arenascope/trace/wire.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace arenascope::trace {

class Snapshot;

// Writes packet by packet while the program runs: a crash loses at most the packet that is being written. Thread-safe.
class RecordingWriter : public Sink {
 public:
  struct Options {
    // Also write Perfetto's messages; without them the file has a fifth of the size and opens in Arenascope only.
    bool mirror = true;
    // A regular file appears when it is complete, instead of growing where it can be read; packets are buffered.
    bool whole = false;
    std::vector<std::filesystem::path> inputs = {};  // files that are being read: the recording must not be one of them
  };
  static Result<std::shared_ptr<RecordingWriter>> create(const std::filesystem::path& path) {
    return create(path, Options{});
  }
  static Result<std::shared_ptr<RecordingWriter>> create(const std::filesystem::path& path, Options options);
  ~RecordingWriter() override;
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  using Sink::events;
  void describe(const Description& description) override;
  void events(std::span<const TrackEvent> events) override;
  void flush() override;

  // The first error, if any: "FILE: no space left on device after N bytes". Nothing is written after it; the file up to
  // that point remains valid.
  Status status() const;
  Status close();  // flushes; further calls do nothing
  void discard();  // abandons the recording: the file is removed, or the previous one kept
  int64_t bytes_written() const;

 private:
  RecordingWriter(std::unique_ptr<OutputFile> file, Options options);
  void packets_done();
  void write_out();
  void fail(std::string what);
  template <class F>
  void packet(F&& body);
  void write_events(TrackId track);

  const Options options_;
  mutable std::mutex mutex_;
  std::unique_ptr<OutputFile> file_;  // null: closed
  const std::filesystem::path path_;
  WireWriter out_;
  std::vector<TrackEvent> by_track_;  // reused between calls, as the following
  std::vector<Event> packet_;
  PerfettoMirror mirror_;
  Status status_;
  int64_t written_ = 0;  // when it was closed
};

struct ReadReport {
  int64_t packets = 0;
  int64_t bytes = 0;          // read in whole packets
  int64_t dropped_bytes = 0;  // after the last complete packet
  int64_t broken_packets = 0;
  bool closed = true;   // false: the program was killed, and the newest events of its threads may be missing
  std::string problem;  // "" or a message about skipped data
};

struct ReadOptions {
  bool in_file_order = false;            // pass events on as they are stored, round by round, instead of sorted by time
  std::function<bool(double)> progress;  // 0 to 1, now and then; false stops reading (an error "stopped")
};

// True if a file that begins with these bytes is an Arenascope recording.
bool is_recording_file(ByteSpan head);

// Passes the contents of a recording to `sink`, events sorted by time. A recording that is cut or damaged is read up to
// that point: the report and a Problem in the sink state the loss. An Error means that nothing could be
// read: no such file, not a recording, a newer format.
Result<ReadReport> read_recording(const std::filesystem::path& path, Sink& sink, const ReadOptions& options = {});
Result<ReadReport> read_recording(ByteSpan bytes, const std::string& name, Sink& sink, const ReadOptions& options = {});

// Writes all of a snapshot to a sink; a session fed by it is equal.
void replay(const Snapshot& snapshot, Sink& sink);
// Called repeatedly while a file is written, with the completed share, 0 to 1, negative if unknown; false
// stops, removes the file and returns the error "stopped".
using WriteProgress = std::function<bool(double share)>;
// Saves a live or imported session to a file, atomically. `inputs`: files that are being read; the output must not be one of
// them.
Status save_recording(const Snapshot& snapshot, const std::filesystem::path& path, const WriteProgress& progress = {},
                      const std::vector<std::filesystem::path>& inputs = {});

}  // namespace arenascope::trace
