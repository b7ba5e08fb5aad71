// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a tensor, read out of a model's memory while nothing computes.
#pragma once
#include <arenascope/trace/info.h>
#include <views/tensor/tensor_values.h>

#include <QString>

#include <memory>

namespace arenascope {
class Runner;  // not included here: the engine's headers do not know of Qt's keywords
}  // namespace arenascope

namespace arenascope::app {

struct ValuesAnswer {
  std::shared_ptr<const views::TensorValues> values;  // null: `title` says why not
  QString title;
};

// `paused_before`: the step before which the run waits; -1: it is through.
ValuesAnswer read_values(Runner& runner, trace::TensorRef tensor, int32_t paused_before);

}  // namespace arenascope::app
