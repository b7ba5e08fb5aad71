// SPDX-License-Identifier: MIT
// How the learning rate changes from step to step.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace arenascope::train {

enum class ScheduleKind : uint8_t { Constant, Cosine, Linear, Steps };
const char* name(ScheduleKind kind);
std::optional<ScheduleKind> parse_schedule(std::string_view name);

// After `warmup` steps, over which the rate grows evenly, it falls over the rest of `steps`: along half a cosine
// (Loshchilov and Hutter 2017) or a line down to `least` of it, or to a tenth after half of them and again after three
// quarters.
struct Schedule {
  ScheduleKind kind = ScheduleKind::Constant;
  int64_t warmup = 0;
  int64_t steps = 1;
  double least = 0.01;

  // Factor of the learning rate in this step, from 0; after the last step that of the last one.
  double share(int64_t step) const;
};

struct LearningRate {
  LearningRate(double rate) : highest(rate) {}  // NOLINT: a rate alone stays as it is
  LearningRate(double rate, const Schedule& falling) : highest(rate), schedule(falling) {}
  double at(int64_t step) const { return highest * schedule.share(step); }

  double highest;
  Schedule schedule;
};

}  // namespace arenascope::train
