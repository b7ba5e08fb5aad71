// SPDX-License-Identifier: MIT
// The workspace arena: one block, slices inside it, and no slice is ever overwritten by a reset.
#include <arenascope/memory/workspace_arena.h>
#include <doctest/doctest.h>

#include <cstring>

using namespace arenascope;

TEST_CASE("slices are contiguous in one block") {
  auto context = make_cpu_context();
  WorkspaceArena arena(*context);
  CHECK(!arena.allocate(1));
  REQUIRE(arena.reserve(10000).ok());
  auto a = arena.allocate(100).value();
  auto b = arena.allocate(200, 1024).value();
  auto c = arena.allocate(1, 1).value();
  CHECK(a.offset == 0);
  CHECK(b.offset == 1024);
  CHECK(c.offset == 1224);
  CHECK(reinterpret_cast<uintptr_t>(b.data()) % 1024 == 0);
  CHECK(a.block == b.block);
  CHECK(arena.used() == 1225);
  CHECK(context->stats({}, MemoryKind::Workspace).allocations == 1);
  auto full = arena.allocate(9000);
  REQUIRE(!full);
  CHECK(full.error().message == "the workspace is full: needed 9000, available 8720 of 10000");
  CHECK(!arena.allocate(-1));
  CHECK(!arena.allocate(1, 3));
  CHECK(!arena.allocate(std::numeric_limits<Bytes>::max()));
  CHECK(!arena.allocate(0).value().block);
  CHECK(!arena.reserve(20000));
  CHECK(!arena.reserve(-1));
}

TEST_CASE("slices by offset are checked against the block") {
  auto context = make_cpu_context();
  WorkspaceArena arena(*context);
  REQUIRE(arena.reserve(4096).ok());
  CHECK(arena.slice_at(0, 4096).value().data() == arena.block()->data());
  CHECK(arena.slice_at(4000, 96).ok());
  CHECK(arena.slice_at(4096, 0).ok());
  for (auto [offset, bytes] : {std::pair<Bytes, Bytes>{4000, 97},
                               {-1, 1},
                               {0, -1},
                               {5000, 0},
                               {1, std::numeric_limits<Bytes>::max()},
                               {std::numeric_limits<Bytes>::max(), 1}})
    CHECK(!arena.slice_at(offset, bytes));
}

TEST_CASE("a reset keeps held slices, and the block") {
  auto context = make_cpu_context();
  WorkspaceArena arena(*context);
  REQUIRE(arena.reserve(4096).ok());
  std::byte* first = arena.block()->data();
  { auto gone = arena.allocate(1000).value(); }
  REQUIRE(arena.reset().ok());
  CHECK(arena.block()->data() == first);
  CHECK(arena.used() == 0);
  CHECK(arena.high_water() == 1000);

  auto held = arena.allocate(4096).value();
  std::memset(held.data(), 5, 4096);
  REQUIRE(arena.reset().ok());
  auto next = arena.allocate(4096).value();
  CHECK(next.data() != held.data());
  std::memset(next.data(), 6, 4096);
  CHECK(held.data()[4095] == std::byte{5});
}
