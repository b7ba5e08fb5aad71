// SPDX-License-Identifier: MIT
// Learning rate schedules.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace arenascope::train {

enum class ScheduleKind : uint8_t { Constant, Cosine, Linear, Steps };
const char* name(ScheduleKind kind);
std::optional<ScheduleKind> parse_schedule(std::string_view name);

// A linear warm-up over `warmup` steps, followed over the remaining `steps` by half a cosine (Loshchilov and Hutter 2017) or
// a line down to the factor `least`, or by steps to a tenth after half of them and again after three quarters.
struct Schedule {
  ScheduleKind kind = ScheduleKind::Constant;
  int64_t warmup = 0;
  int64_t steps = 1;
  double least = 0.01;

  // Factor of the learning rate in this step, counted from 0; later steps have that of the last one.
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
