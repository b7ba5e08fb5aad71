// SPDX-License-Identifier: MIT
// The same two headers in a C++ file, in the other order; the client's implementation is in c_headers.c.
#include <arenascope/planner.h>

#include <arenascope/arenascope_client.h>

extern "C" int plan_and_record(void) {
  arenascope_planner_options planner{};
  arenascope_client_options client{};
  return planner.planner == nullptr && client.address == nullptr ? 0 : 1;
}
