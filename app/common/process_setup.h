// SPDX-License-Identifier: GPL-3.0-or-later
// Prepares a process at its start, before it has threads.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

namespace arenascope::app {

// Opens standard streams that are closed: an opened file must not get one of their descriptors, or output would be written
// into it.
void hold_standard_streams();

// Loads the library that unwinds stacks. The C library loads it when a thread exits, and aborts if that is refused.
void load_unwinder();

// If the process has a limit of addresses (ulimit -v): threads get small stacks and share two heaps of the C library, each
// of which reserves 64 MiB. Error: the limit is below `minimum`.
Status prepare_for_address_limit(Bytes minimum);

}  // namespace arenascope::app
