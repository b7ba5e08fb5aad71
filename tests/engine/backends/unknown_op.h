// SPDX-License-Identifier: MIT
// An unknown op is rejected by its number, never computed as another op.
#pragma once
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include <arenascope/graph/context.h>
#include <arenascope/runtime/backend.h>

namespace arenascope::test {

// Nodes with an op number after the last one, with one input and with two: `backend` does not support them, and it
// rejects them or leaves their results unchanged if it is called nevertheless.
inline void check_unknown_op_is_refused(Backend& backend) {
  auto context = Context::create({.mem_size = size_t{1} << 16});
  const auto memory_context = make_cpu_context();
  REQUIRE(context);
  auto x = context->new_tensor(DType::F32, {2, 3}, "x"), y = context->new_tensor(DType::F32, {2, 3}, "y");
  auto memory = context->new_tensor(DType::F32, {2, 3}, "memory of the result");
  REQUIRE((x && y && memory));
  for (const int number : {kOpCount, kOpCount + 7, 60000})
    for (const size_t count : {1, 2}) {
      CAPTURE(number);
      CAPTURE(count);
      const Tensor sources[] = {*x, *y};
      auto node = context->restore(static_cast<Op>(number), DType::F32, {2, 3}, {sources, count}, {}, "made up");
      REQUIRE(node);
      (*node)->storage = (*memory)->storage;
      (*node)->offset = (*memory)->offset;
      CHECK(info((*node)->op).family == OpFamily::Unknown);
      const Status can = backend.supports(**node);
      REQUIRE_FALSE(can.ok());
      CHECK(can.error().message.find("'made up'") != std::string::npos);
      CHECK(can.error().message.find("unknown op " + std::to_string(number)) != std::string::npos);
      std::memset((*node)->data(), 0x5b, static_cast<size_t>((*node)->byte_count()));
      const TensorImpl* const nodes[] = {node->impl()};
      auto prepared = backend.prepare(nodes, *memory_context);
      CHECK_FALSE((prepared.ok() && (**prepared)[0].compute({0, 1, nullptr, 0}).ok()));
      for (int64_t i = 0; i < (*node)->byte_count(); ++i) REQUIRE((*node)->data()[i] == std::byte{0x5b});
    }
}

}  // namespace arenascope::test
