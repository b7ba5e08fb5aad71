/* SPDX-License-Identifier: MIT */
/* A project in C alone that plans with an installed Arenascope. */
#include <arenascope/planner.h>
#include <stdio.h>

int main(void) {
  const arenascope_buffer buffers[] = {{0, 2, 1024, 0, -1}, {1, 3, 512, 0, -1}, {2, 4, 1024, 0, -1}};
  int64_t offsets[3];
  arenascope_result result;
  char message[200];
  if (arenascope_plan(buffers, 3, NULL, offsets, &result, message, sizeof message) != 0) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  return result.arena_bytes == 1536 ? 0 : 1;
}
