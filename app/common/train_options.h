// SPDX-License-Identifier: GPL-3.0-or-later
// Table of training options. The options of `train` and of the Training panel are created from it.
#pragma once
#include <arenascope/train/trainer.h>

#include "app/common/option.h"

namespace arenascope::app {

struct TrainChoices {
  train::TrainerOptions trainer;
  train::ScheduleKind schedule = train::ScheduleKind::Cosine;
  int64_t warmup = 0;  // steps
  int64_t epochs = 5;

  // The learning rate schedule for a training on this number of examples.
  train::LearningRate learning_rate(int64_t examples) const;
};

using TrainOption = OptionOf<TrainChoices>;
std::span<const TrainOption> train_options();

}  // namespace arenascope::app
