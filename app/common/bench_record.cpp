// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/bench_record.h"

#include <algorithm>
#include <filesystem>

#include <arenascope/trace/recording.h>
#include <fmt/format.h>
#include <unistd.h>

#include "app/common/model_runner.h"

namespace arenascope::app {

Result<std::vector<BenchRow>> bench_record(const std::string& model, int threads, int pairs) {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (error) return Error{fmt::format("there is no temporary folder: {}", error.message())};
  const auto path = folder / fmt::format("arenascope-bench-{}.trace", getpid());
  auto writer = trace::RecordingWriter::create(path);
  if (!writer) return writer.error();
  trace::Recorder recorder;
  recorder.add_sink(*writer);
  recorder.start();
  RunnerOptions plain, recorded;
  plain.threads = recorded.threads = threads;
  recorded.recorder = &recorder;
  auto without = ModelRunner::open(model, plain);
  if (!without) return without.error();
  auto with = ModelRunner::open(model, recorded);
  if (!with) return with.error();
  std::vector<double> ratios, ours, theirs;
  for (int i = -2; i < pairs; ++i) {
    // Each first in turn, so that whatever drifts meets both alike.
    double seconds[2];
    for (int half : {i & 1, 1 - (i & 1)}) {
      auto report = half ? (*with)->run() : (*without)->run();
      if (!report) return report.error();
      seconds[half] = double(report->nanoseconds) / 1e9;
    }
    if (i < 0) continue;  // warm-up
    ratios.push_back(seconds[1] / seconds[0]);
    ours.push_back(seconds[1]);
    theirs.push_back(seconds[0]);
  }
  with->reset();
  recorder.stop();
  auto closed = (*writer)->close();
  std::filesystem::remove(path, error);
  if (!closed) return closed.error();
  const auto median = [](std::vector<double>& v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  BenchRow row;
  row.name = fmt::format("recording {} ({} events lost)", model, recorder.lost());
  row.value = median(ours);
  row.unit = "s";
  row.peer = "the same run unrecorded";
  row.peer_value = median(theirs);
  row.ratio = median(ratios);
  row.wanted = 1.02;
  row.met = row.ratio <= row.wanted && recorder.lost() == 0;
  return std::vector<BenchRow>{row};
}

}  // namespace arenascope::app
