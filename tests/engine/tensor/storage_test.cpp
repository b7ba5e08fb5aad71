// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <memory>

#include <doctest/doctest.h>

#include <arenascope/tensor/storage.h>

namespace arenascope {

TEST_CASE("a slice must be inside the storage, also for very large numbers") {
  auto context = make_cpu_context();
  auto whole = Storage::allocate(*context, {}, MemoryKind::Default, 100);
  REQUIRE(whole);
  CHECK(whole->bytes() == 100);
  CHECK(reinterpret_cast<uintptr_t>(whole->data()) % 64 == 0);
  CHECK(whole->sub_storage(0, 100));
  CHECK(whole->sub_storage(100, 0));
  for (auto [offset, bytes] : {std::pair<Bytes, Bytes>{0, 101},
                               {101, 0},
                               {-1, 1},
                               {1, -1},
                               {INT64_MAX, 1},
                               {1, INT64_MAX},
                               {INT64_MAX, INT64_MAX},
                               {INT64_MIN, 1}})
    CHECK_FALSE(whole->sub_storage(offset, bytes));
  CHECK(whole->sub_storage(90, 11).error().message == "a slice [90, 90 + 11) is not inside a storage of 100 bytes");
}

TEST_CASE("nested slices are relative to their parent and share its block") {
  auto context = make_cpu_context();
  auto whole = Storage::allocate(*context, {}, MemoryKind::Workspace, 256);
  REQUIRE(whole);
  auto middle = whole->sub_storage(64, 128);
  REQUIRE(middle);
  auto part = middle->sub_storage(32, 16);
  REQUIRE(part);
  CHECK(part->offset() == 96);
  CHECK(part->data() == whole->data() + 96);
  CHECK(part->block() == whole->block());
  CHECK(part->kind() == MemoryKind::Workspace);
  CHECK_FALSE(middle->sub_storage(100, 29));  // inside the block, outside the parent
}

TEST_CASE("the last slice frees the block, also after its context is destroyed") {
  auto context = make_cpu_context();
  Storage kept;
  {
    auto whole = Storage::allocate(*context, {}, MemoryKind::Workspace, 4096);
    REQUIRE(whole);
    kept = *whole->sub_storage(4000, 96);
  }
  CHECK(context->stats({}, MemoryKind::Workspace).active == 4096);
  context.reset();
  kept.data()[95] = std::byte{7};
  CHECK(kept.data()[95] == std::byte{7});
}

TEST_CASE("borrowed memory is used in place and keeps its owner alive") {
  std::array<std::byte, 32> bytes{};
  auto storage = Storage::borrow(bytes.data(), 32);
  REQUIRE(storage);
  CHECK(storage->data() == bytes.data());
  CHECK(storage->block()->is_borrowed());

  auto owner = std::make_shared<int>(1);
  {
    auto kept = Storage::borrow(bytes.data(), 32, {}, MemoryKind::Persistent, owner);
    REQUIRE(kept);
    CHECK(owner.use_count() == 2);
    CHECK(kept->kind() == MemoryKind::Persistent);
  }
  CHECK(owner.use_count() == 1);
  CHECK_FALSE(Storage::borrow(nullptr, 1));
  CHECK_FALSE(Storage::borrow(bytes.data(), -1));
  CHECK(Storage::borrow(nullptr, 0));
}

TEST_CASE("an empty storage has a device") {
  const Device cuda{DeviceType::Cuda, 2};
  const Storage none(cuda);
  CHECK(none.device() == cuda);
  CHECK(none.data() == nullptr);
  CHECK_FALSE(none.allocated());
  CHECK(none.sub_storage(0, 0)->device() == cuda);
  CHECK_FALSE(none.sub_storage(0, 1));
  CHECK(Storage::borrow(nullptr, 0, cuda)->device() == cuda);
}

}  // namespace arenascope
