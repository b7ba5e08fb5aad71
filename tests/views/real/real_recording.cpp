// SPDX-License-Identifier: GPL-3.0-or-later
#include "real_recording.h"

#include <arenascope/trace/recorder.h>
#include <arenascope/trace/recording.h>
#include <unistd.h>

#include <filesystem>

#include "app/common/model_runner.h"
#include "tests/test_data.h"

namespace arenascope::test {
namespace {

// Errors: what of it fails.
Result<std::shared_ptr<trace::Session>> record(const std::string& model, app::RunnerOptions options, const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path file = fs::temp_directory_path() / ("arenascope-" + name + "-" + std::to_string(getpid()) + ".arenascope");
  struct Remove {
    const fs::path& path;
    ~Remove() {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  } remove{file};
  {
    trace::Recorder recorder;
    auto writer = trace::RecordingWriter::create(file);
    if (!writer) return writer.error();
    recorder.add_sink(*writer);
    recorder.start();
    options.recorder = &recorder;
    auto runner = app::ModelRunner::open(model, options);
    if (!runner) return runner.error();
    for (int i = 0; i < 2; ++i)
      if (auto report = (*runner)->run(); !report) return report.error();
    recorder.stop();
    if (auto ok = (*writer)->close(); !ok) return ok.error();
  }
  auto session = std::make_shared<trace::Session>();
  auto report = trace::read_recording(file, *session);
  if (!report) return report.error();
  if (!report->problem.empty()) return Error{report->problem};
  return session;
}

RealRecording made(Result<std::shared_ptr<trace::Session>> recorded) {
  if (recorded) return {std::move(*recorded), {}};
  return {nullptr, "skipped: " + recorded.error().message};
}

}  // namespace

const RealRecording& real_recording() {
  static const RealRecording recording = [] {
    const std::filesystem::path model = data_folder() / "onnx" / "light" / "squeezenet";
    if (data_folder().empty() || !std::filesystem::exists(model))
      return RealRecording{nullptr, "skipped: no onnx/light/squeezenet in ARENASCOPE_DATA or ../shared/data"};
    app::RunnerOptions options;
    options.threads = 2;
    return made(record(model.string(), options, "squeezenet"));
  }();
  return recording;
}

const RealRecording& device_recording() {
  static const RealRecording recording = [] {
    app::RunnerOptions options;
    options.backend = "opencl";
    options.backend_options["cache"] = "none";
    options.strategy = MemoryStrategy::Eager;
    return made(record("zoo:mul_mat", options, "opencl"));
  }();
  return recording;
}

}  // namespace arenascope::test
