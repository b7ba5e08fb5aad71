// SPDX-License-Identifier: GPL-3.0-or-later
// An OpenCL driver that aborts as soon as it is loaded, as drivers do in sandboxes that lack what they need.
#include <cstdlib>

__attribute__((constructor)) static void abort_at_once() { std::abort(); }
