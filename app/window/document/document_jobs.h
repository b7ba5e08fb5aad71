// SPDX-License-Identifier: GPL-3.0-or-later
// The background jobs of a document. They end with it, but for saving, which is completed.
#pragma once
#include <views/findings/findings_search.h>

#include "allocator_replays.h"
#include "compare_loader.h"
#include "generation_job.h"
#include "other_form.h"
#include "query_job.h"
#include "replanning.h"
#include "saver.h"
#include "training_job.h"

namespace arenascope::app {

struct DocumentJobs {
  DocumentJobs(views::SessionSource* source, RunController* runner, views::TaskList* list)
      : tasks(*list),
        replanning(source, runner, list),
        comparing(list),
        saver(std::make_unique<Saver>(list)),
        generation(list),
        replays(list),
        training(list),
        queries(list),
        findings(source, list),
        other_form(list) {}

  views::TaskList& tasks;  // lists the running ones
  Replanning replanning;
  CompareLoader comparing;
  std::unique_ptr<Saver> saver;
  GenerationJob generation;
  AllocatorReplays replays;
  TrainingJob training;
  QueryJob queries;
  views::FindingsSearch findings;
  OtherForm other_form;
};

}  // namespace arenascope::app
