/* SPDX-License-Identifier: MIT */
/* Arenascope's planners for other runtimes, with C linkage: lays buffers with known lifetimes into one arena.
 * Link with Arenascope::planner. Every function may be called from any thread; nothing is kept between calls. */
#ifndef ARENASCOPE_PLANNER_H
#define ARENASCOPE_PLANNER_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `size` bytes during the steps [lower, upper). */
typedef struct arenascope_buffer {
  int64_t lower;
  int64_t upper;
  int64_t size;
  int64_t alignment;    /* 0: the options' */
  int64_t fixed_offset; /* -1: anywhere */
} arenascope_buffer;

/* `target` may reuse the bytes of `source` (indices of buffers) in place, at the same offset. */
typedef struct arenascope_in_place {
  int32_t source;
  int32_t target;
} arenascope_in_place;

typedef struct arenascope_planner_options {
  const char* planner;   /* NULL: "search" */
  double budget_seconds; /* 0: 1 second */
  int64_t alignment;     /* 0: 64 bytes */
  int64_t capacity;      /* stop as soon as the plan fits into so many bytes; 0: none */
  int threads;           /* 0: one */
  const arenascope_in_place* in_place;
  size_t in_place_count;
  int (*cancelled)(void* user); /* asked every few milliseconds from another thread; NULL: never. Not 0: stop */
  void* user;
} arenascope_planner_options;

typedef struct arenascope_result {
  int64_t arena_bytes;
  int64_t lower_bound_bytes;
  int optimal; /* proven: no smaller plan exists */
  double seconds;
} arenascope_result;

/* Writes `count` offsets. Returns 0; or 1 and a sentence in `message` (cut to fit), with nothing else written.
 * `options` may be NULL. A plan beyond the capacity is no error: compare arena_bytes. */
int arenascope_plan(const arenascope_buffer* buffers, size_t count, const arenascope_planner_options* options,
                    int64_t* offsets, arenascope_result* result, char* message, size_t message_size);

/* Names of planners: the index-th, or NULL from the end on. They live as long as the program. */
const char* arenascope_planner_name(size_t index);

#ifdef __cplusplus
}
#endif
#endif /* ARENASCOPE_PLANNER_H */
