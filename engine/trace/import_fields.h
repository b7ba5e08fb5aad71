// SPDX-License-Identifier: MIT
// What each importer does with each field of its format: in what it is shown, or why it is left out. A field of a file
// that stands in neither list is a gap: the tests/engine/trace/import_fields_*_test.cpp walk the traces that there are,
// without the importers, and changes each field to see that what is said here is so.
#pragma once
#include <span>
#include <string_view>

namespace arenascope::trace {

enum class ImportFormat { Chrome, Kineto, OnnxRuntime, Perfetto, PytorchSnapshot, Iree };

struct ImportField {
  // Chrome's formats: "KEY" of the file, "PHASE.KEY" and "PHASE.args.KEY" of events, where "*" stands for any key.
  // Pickles: keys with "." and "[]" in between. Perfetto: field numbers from TracePacket on, as "11.9".
  // IREE: "RECORD.KEY".
  std::string_view path;
  std::string_view shown;     // in what; empty: it is left out
  std::string_view left_out;  // why
};

std::span<const ImportField> import_fields(ImportFormat format);
// The field of a path, itself or else by the longest "*"; null: nobody thought of it.
const ImportField* find_import_field(ImportFormat format, std::string_view path);

}  // namespace arenascope::trace
