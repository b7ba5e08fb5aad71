// SPDX-License-Identifier: MIT
// The copies of ggml loaded in a process, each identified by the object that calls it, because the adapter's own
// symbols shadow ggml's.
#pragma once
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "engine/attach/ggml/ggml_api.h"

static ggml copies[64];
static uint32_t copy_count;

static void* find_in(void* handle, const char* name) {
  void* found = handle != NULL ? dlsym(handle, name) : NULL;
  Dl_info it, own;
  if (found == NULL || dladdr(found, &it) == 0 || dladdr((void*)(uintptr_t)&find_in, &own) == 0) return NULL;
  return it.dli_fbase == own.dli_fbase ? NULL : found;
}
static void* find(void* handle, const char* name) {
  struct link_map* map;
  void* found = find_in(handle, name);
  if (found == NULL) found = find_in(RTLD_NEXT, name);
  // The calling object does not list its dependencies (ctypes, for example): use any object that provides the
  // functions.
  for (map = _r_debug.r_map; map != NULL && found == NULL; map = map->l_next) {
    void* other = map->l_name[0] != 0 ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (other == NULL) continue;
    found = find_in(other, name);
    dlclose(other);
  }
  return found;
}
// The copy of ggml that the calling object uses; looked up once per call site.
static ggml* ggml_of(void* caller, pthread_mutex_t* mutex) {
  Dl_info info;
  ggml* g = NULL;
  void* handle;
  uint32_t i;
  if (dladdr(caller, &info) == 0) info.dli_fbase = NULL;
  pthread_mutex_lock(mutex);
  for (i = 0; i < copy_count && g == NULL; ++i)
    if (copies[i].of == info.dli_fbase) g = copies + i;
  if (g == NULL && copy_count < sizeof copies / sizeof *copies) {
    g = copies + copy_count++;
    g->of = info.dli_fbase;
    handle = info.dli_fbase != NULL ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    FUNCTIONS(FIND)
  }
  pthread_mutex_unlock(mutex);
  return g;
}
