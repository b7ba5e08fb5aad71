// SPDX-License-Identifier: MIT
// Importers of other tools' traces. Formats are detected by content, never by file name. Each importer validates its
// input; a damaged file is opened as far as possible or rejected with one error.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/gunzip.h>
#include <arenascope/trace/recording.h>

#include <filesystem>
#include <string>

namespace arenascope::trace {

enum class TraceKind {
  Recording,
  Perfetto,
  ChromeJson,
  PytorchSnapshot,
  ExecuTorchDump,
  ExecuTorchProgram,
  IreeProfile,
  Dot,
  Unknown
};

struct OpenReport {
  TraceKind kind = TraceKind::Unknown;
  std::string format;                     // "Perfetto trace", for people
  std::string problem;                    // "" or one message about ignored parts; the sink receives it too
  Severity severity = Severity::Warning;  // of `problem`. Note: the file is valid
};

// Detects the format from the first bytes of a file (already decompressed if it was gzip).
TraceKind sniff(ByteSpan head);

// Opens any of them; gzip is decompressed on the way, to at most `largest_unpacked` bytes (see gunzip.h).
struct OpenOptions {
  ReadOptions read;
  size_t largest_unpacked = kMaxDecompressed;
};
Result<OpenReport> open_trace(const std::filesystem::path& path, Sink& sink, const OpenOptions& options = {});
Result<OpenReport> open_trace(ByteSpan bytes, const std::string& name, Sink& sink, const OpenOptions& options = {});

// Chrome's trace event format, array or object form: X, B/E, b/e, S/T/p/F, C, i and M events; "[memory]" instants of
// PyTorch's profiler become allocations; the node events of ONNX Runtime's profile become work of a graph's nodes.
Result<OpenReport> import_chrome_json(ByteSpan bytes, const std::string& name, Sink& sink);
// Slices, instants, states and counters of track events, in the older and the newer form, with interned names, defaults,
// clocks and compressed packets. All other packets are counted by kind in the report.
Result<OpenReport> import_perfetto(ByteSpan bytes, const std::string& name, Sink& sink);
// A pickled torch.cuda.memory._snapshot(): allocations, segments and the arena that they form. Pickles are never executed:
// one that references anything but plain values is rejected with that name.
Result<OpenReport> import_pytorch_snapshot(ByteSpan bytes, const std::string& name, Sink& sink);

// A graph in Graphviz' DOT language, as ggml_graph_dump_dot() and other tools write it: nodes, edges and the labels of
// subgraphs as layers. Sizes are unknown. Edges that close a cycle are left out and counted in the report.
Result<OpenReport> import_dot(ByteSpan bytes, const std::string& name, Sink& sink);

// ExecuTorch's event dump (.etdp) and its program (.pte): calls become work of a graph's nodes, and tensors have the offsets
// of the program's memory plan. A dump that is opened by path is read with the program of the same name in its folder.

// IREE's device profile, as `iree-profile export --format=ireeperf-jsonl` writes it: command buffers become work of graphs'
// nodes, and the contents of its memory pools are placed in spaces.

}  // namespace arenascope::trace
