// SPDX-License-Identifier: MIT
// What the OpenCL tests share: a device if there is one, caches in a folder of their own, a case computed on it.
#pragma once
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/backends/opencl/opencl_backend.h>
#include <arenascope/backends/reference/reference_backend.h>

namespace arenascope::test {

inline bool says(const Error& error, std::string_view what) { return error.message.find(what) != std::string::npos; }

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

struct BuiltOpCase {
  Context context;
  BuiltCase built;
};

inline BuiltOpCase build(const OpCase& op_case) {
  auto context = Context::create({.mem_size = kCasePoolBytes});
  REQUIRE(context);
  auto built = op_case.build(*context);
  REQUIRE_MESSAGE(built.ok(), op_case.name);
  fill_inputs(*built, 7);
  return {*context, std::move(*built)};
}

// The case on the device against the reference: the largest difference as a part of the largest value, or an error.
inline Result<Difference> difference(Opened& device, const OpCase& op_case) {
  BuiltOpCase c = build(op_case);
  const auto reference = reference::make_reference_backend();
  const TensorImpl& node = *c.built.output;
  if (auto ok = device.backend->supports(node); !ok) return ok.error();
  if (auto ok = compute_in_parts(*reference, node, 1); !ok) return ok.error();
  const std::vector<std::byte> expected(node.data(), node.data() + node.byte_count());
  auto got = compute_on_device(*device.backend, *device.memory, c.built);
  if (!got) return got.error();
  return compare_elements(node.dtype, got->data(), expected.data(), node.element_count());
}

}  // namespace arenascope::test
