// SPDX-License-Identifier: MIT
// A program that is watched: target MODE [N] [FILE].
//   all         a graph, a run of it, memory, spans, a counter and a mark
//   pool        blocks of a pool, for planners
//   crossing    two threads' blocks of a pool, which are live together; each thread's events alone give a smaller peak
//   spans N     N spans on each of two threads, in bursts; with hold-back where ARENASCOPE_HOLD_BACK is set
//   endless 0 FILE  counts events in FILE, which is mapped, until it is killed; also runs without a receiver
//   rate N      N spans per second on each of two threads for FILE seconds
//   threads N   N threads one after the other, one span each
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include "engine/attach/arenascope_client.h"

static void until(int64_t time) {
  while (arenascope_now() < time) {
  }
}

static void all(void) {
  const int64_t shape[2] = {4, 8};
  const uint32_t sources[2] = {ARENASCOPE_LEAF(0), ARENASCOPE_LEAF(1)};
  const uint32_t of_add[2] = {ARENASCOPE_NODE(0), ARENASCOPE_LEAF(0)};
  arenascope_tensor leafs[2], nodes[2];
  uint32_t device, space, graph, run, name, counter;
  int64_t begin;
  memset(leafs, 0, sizeof leafs);
  memset(nodes, 0, sizeof nodes);
  leafs[0].name = "x";
  leafs[0].flags = ARENASCOPE_INPUT;
  leafs[1].name = "w";
  leafs[1].flags = ARENASCOPE_WEIGHT;
  nodes[0].name = "product";
  nodes[0].op = "MUL_MAT";
  nodes[0].shape = shape;
  nodes[0].dimensions = 2;
  nodes[0].dtype = "f32";
  nodes[0].bytes = 128;
  nodes[0].source = sources;
  nodes[0].sources = 2;
  nodes[1] = nodes[0];
  nodes[1].name = "sum";
  nodes[1].op = "ADD";
  nodes[1].source = of_add;
  nodes[1].is_view = 1;
  nodes[1].view_source = ARENASCOPE_NODE(0);
  device = arenascope_device("main memory", "host", 1 << 30, 1);
  space = arenascope_space("pool", ARENASCOPE_WORKSPACE, device);
  graph = arenascope_graph("little", nodes, 2, leafs, 2);
  counter = arenascope_counter("tokens", "count");
  name = arenascope_name("load");
  arenascope_thread_name("the main thread");
  begin = arenascope_now();
  arenascope_span(name, begin, arenascope_now(), 0);
  arenascope_reserve(space, ARENASCOPE_WORKSPACE, 4096, 1024);
  arenascope_alloc(space, ARENASCOPE_WORKSPACE, 4096, 128, 7);
  run = arenascope_run_begin(graph, 1, "cpu");
  arenascope_step(run, 0, 0);
  begin = arenascope_now();
  arenascope_slice_live(run, ARENASCOPE_NODE(0), 0, 128, 0);
  arenascope_work(run, 0, begin, begin + 10);
  arenascope_wait(run, 0, begin + 10, begin + 12, 1);
  until(begin + 12);
  arenascope_step(run, 1, 1);
  begin = arenascope_now();
  arenascope_work(run, 1, begin, begin + 18);
  until(begin + 18);
  arenascope_slice_dead(run, ARENASCOPE_NODE(0), 0, 128, 2);
  arenascope_run_end(run, ARENASCOPE_DONE);
  arenascope_free(space, ARENASCOPE_WORKSPACE, 4096, 128, 7);
  arenascope_count(counter, 42.5);
  arenascope_mark(arenascope_name("done"));
  arenascope_copy(ARENASCOPE_NONE, begin, begin + 5, 64, device, device);
  arenascope_problem("This is only a test.");
}

// Blocks that need 300 bytes at most at a time, in a pool that grew to 500.
static void pool(void) {
  const uint32_t space = arenascope_space("pool", ARENASCOPE_WORKSPACE, ARENASCOPE_NONE);
  const int kind = ARENASCOPE_WORKSPACE;
  arenascope_reserve(space, kind, 1000, 500);
  arenascope_alloc(space, kind, 1000, 100, 1);
  arenascope_alloc(space, kind, 1100, 200, 2);
  arenascope_free(space, kind, 1000, 100, 1);
  arenascope_alloc(space, kind, 1300, 100, 3);
  arenascope_free(space, kind, 1100, 200, 2);
  arenascope_free(space, kind, 1300, 100, 3);
  arenascope_alloc(space, kind, 1000, 300, 4);
  arenascope_free(space, kind, 1000, 300, 4);
}

static uint32_t crossing_space;
static void* crossing_second(void* unused) {
  arenascope_alloc(crossing_space, ARENASCOPE_WORKSPACE, 2000, 200, 2);
  return unused;
}
static void crossing(void) {
  pthread_t second;
  crossing_space = arenascope_space("shared pool", ARENASCOPE_WORKSPACE, ARENASCOPE_NONE);
  arenascope_reserve(crossing_space, ARENASCOPE_WORKSPACE, 1000, 2000);
  arenascope_alloc(crossing_space, ARENASCOPE_WORKSPACE, 1000, 100, 1);
  pthread_create(&second, NULL, crossing_second, NULL);
  pthread_join(second, NULL);
  arenascope_free(crossing_space, ARENASCOPE_WORKSPACE, 1000, 100, 1);
  arenascope_free(crossing_space, ARENASCOPE_WORKSPACE, 2000, 200, 2);
}

static long count;
static void* spans(void* text) {
  const uint32_t name = arenascope_name((const char*)text);
  long i;
  for (i = 0; i < count; ++i) {
    const int64_t now = arenascope_now();
    arenascope_span(name, now, now + i % 2, 0);
  }
  return NULL;
}
static double seconds;
static void* rate(void* text) {
  const uint32_t name = arenascope_name((const char*)text);
  const int64_t start = arenascope_now();
  int64_t made = 0;
  while (arenascope_now() - start < (int64_t)(seconds * 1e9)) {
    const struct timespec pause = {0, 1000000};
    const int64_t due = (int64_t)((double)(arenascope_now() - start) * 1e-9 * (double)count);
    for (; made < due; ++made) {
      const int64_t now = arenascope_now();
      arenascope_span(name, now, now + 1, 0);
    }
    nanosleep(&pause, NULL);
  }
  return NULL;
}
static void two_threads(void* (*body)(void*)) {
  pthread_t other;
  pthread_create(&other, NULL, body, (void*)(uintptr_t) "other");
  body((void*)(uintptr_t) "first");
  pthread_join(other, NULL);
}

// The file holds: events written; 1 once they are no longer received; loops made.
static int endless(const char* path) {
  const int file = open(path, O_RDWR);
  volatile int64_t* shared = (volatile int64_t*)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const uint32_t name = arenascope_name("span");
  int64_t i;
  if ((const void*)shared == MAP_FAILED) return 3;
  for (i = 1;; ++i) {
    if (arenascope_connected()) {
      arenascope_span(name, i, i + 1, 0);
      shared[0] = i;
    } else {
      shared[1] = 1;
    }
    shared[2] = i;
    if (i % 64 == 0) {
      const struct timespec pause = {0, 200000};
      nanosleep(&pause, NULL);
    }
  }
}

// Kilobytes of names at a time: more than the log of descriptions holds.
static void names(long all) {
  static char text[1025];
  long i;
  memset(text, 'x', sizeof text - 1);
  for (i = 0; i < all; ++i) {
    snprintf(text, 24, "%ld", i);
    text[strlen(text)] = ' ';
    arenascope_mark(arenascope_name(text));
  }
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "all";
  arenascope_client_options options;
  memset(&options, 0, sizeof options);
  options.program = "target";
  options.hold_back = getenv("ARENASCOPE_HOLD_BACK") != NULL;
  if (strcmp(mode, "spans") == 0) options.ring_events = 1024;
  if (arenascope_connect(&options) < 0) {
    fprintf(stderr, "target: %s\n", arenascope_error());
    return 9;
  }
  count = argc > 2 ? atol(argv[2]) : 0;
  if (strcmp(mode, "all") == 0) all();
  if (strcmp(mode, "pool") == 0) pool();
  if (strcmp(mode, "crossing") == 0) crossing();
  if (strcmp(mode, "spans") == 0) two_threads(spans);
  if (strcmp(mode, "names") == 0) names(count);
  if (strcmp(mode, "endless") == 0) return endless(argv[3]);
  if (strcmp(mode, "rate") == 0) {
    seconds = atof(argv[3]);
    two_threads(rate);
  }
  if (strcmp(mode, "threads") == 0) {
    const long threads = count;
    long i;
    count = 1;
    for (i = 0; i < threads; ++i) {
      pthread_t one;
      pthread_create(&one, NULL, spans, (void*)(uintptr_t) "one of many");
      pthread_join(one, NULL);
    }
  }
  return 0;
}
