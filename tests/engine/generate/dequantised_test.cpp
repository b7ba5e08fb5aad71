// SPDX-License-Identifier: MIT
// Models whose types have no kernels run with the bits of the same model stored in the types that they are loaded as.
#include <arenascope/generate/generator.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/models/gguf/ggml_types.h"
#include "engine/models/gguf/gguf.h"
#include "tests/support/seeded_llama.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

// Types with a float16 scale per block. Deviations are rough.
constexpr QuantType kTypesWithoutKernels[] = {
    {"iq2_xxs", 16, 256, 66, 0, -1, 50, 0},  {"iq2_xs", 17, 256, 74, 0, -1, 50, 0},
    {"iq3_xxs", 18, 256, 98, 0, -1, 120, 0}, {"iq1_s", 19, 256, 50, 0, -1, 6, 0},
    {"iq4_nl", 20, 32, 18, 0, -1, 70, 0},    {"iq3_s", 21, 256, 110, 0, -1, 130, 0},
    {"iq2_s", 22, 256, 82, 0, -1, 50, 0},    {"iq4_xs", 23, 256, 136, 0, -1, 1300, 0},
    {"tq1_0", 34, 256, 54, 52, -1, 1, 0},    {"tq2_0", 35, 256, 66, 64, -1, 1, 0},
    {"q1_0", 41, 128, 18, 0, -1, 1, 0},      {"q2_0", 42, 64, 18, 0, -1, 1, 0},
};

std::filesystem::path written(const std::vector<std::byte>& file) {
  auto path = std::filesystem::temp_directory_path() / "arenascope_dequantised_test.gguf";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  return path;
}

std::vector<float> logits_of(const std::vector<std::byte>& file) {
  const auto path = written(file);
  GeneratorOptions options;
  options.run.threads = 1;
  options.run.budget_seconds = 0.05;
  auto generator = Generator::open(path.string(), options);
  REQUIRE_MESSAGE(generator.ok(), (generator.ok() ? "" : generator.error().message));
  const std::vector<int32_t> ids{3, 29, 0, 11, 63};
  const auto logits = (*generator)->feed(ids);
  std::filesystem::remove(path);
  REQUIRE_MESSAGE(logits.ok(), (logits.ok() ? "" : logits.error().message));
  return {logits->begin(), logits->end()};
}

}  // namespace

TEST_CASE("models of types without kernels run") {
  for (const QuantType& type : kTypesWithoutKernels) {
    CAPTURE(type.name);
    const models::StoredType& stored = *models::ggml_type(type.number);
    const StoredAs as{*models::gguf_type(*stored.loaded_as), [&](const std::vector<std::byte>& blocks) {
                        const auto file = models::MappedFile::copy_of(blocks);
                        const DTypeInfo& to = info(*stored.loaded_as);
                        std::vector<std::byte> out(blocks.size() / size_t(stored.block_bytes) *
                                                   size_t(stored.block_elements / to.block_elements * to.block_bytes));
                        const auto source = models::loaded_source(stored, models::WeightSource(file->bytes(), file),
                                                                  static_cast<Bytes>(blocks.size()));
                        REQUIRE(source.write(out.data()).ok());
                        return out;
                      }};
    const auto logits = logits_of(seeded_llama(type, {}, 5)), expected = logits_of(seeded_llama(type, {}, 5, as));
    CHECK(logits == expected);
    CHECK(std::all_of(logits.begin(), logits.end(), [](float x) { return std::isfinite(x); }));
    CHECK(*std::max_element(logits.begin(), logits.end()) > 0.01F);
  }
}

TEST_CASE("a graph of other sizes uses the weights that are dequantised already") {
  const auto path = written(seeded_llama(kTypesWithoutKernels[0], {}, 5));
  const auto table = [](const Runner& runner) {
    for (const models::Weight& weight : runner.model().weights)
      if (weight.tensor.name() == "token_embd.weight") return weight.tensor->storage.data();
    return static_cast<std::byte*>(nullptr);
  };
  RunnerOptions options;
  options.threads = 1;
  options.budget_seconds = 0.05;
  auto first = Runner::open(path.string(), options);
  REQUIRE_MESSAGE(first.ok(), (first.ok() ? "" : first.error().message));
  const std::byte* const data = table(**first);
  CHECK(data != nullptr);
  options.open.prefill = true;
  options.open.tokens = 3;
  auto second = Runner::open(path.string(), options, std::move(*first));
  std::filesystem::remove(path);
  REQUIRE_MESSAGE(second.ok(), (second.ok() ? "" : second.error().message));
  CHECK(table(**second) == data);
}
