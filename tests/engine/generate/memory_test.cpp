// SPDX-License-Identifier: MIT
// The rule of memory: at its peak a text takes its weights, their packed copies, the cache and the arena, and 5 % more; and what
// the allocators count is what the system sees.
#include <arenascope/generate/generator.h>
#include <doctest/doctest.h>

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "tests/support/seeded_llama.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

constexpr LlamaSizes kSizes{2, 768, 2048, 8, 256};
constexpr int64_t kPrompt = 40, kMore = 6;

struct Used {
  Bytes weights = 0, packed = 0, cache = 0, arena = 0,
        rest = 0;      // as counted; weights: mapped, or copied from the file
  Bytes resident = 0;  // at most, above what was there before
  bool ok = false;
};

// A line of /proc/self/status, in bytes.
Bytes status(const char* key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return std::stoll(line.substr(line.find(':') + 1)) * 1024;
  return 0;
}

Used write_text(const std::string& path) {
  Used out;
  GeneratorOptions options;
  options.run.threads = 1;
  options.run.budget_seconds = 0.05;
  auto generator = Generator::open(path, options);
  if (!generator || !(*generator)->set_capacity(kPrompt + kMore).ok()) return out;
  std::vector<int32_t> prompt;
  for (int32_t i = 0; i < kPrompt; ++i) prompt.push_back(i * 7 % static_cast<int32_t>(kSizes.vocabulary));
  if (!(*generator)->feed(prompt).ok()) return out;
  for (int32_t i = 0; i < kMore; ++i)
    if (!(*generator)->feed({&i, 1}).ok()) return out;
  auto peaks = (*generator)->peak_bytes();
  out.packed = (*generator)->packed_bytes();
  out.weights = peaks[MemoryKind::Mapped] + peaks[MemoryKind::Persistent] - out.packed;
  out.cache = peaks[MemoryKind::KVCache];
  out.arena = peaks[MemoryKind::Workspace];
  for (const MemoryKind kind : {MemoryKind::Default, MemoryKind::HostPinned, MemoryKind::HostPageable})
    out.rest += peaks[kind];
  out.ok = true;
  return out;
}

// In a process of its own, whose peak no node else's is. A small model comes first, so that code and libraries are there.
Used measured(const std::string& path, const std::string& small) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    (void)write_text(small);
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins again
    const Bytes before = status("VmRSS");
    Used used = write_text(path);
    used.resident = status("VmHWM") - before;
    const bool sent = write(ends[1], &used, sizeof used) == static_cast<ssize_t>(sizeof used);
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  Used used;
  const auto got = read(ends[0], &used, sizeof used);
  close(ends[0]);
  int ended = 0;
  REQUIRE(waitpid(child, &ended, 0) == child);
  REQUIRE(got == static_cast<ssize_t>(sizeof used));
  return used;
}

QuantType type_of(const std::string& name) {
  for (const QuantType& type : kQuantTypes)
    if (name == type.name) return type;
  return name == "F32" ? kF32 : kF16;
}

}  // namespace

TEST_CASE("generation takes weights, packed copies, cache and arena plus at most 5 %") {
  const auto folder = std::filesystem::temp_directory_path();
  const auto path = folder / "arenascope_memory_test.gguf", small = folder / "arenascope_memory_small_test.gguf";
  const auto write_model = [](const std::filesystem::path& to, const QuantType& type, const LlamaSizes& sizes) {
    const auto bytes = seeded_llama(type, sizes, 1);
    std::ofstream(to, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return static_cast<double>(bytes.size());
  };
  for (const char* name : {"F32", "F16", "Q8_0", "Q4_0", "Q4_K"}) {
    CAPTURE(std::string(name));
    const double file = write_model(path, type_of(name), kSizes);
    write_model(small, type_of(name), {1, 256, 256, 4, kSizes.vocabulary});
    const Used used = measured(path.string(), small.string());
    REQUIRE(used.ok);
    const auto rule = static_cast<double>(used.weights + used.packed + used.cache + used.arena);
    MESSAGE("resident " << used.resident << " of " << rule << ", packed " << used.packed << " of a file of " << file);
    // Weights are mapped from the file once: only packed ones are copied, which are not larger than the originals.
    CHECK(static_cast<double>(used.weights) <= 1.01 * file);
    CHECK(static_cast<double>(used.packed) <= 1.13 * file);
    CHECK(used.cache == Bytes{2} * kSizes.layers * (kPrompt + kMore) * kSizes.width * 4);
    CHECK(static_cast<double>(used.rest) <= 0.05 * rule);
    // Resident pages: those of a mapped file that were read and not released. Threads and tables need some too, and small
    // weights that were copied start a segment of 2 MiB, which may be one page.
    constexpr double kProcess = 5 << 20;
    CHECK(static_cast<double>(used.resident) <= 1.05 * rule + kProcess);
  }
  std::filesystem::remove(path);
  std::filesystem::remove(small);
}
