// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the values of a tensor from a model's memory while nothing computes.
#pragma once
#include <arenascope/trace/info.h>
#include <views/tensor/tensor_values.h>

#include <QString>

#include <memory>

namespace arenascope {
class Runner;  // not included: the engine's headers conflict with Qt keywords
}  // namespace arenascope

namespace arenascope::app {

struct ValuesAnswer {
  std::shared_ptr<const views::TensorValues> values;  // null: title has the reason
  QString title;
};

// `paused_before`: the step before which the run is paused; -1: the run has finished.
ValuesAnswer read_values(Runner& runner, trace::TensorRef tensor, int32_t paused_before);

}  // namespace arenascope::app
