// SPDX-License-Identifier: MIT
// The client header as a shared library for Python's ctypes: exported wrappers only.
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include "arenascope_client.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int py_connect(const char* program) {
  arenascope_client_options options;
  memset(&options, 0, sizeof options);
  options.program = program;
  return arenascope_connect(&options);
}
EXPORT void py_disconnect(void) { arenascope_disconnect(); }
EXPORT int py_connected(void) { return arenascope_connected(); }
EXPORT const char* py_error(void) { return arenascope_error(); }
EXPORT int64_t py_now(void) { return arenascope_now(); }
EXPORT uint32_t py_name(const char* text) { return arenascope_name(text); }
EXPORT uint32_t py_device(const char* name, const char* backend, int64_t bytes, int is_main_memory) {
  return arenascope_device(name, backend, bytes, is_main_memory);
}
EXPORT uint32_t py_space(const char* name, int kind, uint32_t device) { return arenascope_space(name, kind, device); }
EXPORT uint32_t py_counter(const char* name, const char* unit) { return arenascope_counter(name, unit); }
EXPORT uint32_t py_graph(const char* model, const arenascope_tensor* nodes, size_t node_count,
                         const arenascope_tensor* leafs, size_t leaf_count) {
  return arenascope_graph(model, nodes, node_count, leafs, leaf_count);
}
EXPORT uint32_t py_run_begin(uint32_t graph, int threads, const char* backend, int64_t time) {
  return arenascope_run_begin_at(graph, ARENASCOPE_NONE, threads, backend, time);
}
EXPORT void py_run_end(uint32_t run, int status, int64_t time) { arenascope_run_end_at(run, status, time); }
EXPORT void py_problem(const char* sentence) { arenascope_problem(sentence); }
EXPORT void py_count(uint32_t counter, double value) { arenascope_count(counter, value); }
EXPORT void* py_track(const char* name, int kind, uint32_t device) { return arenascope_track(name, kind, device); }
// Writes one event to a track, or to the calling thread's ring buffer if `track` is NULL.
EXPORT void py_write(void* track, int64_t time, int64_t a, int64_t b, uint32_t id, uint32_t kind, uint32_t extra) {
  arenascope_ring* ring = (arenascope_ring*)track;
  if (!arenascope_connected()) return;
  if (ring == NULL) ring = arenascope_ring_ != NULL ? arenascope_ring_ : arenascope_enter_();
  if (ring != NULL) arenascope_write(ring, time, a, b, id, kind, extra);
}
// Writes events of the calling thread, in the ring buffer's format.
EXPORT void py_write_all(const arenascope_event* events, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i)
    py_write(NULL, events[i].time, events[i].a, events[i].b, events[i].id, events[i].kind_extra & 0xff,
             events[i].kind_extra >> 8);
}
