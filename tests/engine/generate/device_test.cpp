// SPDX-License-Identifier: MIT
// Generation on a simulated CUDA device, whose kernels run on the host: the cache is stored and written on the device.
#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/generate/generator.h>
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/backends/cuda/execution/cuda_backend.h"
#include "support/cuda/simulated_driver.h"
#include "tests/support/seeded_llama.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

std::vector<std::vector<float>> logits_of(const std::string& path, DType cache, std::optional<Devices> devices) {
  GeneratorOptions options;
  options.run.threads = 1;
  options.run.budget_seconds = 0.05;
  options.run.precision = Precision::High;
  options.cache_type = cache;
  if (devices) options.run.backend = "cuda", options.run.devices = std::move(devices);
  auto generator = Generator::open(path, options);
  REQUIRE_MESSAGE(generator.ok(), (generator ? "" : generator.error().message));
  std::vector<std::vector<float>> out;
  const auto feed = [&](const std::vector<int32_t>& ids, TextId text) {
    auto logits = (*generator)->feed(ids, text);
    REQUIRE_MESSAGE(logits.ok(), (logits ? "" : logits.error().message));
    out.emplace_back(logits->begin(), logits->end());
  };
  REQUIRE((*generator)->set_capacity(32).ok());
  feed({3, 1, 4, 1, 5, 9, 2, 6}, 0);
  for (int32_t id : {5, 3, 5}) feed({id}, 0);
  REQUIRE((*generator)->shift(1).ok());
  feed({8}, 0);
  return out;
}

}  // namespace

TEST_CASE("a simulated CUDA device generates the text of the host") {
  const auto path = std::filesystem::temp_directory_path() / "arenascope_device_test.gguf";
  constexpr LlamaSizes kSmall{2, 64, 96, 4, 40};
  for (const QuantType& type : {kF32, kF16}) {
    CAPTURE(std::string(type.name));
    const auto bytes = seeded_llama(type, kSmall, 1);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    for (const DType cache : {DType::F32, DType::F16}) {
      const auto driver = std::make_shared<cuda::emulated::SimulatedDriver>();
      {
        auto backend = cuda::CudaBackend::make(driver, {});
        REQUIRE(backend.ok());
        const Devices devices{std::shared_ptr<Backend>(std::move(*backend)), cpu::make_cpu_backend()};
        const auto expected = logits_of(path.string(), cache, {}), got = logits_of(path.string(), cache, devices);
        REQUIRE(got.size() == expected.size());
        for (size_t i = 0; i < got.size(); ++i) {
          double largest = 0, off = 0;
          for (size_t k = 0; k < got[i].size(); ++k) {
            largest = std::max(largest, std::abs(double(expected[i][k])));
            off = std::max(off, std::abs(double(got[i][k]) - double(expected[i][k])));
          }
          CHECK(off <= (cache == DType::F32 ? 1e-5 : 2e-3) * largest);
        }
      }
      CHECK(driver->complaint() == "");
      CHECK(driver->held_memory() == 0);
    }
  }
  std::filesystem::remove(path);
}
