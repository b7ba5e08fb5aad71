// SPDX-License-Identifier: MIT
#include <arenascope/trace/import.h>
#include <fcntl.h>
#include <unistd.h>
#include "engine/trace/dot_parser.h"
#include "engine/trace/import_executorch.h"
#include "engine/trace/import_iree.h"
#include "engine/trace/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace arenascope::trace {

namespace {

Result<OpenReport> from(const Result<ReadReport>& read) {
  if (!read.ok()) return read.error();
  return OpenReport{TraceKind::Recording, "Arenascope recording", read->problem};
}

bool is_blank(uint8_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool is_json(ByteSpan head) {
  size_t i = head.size() >= 3 && head[0] == 0xef && head[1] == 0xbb && head[2] == 0xbf ? 3 : 0;
  while (i < head.size() && is_blank(head[i])) ++i;
  return i < head.size() && (head[i] == '{' || head[i] == '[');
}

// The first packet's tag is a newline and its length may be any byte, so the first bytes of a trace may also be those
// of JSON. Text has no control characters; packets have them in their field values.
bool is_perfetto(ByteSpan head) {
  constexpr size_t kEnough = 4096;
  if (head.size() < 3 || head[0] != 0x0a) return false;
  const ByteSpan first = head.first(std::min(head.size(), kEnough));
  if (std::none_of(first.begin(), first.end(), [](uint8_t c) { return c < 0x20 && !is_blank(c); })) return false;
  if (!is_json(head)) return true;
  WireReader trace(head);  // JSON with a control character in a string is not a sequence of packets
  if (!trace.next()) return false;
  WireReader packet(trace.payload);
  while (packet.next()) {
  }
  return packet.ok();
}

// A safetensors file begins with the length of its JSON header, whose first byte may look like that of a trace.
bool is_safetensors(ByteSpan b) {
  return b.size() > 8 && b[4] == 0 && b[5] == 0 && b[6] == 0 && b[7] == 0 && b[8] == '{';
}

}  // namespace

TraceKind sniff(ByteSpan head) {
  if (is_recording_file(head)) return TraceKind::Recording;
  if (head.empty() || is_safetensors(head)) return TraceKind::Unknown;
  if (is_executorch_dump(head)) return TraceKind::ExecuTorchDump;
  if (ExecuTorchProgram::is_one(head)) return TraceKind::ExecuTorchProgram;
  if (is_iree_export(head)) return TraceKind::IreeProfile;
  if (head.size() > 1 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5) return TraceKind::PytorchSnapshot;
  if (is_perfetto(head)) return TraceKind::Perfetto;
  if (is_json(head)) return TraceKind::ChromeJson;
  if (is_dot(head)) return TraceKind::Dot;
  return TraceKind::Unknown;
}

Result<OpenReport> open_trace(ByteSpan bytes, const std::string& name, Sink& sink, const OpenOptions& options) {
  if (is_gzip(bytes)) {
    const auto unpacked = gunzip(bytes, name, options.largest_unpacked);
    if (!unpacked.ok()) return unpacked.error();
    if (is_gzip(as_bytes(*unpacked))) return Error{name + ": the file is compressed twice."};
    return open_trace(as_bytes(*unpacked), name, sink, options);
  }
  switch (sniff(bytes)) {
    case TraceKind::Recording: return from(read_recording(bytes, name, sink, options.read));
    case TraceKind::Perfetto: return import_perfetto(bytes, name, sink);
    case TraceKind::ChromeJson: return import_chrome_json(bytes, name, sink);
    case TraceKind::PytorchSnapshot: return import_pytorch_snapshot(bytes, name, sink);
    case TraceKind::ExecuTorchDump: return import_executorch_dump(bytes, name, nullptr, sink);
    case TraceKind::ExecuTorchProgram: return import_executorch_program(bytes, name, sink);
    case TraceKind::IreeProfile: return import_iree_export(bytes, name, sink);
    case TraceKind::Dot: return import_dot(bytes, name, sink);
    case TraceKind::Unknown: break;
  }
  if (is_iree_bundle(bytes))
    return Error{name + ": a binary IREE profile; convert it with 'iree-profile export --format=ireeperf-jsonl'."};
  return Error{name + (bytes.empty()
                           ? ": the file is empty."
                           : ": unknown trace format; expected an Arenascope recording, a Perfetto or "
                             "Chrome trace, an ONNX Runtime profile, a PyTorch memory snapshot, an ExecuTorch "
                             "program or event dump, an exported IREE profile, or a DOT graph.")};
}

namespace {

// Opens a dump with its program, if the program is stored in the same folder.
Result<OpenReport> open_dump(ByteSpan bytes, const std::filesystem::path& path, Sink& sink) {
  auto beside = path;
  beside.replace_extension(".pte");
  std::error_code none;
  if (!std::filesystem::is_regular_file(beside, none))
    return import_executorch_dump(bytes, path.string(), nullptr, sink);
  const auto program_bytes = read_all(beside);
  if (!program_bytes.ok()) return program_bytes.error();
  const auto program = ExecuTorchProgram::read(as_bytes(*program_bytes), beside.string());
  if (!program) return program.error();
  return import_executorch_dump(bytes, path.string(), &*program, sink);
}

}  // namespace

Result<OpenReport> open_trace(const std::filesystem::path& path, Sink& sink, const OpenOptions& options) {
  // A recording may be large, so it is read in pieces. The first packet is short.
  uint8_t head[64];
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // do not block on a pipe
  if (file < 0) return Error{path.string() + ": cannot open the file: " + std::strerror(errno) + "."};
  const ssize_t n = ::read(file, head, sizeof head);
  ::close(file);
  if (n > 0 && is_recording_file(ByteSpan(head, static_cast<size_t>(n)))) {
    return from(read_recording(path, sink, options.read));
  }
  const auto bytes = read_all(path);
  if (!bytes.ok()) return bytes.error();
  if (is_executorch_dump(as_bytes(*bytes))) return open_dump(as_bytes(*bytes), path, sink);
  return open_trace(as_bytes(*bytes), path.string(), sink, options);
}

}  // namespace arenascope::trace
