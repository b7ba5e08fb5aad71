// SPDX-License-Identifier: MIT
#define ARENASCOPE_CLIENT_IMPLEMENTATION
#include "engine/attach/arenascope_client.h"

#include <algorithm>
#include <cstdlib>

#include "engine/bench/bench_attach.h"
#include "engine/bench/measure.h"

namespace arenascope::attach {

namespace {

constexpr int kEvents = 1 << 14, kRounds = 101;

BenchRow row(std::string name, double value, double target) {
  return {std::move(name), value, "ns", "", 0, 0, target, value <= target};
}

// Waits until the pump has sent the contents of the ring, so that a round finds the ring empty and the pump asleep.
void settle() {
  const timespec pause{0, 1'000'000};
  while (arenascope_ring_ != nullptr &&
         __atomic_load_n(&arenascope_ring_->tail, __ATOMIC_ACQUIRE) != arenascope_ring_->head)
    nanosleep(&pause, nullptr);
}

// Nanoseconds per iteration of body(i).
template <class F>
double round_of(F&& body) {
  const int64_t start = arenascope_now();
  for (int i = 0; i < kEvents; ++i) body(i);
  return static_cast<double>(arenascope_now() - start) / kEvents;
}

// Median over rounds of the difference of two bodies, interleaved.
template <class F, class G>
double difference(F&& body, G&& without) {
  std::vector<double> differences;
  for (int round = 0; round < kRounds; ++round) {
    settle();
    const double with = round_of(body);
    differences.push_back(with - round_of(without));
  }
  return std::max(0.0, median(differences));
}

}  // namespace

std::vector<BenchRow> bench_attach() {
  std::vector<BenchRow> rows;
  uint64_t state = 1;
  const auto step = [&](int i) { state = state * 6364136223846793005u + static_cast<uint64_t>(i); };
  rows.push_back(row("not connected: an event, above an empty loop",
                     difference(
                         [&](int i) {
                           step(i);
                           arenascope_work(0, static_cast<uint32_t>(i), i, i);
                           keep(state);
                         },
                         [&](int i) {
                           step(i);
                           keep(state);
                         }),
                     1));
  arenascope_client_options options{};
  options.program = "bench";
  options.address = "file:/dev/null";
  if (arenascope_connect(&options) != 0) return rows;
  const uint32_t name = arenascope_name("span");
  int64_t now = 0;
  rows.push_back(row("connected: an event, above reading the clock",
                     difference(
                         [&](int) {
                           now = arenascope_now();
                           arenascope_span(name, now, now, 0);
                           keep(now);
                         },
                         [&](int) {
                           now = arenascope_now();
                           keep(now);
                         }),
                     15));
  std::vector<double> clock;
  for (int round = 0; round < kRounds; ++round) {
    clock.push_back(round_of([&](int) {
      now = arenascope_now();
      keep(now);
    }));
  }
  rows.push_back({"connected: reading the clock (not included above)", median(clock), "ns", "", 0, 0, 0, true});
  arenascope_disconnect();
  return rows;
}

}  // namespace arenascope::attach
