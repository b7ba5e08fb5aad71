// SPDX-License-Identifier: GPL-3.0-or-later
// The recording file of a command, if one was requested.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <arenascope/run/runner.h>
#include <arenascope/trace/recording.h>

namespace arenascope::cli {

class RecordedFile {
 public:
  // For runners created before open(); nothing is recorded until then.
  trace::Recorder* recorder() { return &recorder_; }
  // An empty path records nothing. `inputs`: files that the command reads; the recording must not be one of them. Errors:
  // the file cannot be written.
  Status open(const std::string& path, RunnerOptions& options, const std::vector<std::filesystem::path>& inputs);
  // Called after the runs. Prints the number of lost events, if any. Errors: the disk is full.
  Status close();

 private:
  trace::Recorder recorder_;
  std::shared_ptr<trace::RecordingWriter> writer_;
};

}  // namespace arenascope::cli
