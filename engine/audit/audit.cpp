// SPDX-License-Identifier: MIT
#include <arenascope/audit/audit.h>
#include <arenascope/trace/gunzip.h>
#include <arenascope/trace/recording.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "engine/audit/figure_query.h"
#include "engine/audit/writer.h"

namespace arenascope::audit {

namespace {

Result<std::string> contents(const std::filesystem::path& path) {
  const std::string name = path.string();
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Error{name + ": cannot open the file: " + std::strerror(errno) + "."};
  struct Closer {
    int file;
    ~Closer() { ::close(file); }
  } closer{file};
  struct stat info {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return Error{name + ": it is not a file."};
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{name + ": it could not be read: " + std::strerror(errno) + "."};
    if (n == 0) break;  // it became shorter
    done += static_cast<size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

// Packets of a Perfetto trace: each has a newline as its tag, and numbers below 9 among its first fields; text has none.
bool has_packets(ByteSpan bytes) {
  if (bytes.empty() || bytes[0] != '\n') return false;
  for (const uint8_t byte : bytes.first(std::min<size_t>(bytes.size(), 4096)))
    if (byte < '\t') return true;
  return false;
}

bool has_identifier(ByteSpan bytes, const char* identifier) {
  return bytes.size() > 8 && std::memcmp(bytes.data() + 4, identifier, 4) == 0;
}

// ExecuTorch's event dump without its size, which most begin with; empty: the file is no dump.
ByteSpan dump_of(ByteSpan bytes) {
  if (has_identifier(bytes, "ED00")) return bytes;
  return bytes.size() > 4 && has_identifier(bytes.subspan(4), "ED00") ? bytes.subspan(4) : ByteSpan();
}

// The first line names the format.
bool is_iree_profile(ByteSpan bytes) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<size_t>(bytes.size(), 4096));
  return head.starts_with('{') && head.substr(0, head.find('\n')).find("\"ireeperf-jsonl\"") != std::string_view::npos;
}

// `program`: of an ExecuTorch event dump; empty: unknown.
Result<Raw> read(ByteSpan bytes, ByteSpan program, const std::string& name) {
  if (trace::is_recording_file(bytes)) return read_recording(bytes, name);
  if (has_identifier(bytes, "ET12")) return read_executorch(bytes, name);
  if (const ByteSpan dump = dump_of(bytes); !dump.empty()) return read_executorch_dump(dump, program, name);
  if (is_iree_profile(bytes)) return read_iree(bytes, name);
  if (has_packets(bytes)) return read_perfetto(bytes, name);
  size_t i = bytes.size() >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf ? 3 : 0;
  while (i < bytes.size() && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r' || bytes[i] == '\n')) ++i;
  if (i < bytes.size() && (bytes[i] == '{' || bytes[i] == '[')) return read_json(bytes.subspan(i), name);
  if (bytes.size() > 1 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5) return read_snapshot(bytes, name);
  return Error{name + (bytes.empty()
                           ? ": the file is empty."
                           : ": this is none of the traces that can be audited: a recording, a Chrome or "
                             "Perfetto trace, an ONNX Runtime profile, a PyTorch memory snapshot, an ExecuTorch "
                             "program or event dump, or an exported IREE profile.")};
}

Report report_on(Raw& raw) {
  Report report;
  report.format = raw.format;
  report.problem = raw.problem;
  report.events = raw.events;
  report.lost = raw.lost;
  if (raw.begin > raw.end) raw.begin = raw.end = 0;
  Writer out(report);
  out.count("recording.events", raw.events);
  out.count("recording.lost_events", raw.lost);
  if (raw.entries > 0) out.count("recording.entries", raw.entries);
  out.time("recording.length", raw.end - raw.begin);
  out.count("recording.runs", static_cast<int64_t>(raw.runs.size()));
  audit_runs(raw, out);
  audit_memory(raw, out);
  audit_allocators(raw, out);
  audit_spaces(raw, out);
  audit_resident(raw, out);
  audit_arenas(raw, out);
  audit_plans(raw, out);
  audit_nodes(raw, out);
  audit_barriers(raw, out);
  audit_threads(raw, out);
  audit_kernels(raw, out);
  audit_graphs(raw, out);
  audit_requests(raw, out);
  audit_contexts(raw, out);
  audit_copies(raw, out);
  audit_samples(raw, out);
  find_impossible_spans(raw, out);
  find_impossible_memory(raw, out);
  return report;
}

}  // namespace

const char* name(Unit unit) {
  switch (unit) {
    case Unit::Bytes: return "bytes";
    case Unit::Nanoseconds: return "ns";
    case Unit::Count: return "count";
    case Unit::Share: return "share";
    case Unit::Step: return "step";
    case Unit::PerNanosecond: return "per ns";
  }
  return "?";
}

const Figure* Report::find(std::string_view id) const {
  for (const Figure& figure : figures)
    if (figure.id == id) return &figure;
  return nullptr;
}

namespace {

ByteSpan as_bytes(const std::string& text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

Result<Raw> read_packed(ByteSpan bytes, ByteSpan program, const std::string& name) {
  if (!trace::is_gzip(bytes)) return read(bytes, program, name);
  const Result<std::string> plain = trace::gunzip(bytes, name);
  if (!plain) return plain.error();
  if (trace::is_gzip(as_bytes(*plain))) return Error{name + ": the file is compressed twice."};
  return read(as_bytes(*plain), program, name);
}

// Error: there is not the memory for it.
template <class Make>
auto within_memory(const std::string& name, Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return Error{name + ": memory ran out while it was audited."};
  }
}

Result<Report> report_of(ByteSpan bytes, ByteSpan program, const std::string& name) {
  auto raw = read_packed(bytes, program, name);
  if (!raw) return raw.error();
  return report_on(*raw);
}

Result<std::shared_ptr<AuditContext>> context_of(ByteSpan bytes, ByteSpan program, const std::string& name) {
  auto raw = read_packed(bytes, program, name);
  if (!raw) return raw.error();
  auto context = std::make_shared<AuditContext>();
  context->raw = std::move(*raw);
  context->report = report_on(context->raw);
  context->residencies = residencies_of(context->raw, nullptr);
  for (size_t i = 0; i < context->report.figures.size(); ++i) context->listed.emplace(context->report.figures[i].id, i);
  return context;
}

// Calls make() with the bytes of a file and, if it is an ExecuTorch event dump, of the program beside it.
template <class Make>
auto of_file(const std::filesystem::path& path, Make make) -> decltype(make({}, {}, path.string())) {
  return within_memory(path.string(), [&]() -> decltype(make({}, {}, path.string())) {
    const auto bytes = contents(path);
    if (!bytes) return bytes.error();
    auto beside = path;
    beside.replace_extension(".pte");
    std::error_code none;
    if (dump_of(as_bytes(*bytes)).empty() || !std::filesystem::is_regular_file(beside, none))
      return make(as_bytes(*bytes), {}, path.string());
    const auto program = contents(beside);
    if (!program) return program.error();
    if (!has_identifier(as_bytes(*program), "ET12")) return Error{beside.string() + ": not an ExecuTorch program."};
    return make(as_bytes(*bytes), as_bytes(*program), path.string());
  });
}

}  // namespace

Result<Report> audit_bytes(std::span<const uint8_t> bytes, const std::string& name) {
  return within_memory(name, [&] { return report_of(bytes, {}, name); });
}

Result<Report> audit_file(const std::filesystem::path& path) { return of_file(path, report_of); }

Result<Auditor> Auditor::of(std::span<const uint8_t> bytes, const std::string& name) {
  auto context = within_memory(name, [&] { return context_of(bytes, {}, name); });
  if (!context) return context.error();
  return Auditor(std::move(*context));
}

Result<Auditor> Auditor::open(const std::filesystem::path& path) {
  auto context = of_file(path, context_of);
  if (!context) return context.error();
  return Auditor(std::move(*context));
}

}  // namespace arenascope::audit
