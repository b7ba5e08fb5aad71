// SPDX-License-Identifier: MIT
// Memory that a function can write again.
#include <arenascope/memory/cpu_allocators.h>
#include <arenascope/memory/mapped_pages.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/support/limited_memory.h"

using namespace arenascope;

namespace {

constexpr Bytes kBytes = (Bytes{3} << 20) + 100;

std::byte byte_at(Bytes at) { return static_cast<std::byte>(at % 251); }

Status write_all(std::byte* out) {
  for (Bytes at = 0; at < kBytes; ++at) out[at] = byte_at(at);
  return {};
}

bool holds_all(const std::byte* data) {
  for (Bytes at = 0; at < kBytes; ++at)
    if (data[at] != byte_at(at)) return false;
  return true;
}

Bytes resident(const BlockPtr& block) { return resident_bytes(block->data(), static_cast<size_t>(block->bytes())); }

Bytes counted(const ExecutionContext& context) { return context.stats({}, MemoryKind::Mapped).active; }

}  // namespace

TEST_CASE("restorable memory is resident and counted only while it is pinned") {
  const auto context = make_cpu_context();
  int writes = 0;
  auto made = context->reserve_restorable(kBytes, [&](std::byte* out) {
    ++writes;
    return write_all(out);
  });
  REQUIRE(made.ok());
  const BlockPtr block = *made;
  CHECK(block->is_mapped());
  CHECK(block->is_restorable());
  CHECK_FALSE(block->resident());
  const std::byte* const address = block->data();
  for (int round = 1; round <= 2; ++round) {
    CHECK(counted(*context) == 0);
    CHECK(resident(block) == 0);
    auto first = MemoryPin::take(block);
    REQUIRE(first.ok());
    auto second = MemoryPin::take(block);
    REQUIRE(second.ok());
    CHECK(block->resident());
    CHECK(writes == round);
    first->release();
    CHECK(holds_all(block->data()));
    CHECK(counted(*context) == kBytes);
    const MemoryPin moved = std::move(*second);
    CHECK(resident(block) >= kBytes);
  }
  CHECK(block->data() == address);
  CHECK(context->stats({}, MemoryKind::Mapped).peak == kBytes);
  CHECK_FALSE(context->reserve_restorable(0, write_all).ok());
}

TEST_CASE("a pin of other memory does nothing") {
  const auto context = make_cpu_context();
  CHECK(MemoryPin::take(nullptr).ok());
  const BlockPtr block = *context->allocate({}, MemoryKind::Default, 64);
  CHECK(block->resident());
  CHECK(MemoryPin::take(block).ok());
}

TEST_CASE("parts that are released while pinned are written again for the next reader") {
  const auto context = make_cpu_context();
  const BlockPtr block = *context->reserve_restorable(kBytes, write_all);
  auto packer = MemoryPin::take(block);
  REQUIRE(packer.ok());
  const Bytes before = resident(block);
  block->drop_pages(0, 1 << 20);
  block->drop_pages(1 << 20, 100'000);
  block->drop_pages(2 << 20, 100'000);
  block->drop_pages(-1, 10);
  block->drop_pages(kBytes, 1);
  CHECK(resident(block) <= before - 1'200'000);
  auto reader = MemoryPin::take(block);
  REQUIRE(reader.ok());
  CHECK(holds_all(block->data()));
  block->drop_pages(0, kBytes);  // another reader has pinned it
  CHECK(holds_all(block->data()));
}

TEST_CASE("concurrent readers write the bytes once") {
  const auto context = make_cpu_context();
  std::atomic<int> writes = 0;
  const BlockPtr block = *context->reserve_restorable(kBytes, [&](std::byte* out) {
    ++writes;
    return write_all(out);
  });
  for (int round = 1; round <= 4; ++round) {
    std::vector<std::thread> readers;
    std::array<bool, 4> same{};
    std::array<MemoryPin, 4> pins;
    for (size_t i = 0; i < same.size(); ++i)
      readers.emplace_back([&, i] {
        auto pin = MemoryPin::take(block);
        same[i] = pin.ok() && holds_all(block->data());
        if (pin) pins[i] = std::move(*pin);
      });
    for (std::thread& reader : readers) reader.join();
    CHECK(std::count(same.begin(), same.end(), true) == 4);
    CHECK(writes == round);
  }
}

TEST_CASE("bytes that cannot be written are an error, and nothing is pinned") {
  const auto context = make_cpu_context();
  bool fails = true;
  const BlockPtr block = *context->reserve_restorable(
      kBytes, [&](std::byte* out) { return fails ? Status(Error{"no data"}) : write_all(out); });
  const auto pin = MemoryPin::take(block);
  REQUIRE_FALSE(pin.ok());
  CHECK(pin.error().message == "no data");
  CHECK_FALSE(block->resident());
  CHECK(counted(*context) == 0);
  fails = false;
  const auto again = MemoryPin::take(block);
  REQUIRE(again.ok());
  CHECK(holds_all(block->data()));
}

TEST_CASE("bytes are restored although the system refuses more addresses") {
  const auto context = make_cpu_context();
  const BlockPtr block = *context->reserve_restorable(kBytes, write_all);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (!test::limit_addresses(size_t{1} << 20)) ::_exit(2);
    const auto pin = MemoryPin::take(block);
    ::_exit(pin.ok() && holds_all(block->data()) ? 0 : 3);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

TEST_CASE("memory that is not pinned cannot be read by mistake") {
  const auto context = make_cpu_context();
  const BlockPtr block = *context->reserve_restorable(kBytes, write_all);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer has a handler of its own
    const volatile std::byte* const data = block->data();
    ::_exit(data[0] == std::byte{0} ? 1 : 2);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
}
