// SPDX-License-Identifier: MIT
// Mutated .npy files neither crash nor hang, and what is wrong with them is said.
#include "mutants.h"

#include <arenascope/models/npy.h>
#include <doctest/doctest.h>

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;

TEST_CASE("mutated .npy files") {
  Mutator mutator(1);
  std::vector<std::vector<std::byte>> seeds;
  for (const auto& [sizes, dtype] :
       {std::pair{Dims{2, 3}, DType::F32}, std::pair{Dims{}, DType::I64}, std::pair{Dims{4, 1, 2}, DType::Bool}}) {
    auto tensor = host_tensor(sizes, dtype);
    REQUIRE(tensor.ok());
    for (Bytes i = 0; i < (*tensor)->byte_count(); ++i) (*tensor)->data()[i] = std::byte{1};
    auto bytes = format_npy(*tensor);
    REQUIRE(bytes.ok());
    seeds.push_back(std::move(*bytes));
  }
  int accepted = 0;
  for (int i = 0; i < mutant_count(); ++i) {
    auto tensor = parse_npy(mutator.mutate(seeds[mutator.below(seeds.size())]));
    if (tensor)
      ++accepted;
    else
      REQUIRE(!tensor.error().message.empty());
  }
  CHECK(accepted < mutant_count());
}
