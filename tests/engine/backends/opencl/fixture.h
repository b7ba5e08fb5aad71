// SPDX-License-Identifier: MIT
// Shared by the OpenCL tests: the device, isolated caches, and op cases computed on the device.
#pragma once
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arenascope/backends/reference/reference_backend.h>
#include "engine/backends/opencl/opencl_backend.h"
#include "engine/backends/opencl/ops.h"
#include "tests/support/built_case.h"

namespace arenascope::test {

inline bool says(const Error& error, std::string_view what) { return error.message.find(what) != std::string::npos; }

// All op cases that have kernels; ARENASCOPE_LEAN_OP_CASES=1 makes them smaller, for simulators.
inline const std::vector<OpCase>& cases() {
  static const std::vector<OpCase> all = [] {
    std::vector<OpCase> out = op_cases(std::getenv("ARENASCOPE_LEAN_OP_CASES") != nullptr);
    std::erase_if(out, [](const OpCase& c) {
      return !opencl::has_kernel(c.op) || (c.op == Op::Lstm && is_cpu_only(*build(c).built.output));
    });
    return out;
  }();
  return all;
}

// ARENASCOPE_OP_CASES_PART=3/8 selects the third, eleventh, nineteenth … case, because a simulator takes long for all.
inline bool in_part(size_t number) {
  const char* selected = std::getenv("ARENASCOPE_OP_CASES_PART");
  unsigned part = 0, parts = 0;
  if (!selected || std::sscanf(selected, "%u/%u", &part, &parts) != 2 || part < 1 || part > parts) return true;
  return number % parts == part - 1;
}

// Seconds of each case; the slowest are printed, because a simulator takes minutes for some.
class CaseTimes {
 public:
  ~CaseTimes() {
    std::sort(seconds_.rbegin(), seconds_.rend());
    double sum = 0;
    for (const auto& [seconds, name] : seconds_) sum += seconds;
    std::string slowest;
    for (size_t i = 0; i < std::min<size_t>(seconds_.size(), 5); ++i)
      slowest += (i ? ", " : "") + seconds_[i].second + " " + std::to_string(seconds_[i].first) + " s";
    MESSAGE(sum << " s; slowest: " << slowest);
  }
  template <class F>
  auto of(const std::string& name, const F& work) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = work();
    seconds_.push_back({std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), name});
    if (std::getenv("ARENASCOPE_OP_CASES_SAY"))
      std::fprintf(stderr, "%8.3f s  %s\n", seconds_.back().first, name.c_str());
    return result;
  }

 private:
  std::vector<std::pair<double, std::string>> seconds_;
};

struct Opened {
  std::unique_ptr<Backend> backend;
  std::shared_ptr<ExecutionContext> memory = make_cpu_context();
};

inline Opened open_device(BackendOptions options = {}, std::shared_ptr<opencl::Faults> faults = nullptr) {
  Opened out;
  options.try_emplace("cache", "none");
  auto backend = opencl::open_opencl(options, std::move(faults));
  REQUIRE_MESSAGE(backend.ok(), (backend.ok() ? "" : backend.error().message));
  out.backend = std::move(*backend);
  REQUIRE(out.backend->register_memory(*out.memory).ok());
  return out;
}

// The case on the device against the reference: the largest difference as a part of the largest value, or an error.
inline Result<Difference> difference(Opened& device, const OpCase& op_case) {
  Built c = build(op_case);
  const auto reference = reference::make_reference_backend();
  const TensorImpl& node = *c.built.output;
  if (auto ok = device.backend->supports(node); !ok) return ok.error();
  if (auto ok = compute_in_parts(*reference, node, 1); !ok) return ok.error();
  const std::vector<std::byte> expected = result(c.built.output);
  const Built again = build(op_case);  // an op may write what it reads
  auto got = compute_on_device(*device.backend, *device.memory, again.built);
  if (!got) return got.error();
  return compare_elements(node.dtype, got->data(), expected.data(), node.element_count());
}

}  // namespace arenascope::test
