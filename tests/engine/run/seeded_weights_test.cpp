// SPDX-License-Identifier: MIT
// Where the weights lie that the zoo seeds: once, as those of a file do.
#include <cstring>
#include <vector>

#include <arenascope/memory/mapped_pages.h>
#include <arenascope/models/mapped_files.h>
#include <arenascope/run/runner.h>
#include <doctest/doctest.h>

namespace arenascope::test {
namespace {

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
        lent += t.byte_count(), held += resident_bytes(t.data(), static_cast<size_t>(t.byte_count()));
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
