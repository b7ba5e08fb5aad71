// SPDX-License-Identifier: GPL-3.0-or-later
// The file that a command records its runs to, if there is to be one.
#pragma once
#include <memory>
#include <string>

#include <arenascope/run/runner.h>
#include <arenascope/trace/recording.h>

namespace arenascope::cli {

class RecordedFile {
 public:
  // For runners that are made before the file; it takes nothing before open().
  trace::Recorder* recorder() { return &recorder_; }
  // Without a path nothing is recorded. Errors: the file cannot be written.
  Status open(const std::string& path, RunnerOptions& options);
  // After the runs. Says how many events were lost, if any. Errors: the disk is full.
  Status close();

 private:
  trace::Recorder recorder_;
  std::shared_ptr<trace::RecordingWriter> writer_;
};

}  // namespace arenascope::cli
