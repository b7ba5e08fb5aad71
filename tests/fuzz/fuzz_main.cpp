// SPDX-License-Identifier: MIT
// libFuzzer's entry points: arenascope_fuzz --target=NAME [libFuzzer options] CORPUS…, --list, or --target=NAME --seeds=FOLDER.
#include <sanitizer/allocator_interface.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/fuzz/targets.h"

namespace {

const arenascope::fuzz::Target* chosen = nullptr;

// An input may allocate 64 times its size and 64 MiB.
std::atomic<long long> live_bytes{0}, limit{0};

void on_malloc(const volatile void* at, size_t) {
  const auto bytes = static_cast<long long>(__sanitizer_get_allocated_size(const_cast<const void*>(at)));
  const long long live = live_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const long long most = limit.load(std::memory_order_relaxed);
  if (most == 0 || live <= most) return;
  limit = 0;
  std::fprintf(stderr, "fuzz target: %lld bytes are allocated, %lld allowed\n", live, most);
  std::abort();
}

void on_free(const volatile void* at) {
  if (at == nullptr) return;
  live_bytes.fetch_sub(static_cast<long long>(__sanitizer_get_allocated_size(const_cast<const void*>(at))),
                       std::memory_order_relaxed);
}

int write_seeds(const arenascope::fuzz::Target& target, const std::string& folder) {
  int number = 0;
  for (const std::string& seed : target.seeds()) {
    const std::string path = folder + "/seed-" + std::to_string(number++);
    std::ofstream out(path, std::ios::binary);
    out.write(seed.data(), static_cast<std::streamsize>(seed.size()));
    if (!out.flush()) return std::fprintf(stderr, "%s cannot be written\n", path.c_str()), 1;
  }
  return 0;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** values) {
  std::string name, folder;
  for (int i = 1; i < *count; ++i) {
    const std::string_view value = (*values)[i];
    if (value == "--list") {
      for (const auto& target : arenascope::fuzz::all_targets())
        std::printf("%.*s\n", static_cast<int>(target.name.size()), target.name.data());
      std::exit(0);
    }
    if (value.starts_with("--target=")) name = value.substr(std::strlen("--target="));
    if (value.starts_with("--seeds=")) folder = value.substr(std::strlen("--seeds="));
  }
  static const std::vector<arenascope::fuzz::Target> targets = arenascope::fuzz::all_targets();
  for (const auto& target : targets)
    if (target.name == name) chosen = &target;
  if (chosen == nullptr) {
    std::fprintf(stderr, "--target=NAME is required; --list prints the names\n");
    std::exit(2);
  }
  if (!folder.empty()) std::exit(write_seeds(*chosen, folder));
  __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  limit = live_bytes + static_cast<long long>(64 * size + (size_t{64} << 20));
  chosen->run({data, size});
  limit = 0;
  return 0;
}
