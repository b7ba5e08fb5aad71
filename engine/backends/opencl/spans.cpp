// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/spans.h"

#include <algorithm>

namespace arenascope::opencl {
namespace {

bool time_of(cl_event event, cl_profiling_info what, cl_ulong& time) {
  return clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr) == CL_SUCCESS;
}

struct Difference {
  Nanoseconds shift = 0;  // to be added to the device's times
  std::optional<Nanoseconds> error;
};

Difference difference(Runtime& runtime, const std::function<Nanoseconds()>& now) {
  Difference best;
  Nanoseconds width = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    cl_event event = nullptr;
    const Nanoseconds before = now();
    if (clEnqueueMarkerWithWaitList(runtime.queue(), 0, nullptr, &event) != CL_SUCCESS) return best;
    EventHandleCl held(event);
    if (clWaitForEvents(1, &event) != CL_SUCCESS) return best;
    const Nanoseconds after = now();
    cl_ulong end = 0;
    if (!time_of(event, CL_PROFILING_COMMAND_END, end) || after - before >= width) continue;
    width = after - before;
    best = {before + width / 2 - static_cast<Nanoseconds>(end), (width + 1) / 2};
  }
  return best;
}

}  // namespace

std::vector<DeviceSpan> spans_of(Runtime& runtime, const std::function<Nanoseconds()>& now,
                                 std::optional<Nanoseconds>& error) {
  std::vector<DeviceSpan> out;
  const std::vector<Launched> launched = runtime.take_launched();
  const bool usable = !launched.empty() && runtime.finish().ok();
  const Difference clocks = usable ? difference(runtime, now) : Difference{};
  const Nanoseconds shift = clocks.shift;
  if (usable) error = clocks.error;
  for (const Launched& l : launched) {
    EventHandleCl held(l.event);
    cl_ulong queued = 0, submitted = 0, begin = 0, end = 0;
    if (!usable || !l.event || !time_of(l.event, CL_PROFILING_COMMAND_QUEUED, queued) ||
        !time_of(l.event, CL_PROFILING_COMMAND_SUBMIT, submitted) ||
        !time_of(l.event, CL_PROFILING_COMMAND_START, begin) || !time_of(l.event, CL_PROFILING_COMMAND_END, end))
      continue;
    DeviceSpan span;
    span.node = static_cast<const TensorImpl*>(l.node);
    span.what = l.kernel;
    // Some drivers report times out of order; the span must not have a negative length.
    span.queued = static_cast<Nanoseconds>(queued) + shift;
    span.submitted = std::max(span.queued, static_cast<Nanoseconds>(submitted) + shift);
    span.begin = std::max(span.submitted, static_cast<Nanoseconds>(begin) + shift);
    span.end = std::max(span.begin, static_cast<Nanoseconds>(end) + shift);
    span.copied = l.copied;
    span.to_device = l.to_device;
    out.push_back(span);
  }
  return out;
}

}  // namespace arenascope::opencl
