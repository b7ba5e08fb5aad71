// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/process_setup.h"

#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>

#include <arenascope/base/format_bytes.h>
#include <arenascope/memory/available_memory.h>
#include <fmt/format.h>

namespace arenascope::app {

void hold_standard_streams() {
  for (int stream = 0; stream <= 2; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) (void)::open("/dev/null", O_RDONLY);
}

void load_unwinder() {
  void* frame = nullptr;
  (void)::backtrace(&frame, 1);
}

Status prepare_for_address_limit(Bytes minimum) {
  const Bytes limit = address_space_limit();
  if (limit == kUnknownMemory) return {};
  if (limit < minimum)
    return Error{fmt::format("the limit of {} of addresses (ulimit -v) is too small: at least {} are required",
                             format_bytes(limit), format_bytes(minimum))};
  constexpr size_t kStack = size_t{2} << 20;
  ::mallopt(M_ARENA_MAX, 2);
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return {};
  if (::pthread_attr_setstacksize(&attributes, kStack) == 0) ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
  return {};
}

}  // namespace arenascope::app
