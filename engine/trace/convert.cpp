// SPDX-License-Identifier: MIT
#include <arenascope/base/csv.h>
#include <arenascope/base/output_file.h>
#include <arenascope/base/printable.h>
#include <arenascope/trace/convert.h>
#include <arenascope/trace/recording.h>
#include <fmt/format.h>
#include "engine/trace/text_print.h"

#include <cerrno>
#include <cmath>
#include <cstring>

namespace arenascope::trace {

namespace {

// Gathers and writes to a file, which remembers the first failure.
class FileOut : public TextOut {
 public:
  FileOut(OutputFile& file, const WriteProgress& progress) : file_(file), progress_(progress) {}
  void put(std::string_view text) override {
    if (stopped_) return;
    buffer_ += text;
    if (buffer_.size() >= (size_t{1} << 18)) flush();
  }
  void flush() {
    const Status written = file_.write(buffer_);
    buffer_.clear();
    stopped_ = stopped_ || !written || (progress_ && !progress_(-1));
  }
  bool stopped() const { return stopped_; }  // by a failure or on request

 private:
  OutputFile& file_;
  const WriteProgress& progress_;
  bool stopped_ = false;
  std::string buffer_;
};

class StringOut : public TextOut {
 public:
  void put(std::string_view text) override { all += text; }
  std::string all;
};

// Formats nanoseconds as microseconds without rounding.
std::string micros(Nanoseconds t) {
  const uint64_t n = t < 0 ? 0 - static_cast<uint64_t>(t) : static_cast<uint64_t>(t);
  return fmt::format("{}{}.{:03}", t < 0 ? "-" : "", n / 1000, n % 1000);
}

template <class F>
void each_span(const Snapshot& s, F&& f) {
  for (size_t t = 0; t < s.tracks.size(); ++t) {
    for (const LaneView& lane : s.tracks[t].lanes) {
      for (size_t i = 0; i < lane.rows.size(); ++i) f(t, lane.rows[i]);
    }
  }
}

int64_t process_of(const ThreadInfo& t) { return t.process == 0 ? 1 : t.process; }
// A track that is not a thread's own gets a number of its own, because viewers show one row per number.
int64_t thread_of(const ThreadInfo& t) {
  return t.thread == 0 || t.kind == TrackKind::Other ? t.id.value + 2 : t.thread;
}

}  // namespace

void to_chrome_json(const Snapshot& s, TextOut& out) {
  out.put("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"arenascope\"},\"traceEvents\":[\n");
  out.put("{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"arenascope\"}}");
  for (const TrackView& t : s.tracks) {
    print(out, ",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}",
          process_of(t.info), thread_of(t.info), json_string(t.info.name));
  }
  each_span(s, [&](size_t track, const Event& e) {
    const ThreadInfo& t = s.tracks[track].info;
    print(out, ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"cat\":\"{}\",\"name\":{}", process_of(t),
          thread_of(t), micros(e.begin()), micros(e.end() - e.begin()), kind_name(e.kind()), json_string(s.label(e)));
    if (e.kind() == EventKind::Work || e.kind() == EventKind::Wait) {
      print(out, ",\"args\":{{\"run\":{},\"node\":{}}}", e.run().value, e.node().value);
    } else if (e.kind() == EventKind::Copy) {
      print(out, ",\"args\":{{\"bytes\":{}}}", e.b);
    }
    out.put("}");
  });
  const auto series = [&](const SeriesView& view, const std::string& name) {
    for (size_t i = 0; i < view.samples.size(); ++i) {
      const double v = view.samples[i].value;
      if (!std::isfinite(v)) continue;  // JSON cannot represent NaN and infinities
      print(out, ",\n{{\"ph\":\"C\",\"pid\":1,\"ts\":{},\"name\":{},\"args\":{{\"value\":{}}}}}",
            micros(view.samples[i].time), json_string(name), v);
    }
  };
  for (size_t k = 0; k < kMemoryKinds; ++k) {
    series(s.active[k], std::string(kMemoryKindNames[k]) + " active");
    series(s.reserved[k], std::string(kMemoryKindNames[k]) + " reserved");
  }
  for (size_t i = 0; i < s.counter_series.size(); ++i) series(s.counter_series[i], s.counters[i].name);
  out.put("\n]}\n");
}

void to_spans_csv(const Snapshot& s, TextOut& out) {
  out.put("track,kind,name,node,run,begin_ns,end_ns\n");
  each_span(s, [&](size_t track, const Event& e) {
    const bool of_node = e.kind() == EventKind::Work || e.kind() == EventKind::Wait;
    print(out, "{},{},{},{},{},{},{}\n", csv_field(s.tracks[track].info.name), kind_name(e.kind()),
          csv_field(s.label(e)), of_node ? std::to_string(e.node().value) : "",
          of_node ? std::to_string(e.run().value) : "", e.begin(), e.end());
  });
}

void to_memory_csv(const Snapshot& s, TextOut& out) {
  out.put("time_ns,what,kind,address,bytes,allocator,block\n");
  for (size_t i = 0; i < s.memory_events.size(); ++i) {
    const Event& e = s.event(s.memory_events[i]);
    print(out, "{},{},{},{:#x},{},{},{}\n", e.time, kind_name(e.kind()),
          kMemoryKindNames[static_cast<size_t>(e.memory_kind())], static_cast<uint64_t>(e.a), e.b, e.allocator(), e.id);
  }
}

Result<Format> format_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const auto ends = [&](std::string_view e) {
    return name.size() >= e.size() && name.compare(name.size() - e.size(), e.size(), e) == 0;
  };
  if (ends(".json")) return Format::ChromeJson;
  if (ends(".memory.csv")) return Format::MemoryCsv;
  if (ends(".csv")) return Format::SpansCsv;
  if (ends(".txt")) return Format::Text;
  if (ends(".dot") || ends(".gv")) return Format::Dot;
  if (ends(".arenascope") || ends(".pftrace") || ends(".perfetto-trace")) return Format::Recording;
  return Error{path.string() +
               ": unknown file extension; expected .json, .csv, .memory.csv, .txt, .dot, .arenascope, "
               ".pftrace or .perfetto-trace."};
}

namespace {
void put(const Snapshot& s, Format format, TextOut& out) {
  switch (format) {
    case Format::ChromeJson: return to_chrome_json(s, out);
    case Format::SpansCsv: return to_spans_csv(s, out);
    case Format::MemoryCsv: return to_memory_csv(s, out);
    case Format::Text: return to_text(s, out);
    case Format::Dot: return to_dot(s, out);
    case Format::Recording: return;
  }
}
}  // namespace

Status write(const Snapshot& snapshot, Format format, const std::filesystem::path& path, const WriteProgress& progress,
             const std::vector<std::filesystem::path>& inputs) {
  if (format == Format::Recording) return save_recording(snapshot, path, progress, inputs);
  auto file = OutputFile::open(path, OutputForm::Whole, inputs);
  if (!file) return file.error();
  FileOut out(**file, progress);
  put(snapshot, format, out);
  out.flush();
  if (auto written = (*file)->write({}); !written) return written;
  if (!out.stopped()) return (*file)->close();
  (*file)->remove();
  return Error{path.string() + ": stopped."};
}

std::string to_string(const Snapshot& snapshot, Format format) {
  StringOut out;
  put(snapshot, format, out);
  return std::move(out.all);
}

}  // namespace arenascope::trace
