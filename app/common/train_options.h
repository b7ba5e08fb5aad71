// SPDX-License-Identifier: GPL-3.0-or-later
// One table of how a model may be trained: the options of `train` and of the panel Training are made from it.
#pragma once
#include <arenascope/train/trainer.h>

#include "app/common/option.h"

namespace arenascope::app {

struct TrainChoices {
  train::TrainerOptions trainer;
  train::ScheduleKind schedule = train::ScheduleKind::Cosine;
  int64_t warmup = 0;  // steps
  int64_t epochs = 5;

  // Of a training on so many examples.
  train::LearningRate learning_rate(int64_t examples) const;
};

using TrainOption = OptionOf<TrainChoices>;
std::span<const TrainOption> train_options();

}  // namespace arenascope::app
