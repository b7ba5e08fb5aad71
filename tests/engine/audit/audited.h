// SPDX-License-Identifier: MIT
// The auditor's metrics of a stream of events, written to a file and read.
#pragma once
#include <arenascope/audit/audit.h>
#include <arenascope/trace/recording.h>

#include "support/random_events.h"
#include "tests/engine/trace/temp_file.h"

namespace arenascope::test {

template <class Play>
Result<audit::Report> audited_of(Play&& play) {
  const TempFile file("audited.pftrace");
  auto writer = trace::RecordingWriter::create(file.path, {.mirror = false});
  if (!writer) return writer.error();
  play(**writer);
  if (auto ok = (*writer)->close(); !ok) return ok.error();
  return audit::audit_file(file.path);
}

inline Result<audit::Report> audited(const Stream& stream) {
  return audited_of([&](trace::Sink& sink) { stream.play(sink); });
}

inline Result<audit::Auditor> auditor_of(const Stream& stream) {
  const TempFile file("audited.pftrace");
  auto writer = trace::RecordingWriter::create(file.path, {.mirror = false});
  if (!writer) return writer.error();
  stream.play(**writer);
  if (auto ok = (*writer)->close(); !ok) return ok.error();
  return audit::Auditor::open(file.path);
}

}  // namespace arenascope::test
