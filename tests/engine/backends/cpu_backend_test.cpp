// SPDX-License-Identifier: MIT
// Features of the CPU backend: packed weights, errors, tasks.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/backends/reference/reference_backend.h>

using namespace arenascope;

namespace {

GraphBuilder builder() {
  auto context = Context::create({.mem_size = size_t{1} << 24});
  REQUIRE(context);
  return GraphBuilder(*context);
}

}  // namespace

TEST_CASE("the matmul of the standard example") {
  GraphBuilder g = builder();
  const Tensor a = g.input("a", {4, 2}), b = g.input("b", {3, 2});
  const float values_a[] = {2, 8, 5, 1, 4, 2, 8, 6}, values_b[] = {10, 5, 9, 9, 5, 4};
  std::memcpy(a->data(), values_a, sizeof values_a);
  std::memcpy(b->data(), values_b, sizeof values_b);
  const Tensor out = g.mul_mat(a, b);
  REQUIRE(g.ok());
  auto cpu = cpu::make_cpu_backend();
  REQUIRE(compute_in_parts(*cpu, *out, 2).ok());
  const float expected[] = {60, 55, 50, 110, 90, 54, 54, 126, 42, 29, 28, 64};
  for (int i = 0; i < 12; ++i) CHECK(out.data_as<float>()[i] == expected[i]);
}

TEST_CASE("constant weights are packed once, used, and released with their graph") {
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  auto memory = make_cpu_context();
  {
    GraphBuilder g = builder();
    const Tensor x = g.input("x", {1, 24, 20, 20}), w = g.weight("w", {40, 12, 3, 3}), bias = g.weight("b", {40});
    fill_inputs({{}, {{x}, {w}, {bias}}}, 3);
    const Tensor out = g.conv2d(x, w, bias, 1, 1, 2);
    REQUIRE(g.ok());
    REQUIRE(compute_in_parts(*reference, *out, 1).ok());
    const std::vector<std::byte> expected(out->data(), out->data() + out->byte_count());
    const TensorImpl* const nodes[] = {out.impl(), out.impl()};
    auto first = cpu->prepare(nodes, *memory);
    REQUIRE(first);
    const Bytes packed = memory->stats({}, MemoryKind::Persistent).active;
    CHECK(packed >= w->byte_count());
    CHECK(packed < 2 * w->byte_count());  // once for both nodes
    auto second = cpu->prepare(nodes, *memory, first->get());
    REQUIRE(second);
    first->reset();
    CHECK(memory->stats({}, MemoryKind::Persistent).active == packed);
    for (int parts : {1, 2, 3, 7}) {
      std::memset(out->data(), 0, static_cast<size_t>(out->byte_count()));
      REQUIRE(compute_in_parts(*cpu, **second, *out, parts).ok());
      CHECK(compare_elements(DType::F32, out->data(), expected.data(), out->element_count()).relative() < 1e-6);
    }
  }
  CHECK(memory->stats({}, MemoryKind::Persistent).active == 0);
}

namespace {

// A GRU (three gates) or an RNN (one) with constant weights.
Tensor recurrent(GraphBuilder& g, Op op, int64_t steps, int64_t batch, int64_t units, int direction) {
  const int64_t d = direction == 2 ? 2 : 1, rows = (op == Op::Gru ? 3 : 1) * units;
  const Tensor x = g.input("x", {steps, batch, units}), w = g.weight("w", {d, rows, units}),
               r = g.weight("r", {d, rows, units});
  const Tensor out = g.op_with(op, {x, w, r}, RecurrentParams{static_cast<int32_t>(units), direction, 0});
  REQUIRE(g.ok());
  return out;
}

}  // namespace

TEST_CASE("both constant weights of a GRU or RNN of several sequences are packed once") {
  auto cpu = cpu::make_cpu_backend();
  auto memory = make_cpu_context();
  for (const Op op : {Op::Gru, Op::Rnn})
    for (const int64_t batch : {1, 5}) {
      GraphBuilder g = builder();
      const Tensor out = recurrent(g, op, 6, batch, 40, 2);
      const TensorImpl* const nodes[] = {out.impl()};
      auto prepared = cpu->prepare(nodes, *memory);
      REQUIRE(prepared);
      const Bytes packed = (*prepared)->packed_weights().bytes;
      const Bytes given = out->sources[1]->byte_count() + out->sources[2]->byte_count();
      CHECK((packed >= given) == (batch == 5));  // one sequence is computed by dot products with the original
      CHECK(packed < 2 * given);
      for (const int source : {1, 2}) CHECK((**prepared)[0].reads_weight(source, 3) == (batch == 1));
      auto again = cpu->prepare(nodes, *memory, prepared->get());
      REQUIRE(again);
      CHECK(memory->stats({}, MemoryKind::Persistent).active == packed);  // reused
    }
}

TEST_CASE("a recurrence has no more tasks than sequences, and no copy of its constant weights as scratch") {
  auto cpu = cpu::make_cpu_backend();
  auto context = Context::create({.mem_size = size_t{1} << 20, .no_alloc = true});
  REQUIRE(context);
  GraphBuilder g(*context);
  for (const Op op : {Op::Gru, Op::Rnn})
    for (const int direction : {0, 2}) {
      const Tensor one = recurrent(g, op, 256, 1, 1024, direction), five = recurrent(g, op, 256, 5, 1024, direction);
      const int directions = direction == 2 ? 2 : 1;
      CHECK(cpu->tasks(*one, 16) == directions);
      CHECK(cpu->tasks(*five, 16) == std::min(16, 5 * directions));
      // A block of 256 inputs and their gates, and the scratch of a GEMM.
      const Bytes most = (Bytes{4 << 10} * 256 * (op == Op::Gru ? 4 : 2)) + (Bytes{1} << 20);
      CHECK(cpu->work_bytes(*one, 1) <= most);
      CHECK(cpu->work_bytes(*one, 16) <= 16 * most);
      CHECK(cpu->work_bytes(*five, 1) <= most);
    }
  const Tensor lstm = g.op_with(
      Op::Lstm, {g.input("x", {256, 1, 1024}), g.weight("w", {2, 4096, 1024}), g.weight("r", {2, 4096, 1024})},
      LstmParams{1024, 2, 0});
  REQUIRE(g.ok());
  CHECK(cpu->tasks(*lstm, 16) == 2);
}

TEST_CASE("weights are packed again for a node with another use") {
  auto cpu = cpu::make_cpu_backend();
  auto memory = make_cpu_context();
  GraphBuilder g = builder();
  const Tensor x = g.input("x", {1, 24, 20, 20}), w = g.weight("w", {40, 24, 3, 3});
  fill_inputs({{}, {{x}, {w}}}, 9);
  const Tensor out = g.conv2d(x, w, {}, 1, 1);
  REQUIRE(g.ok());
  const TensorImpl* const nodes[] = {out.impl()};
  auto before = cpu->prepare(nodes, *memory);
  REQUIRE(before);
  REQUIRE(compute_in_parts(*cpu, **before, *out, 1).ok());
  const std::vector<float> plain(out.data_as<float>(), out.data_as<float>() + out->element_count());
  out->strides.set(channels_last_strides(out->sizes).span());
  for (const bool hand_over : {false, true}) {
    auto prepared = cpu->prepare(nodes, *memory, hand_over ? before->get() : nullptr);
    REQUIRE(prepared);
    REQUIRE(compute_in_parts(*cpu, **prepared, *out, 1).ok());
    double error = 0;
    for (int64_t c = 0; c < 40; ++c)
      for (int64_t i = 0; i < 400; ++i)
        error = std::max(error, static_cast<double>(std::abs(out.data_as<float>()[i * 40 + c] -
                                                             plain[static_cast<size_t>(c * 400 + i)])));
    CHECK(error < 1e-4);
  }
}

namespace {

// An element of an image, in either layout.
float& of_image(const Tensor& t, int64_t image, int64_t channel, int64_t row, int64_t column) {
  const Dims& step = t->strides;
  return t.data_as<float>()[image * step[0] + channel * step[1] + row * step[2] + column * step[3]];
}

// A convolution of 3×3 in double, and the sum of its products' magnitudes.
struct Sums {
  double value, magnitude;
};
Sums sum_of(const Tensor& x, const Tensor& w, const Tensor& bias, int64_t image, int64_t k, int64_t row,
            int64_t column) {
  const int64_t depth = w.sizes()[1], groups = x.sizes()[1] / depth, group = k / (w.sizes()[0] / groups);
  Sums out{static_cast<double>(bias.data_as<float>()[k]), 0};
  for (int64_t c = 0; c < depth; ++c)
    for (int64_t tap = 0; tap < 9; ++tap) {
      const int64_t y = row - 1 + tap / 3, z = column - 1 + tap % 3;
      if (y < 0 || y >= x.sizes()[2] || z < 0 || z >= x.sizes()[3]) continue;
      const double a = static_cast<double>(of_image(x, image, group * depth + c, y, z)),
                   b = static_cast<double>(w.data_as<float>()[(k * depth + c) * 9 + tap]);
      out.value += a * b, out.magnitude += std::abs(a * b);
    }
  return out;
}

// How far results are from it, in parts of the bound; infinite where one is not finite as it must be.
double worst_of(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& out) {
  double worst = 0;
  for (int64_t place = 0; place < 2 * 9 * 11; ++place)
    for (int64_t k = 0; k < out.sizes()[1]; ++k) {
      const Sums exact = sum_of(x, w, bias, place / 99, k, place / 11 % 9, place % 11);
      const double got = static_cast<double>(of_image(out, place / 99, k, place / 11 % 9, place % 11));
      if (got == exact.value || (std::isnan(got) && std::isnan(exact.value))) continue;
      const double allowed = 0x1p-24 * std::abs(exact.value) + 16 * 0x1p-23 * exact.magnitude;
      const double share = std::abs(got - exact.value) / allowed;
      worst = std::isfinite(exact.value) && share <= 1 ? std::max(worst, share) : HUGE_VAL;
    }
  return worst;
}

}  // namespace

TEST_CASE("3x3 convolutions of images in either layout keep their bound, zeros, NaN and infinities") {
  auto cpu = cpu::make_cpu_backend({.max_weights = std::numeric_limits<double>::infinity()});
  auto memory = make_cpu_context();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const bool last : {true, false})
    for (const int64_t groups : {1, 2}) {
      GraphBuilder g = builder();
      const Tensor x = g.input("x", {2, 32 * groups, 9, 11}), w = g.weight("w", {64 * groups, 32, 3, 3}),
                   bias = g.weight("b", {64 * groups});
      fill_inputs({{}, {{x}, {w}, {bias}}}, 6);
      const Tensor out = g.conv2d(x, w, bias, 1, 1, static_cast<int>(groups));
      REQUIRE(g.ok());
      for (const Tensor& t : {x, out})
        if (last) t->strides.set(channels_last_strides(t->sizes).span());
      const TensorImpl* const nodes[] = {out.impl()};
      auto prepared = cpu->prepare(nodes, *memory);
      REQUIRE(prepared);
      for (const float odd : {1.0f, 0.0f, std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
        of_image(x, 0, 7, 5, 4) = odd;
        for (int64_t i = 0; odd == 0.0f && i < 4 * 11 * 32; ++i) of_image(x, 1, i % 32, i / 352, i / 32 % 11) = 0;
        for (const int parts : {1, 3}) {
          std::memset(out->data(), 0x5b, static_cast<size_t>(out->byte_count()));
          REQUIRE(compute_in_parts(*cpu, **prepared, *out, parts).ok());
          CHECK_MESSAGE(worst_of(x, w, bias, out) <= 1,
                        groups << " groups, with " << odd << ", " << parts << " parts" << (last ? ", last" : ""));
        }
      }
    }
}

TEST_CASE("Winograd weights are made within a memory budget, largest images first") {
  GraphBuilder g = builder();
  const Tensor x = g.input("x", {1, 96, 40, 40}), small = g.input("small", {1, 96, 12, 12}),
               last = g.input("last", {1, 96, 20, 20});
  const Tensor w[] = {g.weight("w0", {96, 96, 3, 3}), g.weight("w1", {96, 96, 3, 3}), g.weight("w2", {96, 96, 3, 3})};
  const Tensor groups = g.weight("groups", {96, 48, 3, 3}), wide = g.weight("wide", {160, 1200});
  const Tensor row = g.input("row", {3, 1200});
  fill_inputs({{}, {{x}, {small}, {last}, {w[0]}, {w[1]}, {w[2]}, {groups}, {wide}, {row}}}, 4);
  const Tensor out[] = {g.conv2d(small, w[0], {}, 1, 1),     g.conv2d(x, w[1], {}, 1, 1),
                        g.conv2d(x, w[1], {}, 1, 1),         g.conv2d(small, w[2], {}, 1, 1),
                        g.conv2d(last, groups, {}, 1, 1, 2), g.mul_mat(wide, row)};
  REQUIRE(g.ok());
  for (const Tensor& t : {last, out[4]})
    t->strides.set(channels_last_strides(t->sizes).span());  // only the transform can
  std::vector<const TensorImpl*> nodes;
  for (const Tensor& t : out) nodes.push_back(t.impl());
  Bytes all = wide->byte_count() + groups->byte_count();
  for (const Tensor& one : w) all += one->byte_count();
  const Bytes more = w[0]->byte_count() * 7 / 9, of_groups = groups->byte_count() * 7 / 9;
  auto memory = make_cpu_context();
  struct Want {
    double most;
    int64_t taken;
    Bytes more;
  };
  const double all_bytes = static_cast<double>(all);
  for (const Want want : {Want{1, 1, of_groups},
                          {1 + static_cast<double>(of_groups + more) / all_bytes + 1e-9, 2, of_groups + more},
                          {1 + static_cast<double>(of_groups + 2 * more) / all_bytes + 1e-9, 3, of_groups + 2 * more},
                          {std::numeric_limits<double>::infinity(), 4, of_groups + 3 * more}}) {
    CAPTURE(want.most);
    auto cpu = cpu::make_cpu_backend({.max_weights = want.most});
    auto prepared = cpu->prepare(nodes, *memory);
    REQUIRE(prepared);
    const PackedWeights first_packed = (*prepared)->packed_weights();
    CHECK(first_packed.winograd.count == want.taken);
    CHECK(first_packed.winograd.more == want.more);
    CHECK(first_packed.direct.count == 4 - want.taken);
    CHECK(first_packed.direct.more == of_groups + 3 * more - want.more);
    CHECK(first_packed.bytes == memory->stats({}, MemoryKind::Persistent).active);
    auto again = cpu->prepare(nodes, *memory, prepared->get());
    REQUIRE(again);
    CHECK(memory->stats({}, MemoryKind::Persistent).active == first_packed.bytes);  // taken over
    CHECK((*again)->packed_weights().bytes == first_packed.bytes);
  }
  const TensorImpl* const few[] = {out[0].impl()};
  auto cpu = cpu::make_cpu_backend({.packs = false});
  auto as_given = cpu->prepare(few, *memory);
  REQUIRE(as_given);
  CHECK((*as_given)->packed_weights().bytes == 0);
  CHECK((*as_given)->packed_weights().direct.count == 0);
}

TEST_CASE("without packed weights only depthwise convolutions use channels-last images") {
  GraphBuilder g = builder();
  const Tensor x = g.input("x", {1, 32, 20, 20}), w = g.weight("w", {48, 32, 3, 3}),
               each = g.weight("each", {32, 1, 3, 3});
  const Tensor all = g.conv2d(x, w, {}, 1, 1), depthwise = g.conv2d(x, each, {}, 1, 1, 32);
  REQUIRE(g.ok());
  const auto packs = cpu::make_cpu_backend(), reads = cpu::make_cpu_backend({.packs = false});
  CHECK(!reads->channels_last(*all).computes);
  CHECK(reads->channels_last(*depthwise).computes);
  CHECK(packs->channels_last(*depthwise).computes);
}

TEST_CASE("int8 convolutions are exact, also beyond the integers of f32") {
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  auto memory = make_cpu_context();
  struct Shape {
    int64_t channels, results;
    int stride, pad, groups;
  };
  for (const DType type : {DType::U8, DType::I8})
    for (const Shape& s :
         {Shape{7, 20, 1, 1, 1}, Shape{6, 34, 2, 0, 2}, Shape{600, 16, 1, 1, 1}, Shape{4, 80, 1, 1, 1}}) {
      GraphBuilder g = builder();
      const Tensor x = g.input("x", {2, s.channels, 9, 21}, type),
                   w = g.weight("w", {s.results, s.channels / s.groups, 3, 3}, DType::I8),
                   bias = g.weight("b", {s.results});
      for (int64_t i = 0; i < x->byte_count(); ++i)
        x.data_as<uint8_t>()[i] = static_cast<uint8_t>(s.channels == 600 ? 127 : i * 7919 % 257);
      for (int64_t i = 0; i < w->byte_count(); ++i)
        w.data_as<int8_t>()[i] = static_cast<int8_t>(s.channels == 600 ? 126 + i % 2 : i * 104729 % 253 - 126);
      for (int64_t i = 0; i < s.results; ++i) bias.data_as<float>()[i] = static_cast<float>(i * 1000 - 7000) + 0.5f;
      const Tensor out = g.conv2d(x, w, bias, s.stride, s.pad, s.groups);
      REQUIRE(g.ok());
      CHECK(out.dtype() == DType::F32);
      REQUIRE(compute_in_parts(*reference, *out, 1).ok());
      const std::vector<std::byte> expected(out->data(), out->data() + out->byte_count());
      for (const bool packed : {false, true})
        for (const int parts : {1, 3}) {
          w->flags = packed ? w->flags | kFlagWeight : w->flags & ~kFlagWeight;
          const TensorImpl* const nodes[] = {out.impl()};
          auto prepared = cpu->prepare(nodes, *memory);
          REQUIRE(prepared);
          std::memset(out->data(), 0x5b, expected.size());
          REQUIRE(compute_in_parts(*cpu, **prepared, *out, parts).ok());
          const auto* references = reinterpret_cast<const float*>(expected.data());
          int wrong = 0;
          for (int64_t i = 0; i < out->element_count(); ++i)
            wrong += std::abs(out.data_as<float>()[i] - references[i]) > std::abs(references[i]) * 0x1p-23f;
          CHECK_MESSAGE(wrong == 0, s.channels << " channels of " << name(type) << ", " << parts << " parts");
        }
    }
}

TEST_CASE("top-k of a row equals the reference, with ties and NaN") {
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  for (const int64_t k : {1, 10, 64})
    for (const bool largest : {true, false})
      for (const int axis : {0, 1})
        for (const Op op : {Op::TopKValues, Op::TopKIndices}) {
          GraphBuilder g = builder();
          const Tensor x = g.input("x", {axis == 0 ? 520 : 3, axis == 0 ? 3 : 520});
          const Tensor out = g.op_with(op, {x}, TopKParams{axis, k, largest, true});
          REQUIRE(g.ok());
          for (int64_t i = 0; i < x->element_count(); ++i)
            x.data_as<float>()[i] =
                i % 97 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(i * 7919 % 331) - 100.0f;
          REQUIRE(compute_in_parts(*reference, *out, 1).ok());
          const std::vector<std::byte> expected(out->data(), out->data() + out->byte_count());
          std::memset(out->data(), 0, static_cast<size_t>(out->byte_count()));
          REQUIRE(compute_in_parts(*cpu, *out, 2).ok());
          CHECK(std::memcmp(out->data(), expected.data(), expected.size()) == 0);
        }
}

TEST_CASE("two runs of one backend share only the shared weights") {
  auto cpu = cpu::make_cpu_backend();
  auto memory = make_cpu_context();
  GraphBuilder g = builder();
  const Tensor x = g.input("x", {1, 24, 20, 20}), w = g.weight("w", {40, 24, 3, 3});
  fill_inputs({{}, {{x}, {w}}}, 4);
  const Tensor out = g.conv2d(x, w, {}, 1, 1);
  REQUIRE(g.ok());
  const TensorImpl* const nodes[] = {out.impl()};
  auto one = cpu->prepare(nodes, *memory), other = cpu->prepare(nodes, *memory);
  REQUIRE((one.ok() && other.ok()));
  const Bytes both = memory->stats({}, MemoryKind::Persistent).active;
  REQUIRE(compute_in_parts(*cpu, **one, *out, 2).ok());
  const std::vector<std::byte> expected(out->data(), out->data() + out->byte_count());
  one->reset();
  CHECK(memory->stats({}, MemoryKind::Persistent).active == both / 2);
  std::memset(out->data(), 0, static_cast<size_t>(out->byte_count()));
  REQUIRE(compute_in_parts(*cpu, **other, *out, 3).ok());
  CHECK(std::memcmp(out->data(), expected.data(), expected.size()) == 0);
}

TEST_CASE("new threads compute parts of a matmul with constant weights") {
  auto reference = reference::make_reference_backend();
  struct Case {
    DType type;
    int64_t rows, depth;
  };
  for (const auto& [type, rows, depth] :
       {Case{DType::F32, 9, 100}, {DType::F32, 28, 1300}, {DType::F32, 128, 768}, {DType::BF16, 128, 768}}) {
    CAPTURE(rows);
    auto cpu = cpu::make_cpu_backend();
    auto memory = make_cpu_context();
    GraphBuilder g = builder();
    const Tensor w = g.weight("w", {500, depth}, type), x = g.input("x", {rows, depth});
    fill_inputs({{}, {{w}, {x}}}, 11);
    const Tensor out = g.mul_mat(w, x);
    REQUIRE(g.ok());
    REQUIRE(compute_in_parts(*reference, *out, 1).ok());
    const std::vector<std::byte> expected(out->data(), out->data() + out->byte_count());
    const TensorImpl* const nodes[] = {out.impl()};
    auto prepared = cpu->prepare(nodes, *memory);
    REQUIRE(prepared);
    if (type == DType::F32) CHECK((*prepared)->packed_weights().bytes > 0);
    constexpr int kParts = 4;
    const Bytes bytes = cpu->work_bytes(*out, kParts);
    auto work = memory->allocate({}, MemoryKind::Workspace, std::max<Bytes>(bytes, 64));
    REQUIRE(work.ok());
    for (int round = 0; round < 5; ++round) {
      std::memset(out->data(), 0, static_cast<size_t>(out->byte_count()));
      std::vector<std::thread> threads;
      std::array<bool, kParts> well{};
      for (int i = 0; i < kParts; ++i)
        threads.emplace_back([&, i] {
          well[static_cast<size_t>(i)] = (**prepared)[0].compute({i, kParts, (*work)->data(), bytes}).ok();
        });
      for (std::thread& thread : threads) thread.join();
      for (bool w_ok : well) CHECK(w_ok);
      CHECK(compare_elements(DType::F32, out->data(), expected.data(), out->element_count()).relative() <
            (type == DType::F32 ? 1e-5 : 1e-2));
    }
  }
}

TEST_CASE("a convolution in uneven parts is about as fast as in one part") {
  auto cpu = cpu::make_cpu_backend();
  auto memory = make_cpu_context();
  // 13 rows of 288 channels: a library has a fast kernel for all of them at once, and perhaps a plain loop for six.
  GraphBuilder g = builder();
  const Tensor x = g.input("x", {1, 144, 13, 13}), w = g.weight("w", {288, 144, 3, 3});
  fill_inputs({{}, {{x}, {w}}}, 5);
  const Tensor out = g.conv2d(x, w, {}, 1, 1);
  REQUIRE(g.ok());
  const TensorImpl* const nodes[] = {out.impl()};
  auto prepared = cpu->prepare(nodes, *memory);
  REQUIRE(prepared);
  const auto seconds = [&](int parts) {
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      REQUIRE(compute_in_parts(*cpu, **prepared, *out, parts).ok());
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
  };
  const double whole = seconds(1);
  for (int parts : {2, 3, 4}) CHECK_MESSAGE(seconds(parts) < 20 * whole, parts << " parts");
}

TEST_CASE("log-softmax keeps small results beside large inputs") {
  GraphBuilder g = builder();
  const Tensor x = g.input("x", {2, 300});
  for (int64_t i = 0; i < x->element_count(); ++i)
    x.data_as<float>()[i] = 9446.5f + 0.001f * static_cast<float>(i * 37 % 900);
  const Tensor out = g.op_with(Op::LogSoftMax, {x}, SoftMaxParams{1, 1});
  REQUIRE(g.ok());
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  REQUIRE(compute_in_parts(*reference, *out, 1).ok());
  const std::vector<float> expected(out.data_as<float>(), out.data_as<float>() + out->element_count());
  REQUIRE(compute_in_parts(*cpu, *out, 2).ok());
  for (size_t i = 0; i < expected.size(); ++i) CHECK(std::fabs(out.data_as<float>()[i] - expected[i]) < 4e-6f);
}

TEST_CASE("an index out of range is an error with its value") {
  auto cpu = cpu::make_cpu_backend();
  for (Op op : {Op::Gather, Op::GatherElements})
    for (int64_t bad :
         {int64_t{5}, int64_t{-6}, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
      GraphBuilder g = builder();
      const Tensor table = g.input("table", {5, 1}), index = g.input("index", {2, 1}, DType::I64);
      index.data_as<int64_t>()[0] = 4;
      index.data_as<int64_t>()[1] = bad;
      const Tensor out = g.op_with(op, {table, index}, AxisParams{0}, "looked up");
      REQUIRE(g.ok());
      const Status status = compute_in_parts(*cpu, *out, 1);
      REQUIRE(!status.ok());
      CHECK(status.error().message.find(std::to_string(bad)) != std::string::npos);
      CHECK(status.error().message.find("looked up") != std::string::npos);
      index.data_as<int64_t>()[1] = -5;
      CHECK(compute_in_parts(*cpu, *out, 1).ok());
    }
}

TEST_CASE("undefined integer operations do not crash") {
  auto cpu = cpu::make_cpu_backend();
  for (DType type : {DType::I32, DType::I64})
    for (Op op : {Op::Div, Op::Mod}) {
      GraphBuilder g = builder();
      const Tensor a = g.input("a", {4}, type), b = g.input("b", {4}, type);
      const int64_t low = type == DType::I32 ? INT32_MIN : INT64_MIN;
      const int64_t values_a[] = {7, low, -7, -8}, values_b[] = {0, -1, 2, 3};
      for (int i = 0; i < 4; ++i) {
        if (type == DType::I32) {
          a.data_as<int32_t>()[i] = static_cast<int32_t>(values_a[i]);
          b.data_as<int32_t>()[i] = static_cast<int32_t>(values_b[i]);
        } else {
          a.data_as<int64_t>()[i] = values_a[i];
          b.data_as<int64_t>()[i] = values_b[i];
        }
      }
      const Tensor out = g.op(op, {a, b});
      REQUIRE(compute_in_parts(*cpu, *out, 1).ok());
      const auto at = [&](int i) { return type == DType::I32 ? out.data_as<int32_t>()[i] : out.data_as<int64_t>()[i]; };
      CHECK(at(0) == 0);
      CHECK(at(1) == (op == Op::Div ? low : 0));
      CHECK(at(2) == (op == Op::Div ? -3 : 1));
      CHECK(at(3) == (op == Op::Div ? -2 : 1));
    }
}

TEST_CASE("casts saturate, and NaN becomes 0") {
  auto cpu = cpu::make_cpu_backend();
  GraphBuilder g = builder();
  const Tensor x = g.input("x", {5});
  const float values[] = {1e30f, -1e30f, NAN, -3.7f, INFINITY};
  std::memcpy(x->data(), values, sizeof values);
  const Tensor as_byte = g.op_with(Op::Cast, {x}, CastParams{DType::U8}),
               as_long = g.op_with(Op::Cast, {x}, CastParams{DType::I64});
  REQUIRE(compute_in_parts(*cpu, *as_long, 1).ok());
  REQUIRE(compute_in_parts(*cpu, *as_byte, 1).ok());
  const int64_t expected[] = {INT64_MAX, INT64_MIN, 0, -3, INT64_MAX};
  for (int i = 0; i < 5; ++i) CHECK(as_long.data_as<int64_t>()[i] == expected[i]);
}

TEST_CASE("small nodes are one task, large ones one per thread") {
  auto cpu = cpu::make_cpu_backend();
  GraphBuilder g = builder();
  const Tensor small = g.add(g.input("a", {16}), g.input("b", {16}));
  const Tensor large = g.conv2d(g.input("x", {1, 64, 56, 56}), g.input("w", {64, 64, 3, 3}), {}, 1, 1);
  CHECK(cpu->tasks(*small, 8) == 1);
  CHECK(cpu->tasks(*large, 8) == 8);
  CHECK(cpu->name() == "cpu");
  CHECK(cpu->runs_on_host_threads());
}

TEST_CASE("sorting a long row with NaN, infinities, zeros and ties") {
  auto cpu = cpu::make_cpu_backend();
  for (bool largest : {false, true})
    for (Op op : {Op::TopKIndices, Op::TopKValues}) {
      GraphBuilder g = builder();
      constexpr int64_t kLength = 1000;
      const Tensor x = g.input("x", {3, kLength});
      float* v = x.data_as<float>();
      for (int64_t i = 0; i < 3 * kLength; ++i) v[i] = static_cast<float>((i * 7919) % 601 - 300) * 0.25f;
      v[5] = NAN, v[9] = -NAN, v[17] = INFINITY, v[400] = -INFINITY, v[401] = -0.0f, v[402] = 0.0f, v[403] = 1e-42f,
      v[404] = -1e-42f;
      const Tensor out = g.op_with(op, {x}, TopKParams{1, kLength, largest, true});
      REQUIRE(g.ok());
      REQUIRE(compute_in_parts(*cpu, *out, 2).ok());
      for (int64_t line = 0; line < 3; ++line) {
        const float* row = v + line * kLength;
        std::vector<int64_t> order(static_cast<size_t>(kLength));
        for (int64_t i = 0; i < kLength; ++i) order[static_cast<size_t>(i)] = i;
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
          const bool nan_a = std::isnan(row[a]), nan_b = std::isnan(row[b]);
          if (nan_a || nan_b) return nan_a != nan_b && nan_a == largest;
          return largest ? row[a] > row[b] : row[a] < row[b];
        });
        for (int64_t i = 0; i < kLength; ++i) {
          const int64_t at = line * kLength + i, place = order[static_cast<size_t>(i)];
          if (op == Op::TopKIndices)
            REQUIRE(out.data_as<int64_t>()[at] == place);
          else
            REQUIRE((out.data_as<float>()[at] == row[place] || std::isnan(row[place])));
        }
      }
    }
}

TEST_CASE("results larger than the caches equal small ones") {
  // Non-temporal stores, in chunks that begin at any offset.
  auto cpu = cpu::make_cpu_backend();
  constexpr int64_t kRows = 2051, kColumns = 2053;
  auto context = Context::create({.mem_size = size_t{80} << 20});
  REQUIRE(context);
  GraphBuilder g(*context);
  const Tensor x = g.input("x", {kRows, kColumns}), gain = g.input("gain", {kColumns});
  fill_inputs({{}, {{x, -4, 4}, {gain, -1, 1}}}, 11);
  auto check = [&](const Tensor& large, auto&& small) {
    REQUIRE(g.ok());
    REQUIRE(compute_in_parts(*cpu, *large, 3).ok());
    for (int64_t row : {int64_t{0}, int64_t{683}, int64_t{684}, int64_t{1367}, kRows - 1}) {
      GraphBuilder few = builder();
      const Tensor line = few.input("line", {1, kColumns});
      std::memcpy(line->data(), x.data_as<float>() + row * kColumns, kColumns * 4);
      const Tensor same = small(few, line);
      REQUIRE(few.ok());
      REQUIRE(compute_in_parts(*cpu, *same, 1).ok());
      CHECK(std::memcmp(large.data_as<float>() + row * kColumns, same->data(), kColumns * 4) == 0);
    }
  };
  SUBCASE("exp") {
    check(g.op(Op::Exp, {x}), [](GraphBuilder& b, const Tensor& t) { return b.op(Op::Exp, {t}); });
  }
  SUBCASE("rms_norm") {
    check(g.rms_norm(x, 1e-5f, gain), [&](GraphBuilder& b, const Tensor& t) {
      const Tensor own = b.input("gain", {kColumns});
      std::memcpy(own->data(), gain->data(), kColumns * 4);
      return b.rms_norm(t, 1e-5f, own);
    });
  }
  SUBCASE("softmax") {
    check(g.soft_max(x, 1), [](GraphBuilder& b, const Tensor& t) { return b.soft_max(t, 1); });
  }
  SUBCASE("transposed") {
    const Tensor turned = g.cont(g.transpose(x));
    REQUIRE(g.ok());
    REQUIRE(compute_in_parts(*cpu, *turned, 3).ok());
    bool same = true;
    for (int64_t r = 0; r < kRows; ++r)
      for (int64_t c = 0; c < kColumns; ++c)
        same = same && turned.data_as<float>()[c * kRows + r] == x.data_as<float>()[r * kColumns + c];
    CHECK(same);
  }
}

TEST_CASE("full tiles are transposed, in batches and in parts") {
  auto cpu = cpu::make_cpu_backend();
  GraphBuilder g = builder();
  const Tensor x = g.input("x", {3, 64, 48});
  fill_inputs({{}, {{x, -4, 4}}}, 5);
  const Tensor turned = g.cont(g.transpose(x));
  REQUIRE(g.ok());
  for (int parts : {1, 2, 4}) {
    REQUIRE(compute_in_parts(*cpu, *turned, parts).ok());
    bool same = true;
    for (int64_t b = 0; b < 3; ++b)
      for (int64_t r = 0; r < 64; ++r)
        for (int64_t c = 0; c < 48; ++c)
          same = same && turned.data_as<float>()[(b * 48 + c) * 64 + r] == x.data_as<float>()[(b * 64 + r) * 48 + c];
    CHECK(same);
  }
}

TEST_CASE("resize of all types along up to five dimensions") {
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  for (DType type : {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I32, DType::U8})
    for (ResizeMode mode : {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic}) {
      GraphBuilder g = builder();
      const Tensor x = g.input("x", {2, 3, 4, 2, 5}, type);
      fill_inputs({{}, {{x, 0, 100}}}, 7);
      const ResizeParams params{
          {3, 3, 7, 4, 3}, {0, 0, 0, 0}, mode, ResizeCoordinates::HalfPixel, ResizeNearest::RoundPreferFloor, -0.5f};
      const Tensor out = g.op_with(Op::Resize, {x}, params, "resized");
      REQUIRE(g.ok());
      REQUIRE(compute_in_parts(*reference, *out, 1).ok());
      const std::vector<std::byte> expected(out->data(), out->data() + out->byte_count());
      for (int parts : {1, 2, 5}) {
        std::memset(out->data(), 0, static_cast<size_t>(out->byte_count()));
        REQUIRE(compute_in_parts(*cpu, *out, parts).ok());
        const double off = compare_elements(type, out->data(), expected.data(), out->element_count()).relative();
        // Sums between two integers may be rounded to either; the largest result is near 100.
        const double most = type == DType::F64    ? 1e-14
                            : type == DType::F32  ? 1e-6
                            : type == DType::F16  ? 1e-3
                            : type == DType::BF16 ? 8e-3
                                                  : 1.1e-2;
        CHECK_MESSAGE(off <= (mode == ResizeMode::Nearest ? 0 : most), std::string(name(type))
                                                                           << " mode " << static_cast<int>(mode));
      }
    }
}

TEST_CASE("align_corners uses the given scale") {
  // ONNX's example: four columns by 0.6 are 2.4, rounded down to two; the second is at 3 ÷ 1.4 of the input.
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  GraphBuilder g = builder();
  const Tensor x = g.input("x", {1, 1, 2, 4});
  for (int i = 0; i < 8; ++i) x.data_as<float>()[i] = static_cast<float>(i + 1);
  const Tensor out = g.op_with(Op::Resize, {x},
                               ResizeParams{{1, 1, 1, 2},
                                            {1, 1, 0.6f, 0.6f},
                                            ResizeMode::Linear,
                                            ResizeCoordinates::AlignCorners,
                                            ResizeNearest::Floor,
                                            -0.75f});
  REQUIRE(g.ok());
  for (Backend* backend : {cpu.get(), reference.get()}) {
    REQUIRE(compute_in_parts(*backend, *out, 1).ok());
    CHECK(out.data_as<float>()[0] == 1);
    CHECK(out.data_as<float>()[1] == doctest::Approx(3.142857));
  }
}

TEST_CASE("matmuls with packed bf16 weights are accurate to the rounding of both operands") {
  auto cpu = cpu::make_cpu_backend();
  auto memory = make_cpu_context();
  GraphBuilder g = builder();
  constexpr int64_t kRows = 77, kColumns = 83, kDepth = 301;
  const Tensor w = g.weight("w", {kColumns, kDepth}, DType::BF16), x = g.input("x", {kRows, kDepth}),
               bias = g.weight("bias", {kColumns});
  fill_inputs({{}, {{w}, {x}, {bias}}}, 3);
  const Tensor out = g.op_with(Op::MulMat, {w, x, bias}, MulMatParams{0.5f});
  REQUIRE(g.ok());
  const TensorImpl* const nodes[] = {out.impl()};
  auto prepared = cpu->prepare(nodes, *memory);
  REQUIRE(prepared);
  const auto weight = [&](int64_t i) {
    uint32_t bits = uint32_t{w.data_as<uint16_t>()[i]} << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return static_cast<double>(value);
  };
  for (int parts : {1, 2, 3}) {
    CAPTURE(parts);
    std::memset(out->data(), 0x5b, static_cast<size_t>(out->byte_count()));
    REQUIRE(compute_in_parts(*cpu, **prepared, *out, parts).ok());
    for (int64_t r = 0; r < kRows; ++r)
      for (int64_t c = 0; c < kColumns; ++c) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < kDepth; ++k) {
          const double product = 0.5 * weight(c * kDepth + k) * static_cast<double>(x.data_as<float>()[r * kDepth + k]);
          sum += product, size += std::abs(product);
        }
        sum += static_cast<double>(bias.data_as<float>()[c]);
        REQUIRE(std::abs(static_cast<double>(out.data_as<float>()[r * kColumns + c]) - sum) <= size / 256 + 1e-6);
      }
  }
}

TEST_CASE("matmuls with f16 weights are accurate to the rounding of both operands if rounding is allowed") {
  auto exact = cpu::make_cpu_backend(), rounding = cpu::make_cpu_backend({.rounds = true});
  auto memory = make_cpu_context();
  for (const auto& [rows, columns, depth] :
       {std::array<int64_t, 3>{9, 5, 32}, {16, 48, 1024}, {77, 83, 1312}, {130, 101, 64}, {3, 7, 64}, {20, 9, 33}}) {
    CAPTURE(rows);
    GraphBuilder g = builder();
    const Tensor w = g.weight("w", {columns, depth}, DType::F16), x = g.input("x", {rows, depth}),
                 bias = g.weight("bias", {columns});
    fill_inputs({{}, {{w}, {x}, {bias}}}, 3);
    const Tensor out = g.op_with(Op::MulMat, {w, x, bias}, MulMatParams{0.5f});
    const Tensor wide = g.op_with(Op::Cast, {w}, CastParams{DType::F32});
    REQUIRE(g.ok());
    REQUIRE(compute_in_parts(*exact, *wide, 1).ok());
    std::vector<float> before;
    for (Backend* backend : {exact.get(), rounding.get()}) {
      const TensorImpl* const nodes[] = {out.impl()};
      auto prepared = backend->prepare(nodes, *memory);
      REQUIRE(prepared);
      for (int parts : {1, 2, 3}) {
        CAPTURE(parts);
        std::memset(out->data(), 0x5b, static_cast<size_t>(out->byte_count()));
        REQUIRE(compute_in_parts(*backend, **prepared, *out, parts).ok());
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < columns; ++c) {
            double sum = 0, size = 0;
            for (int64_t k = 0; k < depth; ++k) {
              const double product = 0.5 * static_cast<double>(wide.data_as<float>()[c * depth + k]) *
                                     static_cast<double>(x.data_as<float>()[r * depth + k]);
              sum += product, size += std::abs(product);
            }
            sum += static_cast<double>(bias.data_as<float>()[c]);
            const double allowed = backend == exact.get() ? size * 0x1p-19 : size / 256;
            REQUIRE(std::abs(static_cast<double>(out.data_as<float>()[r * columns + c]) - sum) <= allowed + 1e-6);
          }
        const std::vector<float> now(out.data_as<float>(), out.data_as<float>() + rows * columns);
        if (backend == rounding.get() && parts > 1) CHECK(now == before);
        before = now;
      }
    }
  }
}
