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

// A sink for a recorder. Stops writing, and leaves what it has, behind 512 MiB.
class Autosave : public trace::Sink {
 public:
  // Null where the folder cannot be written: then nothing is kept, and nothing else is lost.
  static std::shared_ptr<Autosave> create(const QString& title);
  ~Autosave() override;  // removes the file

  const QString& path() const { return path_; }
  void describe(const trace::Description& description) override;
  void events(trace::TrackId track, std::span<const trace::Event> events) override;
  void flush() override;

 private:
  Autosave(QString path, std::shared_ptr<trace::RecordingWriter> writer)
      : path_(std::move(path)), writer_(std::move(writer)) {}
  QString path_;
  std::shared_ptr<trace::RecordingWriter> writer_;
};

}  // namespace arenascope::app
