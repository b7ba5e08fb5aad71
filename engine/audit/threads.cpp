// SPDX-License-Identifier: MIT
// Runs, and what threads, queues and copy engines did in them.
#include <fmt/format.h>

#include "engine/audit/writer.h"

namespace arenascope::audit {

Nanoseconds without(Interval interval, const std::vector<Interval>& pauses) {
  std::vector<Interval> inside;
  for (const Interval& p : pauses) {
    const Interval cut{std::max(p.begin, interval.begin), std::min(p.end, interval.end)};
    if (cut.end > cut.begin) inside.push_back(cut);
  }
  return interval.end - interval.begin - length_of_union(std::move(inside));
}

Nanoseconds length_of_union(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  Nanoseconds length = 0, reached = INT64_MIN;
  for (const Interval& i : intervals) {
    if (i.end <= reached) continue;
    length += i.end - std::max(i.begin, reached);
    reached = i.end;
  }
  return length;
}

namespace {

// An unfinished run is described as far as it is known.
Nanoseconds end_of(const Raw& raw, int32_t id, const RawRun& run) {
  if (run.ended) return run.end.end;
  Nanoseconds end = run.info.begin;
  for (const RawSpan& s : raw.spans)
    if (s.run == id) end = std::max(end, s.end);
  for (const RawMark& m : raw.marks)
    if (m.run == id) end = std::max(end, m.time);
  for (const RawBetween& b : raw.betweens)
    if (b.run == id) end = std::max(end, b.end);
  return end;
}

struct Did {
  std::vector<Interval> busy, waits;
};

struct Sums {
  Nanoseconds busy = 0, wait = 0;
};

Sums sums(const Did& did, const std::vector<Interval>& pauses) {
  // A thread's chunks do not overlap; a pause is inside one only if it was stopped there.
  Sums out;
  const auto unpaused = [&](const std::vector<Interval>& list) {
    Nanoseconds paused = 0;
    for (const Interval& pause : pauses) {
      std::vector<Interval> inside;
      for (const Interval& i : list)
        if (std::min(i.end, pause.end) > std::max(i.begin, pause.begin))
          inside.push_back({std::max(i.begin, pause.begin), std::min(i.end, pause.end)});
      paused += length_of_union(std::move(inside));
    }
    return length_of_union(list) - paused;
  };
  out.busy = unpaused(did.busy);
  out.wait = unpaused(did.waits);
  return out;
}

bool counts_as_busy(const RawSpan& s, const Raw& raw) {
  if (s.kind == SpanKind::Work || s.kind == SpanKind::Copy) return true;
  return s.kind == SpanKind::Named && raw.runs.empty();  // another tool's spans
}

void write(const std::string& id, const ThreadFigures& f, Writer& out) {
  out.time(id + ".busy", f.busy);
  out.time(id + ".wait", f.wait);
  out.share(id + ".busy_share", f.busy_share());
  out.share(id + ".wait_share", f.wait_share());
}

}  // namespace

void audit_runs(const Raw& raw, Writer& out) {
  for (const auto& [id, run] : raw.runs) {
    const Nanoseconds end = end_of(raw, id, run);
    RunFigures f;
    f.run = id;
    f.threads = run.info.threads;
    f.ended = run.ended;
    f.done = run.done();
    f.wall = end - run.info.begin;
    f.paused = f.wall - without({run.info.begin, end}, run.pauses);
    const std::string of = fmt::format("run.{}", id);
    out.time(of + ".begin", run.info.begin - (raw.begin == INT64_MAX ? run.info.begin : raw.begin));
    out.time(of + ".wall", f.wall);
    out.time(of + ".lasted", f.wall - f.paused);
    out.time(of + ".paused", f.paused);
    out.count(of + ".threads", f.threads);
    out.count(of + ".lost_events", run.lost);
    int64_t steps = 0;
    for (const RawMark& m : raw.marks)
      if (m.run == id) steps = std::max<int64_t>(steps, m.step + 1);
    out.count(of + ".steps", steps);
    out.report().runs.push_back(f);
  }
}

// Busy share: busy ÷ (the run's wall time − pauses), or of the whole trace of another tool.
void audit_threads(const Raw& raw, Writer& out) {
  std::map<int32_t, std::map<int32_t, Did>> did;  // by track and run
  struct Mean {
    double busy = 0, wait = 0;
    int64_t threads = 0;
  };
  std::map<int32_t, Mean> runs;  // over threads that have events in them
  for (const RawSpan& s : raw.spans) {
    const int32_t run = raw.runs.contains(s.run) ? s.run : -1;
    if (s.kind == SpanKind::Wait)
      did[s.track][run].waits.push_back({s.begin, s.end});
    else if (counts_as_busy(s, raw))
      did[s.track][run].busy.push_back({s.begin, s.end});
  }
  for (const auto& [track, by_run] : did) {
    const auto info = raw.tracks.find(track);
    ThreadFigures whole;
    whole.name =
        info == raw.tracks.end() || info->second.name.empty() ? fmt::format("thread {}", track) : info->second.name;
    const std::string id = fmt::format("thread.{}", track);
    for (const auto& [run, of] : by_run) {
      const auto known = raw.runs.find(run);
      const std::vector<Interval> none;
      const auto& pauses = known == raw.runs.end() ? none : known->second.pauses;
      const Sums s = sums(of, pauses);
      ThreadFigures f{whole.name, s.busy, s.wait, 0};
      if (known != raw.runs.end())
        f.of = without({known->second.info.begin, end_of(raw, run, known->second)}, pauses);
      else if (raw.runs.empty())
        f.of = raw.end - raw.begin;
      else
        continue;  // copies between runs
      if (run >= 0) {
        write(fmt::format("run.{}.{}", run, id), f, out);
        Mean& mean = runs[run];
        mean.busy += f.busy_share(), mean.wait += f.wait_share();
        if (f.busy + f.wait > 0) ++mean.threads;
      }
      whole.busy += f.busy, whole.wait += f.wait, whole.of += f.of;
    }
    write(id, whole, out);
    out.report().threads.push_back(std::move(whole));
  }
  for (const auto& [run, mean] : runs) {
    if (mean.threads == 0) continue;
    out.share(fmt::format("run.{}.busy_share", run), mean.busy / static_cast<double>(mean.threads));
    out.share(fmt::format("run.{}.wait_share", run), mean.wait / static_cast<double>(mean.threads));
  }
}

// Times of a device's kernels by name: per run and per node.
void audit_kernels(const Raw& raw, Writer& out) {
  struct Kernel {
    int64_t spans = 0;
    Nanoseconds busy = 0;
  };
  std::map<std::string, std::map<std::string, Kernel>> kernels;  // by what they are of, and name
  for (const RawSpan& s : raw.spans) {
    if (s.kind != SpanKind::Work || s.name.empty()) continue;
    for (const std::string& of : {fmt::format("run.{}", s.run), fmt::format("run.{}.node.{}", s.run, s.node)}) {
      Kernel& kernel = kernels[of][s.name];
      ++kernel.spans;
      kernel.busy += s.end - s.begin;
    }
  }
  for (const auto& [of, names] : kernels)
    for (const auto& [name, kernel] : names) {
      out.count(fmt::format("{}.kernel.spans.{}", of, name), kernel.spans);
      out.time(fmt::format("{}.kernel.busy.{}", of, name), kernel.busy);
    }
}

void audit_samples(const Raw& raw, Writer& out) {
  for (const auto& [device, error] : raw.clock_errors) out.time(fmt::format("device.{}.clock_error", device), error);
  std::map<int32_t, std::vector<const RawSample*>> counters;
  for (const RawSample& s : raw.samples) counters[s.counter].push_back(&s);
  for (auto& [counter, samples] : counters) {
    std::stable_sort(samples.begin(), samples.end(),
                     [](const RawSample* a, const RawSample* b) { return a->time < b->time; });
    double most = samples.front()->value, least = most;
    for (const RawSample* s : samples) most = std::max(most, s->value), least = std::min(least, s->value);
    const std::string id = fmt::format("counter.{}", counter);
    out.put(id + ".most", most, Unit::Count);
    out.put(id + ".least", least, Unit::Count);
    out.put(id + ".last", samples.back()->value, Unit::Count);
    out.count(id + ".samples", static_cast<int64_t>(samples.size()));
  }
}

}  // namespace arenascope::audit
