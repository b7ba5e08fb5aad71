// SPDX-License-Identifier: MIT
// The auditor of what a lesson shows.
#pragma once
#include <arenascope/audit/audit.h>
#include <arenascope/lesson/facts.h>
#include <arenascope/trace/recording.h>

#include <iterator>

#include "tests/engine/trace/temp_file.h"

namespace arenascope::test {

// The scene as a recording, with the plan that is shown in place of the run's.
inline Result<audit::Auditor> audited(lesson::Scene& scene) {
  const TempFile file("lesson.pftrace");
  auto writer = trace::RecordingWriter::create(file.path, {.mirror = false});
  if (!writer) return writer.error();
  trace::replay(*scene.snapshot, **writer);
  const trace::PlanInfo* known = scene.plan ? scene.snapshot->plan(scene.plan->id) : nullptr;
  if (scene.plan && known != scene.plan.get()) {
    auto shown = std::make_shared<trace::PlanInfo>(*scene.plan);
    shown->id = trace::PlanId(scene.snapshot->plans.size());
    (*writer)->describe(std::shared_ptr<const trace::PlanInfo>(shown));
    scene.plan = shown;
  }
  if (auto ok = (*writer)->close(); !ok) return ok.error();
  return audit::Auditor::open(file.path);
}

}  // namespace arenascope::test
