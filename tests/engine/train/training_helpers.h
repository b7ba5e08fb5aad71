// SPDX-License-Identifier: MIT
// Image data sets for training, and trainers that are opened quickly.
#pragma once
#include <arenascope/train/image_data.h>
#include <arenascope/train/trainer.h>
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace arenascope::train::test {

// Pictures of size×size whose class is the pair of rows that is bright, with noise.
inline ImageData stripes(int64_t count, uint32_t seed, int64_t size = 28, int64_t classes = 10) {
  ImageData data;
  data.sizes = {size, size};
  const int64_t pixels = size * size;
  data.pixels.resize(static_cast<size_t>(count * pixels));
  for (int64_t i = 0; i < count; ++i) {
    data.labels.push_back(static_cast<uint8_t>(i % classes));
    for (int64_t p = 0; p < pixels; ++p) {
      seed = seed * 1664525u + 1013904223u;
      const bool bright = p / size / 2 == i % classes;
      data.pixels[static_cast<size_t>(i * pixels + p)] = static_cast<uint8_t>((seed >> 24) / 3 + (bright ? 120 : 0));
    }
  }
  return data;
}

inline std::unique_ptr<Trainer> opened(const std::string& spec, const Dataset& data, TrainerOptions options = {}) {
  options.run.budget_seconds = 0.05;
  if (options.run.threads == 0) options.run.threads = 1;
  auto trainer = Trainer::open(spec, data, options);
  REQUIRE_MESSAGE(trainer.ok(), (trainer.ok() ? "" : trainer.error().message));
  return std::move(*trainer);
}

inline std::filesystem::path scratch(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("arenascope_train_" + name);
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The values of a state of the trainer's step.
inline std::vector<float> state_of(Trainer& trainer, const std::string& name) {
  for (const models::State& state : trainer.step().model().states) {
    if (state.name != name) continue;
    std::vector<float> out(static_cast<size_t>(state.tensor->element_count()));
    std::memcpy(out.data(), state.tensor->data(), out.size() * sizeof(float));
    return out;
  }
  FAIL("there is no state " << name);
  return {};
}

}  // namespace arenascope::train::test
