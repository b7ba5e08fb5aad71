// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/bench_record.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <arenascope/trace/recording.h>
#include <fmt/format.h>
#include <unistd.h>

#include <arenascope/run/runner.h>

#include "engine/bench/measure.h"

namespace arenascope::app {
namespace {

// The model with and without a recording to a file, on the same number of threads.
class Pair {
 public:
  static Result<std::unique_ptr<Pair>> open(const std::string& model, int threads) {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    if (error) return Error{fmt::format("no temporary directory: {}", error.message())};
    std::unique_ptr<Pair> pair(new Pair);
    pair->path_ = folder / fmt::format("arenascope-bench-{}.trace", getpid());
    auto writer = trace::RecordingWriter::create(pair->path_);
    if (!writer) return writer.error();
    pair->writer_ = std::move(*writer);
    pair->recorder_.add_sink(pair->writer_);
    for (const bool recorded : {false, true}) {
      RunnerOptions options;
      options.threads = threads;
      options.fuse = true;
      options.planner = "two-level";
      options.force_multithreaded = true;
      options.recorder = recorded ? &pair->recorder_ : nullptr;
      auto runner = Runner::open(model, options);
      if (!runner) return runner.error();
      pair->runners_[recorded] = std::move(*runner);
    }
    pair->recorder_.drain();  // the graph description
    return pair;
  }
  ~Pair() {
    runners_[1].reset();
    recorder_.stop();
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  // Includes writing the recording to the file.
  Result<RunReport> run(bool recorded, bool timed) {
    auto report = runners_[recorded]->run({.timed = timed});
    if (recorded) recorder_.drain();
    return report;
  }
  int64_t lost() const { return recorder_.lost(); }
  Status close() {
    runners_[1].reset();
    recorder_.stop();
    return writer_->close();
  }

 private:
  Pair() = default;
  std::filesystem::path path_;
  std::shared_ptr<trace::RecordingWriter> writer_;
  trace::Recorder recorder_;
  std::unique_ptr<Runner> runners_[2];  // without, with recording
};

Result<BenchRow> processor_time(Pair& pair, const std::string& model, int pairs) {
  double best[2] = {1e9, 1e9};
  for (int i = -2; i < pairs; ++i) {
    // Alternates which one runs first, so that drift affects both equally.
    for (int half : {i & 1, 1 - (i & 1)}) {
      const double begin = processor_seconds();
      auto report = pair.run(half == 1, false);
      if (!report) return report.error();
      if (i >= 0) best[half] = std::min(best[half], processor_seconds() - begin);
    }
  }
  BenchRow row;
  row.name = fmt::format("recording {} ({} events lost)", model, pair.lost());
  row.value = best[1];
  row.unit = std::string("s");
  row.peer = std::string("the same run without recording");  // GCC 12 warns about in-place assignment (bug 105651)
  row.peer_value = best[0];
  row.ratio = best[1] / best[0];
  row.target = 1.01;
  row.passed = row.ratio <= row.target && pair.lost() == 0;
  return row;
}

// Barrier wait with recording relative to without: the median ratio of interleaved pairs, and its 95 % interval from
// the ranks of the ratios.
Result<BenchRow> barrier_waits(Pair& pair, const std::string& model, int pairs) {
  std::vector<double> ratios, waits[2];
  for (int i = -2; i < pairs; ++i) {
    RunReport reports[2];
    for (int half : {i & 1, 1 - (i & 1)}) {
      auto report = pair.run(half == 1, true);
      if (!report) return report.error();
      reports[half] = std::move(*report);
    }
    if (reports[0].barriers != reports[1].barriers || reports[0].threads != reports[1].threads)
      return Error{fmt::format("{} has {} barriers of {} threads, and recorded {} of {}", model, reports[0].barriers,
                               reports[0].threads, reports[1].barriers, reports[1].threads)};
    double waited[2] = {0, 0};
    for (int half : {0, 1})
      for (const NodeTime& node : reports[half].nodes) waited[half] += double(node.barrier_wait_nanoseconds) / 1e9;
    if (i < 0 || waited[0] <= 0) continue;
    ratios.push_back(waited[1] / waited[0]);
    for (int half : {0, 1}) waits[half].push_back(waited[half]);
  }
  if (ratios.size() < 10) return Error{fmt::format("{} has no barriers", model)};
  std::sort(ratios.begin(), ratios.end());
  const double n = double(ratios.size()), reach = 0.98 * std::sqrt(n);
  const double low = ratios[static_cast<size_t>(std::max(std::floor(n / 2 - reach), 0.0))];
  const double high = ratios[static_cast<size_t>(std::min(std::ceil(n / 2 + reach), n - 1))];
  BenchRow row;
  row.passed = low >= 0.95 && high <= 1.05;
  const bool open = !row.passed && low < 1.05 && high > 0.95;
  row.name = fmt::format("barrier waits of {} recorded, {} pairs, 95 % interval {:.3f} to {:.3f}{}", model,
                         ratios.size(), low, high, open ? ": inconclusive" : "");
  row.value = median(waits[1]);
  row.unit = std::string("s");
  row.peer = std::string("the same run without recording; median of the pairs");
  row.peer_value = median(waits[0]);
  row.ratio = median(ratios);
  row.target = 1.05;
  return row;
}

}  // namespace

Result<std::vector<BenchRow>> bench_record(const std::string& model, int threads, int pairs) {
  auto pair = Pair::open(model, threads);
  if (!pair) return pair.error();
  auto time = processor_time(**pair, model, std::min(pairs, 40));
  if (!time) return time.error();
  std::vector<BenchRow> rows{std::move(*time)};
  if (threads != 1 && usable_processors() > 1) {
    auto waits = barrier_waits(**pair, model, pairs);
    if (!waits) return waits.error();
    rows.push_back(std::move(*waits));
  }
  if (auto ok = (*pair)->close(); !ok) return ok.error();
  return rows;
}

}  // namespace arenascope::app
