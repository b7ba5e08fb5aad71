// SPDX-License-Identifier: MIT
// Where the weights lie that the zoo seeds: once, as those of a file do.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include <arenascope/base/mapped_range.h>
#include <arenascope/models/mapped_files.h>
#include <arenascope/run/runner.h>
#include <doctest/doctest.h>

namespace arenascope::test {
namespace {

// Bytes of a tensor's pages that there is memory for.
Bytes resident(const TensorImpl& tensor) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(tensor.data()) / page * page,
             end = reinterpret_cast<uintptr_t>(tensor.data()) + static_cast<uintptr_t>(tensor.byte_count());
  std::vector<unsigned char> pages((end - begin + page - 1) / page);
  REQUIRE(::mincore(reinterpret_cast<void*>(begin), end - begin, pages.data()) == 0);
  Bytes sum = 0;
  for (const unsigned char there : pages) sum += there & 1 ? static_cast<Bytes>(page) : 0;
  return sum;
}

std::vector<std::byte> result(Runner& runner) {
  REQUIRE(runner.run().ok());
  auto bytes = runner.output(0);
  REQUIRE(bytes.ok());
  return *bytes;
}

}  // namespace

TEST_CASE("seeded weights that were packed lie once, and are drawn again by who reads them") {
  RunnerOptions options;
  options.threads = 2;
  options.fuse = options.rewrite = true;
  options.planner = "greedy-by-size";
  auto plain = Runner::open("zoo:squeezenet", options);
  REQUIRE(plain.ok());
  const std::vector<std::byte> wanted = result(**plain);
  plain = Error{"gone"};
  REQUIRE(models::survive_lost_pages().ok());
  auto runner = Runner::open("zoo:squeezenet", options);
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  const auto there = [&] {
    Bytes lent = 0, held = 0;
    for (const models::Weight& weight : (*runner)->model().weights)
      if (const TensorImpl& t = *weight.tensor; t.storage.allocated() && MappedRange::drawn(t.data()))
        lent += t.byte_count(), held += resident(t);
    return std::pair(lent, held);
  };
  const auto [lent, held] = there();
  CHECK(lent > Bytes{4} << 20);
  CHECK(held < lent / 10);
  CHECK((*runner)->context().stats({}, MemoryKind::Mapped).active >= lent);
  CHECK(result(**runner) == wanted);
  CHECK(there().second < lent / 10);
  for (const models::Weight& weight : (*runner)->model().weights) {
    const TensorImpl& t = *weight.tensor;
    if (!t.storage.allocated() || !MappedRange::drawn(t.data())) continue;
    std::vector<std::byte> bytes(static_cast<size_t>(t.byte_count()));
    REQUIRE(weight.source.write(bytes.data()).ok());
    CHECK(std::memcmp(t.data(), bytes.data(), bytes.size()) == 0);
  }
  CHECK(there().second >= lent);
  REQUIRE((*runner)->replan("greedy-by-size", "depth-first", MemoryStrategy::Planned, 1).ok());
  CHECK(there().second < lent / 10);
  CHECK(result(**runner).size() == wanted.size());
}

}  // namespace arenascope::test
