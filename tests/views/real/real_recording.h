// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs of a real network, recorded to a file and opened again, for the tests of the views.
#pragma once
#include <arenascope/trace/session.h>

#include <memory>
#include <string>

namespace arenascope::test {

struct RealRecording {
  std::shared_ptr<trace::Session> session;  // null on failure
  std::string why;                          // the reason, if null
};

// squeezenet from the data folder, on two CPU threads. Created at the first call.
const RealRecording& real_recording();
// A matmul and its successors on an OpenCL device, with pooled buffers. Created at the first call.
const RealRecording& device_recording();

}  // namespace arenascope::test

// Fails the test function with the reason if there is no recording.
#define ARENASCOPE_NEEDS_RECORDING(recording) \
  if (!(recording).session) QSKIP((recording).why.c_str())
