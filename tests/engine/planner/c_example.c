/* SPDX-License-Identifier: MIT */
/* How another runtime calls the planner: plain C. Prints a plan of the CANN article's five buffers; returns 0 if it is
 * the smallest there is. */
#include <arenascope/planner.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int never(void* calls) {
  ++*(int*)calls;
  return 0;
}

int main(void) {
  const arenascope_buffer buffers[] = {
      {1, 3, 1024, 0, -1}, {2, 5, 2048, 0, -1}, {3, 5, 1024, 0, -1}, {4, 6, 512, 0, -1}, {5, 7, 4096, 0, -1},
  };
  enum { kCount = sizeof buffers / sizeof buffers[0] };
  int calls = 0;
  arenascope_planner_options options;
  memset(&options, 0, sizeof options);
  options.alignment = 512;
  options.cancelled = never;
  options.user = &calls;
  int64_t offsets[kCount];
  arenascope_result result;
  char message[200];
  for (size_t i = 0; arenascope_planner_name(i) != NULL; ++i) {
    options.planner = arenascope_planner_name(i);
    if (arenascope_plan(buffers, kCount, &options, offsets, &result, message, sizeof message) != 0) {
      fprintf(stderr, "%s\n", message);
      return 1;
    }
    printf("%s: %" PRId64 " bytes, bound %" PRId64 "\n", options.planner, result.arena_bytes, result.lower_bound_bytes);
  }
  if (result.arena_bytes != 4608 || !result.optimal) return 1; /* the last one is `search` */
  options.planner = "best of all";
  if (arenascope_plan(buffers, kCount, &options, offsets, &result, message, sizeof message) != 1) return 1;
  return strcmp(message, "There is no planner named best of all.") == 0 ? 0 : 1;
}
