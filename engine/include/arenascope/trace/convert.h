// SPDX-License-Identifier: MIT
// Exports a session to other tools' formats and to text. The output is streamed, so that its size does not matter.
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

// Chrome's trace event format (JSON object form): one complete event per span, one counter event per change of memory,
// thread names as metadata. Times are microseconds with three decimals.
void to_chrome_json(const Snapshot& snapshot, TextOut& out);
// One line per span: track, kind, name, node, run, begin_ns, end_ns. The first line has the column names.
void to_spans_csv(const Snapshot& snapshot, TextOut& out);
// One line a change of memory: time_ns, what, kind, address, bytes, allocator, block.
void to_memory_csv(const Snapshot& snapshot, TextOut& out);
// A graph in Graphviz' DOT language, with layers as clusters; import_dot() reads it back. A snapshot
// contributes its newest graph that is not of_file.
void to_dot(const GraphInfo& graph, TextOut& out);
void to_dot(const Snapshot& snapshot, TextOut& out);
// The whole session, one entry per line, for reading and for comparing two sessions.
void to_text(const Snapshot& snapshot, TextOut& out);

enum class Format { ChromeJson, SpansCsv, MemoryCsv, Text, Dot, Recording };
// By the name's ending: .json, .csv (spans), .memory.csv, .txt, .dot, .arenascope/.pftrace/.perfetto-trace.
Result<Format> format_of(const std::filesystem::path& path);
// `inputs`: files that are being read, which must not be overwritten.
Status write(const Snapshot& snapshot, Format format, const std::filesystem::path& path,
             const WriteProgress& progress = {}, const std::vector<std::filesystem::path>& inputs = {});

std::string to_string(const Snapshot& snapshot, Format format);  // not Recording

}  // namespace arenascope::trace
