// SPDX-License-Identifier: GPL-3.0-or-later
// What a live run records is also written to a file while it goes on, so that a crash or a kill loses nothing: packets
// are whole or not there. The file goes when its recording is closed; one whose program is gone is offered to be
// opened. They lie in ~/.local/state/arenascope/recordings (or under $XDG_STATE_HOME), named by the program's process
// id.
#pragma once
#include <arenascope/trace/recording.h>

#include <QString>
#include <QStringList>

#include <memory>

namespace arenascope::app {

QString autosave_folder();
// Files left behind by programs that run no more, newest first.
QStringList left_behind();

// A sink for a recorder. Stops writing, and leaves what it has, behind the bytes that it was given.
class Autosave : public trace::Sink {
 public:
  // Null where the folder cannot be written: then nothing is kept, and nothing else is lost.
  static std::shared_ptr<Autosave> create(const QString& title, size_t most_bytes);
  ~Autosave() override;  // removes the file

  const QString& path() const { return path_; }
  const QString& title() const { return title_; }
  size_t most_bytes() const { return most_bytes_; }
  bool half_full() const { return bytes() > most_bytes_ / 2; }
  void describe(const trace::Description& description) override;
  void events(trace::TrackId track, std::span<const trace::Event> events) override;
  void flush() override;

 private:
  Autosave(QString title, QString path, size_t most_bytes, std::shared_ptr<trace::RecordingWriter> writer)
      : title_(std::move(title)), path_(std::move(path)), most_bytes_(most_bytes), writer_(std::move(writer)) {}
  size_t bytes() const { return static_cast<size_t>(writer_->bytes_written()); }

  QString title_, path_;
  size_t most_bytes_;
  std::shared_ptr<trace::RecordingWriter> writer_;
};

}  // namespace arenascope::app
