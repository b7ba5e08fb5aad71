// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs of a real network, recorded to a file and opened from it again: what the views' tests are driven on.
#pragma once
#include <arenascope/trace/session.h>

#include <memory>
#include <string>

namespace arenascope::test {

struct RealRecording {
  std::shared_ptr<trace::Session> session;  // null where it could not be made
  std::string why;                          // then: in one sentence
};

// squeezenet from the data folder, on two threads of the CPU. Made at the first call.
const RealRecording& real_recording();
// A product of matrices and what follows it on an OpenCL device, with its buffers in pools. Made at the first call.
const RealRecording& device_recording();

}  // namespace arenascope::test

// Leaves the test function with a clear word where there is no recording.
#define ARENASCOPE_NEEDS_RECORDING(recording) \
  if (!(recording).session) QSKIP((recording).why.c_str())
