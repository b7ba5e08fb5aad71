// SPDX-License-Identifier: MIT
#define DOCTEST_CONFIG_IMPLEMENT  // too, since the header was precompiled without
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
