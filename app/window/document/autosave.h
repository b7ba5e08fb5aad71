// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a live recording to a file while it runs, so that a crash loses nothing: packets are complete or absent. The
// file is deleted when its recording is closed; files of programs that no longer run are offered for recovery. They
// are stored in ~/.local/state/arenascope/recordings (or $XDG_STATE_HOME), named after the process id.
#pragma once
#include <arenascope/trace/description_log.h>
#include <arenascope/trace/recording.h>

#include <QString>
#include <QStringList>

#include <atomic>
#include <memory>
#include <vector>

namespace arenascope::app {

QString autosave_folder();
// Files of programs that no longer run, newest first.
QStringList recoverable_recordings();
// Those files that a killed program left.
QStringList killed_of(const QStringList& files);

// A sink for a recorder. Stops writing after the given number of bytes and keeps the file.
class Autosave : public trace::Sink {
 public:
  // Null if the directory is not writable; then nothing is saved.
  static std::shared_ptr<Autosave> create(const QString& title, size_t max_bytes);
  // As create(), for recordings that are never restarted: the oldest half of the file is dropped when it is full.
  static std::shared_ptr<Autosave> create_rolling(const QString& title, size_t max_bytes);
  ~Autosave() override;  // deletes the file, or keeps it
  void keep() { kept_ = true; }

  const QString& path() const { return path_; }
  const QString& title() const { return title_; }
  size_t max_bytes() const { return max_bytes_; }
  bool half_full() const { return bytes() > max_bytes_ / 2; }
  void describe(const trace::Description& description) override;
  using Sink::events;
  void events(std::span<const trace::TrackEvent> events) override;
  void flush() override;

 private:
  Autosave(QString title, QString path, size_t max_bytes, std::shared_ptr<trace::RecordingWriter> writer)
      : title_(std::move(title)), path_(std::move(path)), max_bytes_(max_bytes), writer_(std::move(writer)) {}
  size_t bytes() const { return static_cast<size_t>(writer_->bytes_written()); }

  void roll();

  QString title_, path_;
  size_t max_bytes_;
  std::shared_ptr<trace::RecordingWriter> writer_;
  bool rolling_ = false;
  trace::DescriptionLog described_;    // of one that rolls: the next file begins with them
  std::shared_ptr<Autosave> earlier_;  // of one that rolls: the half before
  std::atomic<bool> kept_{false};
};

}  // namespace arenascope::app
