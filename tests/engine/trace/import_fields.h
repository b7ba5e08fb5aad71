// SPDX-License-Identifier: MIT
// Lists for each importer how each field of its format is used: what shows it, or why it is left out. A field that is
// missing here is a gap. The tests/engine/trace/import_fields_*_test.cpp collect the fields of sample traces without
// the importers, and modify each field to verify its entry.
#pragma once
#include <span>
#include <string_view>

namespace arenascope::trace {

enum class ImportFormat { Chrome, Kineto, OnnxRuntime, Perfetto, PytorchSnapshot, Iree };

struct ImportField {
  // Chrome's formats: "KEY" of the file, "PHASE.KEY" and "PHASE.args.KEY" of events; "*" matches any key. Pickles: keys
  // separated by "." and "[]". Perfetto: field numbers starting at TracePacket, such as "11.9". IREE: "RECORD.KEY".
  std::string_view path;
  std::string_view shown;     // the views that show it; empty: left out
  std::string_view left_out;  // reason for leaving it out
};

std::span<const ImportField> import_fields(ImportFormat format);
// The entry of a path: an exact match, or else the longest one with "*"; null if the field is not listed.
const ImportField* find_import_field(ImportFormat format, std::string_view path);

}  // namespace arenascope::trace
