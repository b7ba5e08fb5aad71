/* SPDX-License-Identifier: MIT */
/* A runtime that plans with Arenascope's planner and is watched through its client includes both C headers. */
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include <arenascope/arenascope_client.h>
#include <arenascope/planner.h>
#include <string.h>

int plan_and_record(void);

int main(void) {
  const arenascope_buffer buffers[] = {{0, 2, 1024, 0, -1}, {1, 3, 512, 0, -1}, {2, 4, 1024, 0, -1}};
  int64_t offsets[3];
  arenascope_result result;
  char message[200];
  arenascope_planner_options options;
  memset(&options, 0, sizeof options);
  if (arenascope_plan(buffers, 3, &options, offsets, &result, message, sizeof message) != 0) return 1;
  arenascope_client_options client;
  memset(&client, 0, sizeof client);
  client.address = ""; /* no receiver */
  arenascope_connect(&client);
  arenascope_space("arena", ARENASCOPE_WORKSPACE, ARENASCOPE_NONE);
  return result.arena_bytes == 1536 && plan_and_record() == 0 ? 0 : 1;
}
