// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/bench_record.h"

#include <algorithm>
#include <ctime>
#include <filesystem>

#include <arenascope/trace/recording.h>
#include <fmt/format.h>
#include <unistd.h>

#include <arenascope/run/runner.h>

namespace arenascope::app {
namespace {

// Of all threads of the process: other programs at work do not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Result<std::vector<BenchRow>> bench_record(const std::string& model, int threads, int pairs) {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (error) return Error{fmt::format("there is no temporary folder: {}", error.message())};
  const auto path = folder / fmt::format("arenascope-bench-{}.trace", getpid());
  auto writer = trace::RecordingWriter::create(path);
  if (!writer) return writer.error();
  trace::Recorder recorder;
  recorder.add_sink(*writer);
  RunnerOptions plain, recorded;
  plain.threads = recorded.threads = threads;
  plain.fuse = recorded.fuse = true;
  plain.planner = recorded.planner = "two-level";
  recorded.recorder = &recorder;
  auto without = Runner::open(model, plain);
  if (!without) return without.error();
  auto with = Runner::open(model, recorded);
  if (!with) return with.error();
  recorder.drain();  // the descriptions
  double best[2] = {1e9, 1e9};
  for (int i = -2; i < pairs; ++i) {
    // Each first in turn, so that whatever drifts meets both alike.
    for (int half : {i & 1, 1 - (i & 1)}) {
      const double begin = processor_seconds();
      auto report = half ? (*with)->run() : (*without)->run();
      if (!report) return report.error();
      if (half) recorder.drain();
      if (i >= 0) best[half] = std::min(best[half], processor_seconds() - begin);
    }
  }
  with->reset();
  recorder.stop();
  auto closed = (*writer)->close();
  std::filesystem::remove(path, error);
  if (!closed) return closed.error();
  BenchRow row;
  row.name = fmt::format("recording {} ({} events lost)", model, recorder.lost());
  row.value = best[1];
  row.unit = std::string("s");
  row.peer = std::string("the same run unrecorded");  // GCC 12 warns of the assignment in place (its bug 105651)
  row.peer_value = best[0];
  row.ratio = best[1] / best[0];
  row.wanted = 1.01;
  row.met = row.ratio <= row.wanted && recorder.lost() == 0;
  return std::vector<BenchRow>{row};
}

}  // namespace arenascope::app
