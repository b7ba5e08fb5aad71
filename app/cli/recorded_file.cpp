// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/recorded_file.h"

#include "app/cli/cli.h"

namespace arenascope::cli {

Status RecordedFile::open(const std::string& path, RunnerOptions& options,
                          const std::vector<std::filesystem::path>& inputs) {
  if (path.empty()) return {};
  trace::RecordingWriter::Options how;
  how.inputs = inputs;
  auto created = trace::RecordingWriter::create(path, std::move(how));
  if (!created) return created.error();
  writer_ = std::move(*created);
  recorder_.add_sink(writer_);
  recorder_.start();
  options.recorder = &recorder_;
  return {};
}

Status RecordedFile::close() {
  if (!writer_) return {};
  recorder_.stop();
  if (auto ok = writer_->close(); !ok) return ok;
  if (recorder_.lost() > 0) cli::print(stderr, "arenascope-cli: {} events lost\n", recorder_.lost());
  return {};
}

}  // namespace arenascope::cli
