// SPDX-License-Identifier: MIT
// What a session holds, in other tools' formats and as text. All are written piece by piece, whatever the size.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/recording.h>
#include <arenascope/trace/snapshot.h>

#include <filesystem>
#include <string>

namespace arenascope::trace {

// Takes text and puts it into a file or a string.
class TextOut {
 public:
  virtual ~TextOut() = default;
  virtual void put(std::string_view text) = 0;
};

// Chrome's trace event format (JSON object form): a complete event a span, a counter event a change of memory, names
// of threads as metadata. Times are microseconds with the nanoseconds behind the point.
void to_chrome_json(const Snapshot& snapshot, TextOut& out);
// One line a span: track, kind, name, node, run, begin_ns, end_ns. A first line names the columns.
void to_spans_csv(const Snapshot& snapshot, TextOut& out);
// One line a change of memory: time_ns, what, kind, address, bytes, allocator, block.
void to_memory_csv(const Snapshot& snapshot, TextOut& out);
// Everything, one thing a line, for reading and for comparing two sessions.
void to_text(const Snapshot& snapshot, TextOut& out);

enum class Format { ChromeJson, SpansCsv, MemoryCsv, Text, Recording };
// By the name's ending: .json, .csv (spans), .memory.csv, .txt, .arenascope/.pftrace/.perfetto-trace.
Result<Format> format_of(const std::filesystem::path& path);
// `inputs`: files that are read, none of which it may be.
Status write(const Snapshot& snapshot, Format format, const std::filesystem::path& path,
             const WriteProgress& progress = {}, const std::vector<std::filesystem::path>& inputs = {});

std::string to_string(const Snapshot& snapshot, Format format);  // not Recording

}  // namespace arenascope::trace
