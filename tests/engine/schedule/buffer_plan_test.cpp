// SPDX-License-Identifier: MIT
#include <arenascope/schedule/buffer_plan.h>

#include <cstring>
#include <random>

#include <doctest/doctest.h>

using namespace arenascope;

TEST_CASE("buffers without a graph share a workspace if their steps do not overlap") {
  auto context = make_cpu_context();
  BufferPlan plan;
  const BufferId a = *plan.add_buffer({64, 4}, DType::F32, {0, 2}, {.name = "a"});
  const BufferId b = *plan.add_buffer({64, 4}, DType::F32, {1, 3});
  const BufferId c = *plan.add_buffer({64, 4}, DType::F32, {2, 4});
  const BufferId row = *plan.add_view_buffer(a, 8, {4}, {1, 2});
  const BufferId kept = *plan.add_buffer({10}, DType::I64, {0, 4}, {.kind = MemoryKind::Default});
  CHECK(!plan.tensor(a).defined());
  REQUIRE(plan.prepare(*context).ok());
  CHECK(plan.prepared());
  CHECK(plan.workspace_bytes() == 2 * 1024 + 80);
  CHECK(plan.lower_bound() == plan.workspace_bytes());
  CHECK(plan.buffer_bytes() == 3 * 1024 + 80);
  CHECK(plan.tensor(a).name() == "a");
  CHECK(plan.tensor(a).data_as<float>() == plan.tensor(c).data_as<float>());
  CHECK(plan.tensor(a).data_as<float>() != plan.tensor(b).data_as<float>());
  CHECK(plan.tensor(row).data_as<float>() == plan.tensor(a).data_as<float>() + 8);
  CHECK(plan.tensor(row).sizes() == Dims{4});
  CHECK(plan.tensor(a)->storage.block() == plan.tensor(b)->storage.block());
  CHECK(plan.tensor(kept).memory_kind() == MemoryKind::Default);
  CHECK(context->stats({}, MemoryKind::Workspace).allocations == 1);
  CHECK(context->stats({}, MemoryKind::Default).allocations == 1);
  CHECK(!plan.prepare(*context).ok());
  CHECK(!plan.add_buffer({1}, DType::F32, {0, 1}).ok());
}

TEST_CASE("a tensor outlives its buffer plan") {
  auto context = make_cpu_context();
  Tensor held;
  {
    BufferPlan plan;
    const BufferId a = *plan.add_buffer({256}, DType::U8, {0, 1});
    REQUIRE(plan.prepare(*context).ok());
    held = plan.tensor(a);
    std::memset(held.data_as<uint8_t>(), 7, 256);
  }
  CHECK(held.data_as<uint8_t>()[255] == 7);
  CHECK(context->stats({}, MemoryKind::Workspace).active >= 256);
  held = Tensor();
  CHECK(context->stats({}, MemoryKind::Workspace).active == 0);
}

TEST_CASE("invalid buffers are errors without side effects") {
  auto context = make_cpu_context();
  BufferPlan plan;
  CHECK(!plan.add_buffer({-1}, DType::F32, {0, 1}).ok());
  CHECK(!plan.add_buffer({INT64_MAX, 2}, DType::F32, {0, 1}).ok());
  CHECK(!plan.add_buffer({1}, DType::F32, {1, 1}).ok());
  CHECK(!plan.add_buffer({1}, DType::F32, {-1, 1}).ok());
  CHECK(!plan.add_buffer({1}, DType::F32, {0, 1}, {.alignment = 3}).ok());
  CHECK(!plan.add_buffer({1}, DType::F32, {0, 1}, {.alignment = 8192}).ok());
  CHECK(!plan.add_view_buffer(BufferId(0), 0, {1}, {0, 1}).ok());
  CHECK(plan.size() == 0);
  const BufferId a = *plan.add_buffer({8}, DType::F32, {0, 1});
  CHECK(!plan.add_view_buffer(a, 8, {1}, {0, 1}).ok());
  CHECK(!plan.add_view_buffer(a, -1, {1}, {0, 1}).ok());
  CHECK(!plan.add_view_buffer(a, INT64_MAX, {1}, {0, 1}).ok());
  CHECK(plan.add_view_buffer(a, 7, {1}, {0, 1}).ok());
  CHECK(!plan.prepare(*context, "nobody").ok());
  CHECK(!plan.prepared());
  REQUIRE(plan.prepare(*context).ok());
}

TEST_CASE("buffers in use in a step keep their contents") {
  std::mt19937 random(9);
  for (int round = 0; round < 40; ++round) {
    auto context = make_cpu_context();
    BufferPlan plan;
    struct Used {
      BufferId id;
      BufferUse use;
      bool view;
    };
    std::vector<Used> all;
    for (int i = 0; i < 20; ++i) {
      const auto first = static_cast<int64_t>(random() % 10);
      const BufferUse use{first, first + 1 + static_cast<int64_t>(random() % 4)};
      const bool view = !all.empty() && random() % 4 == 0;
      const auto id = view ? plan.add_view_buffer(all[random() % all.size()].id, 0, {1}, use)
                           : plan.add_buffer({1 + static_cast<int64_t>(random() % 50)}, DType::I32, use);
      REQUIRE(id.ok());
      all.push_back({*id, use, view});
    }
    REQUIRE(plan.prepare(*context, round % 2 == 0 ? "greedy-by-size" : "two-level").ok());
    CHECK(plan.workspace_bytes() >= plan.lower_bound());
    for (int64_t step = 0; step < 14; ++step) {
      for (const Used& u : all)
        if (!u.view && u.use.first == step) {
          int32_t* data = plan.tensor(u.id).data_as<int32_t>();
          std::fill(data, data + plan.tensor(u.id)->element_count(), u.id.value);
        }
      for (const Used& u : all)
        if (!u.view && u.use.first <= step && step < u.use.last) {
          const int32_t* data = plan.tensor(u.id).data_as<int32_t>();
          for (int64_t k = 0; k < plan.tensor(u.id)->element_count(); ++k) CHECK(data[k] == u.id.value);
        }
    }
  }
}
