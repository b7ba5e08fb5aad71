// SPDX-License-Identifier: MIT
// The CPU backend's hot loops, its threads and their barrier as an ARM processor runs them: what Highway makes of the loops
// there against the plain ones, and sums that are right only where every thread has met every other.
#include <cmath>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

#include <arenascope/runtime/barrier.h>
#include <arenascope/runtime/thread_pool.h>
#include "engine/backends/cpu/simd/simd.h"

using namespace arenascope;

namespace {

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

std::vector<float> numbers(size_t n, uint32_t seed, float low, float high) {
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& x : out) x = low + (high - low) * static_cast<float>(random() % 4096) / 4096;
  return out;
}

bool near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

bool all_near(const std::vector<float>& a, const std::vector<float>& b, double tolerance) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!near(a[i], b[i], tolerance)) return false;
  return true;
}

void check_elements(const cpu::Simd& fast, const cpu::Simd& plain) {
  using Loops = cpu::ElementLoops;
  constexpr size_t kCount = 1003;  // no multiple of a vector
  const auto n = static_cast<int64_t>(kCount);
  const auto x = numbers(kCount, 1, 0.1f, 3), y = numbers(kCount, 2, 0.5f, 4);
  for (const auto& [loop, what] : {std::pair(&Loops::add, "add"),
                                   {&Loops::sub, "sub"},
                                   {&Loops::mul, "mul"},
                                   {&Loops::div, "div"},
                                   {&Loops::min, "min"},
                                   {&Loops::max, "max"}}) {
    std::vector<float> a(kCount), b(kCount);
    (fast.elements.*loop)(a.data(), x.data(), y.data(), n);
    (plain.elements.*loop)(b.data(), x.data(), y.data(), n);
    check(a == b, what);
  }
  for (const auto& [loop, what] : {std::pair(&Loops::relu, "relu"),
                                   {&Loops::exp, "exp"},
                                   {&Loops::log, "log"},
                                   {&Loops::erf, "erf"},
                                   {&Loops::tanh, "tanh"},
                                   {&Loops::sigmoid, "sigmoid"},
                                   {&Loops::silu, "silu"},
                                   {&Loops::gelu, "gelu"},
                                   {&Loops::sqrt, "sqrt"}}) {
    std::vector<float> a(kCount), b(kCount);
    (fast.elements.*loop)(a.data(), x.data(), n, 0, 0);
    (plain.elements.*loop)(b.data(), x.data(), n, 0, 0);
    check(all_near(a, b, 1e-5), what);
  }
}

void check_lines(const cpu::Simd& fast, const cpu::Simd& plain) {
  const auto x = numbers(777, 3, -1, 1), y = numbers(777, 4, -1, 1);
  const auto n = static_cast<int64_t>(x.size());
  check(near(fast.lines.sum(x.data(), n), plain.lines.sum(x.data(), n), 1e-6), "sum");
  check(near(fast.lines.dot(x.data(), y.data(), n), plain.lines.dot(x.data(), y.data(), n), 1e-5), "dot");
  check(fast.lines.highest(x.data(), n) == plain.lines.highest(x.data(), n), "highest");
  check(fast.lines.lowest(x.data(), n) == plain.lines.lowest(x.data(), n), "lowest");
}

// A matmul tile compared with three nested loops.
void check_tile(const cpu::Simd& fast) {
  const int64_t rows = fast.tile_rows, columns = fast.tile_columns, depth = 37;
  const auto a = numbers(static_cast<size_t>(rows * depth), 5, -1, 1),
             b = numbers(static_cast<size_t>(columns * depth), 6, -1, 1);
  std::vector<float> c(static_cast<size_t>(rows * columns)), expected(c.size());
  fast.tile(depth, a.data(), b.data(), c.data(), columns, rows, false);
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        expected[static_cast<size_t>(i * columns + j)] +=
            a[static_cast<size_t>(k * rows + i)] * b[static_cast<size_t>(k * columns + j)];
  check(all_near(c, expected, 1e-5), "tile of a product");
}

// Each round a thread reads what all wrote in the round before: without a barrier's order on ARM it would read old numbers.
void check_threads() {
  constexpr int kThreads = 4, kRounds = 2000;
  auto pool = ThreadPool::create(kThreads);
  if (!pool.ok()) return check(false, "threads");
  Barrier barrier(kThreads, 100);
  std::vector<int64_t> cells(kThreads * 16);  // plain memory
  std::vector<int> wrong(kThreads * 16);
  const std::function<void(int)> part = [&](int ith) {
    for (int round = 1; round <= kRounds; ++round) {
      cells[static_cast<size_t>(ith) * 16] = round;
      barrier.meet(ith);
      for (int other = 0; other < kThreads; ++other)
        wrong[static_cast<size_t>(ith) * 16] += cells[static_cast<size_t>(other) * 16] != round ? 1 : 0;
      barrier.meet(ith);
    }
  };
  (*pool)->run(part);
  for (int ith = 0; ith < kThreads; ++ith) check(wrong[static_cast<size_t>(ith) * 16] == 0, "barrier");
  check(barrier.generation(0) == 2 * kRounds, "how often they met");
}

}  // namespace

int main() {
  const cpu::Simd &fast = cpu::simd(), &plain = cpu::portable_simd();
  check(std::string_view(fast.name) != plain.name, "vectors of this processor are used");
  check_elements(fast, plain);
  check_lines(fast, plain);
  check_tile(fast);
  check_threads();
  std::printf("%s, %d wide: %s\n", fast.name, fast.lanes,
              failures == 0 ? "all as it should be" : "not as it should be");
  return failures == 0 ? 0 : 1;
}
