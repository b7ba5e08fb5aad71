// SPDX-License-Identifier: GPL-3.0-or-later
// The sample session with objects, a counter, a problem and tuning results, so that each table has rows.
#pragma once
#include "sample_session.h"

namespace arenascope::test {

inline std::shared_ptr<trace::Session> rich_session() {
  auto session = sample_session();
  session->describe(trace::CounterInfo{trace::CounterId(session->snapshot()->counters.size()), "load", "count"});
  const trace::Event load = trace::counter(session->snapshot()->time.begin + 1,
                                           trace::CounterId(session->snapshot()->counters.size() - 1), 2.5);
  session->events(trace::TrackId(0), {&load, 1});
  auto context = std::make_shared<trace::ContextInfo>();
  context->id = trace::ContextId(0);
  context->name = "model";
  context->mem_size = 4096;
  context->used_mem = 480;
  context->objects = {{48, 112, 16, 32, "tensor", 1, "conv1", {}}, {192, 288, 160, 32, "graph", -1, "", {}}};
  session->describe(std::shared_ptr<const trace::ContextInfo>(context));
  session->describe(trace::Problem{trace::Severity::Warning, "something is odd", 0, {}, NodeId(1)});
  for (const bool ways : {false, true}) {
    trace::TuningInfo tuning{.kernel = "scale",
                             .sizes = "512x64x1",
                             .local = {64, 2, 1},
                             .way = {},
                             .level = "wide",
                             .tried = 4,
                             .seconds = 0.002,
                             .remembered = ways};
    if (ways) tuning.way = 1;
    tuning.candidates = {{{64, 1, 1}, {}, 0.003}, {{64, 2, 1}, {}, 0.002}, {{1, 1, 1}, {}, -1}};
    session->describe(tuning);
  }
  return session;
}

}  // namespace arenascope::test
