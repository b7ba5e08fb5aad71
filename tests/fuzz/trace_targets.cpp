// SPDX-License-Identifier: MIT
// Recordings, traces of other tools, and the stream of an attached program.
#include <arenascope/trace/import.h>
#include <arenascope/trace/recording.h>
#include <arenascope/trace/session.h>

#include <fstream>
#include <iterator>

#include "engine/attach/stream.h"
#include "tests/engine/trace/sample_executorch.h"
#include "tests/engine/trace/sample_session.h"
#include "tests/engine/trace/sample_traces.h"
#include "tests/fuzz/targets.h"
#include "tests/support/query_session.h"
#include "tests/support/temp_folder.h"

namespace arenascope::fuzz {

namespace {

using namespace trace;

void query(const Session& session) { require(test::query_all(session) >= 0, "a negative number of events"); }

template <class Report>
void check_import(const Result<Report>& report, const Session& session) {
  if (!report) return require(report.error().message.starts_with("input: "), "an error that does not name its file");
  query(session);
}

void run_recording(ByteSpan input) {
  Session session;
  check_import(read_recording(input, "input", session), session);
}

void run_any(ByteSpan input) {
  Session session;
  check_import(open_trace(input, "input", session), session);
}

template <Result<OpenReport> (*kImport)(ByteSpan, const std::string&, Sink&)>
void run_importer(ByteSpan input) {
  Session session;
  check_import(kImport(input, "input", session), session);
}

void run_attach(ByteSpan input) {
  (void)attach::read_greeting(input);
  Session session;
  attach::IdCounters counters;
  attach::IdRemapper remapper(session, counters, 1);
  attach::Stream stream(remapper);
  const size_t half = input.size() / 2;
  if (stream.take(input.first(half)).ok()) (void)stream.take(input.subspan(half));
  query(session);
}

std::vector<std::string> recording_seeds() {
  const test::TempFolder folder;
  Session session;
  test::fill(session, {});
  const std::string path = folder / "a.pftrace";
  require(save_recording(*session.snapshot(), path).ok(), "the sample recording cannot be written");
  std::ifstream in(path, std::ios::binary);
  return {{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}};
}

constexpr Target kTargets[] = {
    {"recording", run_recording, recording_seeds},
    {"attach", run_attach, recording_seeds},
    {"chrome", run_importer<import_chrome_json>, [] { return std::vector{test::kChromeJson}; }},
    {"onnxruntime", run_importer<import_chrome_json>,
     [] {
       return std::vector{test::kOnnxRuntimeProfile, test::kOnnxRuntimeNameless, test::kOnnxRuntimeDirectMl};
     }},
    {"perfetto", run_importer<import_perfetto>, [] { return std::vector{test::perfetto_trace()}; }},
    {"pytorch", run_importer<import_pytorch_snapshot>, [] { return std::vector{test::snapshot_pickle()}; }},
    {"executorch", run_any,
     [] {
       return std::vector{test::executorch_program(), test::executorch_dump(), test::executorch_methods(),
                          test::executorch_methods_dump()};
     }},
    {"dot", run_importer<import_dot>,
     [] {
       return std::vector{
           test::ggml_dot(),
           std::string("strict digraph \"a b\" { graph [label=x] node [shape=record]; subgraph cluster_0 { "
                       "label=\"block 0\"; a [label=\"{<p>Conv|k=3}\"]; b } a:p:n -> b -> {c d}; /* */ c -- "
                       "a; e [label=<<b>Relu</b> x>] }")};
     }},
    {"iree", run_any, [] { return std::vector{test::iree_export()}; }}};

}  // namespace

std::span<const Target> trace_targets() { return kTargets; }

}  // namespace arenascope::fuzz
